//! `lotse profile callers` and `callees`.

use lotse_profile::answer::{EventAnswer, FunctionAnswer};
use lotse_profile::calls::{CallsAnswer, Side, all, direct};
use lotse_profile::names::{Found, display, find};
use lotse_profile::{analysis::Analysis, csv, report};

use super::{
    analyse, columns, diagnostics, ending, event_types, limited, print, read_selected, remarks, source, style,
};
use crate::args::profile::CallsArgs;
use crate::exit::{Exit, Failure};
use crate::screen;

pub(crate) fn run(args: &CallsArgs, side: Side) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read_selected(&source, (&args.input.read, &args.select), !args.output.json)?;
    let types = event_types(&opened, &args.events)?;
    let columns = columns(&types, &args.events, &args.output)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let found = find_function(&analysis, &args.function)?;
    let rows = if args.all { all } else { direct }(&analysis, &columns, found.function, side);
    let count = rows.len();
    let answer = CallsAnswer {
        schema: "lotse.profile.calls/1",
        side,
        events: EventAnswer::of(&columns, &analysis.totals),
        function: FunctionAnswer::of(&opened.profile, &analysis.summary(), &columns, found.function),
        rows: limited(rows, args.limit),
        diagnostics: diagnostics(&opened, &analysis.notes),
    };
    let style = style(&args.output, &args.shares);
    let document = || match args.output.csv {
        true => csv::calls(&answer, style.1),
        false => report::calls(&answer, &columns, style),
    };
    print(&args.output, &answer, document, &analysis.notes)?;
    if !args.output.json {
        tell(side, &answer.function.function.display, answer.rows.len(), count);
    }
    Ok(ending(&opened))
}

/// Says what a table does not show.
fn tell(side: Side, name: &str, shown: usize, count: usize) {
    match (side, count) {
        (Side::Callers, 0) => screen::remark(&format!("nothing calls {name}")),
        (Side::Callees, 0) => screen::remark(&format!("{name} calls nothing")),
        (Side::Callers, _) => remarks::cut(shown, count, "callers"),
        (Side::Callees, _) => remarks::cut(shown, count, "callees"),
    }
}

/// The function meant; that others fit the name as well is told.
pub(super) fn find_function(analysis: &Analysis<'_>, asked: &str) -> Result<Found, Failure> {
    let found = find(analysis, asked).map_err(|error| unknown(&error.to_string()))?;
    if !found.others.is_empty() {
        let name = |&id: &_| display(analysis.profile, id).into_owned();
        let others: Vec<String> = found.others.iter().take(3).map(name).collect();
        let more = if found.others.len() > 3 { ", …" } else { "" };
        screen::remark(&format!(
            "{asked:?} fits {} functions; this is {}, the costliest (others: {}{more})",
            found.others.len() + 1,
            name(&found.function),
            others.join(", ")
        ));
    }
    Ok(found)
}

/// Where nothing resembles the name, the way to all names.
fn unknown(message: &str) -> Failure {
    if message.ends_with('?') {
        return Failure::usage(message);
    }
    Failure::usage(format!("{message}; `lotse profile top --limit 0` lists all"))
}
