//! `lotse profile tree`, and what the pictures of trees share with it.

use std::path::Path;

use lotse_profile::analysis::Analysis;
use lotse_profile::events::{Column, ranking};
use lotse_profile::unfold::{Direction, Limits, NotAdditive, UnfoldQuery, unfold};
use lotse_profile::{csv, report, tree};

use super::calls::find_function;
use super::{
    analyse, columns, diagnostics, ending, event_types, led, or_measured, print, read_selected, remarks,
    source, style,
};
use crate::args::profile::{EventArgs, InputArgs, OutputArgs, SelectArgs};
use crate::args::profile_views::{PictureArgs, TreeArgs, UnfoldArgs};
use crate::exit::{Exit, Failure};
use crate::export::{only_vectors, save};
use crate::screen;

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
        led(table, or_measured(report::tree_sentence(&columns, &answer), &columns, &answer.events))
    };
    print(&args.output, &answer, document, &notes)?;
    if answer.nodes.is_empty() && !args.output.json {
        screen::remark(remarks::NO_COSTS);
    }
    Ok(ending(&opened))
}

/// The cost that decides about shares.
pub(super) fn weight(columns: &[Column]) -> Result<&Column, Failure> {
    let missing =
        || Failure { exit: Exit::Unreadable, message: "the profile has no costs to show".to_owned() };
    columns.get(ranking(columns)).ok_or_else(missing)
}

/// What to unfold, as plain options, and a note where the name of the function fits others too.
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

/// Reads a profile and hands what is asked for to a picture.
pub(super) fn drawn(
    (input, select, events, output): (&InputArgs, &SelectArgs, &EventArgs, &PictureArgs),
    draw: impl FnOnce(&Analysis<'_>, &Column, &str) -> Result<String, Failure>,
) -> Result<Exit, Failure> {
    let out = output.out.as_deref().unwrap_or(Path::new("-"));
    only_vectors(out)?;
    let source = source(&input.file)?;
    let opened = read_selected(&source, (&input.read, select, events), true)?;
    let types = event_types(&opened, events)?;
    let first = OutputArgs { json: false, csv: false };
    let columns = columns(&types, events, &first)?;
    let analysis = analyse(&opened, &input.read)?;
    analysis.notes.iter().for_each(|note| screen::remark(note));
    let text = draw(&analysis, weight(&columns)?, &title(&input.file))?;
    save(out, text.as_bytes())?;
    Ok(ending(&opened))
}

/// What a picture is called.
fn title(file: &Path) -> String {
    match file.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// Costs that cannot be drawn were asked for.
pub(super) fn not_additive(error: NotAdditive) -> Failure {
    Failure::new(Exit::Usage, &error)
}
