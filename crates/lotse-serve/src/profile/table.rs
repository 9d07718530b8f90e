//! The table of functions.

use lotse_model::id::FunctionId;
use lotse_profile::analysis::{Analysis, cycle_name};
use lotse_profile::answer::FunctionAnswer;
use lotse_profile::drawn::{DrawnFunction, describe};
use lotse_profile::events::{Column, ranking};
use lotse_profile::filter::{Filter, Pattern};
use lotse_profile::report::unattributed;
use lotse_profile::top::{RankedPage, TopOrder, TopQuery, ranked_page};

use super::amount::{Amounts, count, event_type, inclusive_mark};
use super::{Analysed, MOST_ROWS, ProfileDocument, threads};
use crate::api::{
    CostPair, FunctionName, FunctionRow, FunctionSort, FunctionTable, GroupFilter, Problem, Question, Remark,
};

/// Some rows of the table of functions.
pub(super) fn functions(
    document: &ProfileDocument<'_>,
    question: &Question,
) -> Result<FunctionTable, Problem> {
    let Question::Functions { scope, events, sort, ascending, filter, within, offset, limit, .. } = question
    else {
        return Err(Problem::new("this is no question about functions"));
    };
    let thread = within.as_ref().filter(|within| within.group == "thread");
    let narrowed = thread.map(|thread| threads::scope_of(document, scope, &thread.name)).transpose()?;
    let scope = narrowed.as_ref().unwrap_or(scope);
    let within = within.as_ref().filter(|within| within.group != "thread");
    let scoped = document.analysis(scope)?;
    let analysed = scoped.get();
    let columns = document.columns(scope, events)?;
    let members = within.filter(|within| within.group == "cycle").map(|within| within.name.as_str());
    let in_cycle = |id: &FunctionId| members.is_none_or(|name| is_member(analysed, *id, name));
    // The functions are filtered already.
    let query = TopQuery { columns: &columns, order: order(*sort), limit: None, filter: &Filter::default() };
    let accepted = analysed.accepted.of_filter(&analysed.analysis, filter, within)?;
    let ids: Vec<FunctionId> = accepted.iter().copied().filter(in_cycle).collect();
    let count = ids.len();
    // Names are listed from A to Z, numbers from the greatest.
    let reversed = *ascending != (*sort == FunctionSort::Name);
    let page = RankedPage { reversed, offset: *offset, length: (*limit).min(MOST_ROWS) };
    let shown = ranked_page(analysed.analysis.profile, &analysed.summary, &query, ids, page);
    let totals = &analysed.analysis.totals;
    Ok(FunctionTable {
        events: columns.iter().map(|column| event_type(column, totals)).collect(),
        count,
        all: analysed.summary.functions,
        rows: rows(analysed, &columns, &shown),
        remarks: thread
            .map(|thread| Remark::note(format!("costs of {}; shares are of its total", thread.name)))
            .into_iter()
            .chain(remarks(analysed, &columns, scoped.is_selection()))
            .collect(),
    })
}

/// What the numbers leave out.
fn remarks(analysed: &Analysed<'_>, columns: &[Column], is_selection: bool) -> Vec<Remark> {
    let rest = if is_selection { Vec::new() } else { unattributed(columns, &analysed.summary) };
    let notes = match columns.get(ranking(columns)).filter(|_| is_selection) {
        Some(column) => analysed.analysis.notes_for(column),
        None => analysed.summary.notes.clone(),
    };
    notes.into_iter().chain(rest).map(Remark::note).collect()
}

/// The filter of a table: by name, and by group.
pub(crate) fn filtered(text: &str, within: Option<&GroupFilter>) -> Result<Filter, Problem> {
    let name = (!text.is_empty()).then(|| Pattern::parse(text)).transpose().map_err(Problem::new)?;
    let exact = within.map(|within| Pattern::Whole(within.name.clone()));
    let mut filter = Filter { name, ..Filter::default() };
    match within.map(|within| within.group.as_str()) {
        Some("object") => filter.object = exact,
        Some("file") => filter.file = exact,
        Some("class") => filter.class = exact,
        Some("cycle") | None => {}
        Some("thread") => {
            return Err(Problem::new(
                "the functions of a thread of two profiles are not listed: threads have other numbers in each run; choose parts instead",
            ));
        }
        Some(other) => return Err(Problem::new(format!("functions cannot be grouped by {other:?}"))),
    }
    Ok(filter)
}

