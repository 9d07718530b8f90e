//! The order of the vertices within rows, with few crossings: the barycentre heuristic. Each sweep sorts every row by the
//! mean position of the neighbours in the previous row; the best order of all sweeps is kept.

use lotse_model::progress::checkpoint;

use super::proper::ProperGraph;

const SWEEPS: usize = 24;
/// The search ends after this many sweeps without improvement.
const PATIENCE: usize = 6;

/// Sorts the rows with alternating downward and upward sweeps and keeps the order with the fewest crossings.
pub(super) fn reduce_crossings(graph: &mut ProperGraph) {
    let mut positions = vec![0; graph.vertices.len()];
    record_positions(&graph.rows, &mut positions);
    let mut best = (crossings(graph, &positions), graph.rows.clone());
    let mut without_gain = 0;
    for sweep in 0..SWEEPS {
        let rows = graph.rows.len();
        for step in 0..rows {
            checkpoint();
            let row = if sweep % 2 == 0 { step } else { rows - 1 - step };
            sort_row(graph, row, sweep % 2 == 0, &mut positions);
        }
        let count = crossings(graph, &positions);
        without_gain += 1;
        if count < best.0 {
            best = (count, graph.rows.clone());
            without_gain = 0;
        }
        if best.0 == 0 || without_gain == PATIENCE {
            break;
        }
    }
    graph.rows = best.1;
}

/// Writes the position of every vertex in its row.
fn record_positions(rows: &[Vec<usize>], positions: &mut [usize]) {
    for row in rows {
        row.iter().enumerate().for_each(|(position, &vertex)| positions[vertex] = position);
    }
}

/// Sorts a row by the mean position of the neighbours above (`down`) or below; a vertex without such neighbours uses its
/// own position.
fn sort_row(graph: &mut ProperGraph, row: usize, down: bool, positions: &mut [usize]) {
    let neighbours = if down { &graph.above } else { &graph.below };
    let mean = |&vertex: &usize| {
        let near = &neighbours[vertex];
        let sum: usize = near.iter().map(|&other| positions[other]).sum();
        if near.is_empty() { positions[vertex] as f64 } else { sum as f64 / near.len() as f64 }
    };
    let mut keyed: Vec<(f64, usize)> = graph.rows[row].iter().map(|vertex| (mean(vertex), *vertex)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    graph.rows[row] = keyed.iter().map(|(_, vertex)| *vertex).collect();
    graph.rows[row].iter().enumerate().for_each(|(position, &vertex)| positions[vertex] = position);
}

/// The number of crossings between all neighbouring rows. Two links between the same rows cross if their upper and lower
/// ends are in opposite order, so crossings are the inversions of the lower ends.
pub(super) fn crossings(graph: &ProperGraph, positions: &[usize]) -> usize {
    let below = |row: &Vec<usize>| {
        let mut ends: Vec<usize> = Vec::new();
        for &vertex in row {
            let first = ends.len();
            ends.extend(graph.below[vertex].iter().map(|&other| positions[other]));
            ends[first..].sort_unstable();
        }
        inversions(&ends)
    };
    graph.rows.iter().map(below).sum()
}

/// The number of pairs in descending order, counted with a Fenwick tree in O(n log n).
fn inversions(values: &[usize]) -> usize {
    let size = values.iter().max().map_or(0, |max| max + 1);
    let mut tree = vec![0usize; size + 1];
    let mut count = 0;
    for (seen, &value) in values.iter().enumerate() {
        let mut no_larger = 0;
        let mut i = value + 1;
        while i > 0 {
            no_larger += tree[i];
            i &= i - 1;
        }
        count += seen - no_larger;
        let mut i = value + 1;
        while i <= size {
            tree[i] += 1;
            i += i & i.wrapping_neg();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::inversions;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn inversions_are_pairs_in_the_wrong_order(values in vec(0..30usize, 0..60)) {
            let pairs = (0..values.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
            prop_assert_eq!(inversions(&values), pairs.filter(|&(j, i)| values[j] > values[i]).count());
        }
    }
}
