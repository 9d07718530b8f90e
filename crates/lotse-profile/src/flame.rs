//! Flame graphs: a call tree drawn from its roots upwards, or downwards as icicles, or as data.

use lotse_report::svg::{FlameFrame, FlameGrowth, Svg, flame_frames};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionName};
use crate::drawn::{DrawnFunction, DrawnFunctions, bare_rows};
use crate::events::Cost;
use crate::tree::{OmittedAnswer, omitted};
use crate::unfold::{CallTree, Direction, NotAdditive, Picture, UnfoldQuery, adds_up, unfold, value};

/// Unfolds the call tree and draws it.
pub fn flame(
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
    title: &str,
    growth: FlameGrowth,
) -> Result<Svg, NotAdditive> {
    let tree = unfold(analysis, query);
    let picture = Picture::new(analysis, &tree, query, title)?;
    Ok(lotse_report::svg::flame(&picture.labels, &picture.rows, growth))
}

/// `lotse profile flame --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FlameAnswer {
    /// `lotse.profile.flame/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    pub direction: Direction,
    /// The requested root; null for all.
    pub function: Option<FunctionName>,
    /// Whether costs were divided in proportion, because the file has calls and no stacks.
    pub estimated: bool,
    /// The event type whose costs are drawn.
    pub event: EventAnswer,
    /// The sum over all roots, including those left out: the whole width.
    pub whole: Cost,
    /// The functions of all frames.
    pub functions: Vec<DrawnFunction>,
    /// The frames, each before those above it.
    pub frames: Vec<FrameAnswer>,
    /// Branches that were left out when the tree was unfolded.
    pub omitted: OmittedAnswer,
    /// Frames that were left out because a picture cannot show them.
    pub hidden: HiddenFrames,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A frame: a function on one call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FrameAnswer {
    /// The index of its function in `functions`.
    pub function: usize,
    /// The index of the frame it was called from; null for a root.
    pub parent: Option<usize>,
    /// The number of calls from its root.
    pub depth: usize,
    /// Where it begins, as a share of the whole width.
    pub start: f64,
    /// Its width, as a share of the whole width.
    pub share: f64,
    /// Self cost on this path; towards callers, the cost that has no further caller.
    #[serde(rename = "self")]
    pub own: Cost,
    /// Self cost and the cost of everything above it.
    pub inclusive: Cost,
    /// The number of calls on this path, an estimate if the tree is one; null if unknown.
    pub calls: Option<u64>,
}

/// How many frames a picture cannot show, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HiddenFrames {
    /// Narrower than a tenth of a pixel of a wide screen.
    pub narrow: usize,
    /// Above more than 300 others.
    pub deep: usize,
    /// Besides the 20,000 widest.
    pub many: usize,
    /// The share of the whole that they have together.
    pub share: f64,
}

/// Unfolds the call tree and computes its frames; the caller fills in format and diagnostics.
pub fn answer(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>) -> Result<FlameAnswer, NotAdditive> {
    adds_up(analysis, query.weight)?;
    let tree = unfold(analysis, query);
    let (shown, left_out) = flame_frames(&bare_rows(analysis, &tree, query));
    let mut functions = DrawnFunctions::new(analysis);
    let frames = frames(analysis, query, &tree, &shown, &mut functions);
    Ok(FlameAnswer {
        schema: "lotse.profile.flame/1",
        format: String::new(),
        direction: query.direction,
        function: query.start.map(|start| FunctionName::new(analysis.profile, start)),
        estimated: tree.estimated,
        event: EventAnswer::for_column(query.weight, &analysis.totals),
        whole: query.weight.total(&tree.totals),
        functions: functions.list,
        frames,
        omitted: omitted(query, &tree, std::slice::from_ref(query.weight)),
        hidden: HiddenFrames {
            narrow: left_out.narrow,
            deep: left_out.deep,
            many: left_out.crowded,
            share: left_out.share,
        },
        diagnostics: Vec::new(),
    })
}

/// The frames of nodes. Node 0 of the drawing stands for the whole and has no frame.
fn frames(
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
    tree: &CallTree,
    shown: &[FlameFrame],
    functions: &mut DrawnFunctions<'_>,
) -> Vec<FrameAnswer> {
    let mut index_of = vec![None; tree.nodes.len()];
    let mut frames = Vec::with_capacity(shown.len());
    for frame in shown.iter().filter(|frame| frame.node > 0) {
        let place = frame.node - 1;
        let node = &tree.nodes[place];
        index_of[place] = Some(frames.len());
        let cost = |costs: &[u64]| value(analysis, query.weight, costs, node.calls);
        frames.push(FrameAnswer {
            function: functions.index(node.function),
            parent: node.parent.and_then(|parent| index_of[parent as usize]),
            depth: frame.depth - 1,
            start: frame.start,
            share: frame.share,
            own: cost(tree.own.row(place)),
            inclusive: cost(tree.inclusive.row(place)),
            calls: node.calls,
        });
    }
    frames
}

#[cfg(test)]
mod tests;
