//! When sources and hubs happened in the simulation. Times are stored only as long as a need is open: most sources are
//! sends, which one receive needs soon after.

use super::super::graph::{Graph, HubId};
use super::Lanes;

/// Times of points, which are the awaited sources and then the hubs.
#[derive(Debug)]
pub(super) struct PointTimes<const N: usize> {
    /// By point: the number of open needs.
    open_needs: Vec<u32>,
    /// By point: its index in `times`.
    slot: Vec<u32>,
    times: Vec<Lanes<N>>,
    free: Vec<u32>,
}

const NO_SLOT: u32 = u32::MAX;

impl<const N: usize> PointTimes<N> {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut open_needs = vec![0; graph.points()];
        graph
            .tables
            .iter()
            .flat_map(|table| &table.needs)
            .for_each(|&need| open_needs[graph.point(need)] += 1);
        for (hub, _) in graph.hubs.iter().enumerate().filter(|(_, hub)| hub.feeds.is_some()) {
            open_needs[graph.hub_point(HubId::from_index(hub))] += 1;
        }
        Self { open_needs, slot: vec![NO_SLOT; graph.points()], times: Vec::new(), free: Vec::new() }
    }

    /// Whether a point has open needs.
    #[inline]
    pub(super) fn is_needed(&self, point: usize) -> bool {
        self.open_needs[point] > 0
    }

    /// Records the time of a point, or of a dependency of a hub: the latest counts.
    pub(super) fn record(&mut self, point: usize, clock: &Lanes<N>) {
        if self.open_needs[point] == 0 {
            return;
        }
        if self.slot[point] == NO_SLOT {
            self.slot[point] = self.allocate();
        }
        let times = &mut self.times[self.slot[point] as usize];
        times.iter_mut().zip(clock).for_each(|(time, clock)| *time = (*time).max(*clock));
    }

    fn allocate(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.times.push([0; N]);
            (self.times.len() - 1) as u32
        })
    }

    /// When a point happened; 0 if it has no open needs or has not happened.
    #[inline]
    pub(super) fn time_of(&self, point: usize) -> &Lanes<N> {
        self.times.get(self.slot[point] as usize).unwrap_or(&[0; N])
    }

    /// Closes a need of a point, and frees its times with the last.
    pub(super) fn release_need(&mut self, point: usize) {
        self.open_needs[point] -= 1;
        if self.open_needs[point] == 0 && self.slot[point] != NO_SLOT {
            let slot = std::mem::replace(&mut self.slot[point], NO_SLOT);
            self.times[slot as usize] = [0; N];
            self.free.push(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::graph::{EntryTable, Graph, GraphSource, Hub, HubId, SourceId};
    use super::PointTimes;

    /// Three sources and a hub; needs of these sources and of the hub.
    fn graph(needs: &[usize]) -> Graph {
        let hub = HubId::from_index(0);
        let source = GraphSource { location: Default::default(), at: 0, hub: Some(hub) };
        let sources = needs.iter().map(|&source| SourceId::from_index(source).into());
        let table = EntryTable { entries: Vec::new(), needs: sources.chain([hub.into()]).collect() };
        let hubs = vec![Hub { needs: 2, feeds: None }];
        Graph { sources: vec![source; 3], awaited: 3, hubs, tables: vec![table], ..Graph::default() }
    }

    #[test]
    fn times_are_freed_with_the_last_need() {
        let mut times: PointTimes<2> = PointTimes::new(&graph(&[0, 2, 2]));
        times.record(0, &[5; 2]);
        times.record(1, &[6; 2]);
        times.record(2, &[7; 2]);
        assert_eq!((times.time_of(0)[0], times.time_of(1)[0], times.time_of(2)[0]), (5, 0, 7));
        times.release_need(0);
        times.release_need(2);
        assert_eq!((times.time_of(2)[0], times.times.len(), times.free.len()), (7, 2, 1));
        // A hub reuses the slot of the first source and stores the latest time.
        times.record(3, &[4; 2]);
        times.record(3, &[9; 2]);
        times.record(3, &[8; 2]);
        assert_eq!((times.time_of(3)[0], times.times.len(), times.free.len()), (9, 2, 0));
    }
}
