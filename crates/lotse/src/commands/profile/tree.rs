//! `lotse profile tree`, and what flame graphs, treemaps and call graphs share with it.

use std::path::Path;

use lotse_profile::analysis::Analysis;
use lotse_profile::answer::DiagnosticAnswer;
use lotse_profile::events::{Column, ranking};
use lotse_profile::open::Opened;
use lotse_profile::unfold::{Direction, Limits, NotAdditive, UnfoldQuery, unfold};
use lotse_profile::{csv, report, tree};
use serde::Serialize;

use super::calls::find_function;
use super::{
    analyse, columns, diagnostics, ending, event_types, or_totals, print, read_selected, remarks, source,
    style, with_lead,
};
use crate::args::profile::{EventArgs, InputArgs, OutputArgs, SelectArgs};
use crate::args::profile_views::{PictureArgs, TreeArgs, UnfoldArgs};
use crate::exit::{Exit, Failure};
use crate::export::{refuse_raster_formats, save};
use crate::screen;

/// Prints the call tree of a profile, with the costs of every call path.
pub(crate) fn run(args: &TreeArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read_selected(&source, (&args.input.read, &args.select, &args.events), !args.output.json)?;
    let types = event_types(&opened, &args.events)?;
    let columns = columns(&types, &args.events, &args.output)?;
    let analysis = analyse(&opened, &args.input.read)?;
    tree::ensure_additive(&analysis, weight(&columns)?).map_err(not_additive)?;
    let (query, note) = query(&analysis, weight(&columns)?, &args.unfold)?;
    let unfolded = unfold(&analysis, &query);
    let notes = tree::notes(&analysis, &query, &unfolded);
    let notes: Vec<String> = analysis.notes.iter().cloned().chain(note).chain(notes).collect();
    let answer = tree::TreeAnswer {
        format: opened.format.to_owned(),
        diagnostics: diagnostics(&opened, &notes),
        ..tree::answer(&analysis, &columns, &query, &unfolded)
    };
    let style = style(&args.output, &args.shares);
    let document = || {
        if args.output.csv {
            return csv::tree(&answer, style.1);
        }
        let table = report::tree(&answer, &columns, style);
        with_lead(table, or_totals(report::tree_sentence(&columns, &answer), &columns, &answer.events))
    };
    print(&args.output, &answer, document, &notes)?;
    if answer.nodes.is_empty() && !args.output.json {
        screen::remark(remarks::NO_COSTS);
    }
    Ok(ending(&opened))
}

/// The event type whose shares decide what is shown.
pub(super) fn weight(columns: &[Column]) -> Result<&Column, Failure> {
    let missing =
        || Failure { exit: Exit::Unreadable, message: "the profile has no costs to show".to_owned() };
    columns.get(ranking(columns)).ok_or_else(missing)
}

/// What to unfold, and a note if the name of the function fits other functions as well.
pub(super) fn query<'a>(
    analysis: &Analysis<'_>,
    weight: &'a Column,
    args: &UnfoldArgs,
) -> Result<(UnfoldQuery<'a>, Option<String>), Failure> {
    let found = args.function.as_deref().map(|name| find_function(analysis, name)).transpose()?;
    let (start, note) = found.map_or((None, None), |(function, note)| (Some(function), note));
    let direction = if args.callers { Direction::Callers } else { Direction::Callees };
    let limits = Limits { min_share: args.min_share, depth: args.depth, ..Limits::default() };
    Ok((UnfoldQuery { start, direction, weight, limits }, note))
}

/// What a picture is drawn from, and how it is written.
pub(super) struct Drawing<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) column: &'a Column,
    pub(super) title: &'a str,
    pub(super) json: bool,
    opened: &'a Opened<'a>,
}

impl Drawing<'_> {
    /// Prints a note, unless the answer has it.
    pub(super) fn remark(&self, note: Option<&String>) {
        note.filter(|_| !self.json).iter().for_each(|note| screen::remark(note));
    }

    /// The format of the file.
    pub(super) fn format(&self) -> String {
        self.opened.format.to_owned()
    }

    /// Problems of the file, notes about the numbers, and a further note, for an answer.
    pub(super) fn diagnostics(&self, note: Option<String>) -> Vec<DiagnosticAnswer> {
        let notes: Vec<String> = self.analysis.notes.iter().cloned().chain(note).collect();
        diagnostics(self.opened, &notes)
    }
}

/// Reads a profile, calls `draw` with its analysis, and writes the picture, or its data as JSON.
pub(super) fn draw_picture(
    (input, select, events, output): (&InputArgs, &SelectArgs, &EventArgs, &PictureArgs),
    draw: impl FnOnce(&Drawing<'_>) -> Result<String, Failure>,
) -> Result<Exit, Failure> {
    let out = output.out.as_deref().unwrap_or(Path::new("-"));
    refuse_raster_formats(out)?;
    let source = source(&input.file)?;
    let opened = read_selected(&source, (&input.read, select, events), !output.json)?;
    let types = event_types(&opened, events)?;
    let as_text = OutputArgs { json: false, csv: false };
    let columns = columns(&types, events, &as_text)?;
    let analysis = analyse(&opened, &input.read)?;
    let drawing = Drawing {
        analysis: &analysis,
        column: weight(&columns)?,
        title: &title(&input.file),
        json: output.json,
        opened: &opened,
    };
    analysis.notes.iter().for_each(|note| drawing.remark(Some(note)));
    save(out, draw(&drawing)?.as_bytes())?;
    Ok(ending(&opened))
}

/// An answer as one line of JSON.
pub(super) fn json_text(answer: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(answer).map_err(|error| Failure::new(Exit::Missing, &error))?;
    Ok(text + "\n")
}

/// The title of a picture: the name of the profile.
fn title(file: &Path) -> String {
    match file.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// The failure for costs that do not add up over functions, so that they cannot be shown as a tree.
pub(super) fn not_additive(error: NotAdditive) -> Failure {
    Failure::new(Exit::Usage, &error)
}
