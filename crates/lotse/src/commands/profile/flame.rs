//! `lotse profile flame`.

use lotse_profile::flame::{FlameAnswer, answer, flame};
use lotse_report::svg::FlameGrowth;

use super::tree::{draw_picture, json_text, not_additive, query};
use crate::args::profile_views::FlameArgs;
use crate::exit::{Exit, Failure};

/// Draws a flame graph, or writes its frames as JSON.
pub(crate) fn run(args: &FlameArgs) -> Result<Exit, Failure> {
    let growth = if args.icicle { FlameGrowth::Down } else { FlameGrowth::Up };
    draw_picture((&args.input, &args.select, &args.events, &args.file), |drawing| {
        let analysis = drawing.analysis;
        let (query, note) = query(analysis, drawing.column, &args.unfold)?;
        drawing.remark(note.as_ref());
        if drawing.json {
            let answer = answer(analysis, &query).map_err(not_additive)?;
            let diagnostics = drawing.diagnostics(note);
            return json_text(&FlameAnswer { format: drawing.format(), diagnostics, ..answer });
        }
        let picture = flame(analysis, &query, drawing.title, growth).map_err(not_additive)?;
        Ok(picture.as_str().to_owned())
    })
}
