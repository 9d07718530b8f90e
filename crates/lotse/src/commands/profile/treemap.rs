//! `lotse profile treemap`.

use lotse_profile::treemap::treemap;

use super::tree::{draw_picture, not_additive, query};
use crate::args::profile_views::TreemapArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &TreemapArgs) -> Result<Exit, Failure> {
    draw_picture((&args.input, &args.select, &args.events, &args.file), |analysis, column, title| {
        let (query, note) = query(analysis, column, &args.unfold)?;
        note.iter().for_each(|note| screen::remark(note));
        let picture = treemap(analysis, &query, title).map_err(not_additive)?;
        Ok(picture.as_str().to_owned())
    })
}
