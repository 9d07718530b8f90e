//! Flame graphs, treemaps and call graphs.

use lotse_profile::analysis::Analysis;
use lotse_profile::drawn::DrawnFunction;
use lotse_profile::events::{Column, Cost};
use lotse_profile::flame::{self, FlameAnswer};
use lotse_profile::graph::{self, GraphAnswer, GraphEdgeAnswer, GraphNodeAnswer, GraphQuery};
use lotse_profile::tree::OmittedAnswer;
use lotse_profile::treemap::{self, TreemapAnswer};
use lotse_profile::unfold::{Direction, Limits, NotAdditive, UnfoldQuery};
use lotse_report::number::format_share;
use lotse_report::svg::MOST_NODES;

use super::ProfileDocument;
use super::amount::{Amounts, count, event_type};
use super::table::function_name;
use crate::api::{
    FlamePicture, Frames, FunctionName, GraphEdge, GraphNode, GraphPicture, Problem, Remark, Scope, Tiles,
    TreeDirection, TreemapPicture,
};

/// Smaller branches are not drawn: a frame of less than a pixel on a wide screen.
const MIN_SHARE: f64 = 0.0005;
/// A picture larger than any screen is a mistake.
const LARGEST_SIDE: f64 = 8192.0;
/// Calls with less than this part of the least share of a function are not drawn.
const EDGE_PART: f64 = 0.2;

pub(super) fn flame(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    direction: TreeDirection,
    root: Option<u32>,
) -> Result<FlamePicture, Problem> {
    let scoped = document.analysis(scope)?;
    let weight = document.weight(scope)?;
    let start = root.map(|id| document.function(id)).transpose()?;
    flame_picture(&scoped.get().analysis, &unfold_query(&weight, direction, start))
}

pub(super) fn treemap(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    (direction, root): (TreeDirection, Option<u32>),
    size: (f64, f64),
) -> Result<TreemapPicture, Problem> {
    let scoped = document.analysis(scope)?;
    let weight = document.weight(scope)?;
    let start = root.map(|id| document.function(id)).transpose()?;
    treemap_picture(&scoped.get().analysis, &unfold_query(&weight, direction, start), size)
}

pub(super) fn graph(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    function: Option<u32>,
    limits: (f64, usize),
) -> Result<GraphPicture, Problem> {
    let scoped = document.analysis(scope)?;
    let weight = document.weight(scope)?;
    let start = function.map(|id| document.function(id)).transpose()?;
    graph_picture(&scoped.get().analysis, &graph_query(&weight, start, limits))
}

fn unfold_query(
    weight: &Column,
    direction: TreeDirection,
    start: Option<lotse_model::id::FunctionId>,
) -> UnfoldQuery<'_> {
    let direction = match direction {
        TreeDirection::Callees => Direction::Callees,
        TreeDirection::Callers => Direction::Callers,
    };
    UnfoldQuery { start, direction, weight, limits: Limits { min_share: MIN_SHARE, ..Limits::default() } }
}

/// The functions and calls of a graph; thresholds of the page are cut to what can be drawn.
fn graph_query(
    column: &Column,
    start: Option<lotse_model::id::FunctionId>,
    (min_share, nodes): (f64, usize),
) -> GraphQuery<'_> {
    let node_share = if min_share.is_finite() { min_share.clamp(0.0, 1.0) } else { 0.0 };
    GraphQuery {
        column,
        start,
        depth: None,
        node_share,
        edge_share: node_share * EDGE_PART,
        nodes: Some(nodes.clamp(1, MOST_NODES)),
        group: None,
    }
}

/// The flame graph of an analysis.
fn flame_picture(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>) -> Result<FlamePicture, Problem> {
    let answer: FlameAnswer = flame::answer(analysis, query).map_err(not_additive)?;
    let amounts = Amounts { column: query.weight, whole: answer.whole };
    let mut frames = Frames::default();
    for frame in &answer.frames {
        frames.function.push(frame.function);
        frames.parent.push(parent(frame.parent));
        frames.depth.push(frame.depth);
        frames.start.push(frame.start);
        frames.share.push(frame.share);
        // Towards callers, only the first level has self cost: a caller's part is what it calls.
        let own = match query.direction {
            Direction::Callees => amounts.text(frame.own),
            Direction::Callers if frame.depth == 0 && query.start.is_none() => amounts.text(frame.inclusive),
            Direction::Callers => String::new(),
        };
        frames.own.push(own);
        frames.inclusive.push(amounts.text(frame.inclusive));
    }
    let cut = answer.hidden.narrow + answer.hidden.deep + answer.hidden.many;
    let total = Amounts::of_total(query.weight, &analysis.totals);
    let part = total.share(answer.whole).unwrap_or(1.0);
    let hidden = [omitted_text(&answer.omitted, &total), cut_text(cut, answer.hidden.share * part, "frames")];
    Ok(FlamePicture {
        event: event_type(query.weight, &analysis.totals),
        direction: match query.direction {
            Direction::Callees => TreeDirection::Callees,
            Direction::Callers => TreeDirection::Callers,
        },
        estimated: answer.estimated,
        whole: total.amount(answer.whole),
        functions: names(analysis, answer.functions),
        frames,
        hidden: joined(hidden),
        empty: String::new(),
        remarks: tree_remarks(analysis, query.weight),
    })
}

