//! The table of objects, files, classes, cycles or threads.

use lotse_profile::analysis::Grouping;
use lotse_profile::events::{Column, Cost, ranking};
use lotse_profile::filter::Pattern;
use lotse_profile::groups::{GroupAnswer, groups as all_groups};
use lotse_profile::top::TopOrder;

use super::amount::{Amounts, event_type};
use super::table::order;
use super::{Analysed, MOST_ROWS, ProfileDocument, threads};
use crate::api::{CostPair, FunctionRow, FunctionTable, Problem, Question, Remark, Scope};

/// Some rows of the table of groups.
pub(super) fn groups(document: &ProfileDocument<'_>, question: &Question) -> Result<FunctionTable, Problem> {
    let Question::Functions { scope, events, sort, ascending, filter, group, offset, limit, .. } = question
    else {
        return Err(Problem::new("this is no question about groups"));
    };
    let scoped = document.analysis(scope)?;
    let analysed = scoped.get();
    let analysis = &analysed.analysis;
    let columns = document.columns(scope, events)?;
    let mut found = match group.as_deref() {
        Some("thread") => threads::groups(document, scope, &columns, order(*sort))?,
        by => all_groups(analysis, &columns, grouping(by.unwrap_or(""))?, order(*sort)),
    };
    let all = found.len();
    let wanted = Pattern::parse(filter).map_err(Problem::new)?;
    found.retain(|group| wanted.matches(&group.name));
    if *ascending {
        found.reverse();
    }
    let has_inclusive = !analysis.origin.lacks_calls();
    let shown = found.iter().skip(*offset).take((*limit).min(MOST_ROWS));
    Ok(FunctionTable {
        events: columns.iter().map(|column| event_type(column, &analysis.totals)).collect(),
        count: found.len(),
        all,
        rows: shown.map(|group| row(group, &columns, analysed, has_inclusive)).collect(),
        remarks: analysis.notes_for(&columns[ranking(&columns)]).into_iter().map(Remark::note).collect(),
    })
}

/// The grouping with a name.
pub(super) fn grouping(name: &str) -> Result<Grouping, Problem> {
    match name {
        "object" => Ok(Grouping::Object),
        "file" => Ok(Grouping::File),
        "class" => Ok(Grouping::Class),
        "cycle" => Ok(Grouping::Cycle),
        other => Err(Problem::new(format!("functions cannot be grouped by {other:?}"))),
    }
}

fn row(group: &GroupAnswer, columns: &[Column], analysed: &Analysed<'_>, has_inclusive: bool) -> FunctionRow {
    let estimate = if analysed.is_estimate { "≈" } else { "" };
    let mark = if group.exact { estimate } else { "≤" };
    let pair = |(at, column): (usize, &Column)| {
        let amounts = Amounts::of_total(column, &analysed.analysis.totals);
        CostPair {
            own: amounts.marked(group.own[at], estimate),
            inclusive: (has_inclusive && column.has_inclusive())
                .then(|| amounts.marked(group.inclusive[at], mark)),
            own_change: None,
            inclusive_change: None,
        }
    };
    FunctionRow {
        function: None,
        name: group.name.clone(),
        // Of a thread, functions are counted only when it is opened.
        size: (group.functions > 0).then_some(group.functions),
        calls: None,
        costs: columns.iter().enumerate().map(pair).collect(),
    }
}

/// The costs of a group.
pub(crate) struct GroupCosts {
    /// The number of its functions.
    pub(crate) functions: usize,
    pub(crate) own: Vec<Cost>,
    pub(crate) inclusive: Vec<Cost>,
    /// Whether the inclusive costs are exact; otherwise they are upper bounds.
    pub(crate) exact: bool,
}

/// The groups of a scope with their costs.
pub(crate) fn group_costs(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    columns: &[Column],
    by: &str,
) -> Result<Vec<(String, GroupCosts)>, Problem> {
    let found = match by {
        "thread" => threads::groups(document, scope, columns, TopOrder::Own)?,
        by => all_groups(&document.analysis(scope)?.get().analysis, columns, grouping(by)?, TopOrder::Own),
    };
    let costs = |group: GroupAnswer| {
        let GroupAnswer { name, functions, own, inclusive, exact, .. } = group;
        (name, GroupCosts { functions, own, inclusive, exact })
    };
    Ok(found.into_iter().map(costs).collect())
}
