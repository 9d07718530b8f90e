//! Treemaps: callees inside their callers, or callers inside their callees, as a picture or as data.

use lotse_report::svg::{Rect, Svg, treemap_tiles};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer, FunctionName};
use crate::drawn::{DrawnFunction, DrawnFunctions, bare_rows};
use crate::events::Cost;
use crate::tree::{OmittedAnswer, omitted};
use crate::unfold::{Direction, NotAdditive, Picture, UnfoldQuery, adds_up, unfold, value};

/// Unfolds the call tree and draws it.
pub fn treemap(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>, title: &str) -> Result<Svg, NotAdditive> {
    let tree = unfold(analysis, query);
    let picture = Picture::new(analysis, &tree, query, title)?;
    Ok(lotse_report::svg::treemap(&picture.labels, &picture.rows))
}

/// The area of a treemap as data, unless another is asked for.
pub const SIZE: (f64, f64) = (1200.0, 680.0);

/// `lotse profile treemap --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TreemapAnswer {
    /// `lotse.profile.treemap/1`.
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
    /// The sum over all roots, including those left out: the whole area.
    pub whole: Cost,
    pub width: f64,
    pub height: f64,
    /// The functions of all tiles.
    pub functions: Vec<DrawnFunction>,
    /// The tiles, outer ones before inner ones.
    pub tiles: Vec<TileAnswer>,
    /// Branches that were left out when the tree was unfolded.
    pub omitted: OmittedAnswer,
    /// The share of the whole whose tiles would be too small.
    pub hidden_share: f64,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A tile: a function on one call path. Areas are comparable between tiles inside the same tile only, because borders and
/// names take room.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TileAnswer {
    /// The index of its function in `functions`.
    pub function: usize,
    /// The index of the tile it is in; null for an outermost one.
    pub parent: Option<usize>,
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Whether other tiles are in it.
    pub has_tiles_inside: bool,
    /// Self cost on this path; towards callers, the cost that has no further caller.
    #[serde(rename = "self")]
    pub own: Cost,
    /// Self cost and the cost of all tiles in it, also of those that are not shown.
    pub inclusive: Cost,
}

/// Unfolds the call tree and computes tiles for an area; the caller fills in format and diagnostics.
pub fn answer(
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
    (width, height): (f64, f64),
) -> Result<TreemapAnswer, NotAdditive> {
    adds_up(analysis, query.weight)?;
    let tree = unfold(analysis, query);
    let mut rows = bare_rows(analysis, &tree, query);
    // The nodes below the root for the whole become roots: the area has no border and no name of its own.
    let whole = rows.remove(0);
    rows.iter_mut().for_each(|row| row.parent = row.parent.and_then(|parent| parent.checked_sub(1)));
    let roots: f64 = rows.iter().filter(|row| row.parent.is_none()).map(|row| row.value).sum();
    let area = Rect { x: 0.0, y: 0.0, width: width * (roots / whole.value).clamp(0.0, 1.0), height };
    let (placed, hidden) = treemap_tiles(&rows, area);
    let mut functions = DrawnFunctions::new(analysis);
    let mut index_of = vec![None; rows.len()];
    let mut tiles = Vec::with_capacity(placed.len());
    for tile in &placed {
        let node = &tree.nodes[tile.node];
        index_of[tile.node] = Some(tiles.len());
        let cost = |costs: &[u64]| value(analysis, query.weight, costs, node.calls);
        tiles.push(TileAnswer {
            function: functions.index(node.function),
            parent: node.parent.and_then(|parent| index_of[parent as usize]),
            x: tile.rect.x,
            y: tile.rect.y,
            width: tile.rect.width,
            height: tile.rect.height,
            has_tiles_inside: tile.has_tiles_inside,
            own: cost(tree.own.row(tile.node)),
            inclusive: cost(tree.inclusive.row(tile.node)),
        });
    }
    Ok(TreemapAnswer {
        schema: "lotse.profile.treemap/1",
        format: String::new(),
        direction: query.direction,
        function: query.start.map(|start| FunctionName::new(analysis.profile, start)),
        estimated: tree.estimated,
        event: EventAnswer::for_column(query.weight, &analysis.totals),
        whole: query.weight.total(&tree.totals),
        width,
        height,
        functions: functions.list,
        tiles,
        omitted: omitted(query, &tree, std::slice::from_ref(query.weight)),
        hidden_share: hidden,
        diagnostics: Vec::new(),
    })
}
