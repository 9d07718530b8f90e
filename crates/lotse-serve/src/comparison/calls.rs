//! The callers and callees of a function, before and after.

use std::collections::BTreeMap;

use lotse_profile::calls::Side;
use lotse_profile::diff::DiffOrder;
use lotse_profile::events::Cost;
use lotse_profile::filter::Filter;
use lotse_profile::select::is_filter_note;

use super::changed::ChangedCosts;
use super::table::{changed_row, tell_apart};
use super::{Compared, ComparisonDocument, RowChoice};
use crate::api::{CallRow, CallsAnswer, Change, FunctionRow, Problem, Remark, Scope, SideChoice};
use crate::profile::{ProfileDocument, call_costs, function_row};

/// The calls of both profiles, joined by function, or those of the profile that the scope names.
pub(super) fn calls(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    function: u32,
    events: &[String],
) -> Result<CallsAnswer, Problem> {
    let filter = Filter::default();
    let choice = RowChoice { order: DiffOrder::New, inclusive: false, filter: &filter };
    let compared = document.compare(scope, events, choice)?;
    if let Some(SideChoice::Old | SideChoice::New) = scope.side {
        return one_side(document, &compared, (scope, events), function);
    }
    let joined = |side: Side| -> Result<Vec<CallRow>, Problem> {
        let of_side =
            |profile, is_old| costs_in(document, (profile, is_old), (scope, events), (function, side));
        Ok(join(&compared, of_side(&document.old, true)?, of_side(&document.new, false)?))
    };
    let new = document.new.analysis(scope)?;
    let notes = new.get().summary.notes.iter().filter(|note| !is_filter_note(note)).map(Remark::note);
    let left = document.filter_remarks(scope)?;
    Ok(CallsAnswer {
        function: row_of_function(document, &compared, (scope, events), function)?,
        callers: joined(Side::Callers)?,
        callees: joined(Side::Callees)?,
        remarks: left.into_iter().chain(notes).collect(),
    })
}

/// The calls of one profile; the row of the function has the costs of both.
fn one_side(
    document: &ComparisonDocument<'_>,
    compared: &Compared,
    (scope, events): (&Scope, &[String]),
    function: u32,
) -> Result<CallsAnswer, Problem> {
    let row = row_of_function(document, compared, (scope, events), function)?;
    let (profile, is_old) = document.side(scope);
    if let Some(why) = document.absence(scope, function, is_old)? {
        let remarks = vec![Remark::note(why)];
        return Ok(CallsAnswer { function: row, callers: Vec::new(), callees: Vec::new(), remarks });
    }
    let id = document.function(scope, function, is_old)?;
    let (own_scope, own_events) = document.of_profile((scope, events), is_old)?;
    let answer = profile.calls(&own_scope, id.0, &own_events)?;
    let ids = document.ids(scope)?;
    let numbered = |row: CallRow| CallRow { function: ids.renamed(row.function, is_old), ..row };
    Ok(CallsAnswer {
        function: row,
        callers: answer.callers.into_iter().map(numbered).collect(),
        callees: answer.callees.into_iter().map(numbered).collect(),
        remarks: answer.remarks,
    })
}

/// The calls of a function in one profile, with the numbers of the comparison; none if the profile does not have it.
fn costs_in(
    document: &ComparisonDocument<'_>,
    (profile, is_old): (&ProfileDocument<'_>, bool),
    (scope, events): (&Scope, &[String]),
    (function, side): (u32, Side),
) -> Result<Vec<(CallRow, Vec<Cost>)>, Problem> {
    let ids = document.ids(scope)?;
    let Some(function) = ids.in_profile(function, is_old) else { return Ok(Vec::new()) };
    let scoped = profile.analysis(scope)?;
    let (own_scope, own_events) = document.of_profile((scope, events), is_old)?;
    let columns = profile.columns(&own_scope, &own_events)?;
    let rows = call_costs(scoped.get(), &columns, function, side);
    let renamed = |(row, cost): (CallRow, Vec<Cost>)| {
        (CallRow { function: ids.renamed(row.function, is_old), ..row }, cost)
    };
    Ok(rows.into_iter().map(renamed).collect())
}

/// The function's own row: with its changes if it is compared, else from the profile that has it.
pub(super) fn row_of_function(
    document: &ComparisonDocument<'_>,
    compared: &Compared,
    (scope, events): (&Scope, &[String]),
    function: u32,
) -> Result<FunctionRow, Problem> {
    let ids = document.ids(scope)?;
    let (profile, is_old) = match ids.in_profile(function, false) {
        Some(_) => (&document.new, false),
        None => (&document.old, true),
    };
    let id = document.function(scope, function, is_old)?;
    let scoped = profile.analysis(scope)?;
    let (own_scope, own_events) = document.of_profile((scope, events), is_old)?;
    let columns = profile.columns(&own_scope, &own_events)?;
    let plain = function_row(scoped.get(), &columns, id);
    let at = usize::from(!is_old);
    let diff = compared.answer.functions.iter().find(|row| row.ids[at].contains(&id));
    let name = plain.function.clone().map(|name| ids.renamed(name, is_old));
    Ok(match (diff, name) {
        (Some(diff), Some(name)) => changed_row(compared, diff, name),
        (_, name) => FunctionRow { function: name, ..plain },
    })
}

/// Rows of both sides with changes; the greatest change first.
fn join(compared: &Compared, old: Vec<(CallRow, Vec<Cost>)>, new: Vec<(CallRow, Vec<Cost>)>) -> Vec<CallRow> {
    let changed: Vec<ChangedCosts<'_>> =
        (0..compared.columns.len()).map(|event| ChangedCosts::inclusive(compared, event)).collect();
    let changes = |old: Option<&Vec<Cost>>, new: Option<&Vec<Cost>>| {
        let cost = |costs: Option<&Vec<Cost>>, at: usize| costs.and_then(|costs| costs.get(at).copied());
        let all = changed.iter().enumerate().map(|(at, it)| it.between(cost(old, at), cost(new, at)));
        Some(all.collect::<Vec<Change>>())
    };
    let mut before: BTreeMap<u32, (CallRow, Vec<Cost>)> =
        old.into_iter().map(|row| (row.0.function.id, row)).collect();
    let mut rows: Vec<CallRow> = Vec::new();
    for (row, cost) in new {
        let earlier = before.remove(&row.function.id);
        let changes = changes(earlier.as_ref().map(|(_, cost)| cost), Some(&cost));
        // Shares of the total, as in the changes, not of the function, which differs between the profiles.
        let costs = changed.iter().zip(&cost).map(|(it, cost)| it.amount_of_new(*cost)).collect();
        rows.push(CallRow { changes, costs, ..row });
    }
    for (row, cost) in before.into_values() {
        let costs = changed.iter().map(|it| it.amount_of_new(Cost::Exact(0))).collect();
        rows.push(CallRow { changes: changes(Some(&cost), None), calls: None, costs, ..row });
    }
    let size = |row: &CallRow| {
        let first = row.changes.as_ref().and_then(|changes| changes.first());
        first.map_or(0.0, |change| change.difference.value.abs())
    };
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
    tell_apart(rows.iter_mut().map(|row| &mut row.function));
    rows
}
