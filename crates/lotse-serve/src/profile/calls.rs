//! The callers and callees of a function.

use lotse_model::id::FunctionId;
use lotse_profile::calls::{CallRow as EngineRow, Side, direct};
use lotse_profile::events::{Column, Cost, CostRow};

use super::amount::{Amounts, count};
use super::table::{function_names, rows};
use super::{Analysed, ProfileDocument};
use crate::api::{CallRow, CallsAnswer, FunctionRow, Problem, Remark, Scope};

/// The callers and callees of a function, the costliest first.
pub(super) fn calls(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    function: u32,
    events: &[String],
) -> Result<CallsAnswer, Problem> {
    let scoped = document.analysis(scope)?;
    let analysed = scoped.get();
    let columns = document.columns(scope, events)?;
    let function = document.function(function)?;
    let bound = analysed.analysis.lower_bound_note(function);
    Ok(CallsAnswer {
        function: function_row(analysed, &columns, function),
        callers: call_rows(analysed, &columns, function, Side::Callers),
        callees: call_rows(analysed, &columns, function, Side::Callees),
        remarks: analysed.summary.notes.iter().cloned().chain(bound).map(Remark::note).collect(),
    })
}

/// The row of one function.
pub(crate) fn function_row(analysed: &Analysed<'_>, columns: &[Column], function: FunctionId) -> FunctionRow {
    rows(analysed, columns, &[function]).remove(0)
}

/// Direct callers or callees. Shares are relative to the inclusive cost of the function.
fn call_rows(analysed: &Analysed<'_>, columns: &[Column], function: FunctionId, side: Side) -> Vec<CallRow> {
    call_costs(analysed, columns, function, side).into_iter().map(|(row, _)| row).collect()
}

/// The same rows, with the costs that their texts show.
pub(crate) fn call_costs(
    analysed: &Analysed<'_>,
    columns: &[Column],
    function: FunctionId,
    side: Side,
) -> Vec<(CallRow, Vec<Cost>)> {
    let analysis = &analysed.analysis;
    let estimate = if analysed.is_estimate { "≈" } else { "" };
    let found = direct(analysis, columns, function, side);
    let names = function_names(analysis, found.iter().map(|row| row.function.id));
    let costs = analysis.inclusive.row(function.index());
    let row = CostRow { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls: None };
    // Costs of calls have no share of a lower bound: it may be far too small.
    let is_known = !analysis.is_lower_bound(function);
    let whole = |column: &Column| if is_known { column.inclusive_value(&row) } else { Cost::ABSENT };
    let wholes: Vec<Amounts<'_>> =
        columns.iter().map(|column| Amounts { column, whole: whole(column) }).collect();
    let row = |(row, name): (EngineRow, _)| {
        let mark = if row.exact { estimate } else { "≤" };
        let shown = CallRow {
            function: name,
            calls: row.calls.map(count),
            costs: wholes.iter().zip(&row.cost).map(|(amounts, cost)| amounts.marked(*cost, mark)).collect(),
            changes: None,
            inside_cycle: row.inside_cycle,
        };
        (shown, row.cost)
    };
    found.into_iter().zip(names).map(row).collect()
}
