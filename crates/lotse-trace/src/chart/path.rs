//! The critical path in a chart: in each column the lane where most of it lies.

use lotse_model::trace::Ticks;

use super::ChartPiece;
use super::columns::{Columns, equal_neighbours};
use crate::critical::CriticalPath;

/// The lanes of the critical path, by columns. `rows` has the lane of each location.
pub(super) fn pieces(path: &CriticalPath, columns: &Columns, rows: &[Option<u32>]) -> Vec<ChartPiece> {
    let mut cells: Vec<Option<u32>> = vec![None; columns.count() as usize];
    let mut sums: Vec<(u32, Ticks)> = Vec::new();
    let mut now = 0;
    // The path was followed backwards: its segments end one before the other.
    let first = path.segments.partition_point(|segment| segment.to > columns.end());
    let until = path.segments.partition_point(|segment| segment.to > columns.begin());
    let first = first.saturating_sub(1);
    for segment in path.segments[first..until].iter().rev() {
        let Some(lane) = rows[segment.location.index()] else { continue };
        columns.cover(segment.from, segment.to, |column, ticks| {
            if column != now {
                cells[now as usize] = most(&mut sums);
                now = column;
            }
            match sums.iter_mut().find(|known| known.0 == lane) {
                Some(known) => known.1 += ticks,
                None => sums.push((lane, ticks)),
            }
        });
    }
    cells[now as usize] = most(&mut sums);
    equal_neighbours(&cells)
        .filter_map(|(from, to, lane)| lane.map(|lane| ChartPiece { lane, from, to }))
        .collect()
}

/// The lane with most of the time, the first of equals; empties the sums.
fn most(sums: &mut Vec<(u32, Ticks)>) -> Option<u32> {
    sums.drain(..).max_by_key(|(lane, ticks)| (*ticks, std::cmp::Reverse(*lane))).map(|(lane, _)| lane)
}
