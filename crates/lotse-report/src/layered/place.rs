//! Coordinates: rows from top to bottom; in a row, each vertex as near to its neighbours as order and room allow.
//!
//! The positions of a row minimise the weighted sum of squared distances from the desired positions, under the constraint
//! of minimal distances between neighbours. After subtracting the minimal offsets this is an isotonic regression, which
//! pooling adjacent violators solves exactly:
//!
//! ```text
//! desired            0    1    1       minimal distance 2: offsets 0, 2, 4
//! minus offsets      0   -1   -3       must not descend: all three are pooled to their mean -4/3
//! plus offsets     -4/3  2/3  8/3      solution
//! ```

use lotse_model::progress::checkpoint;

use super::proper::{ProperGraph, Vertex};

/// The gap between vertices of a row.
const GAP: f64 = 18.0;
/// The gap between two bends.
const BEND_GAP: f64 = 4.0;
/// The least and the largest gap between rows: long sideways links need height to stay distinguishable.
const ROW_GAP: (f64, f64) = (16.0, 64.0);
/// The gap between rows per pixel of the longest sideways distance of a link.
const SLOPE: f64 = 0.07;
const SWEEPS: usize = 24;

/// The coordinates of a graph.
pub(super) struct Coordinates {
    /// The x coordinate of the centre of each vertex.
    pub(super) x: Vec<f64>,
    /// The upper and the lower edge of each row.
    pub(super) rows: Vec<(f64, f64)>,
}

/// Computes the coordinates: rows are packed first, then alternating downward and upward sweeps move vertices towards their
/// neighbours.
pub(super) fn coordinates(graph: &ProperGraph) -> Coordinates {
    let mut x = vec![0.0; graph.vertices.len()];
    for row in &graph.rows {
        let desired: Vec<(f64, f64)> = row.iter().map(|_| (0.0, 1.0)).collect();
        place_row(graph, row, &desired, &mut x);
    }
    for sweep in 0..SWEEPS {
        let rows = graph.rows.len();
        for step in 0..rows {
            checkpoint();
            let down = sweep % 2 == 0;
            let row = &graph.rows[if down { step } else { rows - 1 - step }];
            // In the first half, only the neighbours in the previous row attract, so that chains become straight; then both.
            let sides = if sweep >= SWEEPS / 2 {
                (1.0, 1.0)
            } else if down {
                (1.0, 0.0)
            } else {
                (0.0, 1.0)
            };
            let desired: Vec<(f64, f64)> =
                row.iter().map(|&vertex| desired_position(graph, vertex, sides, &x)).collect();
            place_row(graph, row, &desired, &mut x);
        }
    }
    let rows = rows(graph, &x);
    Coordinates { x, rows }
}

/// The desired position of a vertex and its weight: the weighted mean of its neighbours. Two bends attract each other most,
/// so that long links become straight.
fn desired_position(graph: &ProperGraph, vertex: usize, (up, down): (f64, f64), x: &[f64]) -> (f64, f64) {
    let weight = |other: usize| match (graph.vertices[vertex].is_bend, graph.vertices[other].is_bend) {
        (true, true) => 8.0,
        (false, false) => 1.0,
        _ => 2.0,
    };
    let sides = [(&graph.above[vertex], up), (&graph.below[vertex], down)];
    let pulls = sides.iter().flat_map(|(others, pull)| others.iter().map(move |&other| (other, *pull)));
    let (sum, weights) = pulls.fold((0.0, 0.0), |(sum, weights), (other, pull)| {
        let weight = weight(other) * pull;
        (sum + x[other] * weight, weights + weight)
    });
    if weights > 0.0 { (sum / weights, weights) } else { (x[vertex], 0.1) }
}

/// Places a row as near to the desired positions as the minimal distances allow (pooling adjacent violators: vertices that
/// would overlap form a block, which moves to the weighted mean of its desired positions).
fn place_row(graph: &ProperGraph, row: &[usize], desired: &[(f64, f64)], x: &mut [f64]) {
    let offsets = offsets(graph, row);
    // Blocks of vertices that touch: weighted mean, weight, number of vertices.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(row.len());
    for (offset, (at, weight)) in offsets.iter().zip(desired) {
        let mut block = (at - offset, *weight, 1);
        while let Some(last) = blocks.pop_if(|last| last.0 > block.0) {
            let weight = last.1 + block.1;
            block = ((last.0 * last.1 + block.0 * block.1) / weight, weight, last.2 + block.2);
        }
        blocks.push(block);
    }
    let means = blocks.iter().flat_map(|(mean, _, count)| std::iter::repeat_n(*mean, *count));
    for ((vertex, offset), mean) in row.iter().zip(&offsets).zip(means) {
        x[*vertex] = mean + offset;
    }
}

/// The minimal distance of each vertex of a row from the first one.
fn offsets(graph: &ProperGraph, row: &[usize]) -> Vec<f64> {
    let mut offset = 0.0;
    let mut last: Option<&Vertex> = None;
    let step = |&vertex: &usize| {
        let vertex = &graph.vertices[vertex];
        if let Some(last) = last.replace(vertex) {
            let gap = if last.is_bend && vertex.is_bend { BEND_GAP } else { GAP };
            offset += last.right + gap + vertex.left;
        }
        offset
    };
    row.iter().map(step).collect()
}

/// The upper and the lower edge of each row.
fn rows(graph: &ProperGraph, x: &[f64]) -> Vec<(f64, f64)> {
    let mut top = 0.0;
    let edges_of = |row: &Vec<usize>| {
        let height = row.iter().map(|&vertex| graph.vertices[vertex].height).fold(0.0, f64::max);
        let edges = (top, top + height);
        let links =
            row.iter().flat_map(|&vertex| graph.below[vertex].iter().map(move |&other| (vertex, other)));
        let sideways = links.map(|(from, to)| (x[from] - x[to]).abs()).fold(0.0, f64::max);
        top = edges.1 + (SLOPE * sideways).clamp(ROW_GAP.0, ROW_GAP.1);
        edges
    };
    graph.rows.iter().map(edges_of).collect()
}