/// Whether a function is a member of the cycle that the table of groups calls by this name.
fn is_member(analysed: &Analysed<'_>, function: FunctionId, name: &str) -> bool {
    let cycle = analysed.summary.cycle[function.index()];
    cycle.is_some_and(|cycle| name == cycle_name(cycle))
}

pub(super) fn order(sort: FunctionSort) -> TopOrder {
    match sort {
        FunctionSort::Own | FunctionSort::Old | FunctionSort::Difference | FunctionSort::Ratio => {
            TopOrder::Own
        }
        FunctionSort::Inclusive => TopOrder::Inclusive,
        FunctionSort::Calls => TopOrder::Calls,
        FunctionSort::Name => TopOrder::Name,
    }
}

/// The rows of functions, in the order given.
pub(super) fn rows(
    analysed: &Analysed<'_>,
    columns: &[Column],
    functions: &[FunctionId],
) -> Vec<FunctionRow> {
    let names = function_names(&analysed.analysis, functions.iter().copied());
    let row = |(&function, name): (&FunctionId, FunctionName)| {
        let answer = FunctionAnswer::new(analysed.analysis.profile, &analysed.summary, columns, function);
        FunctionRow {
            name: name.name.clone(),
            size: None,
            calls: answer.calls.map(count),
            costs: costs(analysed, columns, (function, &answer)),
            function: Some(name),
        }
    };
    functions.iter().zip(names).map(row).collect()
}

/// Self and inclusive costs in all columns; inclusive ones only if calls are known.
fn costs(
    analysed: &Analysed<'_>,
    columns: &[Column],
    (function, answer): (FunctionId, &FunctionAnswer),
) -> Vec<CostPair> {
    let analysis = &analysed.analysis;
    let has_inclusive = !analysis.origin.lacks_calls();
    let own_mark = if analysed.is_estimate { "≈" } else { "" };
    let mark = if analysed.is_estimate { "≈" } else { inclusive_mark_of(analysis, function) };
    let pair = |(at, column): (usize, &Column)| {
        let amounts = Amounts::of_total(column, &analysis.totals);
        CostPair {
            own: amounts.marked(answer.own[at], own_mark),
            inclusive: (has_inclusive && column.has_inclusive())
                .then(|| amounts.marked(answer.inclusive[at], mark)),
            own_change: None,
            inclusive_change: None,
        }
    };
    columns.iter().enumerate().map(pair).collect()
}

/// The mark of a function's inclusive cost.
fn inclusive_mark_of(analysis: &Analysis<'_>, function: FunctionId) -> &'static str {
    if analysis.is_lower_bound(function) { "≥" } else { inclusive_mark(analysis) }
}

/// The names of functions, in the order given.
pub(crate) fn function_names(
    analysis: &Analysis<'_>,
    functions: impl Iterator<Item = FunctionId>,
) -> Vec<FunctionName> {
    describe(analysis, functions).into_iter().map(|function| function_name(analysis, function)).collect()
}

/// A function of a drawing, as the page names it.
pub(super) fn function_name(analysis: &Analysis<'_>, drawn: DrawnFunction) -> FunctionName {
    let cycle = analysis.cycles.cycle.get(drawn.id as usize).copied().flatten();
    FunctionName {
        id: drawn.id,
        name: drawn.function.display,
        label: drawn.label,
        object: drawn.function.object,
        file: drawn.function.file,
        line: drawn.function.line,
        class: drawn.function.class,
        cycle: cycle.map(|cycle| cycle + 1),
        place: drawn.place,
        colour_key: drawn.colour_key,
    }
}
