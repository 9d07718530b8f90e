//! `lotse profile callers` and `callees`.

use lotse_model::id::FunctionId;
use lotse_profile::answer::{EventAnswer, FunctionAnswer, default_event};
use lotse_profile::calls::{CallsAnswer, Side, all, direct};
use lotse_profile::names::find;
use lotse_profile::{analysis::Analysis, csv, report};

use super::{
    about_columns, analyse, columns, diagnostics, ending, event_types, limited, or_totals, print,
    read_selected, remarks, source, style, with_lead,
};
use crate::args::profile::CallsArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

const NO_CALLS: &str = "the file has no calls: who calls a function and whom it calls is unknown";

/// Lists the callers or callees of a function: direct ones, or with `--all` also indirect ones.
pub(crate) fn run(args: &CallsArgs, side: Side) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read_selected(&source, (&args.input.read, &args.select, &args.events), !args.output.json)?;
    let types = event_types(&opened, &args.events)?;
    let columns = columns(&types, &args.events, &args.output)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let (function, note) = find_function(&analysis, &args.function)?;
    if args.output.csv {
        // CSV has no notes, but the user must know which function the table is about.
        note.iter().for_each(|note| screen::remark(note));
    }
    let about = about_columns(&columns, &opened, analysis.called().is_some());
    let bound = analysis.lower_bound_note(function);
    let notes: Vec<String> =
        analysis.notes.iter().cloned().chain(bound.clone()).chain(note).chain(about).collect();
    let rows = if args.all { all } else { direct }(&analysis, &columns, function, side);
    let count = rows.len();
    if count == 0 && analysis.origin.lacks_calls() {
        return Err(Failure::usage(format!("{NO_CALLS}; record with call graphs, as with `perf record -g`")));
    }
    let answer = CallsAnswer {
        schema: "lotse.profile.calls/1",
        side,
        events: EventAnswer::for_columns(&columns, &analysis.totals),
        default_event: default_event(&opened.profile),
        function: FunctionAnswer::new(&opened.profile, &analysis.summary(), &columns, function),
        lower_bound: bound.is_some(),
        rows: limited(rows, args.limit),
        diagnostics: diagnostics(&opened, &notes),
    };
    let style = style(&args.output, &args.shares);
    let document = || {
        if args.output.csv {
            return csv::calls(&answer, style.1);
        }
        let table = report::calls(&answer, &columns, style);
        with_lead(table, or_totals(report::calls_sentence(&columns, &answer), &columns, &answer.events))
    };
    print(&args.output, &answer, document, &notes)?;
    if !args.output.json {
        remark_hidden_rows(side, &answer.function.function.display, answer.rows.len(), count);
    }
    Ok(ending(&opened))
}

/// Prints a remark on how many rows a table leaves out, or why it is empty.
fn remark_hidden_rows(side: Side, name: &str, shown: usize, count: usize) {
    match (side, count) {
        (Side::Callers, 0) => screen::remark(&format!("nothing calls {name}")),
        (Side::Callees, 0) => screen::remark(&format!("{name} calls nothing")),
        (Side::Callers, _) => remarks::cut(shown, count, "callers"),
        (Side::Callees, _) => remarks::cut(shown, count, "callees"),
    }
}

/// The function with this name, and a note if the name fits other functions as well.
pub(super) fn find_function(
    analysis: &Analysis<'_>,
    name: &str,
) -> Result<(FunctionId, Option<String>), Failure> {
    let found = find(analysis, name).map_err(|error| unknown_function(&error.to_string()))?;
    Ok((found.function, found.note(analysis, name)))
}

/// The failure for an unknown name. If no similar name is suggested, it says how to list all names.
fn unknown_function(message: &str) -> Failure {
    if message.ends_with('?') {
        return Failure::usage(message);
    }
    Failure::usage(format!("{message}; `lotse profile top --limit 0` lists all"))
}
