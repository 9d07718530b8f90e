//! The order within rows: sweeps that put each vertex at the mean place of its neighbours; the best order seen wins.

use super::proper::ProperGraph;

const SWEEPS: usize = 24;
/// Sweeps without gain after which no more is to be had.
const PATIENCE: usize = 6;

pub(super) fn reduce_crossings(graph: &mut ProperGraph) {
    let mut places = vec![0; graph.vertices.len()];
    note_places(&graph.rows, &mut places);
    let mut best = (crossings(graph, &places), graph.rows.clone());
    let mut idle = 0;
    for sweep in 0..SWEEPS {
        let rows = graph.rows.len();
        for step in 0..rows {
            let row = if sweep % 2 == 0 { step } else { rows - 1 - step };
            sort_row(graph, row, sweep % 2 == 0, &mut places);
        }
        let count = crossings(graph, &places);
        idle += 1;
        if count < best.0 {
            best = (count, graph.rows.clone());
            idle = 0;
        }
        if best.0 == 0 || idle == PATIENCE {
            break;
        }
    }
    graph.rows = best.1;
}

fn note_places(rows: &[Vec<usize>], places: &mut [usize]) {
    for row in rows {
        row.iter().enumerate().for_each(|(place, &vertex)| places[vertex] = place);
    }
}

/// Sorts by the mean place of the neighbours; vertices without neighbours there stay about where they are.
fn sort_row(graph: &mut ProperGraph, row: usize, down: bool, places: &mut [usize]) {
    let neighbours = if down { &graph.above } else { &graph.below };
    let mean = |&vertex: &usize| {
        let near = &neighbours[vertex];
        let sum: usize = near.iter().map(|&other| places[other]).sum();
        if near.is_empty() { places[vertex] as f64 } else { sum as f64 / near.len() as f64 }
    };
    let mut keyed: Vec<(f64, usize)> = graph.rows[row].iter().map(|vertex| (mean(vertex), *vertex)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    graph.rows[row] = keyed.iter().map(|(_, vertex)| *vertex).collect();
    graph.rows[row].iter().enumerate().for_each(|(place, &vertex)| places[vertex] = place);
}

/// Crossings between all rows.
pub(super) fn crossings(graph: &ProperGraph, places: &[usize]) -> usize {
    let below = |row: &Vec<usize>| {
        let mut ends: Vec<usize> = Vec::new();
        for &vertex in row {
            let first = ends.len();
            ends.extend(graph.below[vertex].iter().map(|&other| places[other]));
            ends[first..].sort_unstable();
        }
        inversions(&ends)
    };
    graph.rows.iter().map(below).sum()
}

/// Pairs that stand in the wrong order, counted with a tree of sums.
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
