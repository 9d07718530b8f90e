//! An unfolded tree as an answer: a flat list with depths, for no reader nests as deep as programs call.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionName, default_event};
use crate::events::{Column, Cost};
use crate::report::Numbers;
use crate::unfold::{Direction, NotAdditive, Query, Tree, adds_up, threshold, value};

/// `lotse profile tree --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TreeAnswer {
    /// `lotse.profile.tree/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// Towards callees or callers.
    pub direction: Direction,
    /// The root asked for; null for all.
    pub function: Option<FunctionName>,
    /// Whether costs were shared out in proportion, because the file tells calls and not stacks.
    pub estimated: bool,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
    /// What all roots cost, also those left out.
    pub whole: Vec<Cost>,
    /// The nodes: each is followed by all that is below it.
    pub nodes: Vec<NodeAnswer>,
    /// What is not in the list.
    pub omitted: OmittedAnswer,
    /// What was odd.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A function reached in one way.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeAnswer {
    /// Calls from its root; its parent is the last one before it with one less.
    pub depth: u32,
    /// Its names.
    #[serde(flatten)]
    pub function: FunctionName,
    /// What it costs itself on this way; towards callers, what begins there.
    #[serde(rename = "self")]
    pub own: Vec<Cost>,
    /// With everything below it.
    pub inclusive: Vec<Cost>,
    /// Calls on this way, an estimate where the tree is; null where nothing tells.
    pub calls: Option<u64>,
    /// How many of its children were left out.
    pub left_out: u32,
    /// What those cost.
    pub left_out_cost: Vec<Cost>,
}

/// Branches that were left out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OmittedAnswer {
    /// The least share of the whole that a node must have.
    pub min_share: f64,
    /// Branches below it.
    pub small: usize,
    /// Branches further from their root than asked for.
    pub deep: usize,
    /// Branches beyond the largest number of nodes.
    pub many: usize,
    /// Places in cycles below which costs lie whose calls the file does not tell.
    pub unplaced: usize,
    /// What they cost together.
    pub cost: Vec<Cost>,
}

/// Refuses an event type whose costs are no parts of a whole: branches below a share of it could not be left out.
pub fn ensure_additive(analysis: &Analysis<'_>, weight: &Column) -> Result<(), NotAdditive> {
    adds_up(analysis, weight)
}

/// The answer for a tree; what is told about the file is left for the caller to fill in.
pub fn answer(analysis: &Analysis<'_>, columns: &[Column], query: &Query<'_>, tree: &Tree) -> TreeAnswer {
    let totals = |totals: &[i128]| columns.iter().map(|column| column.total(totals)).collect();
    TreeAnswer {
        schema: "lotse.profile.tree/1",
        format: String::new(),
        direction: query.direction,
        function: query.start.map(|start| FunctionName::of(analysis.profile, start)),
        estimated: tree.estimated,
        events: EventAnswer::of(columns, &analysis.totals),
        default_event: default_event(analysis.profile),
        whole: totals(&tree.totals),
        nodes: nodes(analysis, columns, tree),
        omitted: OmittedAnswer {
            min_share: query.limits.min_share,
            small: tree.omitted.small,
            deep: tree.omitted.deep,
            many: tree.omitted.many,
            unplaced: tree.omitted.unplaced,
            cost: totals(&tree.omitted.costs),
        },
        diagnostics: Vec::new(),
    }
}

fn nodes(analysis: &Analysis<'_>, columns: &[Column], tree: &Tree) -> Vec<NodeAnswer> {
    let rest = tree.left_out();
    let answer = |(place, node): (usize, &crate::unfold::Node)| {
        let costs = |costs: &[u64]| {
            columns.iter().map(|column| value(analysis, column, costs, node.calls)).collect::<Vec<Cost>>()
        };
        NodeAnswer {
            depth: node.depth,
            function: FunctionName::of(analysis.profile, node.function),
            own: costs(tree.own.row(place)),
            inclusive: costs(tree.inclusive.row(place)),
            calls: node.calls,
            left_out: node.left_out,
            left_out_cost: costs(rest.row(place)),
        }
    };
    tree.nodes.iter().enumerate().map(answer).collect()
}

/// What a reader of a tree must know: that it is an estimate, what is not in it.
pub fn notes(analysis: &Analysis<'_>, query: &Query<'_>, tree: &Tree) -> Vec<String> {
    let estimated = "estimated: the file tells calls and not stacks, so costs are shared out among callers in \
                     proportion";
    let estimated = tree.estimated.then(|| estimated.to_owned());
    estimated.into_iter().chain(left_out(query, tree)).chain(without_stack(analysis, query, tree)).collect()
}

fn left_out(query: &Query<'_>, tree: &Tree) -> Option<String> {
    let omitted = &tree.omitted;
    let reasons = [
        (omitted.small, format!("below {}", threshold(query.limits.min_share))),
        // Nothing is too deep where no depth was asked for.
        (omitted.deep, query.limits.depth.map_or(String::new(), deeper_than)),
        (omitted.many, format!("beyond {} nodes", Numbers::Readable.count(tree.nodes.len() as u64))),
        (omitted.unplaced, "in cycles whose order of calls the file does not tell".to_owned()),
    ];
    let told = |(count, why): &(usize, String)| format!("{} {why}", Numbers::Readable.count(*count as u64));
    let reasons: Vec<String> = reasons.iter().filter(|(count, _)| *count > 0).map(told).collect();
    let column = query.weight;
    let share = Numbers::Readable.share(column.total(&omitted.costs), column.total(&tree.totals));
    (!reasons.is_empty()).then(|| format!("branches left out: {}; together {share}", reasons.join(", ")))
}

fn deeper_than(depth: u32) -> String {
    let plural = if depth == 1 { "" } else { "s" };
    format!("deeper than {depth} call{plural}")
}

/// Samples whose stack is unknown are in the total but in no tree.
fn without_stack(analysis: &Analysis<'_>, query: &Query<'_>, tree: &Tree) -> Option<String> {
    let column = query.weight;
    let (whole, total) = (column.total(&tree.totals), column.total(&analysis.totals));
    let differs = query.start.is_none() && !tree.estimated && whole != total;
    let missing = Cost::Real(total.as_f64() - whole.as_f64());
    differs.then(|| {
        format!("{} of the cost is of samples without a stack", Numbers::Readable.share(missing, total))
    })
}
