//! The source lines of two programs: paired with their changes, or those of the profile that the scope names.

use lotse_profile::diff::{Comparison, DiffOrder, PairedLine, PairedLines, paired_lines};
use lotse_profile::events::{Column, ranking};
use lotse_profile::filter::Filter;
use lotse_profile::lines::{LineOrder, LinesQuery, RankedLine, has_lines_of_stacks, ranked_lines};

use super::changed::ChangedCosts;
use super::{Compared, ComparisonDocument, RowChoice};
use crate::api::{CostPair, FunctionName, LineRow, LineSort, LineTable, Problem, Remark, Scope, SideChoice};
use crate::profile::{Analysed, MOST_ROWS, ProfileDocument, UNFILTERED, function_names};

/// The lines of both profiles, or of the one that the scope names.
pub(super) fn lines(
    document: &ComparisonDocument<'_>,
    (scope, events): (&Scope, &[String]),
    (sort, inclusive): (LineSort, bool),
    limit: usize,
) -> Result<LineTable, Problem> {
    match scope.side {
        Some(SideChoice::Old | SideChoice::New) => one_side(document, (scope, events), sort, limit),
        Some(SideChoice::Difference) | None => {
            let inclusive = inclusive || sort == LineSort::Inclusive;
            both(document, (scope, events), (order(sort), inclusive), limit.min(MOST_ROWS))
        }
    }
}

fn order(sort: LineSort) -> DiffOrder {
    match sort {
        LineSort::Own | LineSort::Inclusive => DiffOrder::New,
        LineSort::Old => DiffOrder::Old,
        LineSort::Difference => DiffOrder::Difference,
        LineSort::Ratio => DiffOrder::Ratio,
    }
}

/// The lines of one profile, with the numbers that functions have in the comparison.
fn one_side(
    document: &ComparisonDocument<'_>,
    (scope, events): (&Scope, &[String]),
    sort: LineSort,
    limit: usize,
) -> Result<LineTable, Problem> {
    let (profile, is_old) = document.side(scope);
    let ids = document.ids(scope)?;
    let (own_scope, own_events) = document.of_profile((scope, events), is_old)?;
    let mut table = profile.lines((&own_scope, &own_events), sort, limit)?;
    let numbered = |row: LineRow| LineRow { function: ids.renamed(row.function, is_old), ..row };
    table.rows = table.rows.into_iter().map(numbered).collect();
    let which = if is_old { "old" } else { "new" };
    let text =
        format!("these are the lines of the {which} profile; at the top, Show: difference compares both");
    table.remarks.insert(0, Remark::note(text));
    Ok(table)
}

/// The lines of both profiles, each beside the same line of the other.
fn both(
    document: &ComparisonDocument<'_>,
    (scope, events): (&Scope, &[String]),
    (order, inclusive): (DiffOrder, bool),
    limit: usize,
) -> Result<LineTable, Problem> {
    let whole = Scope { focus: None, ignore: None, hide: None, ..scope.clone() };
    let profiles = [&document.old, &document.new];
    let of_stacks = profiles.iter().all(|profile| has_lines_of_stacks(profile.opened()));
    let is_unfiltered = whole != *scope && !of_stacks;
    let scope = if is_unfiltered { &whole } else { scope };
    let filter = Filter::default();
    let compared = document.compare(scope, events, RowChoice { order, inclusive, filter: &filter })?;
    let mut found = paired(document, scope, events)?;
    found.sort(order, inclusive, ranking(&compared.columns));
    let count = found.lines.len();
    let unfiltered = is_unfiltered.then(|| UNFILTERED.to_owned());
    let cut = (limit < count).then(|| format!("{limit} of {count} lines are shown, the greatest"));
    let none = (count == 0).then(|| "neither profile has costs by line".to_owned());
    let notes = found.notes.into_iter().chain(compared.notes.iter().cloned());
    let remarks = unfiltered.into_iter().chain(cut).chain(none).chain(notes).map(Remark::note).collect();
    found.lines.truncate(limit);
    let rows = rows(document, scope, &compared, &found.lines)?;
    Ok(LineTable { events: compared.events(), count, rows, remarks })
}

fn paired(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    events: &[String],
) -> Result<PairedLines, Problem> {
    let scoped = document.analyses(scope)?;
    let analysed = [scoped[0].get(), scoped[1].get()];
    let pairing = document.pairing(scope, events)?;
    let sides = document.sides(analysed, &pairing);
    let comparison = Comparison::renamed(&sides, pairing.basis, &document.renames(scope));
    let old = all_lines(&document.old, analysed[0], &pairing.columns[0])?;
    let new = all_lines(&document.new, analysed[1], &pairing.columns[1])?;
    let sources = [document.old.line_sources(), document.new.line_sources()];
    Ok(paired_lines(&comparison, [&old, &new], sources))
}

fn all_lines(
    document: &ProfileDocument<'_>,
    analysed: &Analysed<'_>,
    columns: &[Column],
) -> Result<Vec<RankedLine>, Problem> {
    let query = LinesQuery { columns, order: LineOrder::Own, limit: None };
    Ok(ranked_lines(document.opened(), &analysed.analysis, &query).map_err(Problem::new)?.lines)
}

fn rows(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    compared: &Compared,
    lines: &[PairedLine],
) -> Result<Vec<LineRow>, Problem> {
    let names = names(document, scope, lines)?;
    let row = |(line, function): (&PairedLine, FunctionName)| LineRow {
        file: line.file.clone(),
        line: line.line,
        old_file: line.old.as_ref().map(|(file, _)| file.clone()),
        old_line: line.old.as_ref().map(|(_, number)| *number),
        pairing: Some(line.pairing),
        function,
        functions: line.functions,
        costs: costs(compared, line),
    };
    Ok(lines.iter().zip(names).map(row).collect())
}

/// The functions of lines, with their numbers in the comparison.
fn names(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    lines: &[PairedLine],
) -> Result<Vec<FunctionName>, Problem> {
    let ids = document.ids(scope)?;
    let of_side = |is_old: bool| -> Result<_, Problem> {
        let profile = if is_old { &document.old } else { &document.new };
        let scoped = profile.analysis(&Scope::default())?;
        let wanted = lines.iter().filter(|line| line.is_old_function == is_old).map(|line| line.function.id);
        Ok(function_names(&scoped.get().analysis, wanted).into_iter())
    };
    let (mut old, mut new) = (of_side(true)?, of_side(false)?);
    let name = |line: &PairedLine| {
        let found = if line.is_old_function { old.next() } else { new.next() };
        let found = found.ok_or_else(|| Problem::new("a function has no name"))?;
        Ok(ids.renamed(found, line.is_old_function))
    };
    lines.iter().map(name).collect()
}

fn costs(compared: &Compared, line: &PairedLine) -> Vec<CostPair> {
    let status = line.pairing.status();
    let pair = |(at, column): (usize, &Column)| {
        let (own, inclusive) = (ChangedCosts::own(compared, at), ChangedCosts::inclusive(compared, at));
        let inherited =
            line.inclusive.as_ref().and_then(|all| all.get(at)).filter(|_| column.has_inclusive());
        CostPair {
            own: own.new_amount(&line.own[at]),
            inclusive: inherited.map(|change| inclusive.new_amount(change)),
            own_change: Some(own.change(&line.own[at], status)),
            inclusive_change: inherited.map(|change| inclusive.change(change, status)),
        }
    };
    compared.columns.iter().enumerate().map(pair).collect()
}
