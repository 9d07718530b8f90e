//! The list of the costliest objects, files, classes or cycles.

use lotse_model::Profile;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{Analysis, Grouping};
use crate::answer::{DiagnosticAnswer, EventAnswer};
use crate::events::{Column, Cost, CostRow, ranking};
use crate::top::TopOrder;

/// `lotse profile top --group … --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GroupsAnswer {
    /// `lotse.profile.groups/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// Where inclusive costs come from, as for `lotse profile top`.
    pub inclusive_from: &'static str,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// The number of groups, including those not listed.
    pub group_count: usize,
    /// Groups, the costliest first.
    pub groups: Vec<GroupAnswer>,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A group with its costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GroupAnswer {
    pub name: String,
    /// Functions with any cost or call.
    pub functions: usize,
    /// Self costs.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// Inclusive costs; null for ratios and differences of upper bounds.
    pub inclusive: Vec<Cost>,
    /// Whether inclusive costs are exact; otherwise they are upper bounds.
    pub exact: bool,
}

/// Groups that have a function with any cost or call, sorted by `order`. Cycles of one function are left out.
pub fn groups(
    analysis: &Analysis<'_>,
    columns: &[Column],
    by: Grouping,
    order: TopOrder,
) -> Vec<GroupAnswer> {
    let costs = analysis.grouped(by);
    let profile: &Profile = analysis.profile;
    let row = |costs| CostRow { costs, signed: profile.signed, totals: &analysis.totals, calls: None };
    let own = |costs| columns.iter().map(|column| column.value(&row(costs))).collect();
    let inclusive = |costs, exact: bool| {
        let known = if exact { Column::inclusive_value } else { Column::bound_value };
        columns.iter().map(|column| known(column, &row(costs))).collect()
    };
    let shown = (0..costs.names.len()).filter(|&group| costs.sizes[group] > 0);
    let kept = shown.filter(|&group| by != Grouping::Cycle || costs.sizes[group] > 1);
    let answer = |group: usize| GroupAnswer {
        name: costs.names[group].clone(),
        functions: costs.sizes[group],
        own: own(costs.own.row(group)),
        inclusive: inclusive(costs.inclusive.row(group), costs.exact[group]),
        exact: costs.exact[group],
    };
    let mut answers: Vec<GroupAnswer> = kept.map(answer).collect();
    let at = ranking(columns);
    answers.sort_by(|a, b| compare(a, b, order, (at, columns.get(at))));
    answers
}

fn compare(
    a: &GroupAnswer,
    b: &GroupAnswer,
    order: TopOrder,
    (at, column): (usize, Option<&Column>),
) -> std::cmp::Ordering {
    let rank = |cost: Cost| column.map_or(cost, |column| column.rank_of_cost(cost));
    let costs = |group: &GroupAnswer| match order {
        TopOrder::Inclusive => group.inclusive.get(at).copied(),
        _ => group.own.get(at).copied(),
    };
    let by_cost = match (costs(a), costs(b)) {
        (Some(a), Some(b)) if order != TopOrder::Name => rank(b).compare(&rank(a)),
        _ => std::cmp::Ordering::Equal,
    };
    by_cost.then_with(|| a.name.cmp(&b.name))
}

#[cfg(test)]
mod tests {
    use super::groups;
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode, Grouping};
    use crate::events::{Cost, EventTypes};
    use crate::top::TopOrder;

    #[test]
    fn classes_are_summed_and_sorted() {
        let profile = summed(
            &[("_ZN1A1fEv", 1), ("_ZN1B1gEv", 5), ("_ZN1A1hEv", 3)],
            &[("_ZN1A1fEv", "_ZN1B1gEv", 2, 5)],
        );
        let columns = EventTypes::new(&profile, &[]).unwrap().own();
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let found = groups(&analysis, &columns, Grouping::Class, TopOrder::Inclusive);
        let shown: Vec<_> =
            found.iter().map(|it| (it.name.as_str(), it.functions, it.own[0], it.inclusive[0])).collect();
        assert_eq!(
            shown,
            [("A", 2, Cost::Exact(4), Cost::Exact(9)), ("B", 1, Cost::Exact(5), Cost::Exact(5))]
        );
    }
}
