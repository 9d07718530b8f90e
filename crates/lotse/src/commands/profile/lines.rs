//! `lotse profile lines`.

use lotse_profile::answer::{EventAnswer, default_event};
use lotse_profile::events::{Column, ranking};
use lotse_profile::lines::{LineOrder, LinesAnswer, LinesQuery, ranked_lines};
use lotse_profile::report;

use super::{
    analyse, columns, diagnostics, ending, event_types, format_failure, or_totals, print, read, source,
    style, with_lead,
};
use crate::args::profile::{LineSortArg, LinesArgs};
use crate::exit::{Exit, Failure};

/// Lists the costliest source lines of all functions.
pub(crate) fn run(args: &LinesArgs) -> Result<Exit, Failure> {
    let source = source(&args.input.file)?;
    let opened = read(&source, &args.input.read, !args.output.json)?;
    let types = event_types(&opened, &args.events)?;
    let mut columns = columns(&types, &args.events, &args.output)?;
    let analysis = analyse(&opened, &args.input.read)?;
    let order = match args.sort {
        LineSortArg::SelfCost => LineOrder::Own,
        LineSortArg::Inclusive => LineOrder::Inclusive,
    };
    let limit = (args.limit > 0).then_some(args.limit);
    let ranked = |columns: &[Column]| {
        ranked_lines(&opened, &analysis, &LinesQuery { columns, order, limit }).map_err(format_failure)
    };
    let mut found = ranked(&columns)?;
    let is_chosen = !args.events.events.is_empty() || !args.events.define.is_empty();
    let other = found.other_column(&types, &columns).filter(|_| !is_chosen);
    let other_note = other.as_ref().map(|other| {
        format!("the file does not have {} by line; {} is shown", columns[ranking(&columns)].name, other.name)
    });
    if let Some(other) = other {
        columns = vec![other];
        found = ranked(&columns)?;
    }
    if found.count == 0 {
        let message = format!(
            "a profile in the format {} has no costs by line here: it was recorded without debug information, or the format \
             has none",
            opened.format
        );
        return Err(Failure { exit: Exit::Missing, message });
    }
    let mut answer = LinesAnswer {
        schema: "lotse.profile.lines/1",
        format: opened.format.to_owned(),
        events: EventAnswer::for_columns(&columns, &analysis.totals),
        default_event: default_event(&opened.profile),
        lines: found.lines,
        line_count: found.count,
        hidden: found.hidden,
        without_line: found.without_line,
        diagnostics: Vec::new(),
    };
    let notes: Vec<String> = other_note.into_iter().chain(report::lines_notes(&columns, &answer)).collect();
    answer.diagnostics = diagnostics(&opened, &notes);
    let document = || {
        let table = report::lines(&answer, &columns, analysis.origin, style(&args.output, &args.shares));
        let sentence = report::lines_sentence(&columns, &answer).filter(|_| order == LineOrder::Own);
        match args.output.csv {
            true => table,
            false => with_lead(table, or_totals(sentence, &columns, &answer.events)),
        }
    };
    print(&args.output, &answer, document, &notes)?;
    Ok(ending(&opened))
}
