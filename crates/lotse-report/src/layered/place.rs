//! Coordinates: rows from top to bottom; in a row, each vertex as near to its neighbours as order and room allow.
//!
//! A row is solved exactly: the least sum of weighted squares of the ways to the wanted places, under the condition
//! that neighbours keep their distance, is an isotonic regression once the distances are taken off.

use super::proper::{ProperGraph, Vertex};

/// Between things in a row.
const GAP: f64 = 18.0;
/// Between bends only.
const BEND_GAP: f64 = 4.0;
/// Between rows, at least and at most: links that go far to the side need height to be told apart.
const ROW_GAP: (f64, f64) = (16.0, 64.0);
/// The height for a way to the side.
const SLOPE: f64 = 0.07;
const SWEEPS: usize = 24;

/// Where everything is.
pub(super) struct Coordinates {
    /// The middle of each vertex.
    pub(super) x: Vec<f64>,
    /// The upper and the lower edge of each row.
    pub(super) rows: Vec<(f64, f64)>,
}

pub(super) fn places(graph: &ProperGraph) -> Coordinates {
    let mut x = vec![0.0; graph.vertices.len()];
    for row in &graph.rows {
        let wanted: Vec<(f64, f64)> = row.iter().map(|_| (0.0, 1.0)).collect();
        settle(graph, row, &wanted, &mut x);
    }
    for sweep in 0..SWEEPS {
        let rows = graph.rows.len();
        for step in 0..rows {
            let down = sweep % 2 == 0;
            let row = &graph.rows[if down { step } else { rows - 1 - step }];
            // At first one side pulls, so that all fall into line; then both.
            let sides = if sweep >= SWEEPS / 2 {
                (1.0, 1.0)
            } else if down {
                (1.0, 0.0)
            } else {
                (0.0, 1.0)
            };
            let wanted: Vec<(f64, f64)> = row.iter().map(|&vertex| wish(graph, vertex, sides, &x)).collect();
            settle(graph, row, &wanted, &mut x);
        }
    }
    let rows = rows(graph, &x);
    Coordinates { x, rows }
}

/// Where a vertex would like to be, and how much. Bends pull each other most, so that long links are straight.
fn wish(graph: &ProperGraph, vertex: usize, (up, down): (f64, f64), x: &[f64]) -> (f64, f64) {
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

/// Puts a row where it is wanted, as far as there is room: blocks that would overlap move together.
fn settle(graph: &ProperGraph, row: &[usize], wanted: &[(f64, f64)], x: &mut [f64]) {
    let offsets = offsets(graph, row);
    // Blocks of vertices that touch: weighted mean, weight, how many.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(row.len());
    for (offset, (at, weight)) in offsets.iter().zip(wanted) {
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

/// The least distance of each vertex of a row from its first.
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

fn rows(graph: &ProperGraph, x: &[f64]) -> Vec<(f64, f64)> {
    let mut top = 0.0;
    let place = |row: &Vec<usize>| {
        let height = row.iter().map(|&vertex| graph.vertices[vertex].height).fold(0.0, f64::max);
        let edges = (top, top + height);
        let links =
            row.iter().flat_map(|&vertex| graph.below[vertex].iter().map(move |&other| (vertex, other)));
        let way = links.map(|(from, to)| (x[from] - x[to]).abs()).fold(0.0, f64::max);
        top = edges.1 + (SLOPE * way).clamp(ROW_GAP.0, ROW_GAP.1);
        edges
    };
    graph.rows.iter().map(place).collect()
}
