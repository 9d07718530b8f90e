//! `lotse profile treemap`.

use lotse_profile::treemap::{SIZE, TreemapAnswer, answer, treemap};

use super::tree::{draw_picture, json_text, not_additive, query};
use crate::args::profile_views::TreemapArgs;
use crate::exit::{Exit, Failure};

/// Draws a treemap, or writes its tiles as JSON.
pub(crate) fn run(args: &TreemapArgs) -> Result<Exit, Failure> {
    draw_picture((&args.input, &args.select, &args.events, &args.file), |drawing| {
        let analysis = drawing.analysis;
        let (query, note) = query(analysis, drawing.column, &args.unfold)?;
        drawing.remark(note.as_ref());
        if drawing.json {
            let answer = answer(analysis, &query, SIZE).map_err(not_additive)?;
            let diagnostics = drawing.diagnostics(note);
            return json_text(&TreemapAnswer { format: drawing.format(), diagnostics, ..answer });
        }
        let picture = treemap(analysis, &query, drawing.title).map_err(not_additive)?;
        Ok(picture.as_str().to_owned())
    })
}
