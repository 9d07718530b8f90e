//! `lotse profile flame`.

use lotse_profile::flame::flame;
use lotse_report::svg::FlameGrowth;

use super::tree::{draw_picture, not_additive, query};
use crate::args::profile_views::FlameArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &FlameArgs) -> Result<Exit, Failure> {
    let growth = if args.icicle { FlameGrowth::Down } else { FlameGrowth::Up };
    draw_picture((&args.input, &args.select, &args.events, &args.file), |analysis, column, title| {
        let (query, note) = query(analysis, column, &args.unfold)?;
        note.iter().for_each(|note| screen::remark(note));
        let picture = flame(analysis, &query, title, growth).map_err(not_additive)?;
        Ok(picture.as_str().to_owned())
    })
}