/// The treemap of an analysis.
fn treemap_picture(
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
    (width, height): (f64, f64),
) -> Result<TreemapPicture, Problem> {
    let side = |length: f64| if length.is_finite() { length.clamp(16.0, LARGEST_SIDE) } else { 16.0 };
    let answer: TreemapAnswer =
        treemap::answer(analysis, query, (side(width), side(height))).map_err(not_additive)?;
    let amounts = Amounts { column: query.weight, whole: answer.whole };
    let mut tiles = Tiles::default();
    for tile in &answer.tiles {
        tiles.function.push(tile.function);
        tiles.parent.push(parent(tile.parent));
        tiles.x.push(tile.x);
        tiles.y.push(tile.y);
        tiles.width.push(tile.width);
        tiles.height.push(tile.height);
        tiles.share.push(amounts.share(tile.inclusive).unwrap_or(0.0));
        let own = match query.direction {
            Direction::Callees => amounts.text(tile.own),
            Direction::Callers if tile.parent.is_none() && query.start.is_none() => {
                amounts.text(tile.inclusive)
            }
            Direction::Callers => String::new(),
        };
        tiles.own.push(own);
        tiles.inclusive.push(amounts.text(tile.inclusive));
    }
    let total = Amounts::of_total(query.weight, &analysis.totals);
    let part = total.share(answer.whole).unwrap_or(1.0);
    let small = format!("tiles too small to draw: {}", format_share(answer.hidden_share * part, 1));
    let small = if answer.hidden_share > 0.0 { small } else { String::new() };
    Ok(TreemapPicture {
        event: event_type(query.weight, &analysis.totals),
        estimated: answer.estimated,
        whole: total.amount(answer.whole),
        functions: names(analysis, answer.functions),
        tiles,
        hidden: joined([omitted_text(&answer.omitted, &total), small]),
        empty: String::new(),
        remarks: tree_remarks(analysis, query.weight),
    })
}

/// The call graph of an analysis.
fn graph_picture(analysis: &Analysis<'_>, query: &GraphQuery<'_>) -> Result<GraphPicture, Problem> {
    let answer: GraphAnswer = graph::answer(analysis, query).map_err(not_additive)?;
    let amounts = Amounts::of_total(query.column, &analysis.totals);
    Ok(GraphPicture {
        event: event_type(query.column, &analysis.totals),
        width: answer.width,
        height: answer.height,
        nodes: answer.nodes.into_iter().map(|node| graph_node(analysis, &amounts, node)).collect(),
        edges: answer.edges.into_iter().map(graph_edge).collect(),
        hidden: hidden_functions(&answer.hidden, query),
        empty: String::new(),
        remarks: remarks(analysis, query.column),
    })
}

fn graph_node(analysis: &Analysis<'_>, amounts: &Amounts<'_>, node: GraphNodeAnswer) -> GraphNode {
    let is_bound = |node: &GraphNodeAnswer| {
        node.function.as_ref().is_some_and(|it| analysis.is_lower_bound(it.function.id))
    };
    let mark = if is_bound(&node) { "≥" } else { "" };
    GraphNode {
        function: node.function.map(|function| function_name(analysis, function)),
        label: node.label,
        details: node.details,
        is_cycle: node.is_cycle,
        own: amounts.amount(node.own),
        inclusive: amounts.marked(node.inclusive, mark),
        change: None,
        x: node.x,
        y: node.y,
        width: node.width,
        height: node.height,
    }
}

fn graph_edge(edge: GraphEdgeAnswer) -> GraphEdge {
    let bound = if edge.is_bound { "≤ " } else { "" };
    let share = format!("{bound}{}", format_share(edge.share, 1));
    GraphEdge {
        from: edge.from,
        to: edge.to,
        share: edge.share,
        label: [Some(share), edge.count.map(|calls| format!("{} ×", count(calls).text))]
            .into_iter()
            .flatten()
            .collect(),
        points: edge.points,
        label_at: edge.label_at,
        course: edge.course,
    }
}

/// What the thresholds of a graph hide, and how to see it.
fn hidden_functions(hidden: &graph::HiddenAnswer, query: &GraphQuery<'_>) -> String {
    if hidden.functions == 0 && hidden.calls == 0 {
        return String::new();
    }
    let least = format_share(query.node_share, 1);
    let beyond = match hidden.beyond {
        0 => String::new(),
        more => format!(", {more} of them for lack of room"),
    };
    format!(
        "{} functions below {least} are not shown{beyond} (self cost {} together), nor {} calls",
        hidden.functions,
        format_share(hidden.self_share, 1),
        hidden.calls
    )
}

fn omitted_text(omitted: &OmittedAnswer, amounts: &Amounts<'_>) -> String {
    let count = omitted.small + omitted.deep + omitted.many + omitted.unplaced;
    let share = omitted.cost.first().and_then(|cost: &Cost| amounts.share(*cost)).unwrap_or(0.0);
    cut_text(count, share, "branches")
}

fn cut_text(count: usize, share: f64, what: &str) -> String {
    match count {
        0 => String::new(),
        count => format!("{count} small {what} ({} together) are not shown", format_share(share, 1)),
    }
}

fn joined<const N: usize>(texts: [String; N]) -> String {
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

fn parent(index: Option<usize>) -> i32 {
    index.and_then(|index| i32::try_from(index).ok()).unwrap_or(-1)
}

fn names(analysis: &Analysis<'_>, functions: Vec<DrawnFunction>) -> Vec<FunctionName> {
    functions.into_iter().map(|function| function_name(analysis, function)).collect()
}

fn remarks(analysis: &Analysis<'_>, column: &Column) -> Vec<Remark> {
    analysis.notes_for(column).into_iter().map(Remark::note).collect()
}

/// The remarks on a picture of a tree of calls.
fn tree_remarks(analysis: &Analysis<'_>, column: &Column) -> Vec<Remark> {
    remarks(analysis, column).into_iter().chain(analysis.cycle_note().map(Remark::note)).collect()
}

fn not_additive(error: NotAdditive) -> Problem {
    Problem::new(error)
}
