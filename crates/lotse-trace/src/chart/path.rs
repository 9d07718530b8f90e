//! The critical path in a chart: in each column the lane where most of it lies.

use std::collections::BTreeMap;

use lotse_model::trace::Ticks;

use super::ChartPiece;
use super::columns::{Columns, equal_neighbours};
use crate::critical::CriticalPath;

/// The lanes of the critical path, by columns. `rows` has the lane of each location.
pub(super) fn pieces(path: &CriticalPath, columns: &Columns, rows: &[Option<u32>]) -> Vec<ChartPiece> {
    let mut sums: Vec<BTreeMap<u32, Ticks>> = vec![BTreeMap::new(); columns.count() as usize];
    for segment in &path.segments {
        let Some(lane) = rows[segment.location.index()] else { continue };
        columns.cover(segment.from, segment.to, |column, ticks| {
            *sums[column as usize].entry(lane).or_insert(0) += ticks;
        });
    }
    let most = |lanes: &BTreeMap<u32, Ticks>| {
        let most = lanes.iter().max_by_key(|(lane, ticks)| (**ticks, std::cmp::Reverse(**lane)));
        most.map(|(lane, _)| *lane)
    };
    let cells: Vec<Option<u32>> = sums.iter().map(most).collect();
    equal_neighbours(&cells)
        .filter_map(|(from, to, lane)| lane.map(|lane| ChartPiece { lane, from, to }))
        .collect()
}
