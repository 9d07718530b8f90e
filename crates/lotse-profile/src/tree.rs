//! A call tree as an answer: a flat list with depths, because JSON readers limit nesting.

use lotse_model::progress::Checked as _;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionName, default_event};
use crate::events::{Column, Cost};
use crate::report::Numbers;
use crate::unfold::{CallTree, Direction, NotAdditive, UnfoldQuery, adds_up, threshold, value};

/// `lotse profile tree --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TreeAnswer {
    /// `lotse.profile.tree/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    pub direction: Direction,
    /// The requested root; null for all.
    pub function: Option<FunctionName>,
    /// Whether costs were divided in proportion, because the file has calls and no stacks.
    pub estimated: bool,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// The sum over all roots, including those left out.
    pub whole: Vec<Cost>,
    /// The nodes in depth-first order: each is followed by all nodes below it.
    pub nodes: Vec<NodeAnswer>,
    pub omitted: OmittedAnswer,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A function on one call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeAnswer {
    /// The number of calls from its root; its parent is the last node before it whose depth is one less.
    pub depth: u32,
    /// Its names.
    #[serde(flatten)]
    pub function: FunctionName,
    /// Self cost on this path; towards callers, the cost that has no further caller.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// Self cost and the cost of everything below it.
    pub inclusive: Vec<Cost>,
    /// The number of calls on this path, an estimate if the tree is one; null if unknown.
    pub calls: Option<u64>,
    /// The number of its children that were left out.
    pub left_out: u32,
    /// The sum of their costs.
    pub left_out_cost: Vec<Cost>,
}

/// Branches that were left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OmittedAnswer {
    /// The least share of the whole that a node must have.
    pub min_share: f64,
    /// Branches below that share.
    pub small: usize,
    /// Branches beyond the requested depth.
    pub deep: usize,
    /// Branches beyond the largest number of nodes.
    pub many: usize,
    /// Branches inside cycles whose calls are unknown.
    pub unplaced: usize,
    /// The sum of the costs of all omitted branches.
    pub cost: Vec<Cost>,
}

/// An error for event types whose costs do not add up, because branches are left out by their share of the whole.
pub fn ensure_additive(analysis: &Analysis<'_>, weight: &Column) -> Result<(), NotAdditive> {
    adds_up(analysis, weight)
}

/// The answer for a tree; the caller fills in format and diagnostics.
pub fn answer(
    analysis: &Analysis<'_>,
    columns: &[Column],
    query: &UnfoldQuery<'_>,
    tree: &CallTree,
) -> TreeAnswer {
    let totals = |totals: &[i128]| columns.iter().map(|column| column.total(totals)).collect();
    TreeAnswer {
        schema: "lotse.profile.tree/1",
        format: String::new(),
        direction: query.direction,
        function: query.start.map(|start| FunctionName::new(analysis.profile, start)),
        estimated: tree.estimated,
        events: EventAnswer::for_columns(columns, &analysis.totals),
        default_event: default_event(analysis.profile),
        whole: totals(&tree.totals),
        nodes: nodes(analysis, columns, tree),
        omitted: omitted(query, tree, columns),
        diagnostics: Vec::new(),
    }
}

/// What was left out of a tree, with its costs in these columns.
pub(crate) fn omitted(query: &UnfoldQuery<'_>, tree: &CallTree, columns: &[Column]) -> OmittedAnswer {
    OmittedAnswer {
        min_share: query.limits.min_share,
        small: tree.omitted.small,
        deep: tree.omitted.deep,
        many: tree.omitted.many,
        unplaced: tree.omitted.unplaced,
        cost: columns.iter().map(|column| column.total(&tree.omitted.costs)).collect(),
    }
}

/// One answer for each node, in preorder. Inclusive costs are absent for event types that callers do not inherit.
fn nodes(analysis: &Analysis<'_>, columns: &[Column], tree: &CallTree) -> Vec<NodeAnswer> {
    let rest = tree.left_out_costs();
    let answer = |(place, node): (usize, &crate::unfold::CallTreeNode)| {
        let costs = |costs: &[u64]| {
            columns.iter().map(|column| value(analysis, column, costs, node.calls)).collect::<Vec<Cost>>()
        };
        let known = |costs: Vec<Cost>| -> Vec<Cost> {
            let one =
                |(cost, column): (Cost, &Column)| if column.has_inclusive() { cost } else { Cost::ABSENT };
            costs.into_iter().zip(columns).map(one).collect()
        };
        NodeAnswer {
            depth: node.depth,
            function: FunctionName::new(analysis.profile, node.function),
            own: costs(tree.own.row(place)),
            inclusive: known(costs(tree.inclusive.row(place))),
            calls: node.calls,
            left_out: node.left_out,
            left_out_cost: costs(rest.row(place)),
        }
    };
    tree.nodes.iter().enumerate().checked().map(answer).collect()
}

/// Notes about a tree: that it is an estimate, and what is left out.
pub fn notes(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>, tree: &CallTree) -> Vec<String> {
    let estimated = "estimated: the file tells calls and not stacks, so costs are shared out among callers in \
                     proportion";
    let estimated = tree.estimated.then(|| estimated.to_owned());
    estimated.into_iter().chain(left_out(query, tree)).chain(without_stack(analysis, query, tree)).collect()
}

fn left_out(query: &UnfoldQuery<'_>, tree: &CallTree) -> Option<String> {
    let omitted = &tree.omitted;
    let reasons = [
        (omitted.small, format!("below {}", threshold(query.limits.min_share))),
        // Without a limit of the depth, no branch is too deep.
        (omitted.deep, query.limits.depth.map_or(String::new(), deeper_than)),
        (omitted.many, format!("beyond {} nodes", Numbers::Readable.count(tree.nodes.len() as u64))),
        (omitted.unplaced, "in cycles whose order of calls the file does not tell".to_owned()),
    ];
    let text = |(count, why): &(usize, String)| format!("{} {why}", Numbers::Readable.count(*count as u64));
    let reasons: Vec<String> = reasons.iter().filter(|(count, _)| *count > 0).map(text).collect();
    let column = query.weight;
    let share = Numbers::Readable.share(column.total(&omitted.costs), column.total(&tree.totals));
    (!reasons.is_empty()).then(|| format!("branches left out: {}; together {share}", reasons.join(", ")))
}

fn deeper_than(depth: u32) -> String {
    let plural = if depth == 1 { "" } else { "s" };
    format!("deeper than {depth} call{plural}")
}

/// A note about samples without a stack, which are in the total but in no tree.
fn without_stack(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>, tree: &CallTree) -> Option<String> {
    let column = query.weight;
    let (whole, total) = (column.total(&tree.totals), column.total(&analysis.totals));
    let differs = query.start.is_none() && !tree.estimated && whole != total;
    let missing = Cost::Real(total.as_f64() - whole.as_f64());
    differs.then(|| {
        format!("{} of the cost is of samples without a stack", Numbers::Readable.share(missing, total))
    })
}
