//! The table of the costliest source lines of the whole program.

use lotse_profile::events::{Column, Cost, ranking};
use lotse_profile::lines::{
    LineOrder, LinesQuery, RankedLine, RankedLines, has_lines_of_stacks, ranked_lines,
};
use lotse_report::number::format_share;

use super::amount::{Amounts, event_type};
use super::table::function_names;
use super::{Analysed, MOST_ROWS, ProfileDocument};
use crate::api::{CostPair, EventType, FunctionName, LineRow, LineSort, LineTable, Problem, Remark, Scope};

/// A smaller share of costs without a line is not worth a remark.
const LEAST_NOTED: f64 = 0.0005;

/// The costliest lines: of the selected samples if they come from stacks, else of all samples of the parts.
pub(super) fn lines(
    document: &ProfileDocument<'_>,
    (scope, events): (&Scope, &[String]),
    sort: LineSort,
    limit: usize,
) -> Result<LineTable, Problem> {
    let whole = Scope { focus: None, ignore: None, hide: None, ..scope.clone() };
    let is_unfiltered = whole != *scope && !has_lines_of_stacks(document.opened());
    let scope = if is_unfiltered { &whole } else { scope };
    let scoped = document.analysis(scope)?;
    let analysed = scoped.get();
    let order = match sort {
        LineSort::Own => LineOrder::Own,
        LineSort::Inclusive => LineOrder::Inclusive,
        // A single profile has nothing to compare.
        LineSort::Old | LineSort::Difference | LineSort::Ratio => LineOrder::Own,
    };
    let limit = Some(limit.min(MOST_ROWS));
    let ranked = |columns: &[Column]| {
        let query = LinesQuery { columns, order, limit };
        ranked_lines(document.opened(), &analysed.analysis, &query).map_err(Problem::new)
    };
    let mut columns = document.columns(scope, events)?;
    let mut found = ranked(&columns)?;
    let mut notes = Vec::new();
    if is_unfiltered {
        notes.push(UNFILTERED.to_owned());
    }
    if let Some(other) = found.other_column(&document.event_types(scope)?, &columns) {
        let lacking = &columns[ranking(&columns)].name;
        notes.push(format!("the file does not have {lacking} by line; {} is shown", other.name));
        columns = vec![other];
        found = ranked(&columns)?;
    }
    if scoped.is_selection() {
        notes.extend(
            columns.get(ranking(&columns)).map(|it| analysed.analysis.notes_for(it)).into_iter().flatten(),
        );
    }
    match found.count {
        0 if scoped.is_selection() => notes.push("no line is left by focus, ignore and hide".to_owned()),
        0 => notes.push(format!(
            "a profile in the format {} has no costs by line here: it was recorded without debug information, or the \
             format has none",
            document.opened().format
        )),
        _ => notes.extend(left_out(analysed, &columns, &found)),
    }
    Ok(LineTable {
        events: event_types(analysed, &columns),
        count: found.count,
        rows: rows(analysed, &columns, &found.lines),
        remarks: notes.into_iter().map(Remark::note).collect(),
    })
}

pub(crate) const UNFILTERED: &str =
    "focus, ignore and hide do not apply here: these are the costs of the lines in all samples of the parts";

fn event_types(analysed: &Analysed<'_>, columns: &[Column]) -> Vec<EventType> {
    columns.iter().map(|column| event_type(column, &analysed.analysis.totals)).collect()
}

fn rows(analysed: &Analysed<'_>, columns: &[Column], lines: &[RankedLine]) -> Vec<LineRow> {
    let names = function_names(&analysed.analysis, lines.iter().map(|line| line.id));
    let row = |(line, function): (&RankedLine, FunctionName)| LineRow {
        file: line.file.clone(),
        line: line.line,
        old_file: None,
        old_line: None,
        pairing: None,
        function,
        functions: line.functions,
        costs: costs(analysed, columns, line),
    };
    lines.iter().zip(names).map(row).collect()
}

fn costs(analysed: &Analysed<'_>, columns: &[Column], line: &RankedLine) -> Vec<CostPair> {
    let pair = |(at, column): (usize, &Column)| {
        let amounts = Amounts::of_total(column, &analysed.analysis.totals);
        let inclusive = line.inclusive.as_ref().and_then(|costs| costs.get(at)).copied();
        CostPair {
            own: amounts.amount(line.own.get(at).copied().unwrap_or(Cost::ABSENT)),
            inclusive: inclusive.filter(|cost| !cost.is_absent()).map(|cost| amounts.amount(cost)),
            own_change: None,
            inclusive_change: None,
        }
    };
    columns.iter().enumerate().map(pair).collect()
}

/// What the table lacks: lines beyond the limit, costs without a line, and inclusive costs that are not known.
fn left_out(analysed: &Analysed<'_>, columns: &[Column], found: &RankedLines) -> Vec<String> {
    let at = ranking(columns);
    let share = |costs: &[Cost]| {
        let column = columns.get(at)?;
        let amounts = Amounts::of_total(column, &analysed.analysis.totals);
        let share = amounts.share(costs.get(at).copied()?)?;
        Some((share, format!("{} of {}", format_share(share, 1), column.name)))
    };
    let mut notes = Vec::new();
    if found.lines.len() < found.count {
        let rest = share(&found.hidden)
            .map_or_else(String::new, |(_, text)| format!("; the others have {text} (self)"));
        notes.push(format!("shown: {} of {} lines{rest}", found.lines.len(), found.count));
    }
    if let Some((_, text)) = share(&found.without_line).filter(|(share, _)| *share >= LEAST_NOTED) {
        notes.push(format!("{text} has no line: the file or the debug information does not have them"));
    }
    let is_unknown = |line: &RankedLine| line.inclusive.is_none();
    if !analysed.analysis.origin.lacks_calls() && found.lines.iter().any(is_unknown) {
        notes.push(
            "the inclusive costs of lines that recur, or that are part of several functions, are not known (–)".to_owned(),
        );
    }
    notes
}
