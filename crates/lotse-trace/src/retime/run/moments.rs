//! When sources and hubs happened in the changed runs, kept only as long as somebody still needs it: most are sends, which
//! one receive needs soon after.

use super::super::graph::{Graph, HubId};
use super::Lanes;

/// Times of points, which are sources that are needed and then hubs.
#[derive(Debug)]
pub(super) struct Moments<const N: usize> {
    /// By point: how many needs are still to be met.
    needed: Vec<u32>,
    /// By point: where its times are.
    place: Vec<u32>,
    times: Vec<Lanes<N>>,
    free: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl<const N: usize> Moments<N> {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut needed = vec![0; graph.points()];
        graph.lines.iter().flat_map(|line| &line.needs).for_each(|&need| needed[graph.point(need)] += 1);
        for (hub, _) in graph.hubs.iter().enumerate().filter(|(_, hub)| hub.feeds.is_some()) {
            needed[graph.hub_point(HubId::from_index(hub))] += 1;
        }
        Self { needed, place: vec![NOWHERE; graph.points()], times: Vec::new(), free: Vec::new() }
    }

    /// Whether there are needs of a point that are still to be met.
    #[inline]
    pub(super) fn is_needed(&self, point: usize) -> bool {
        self.needed[point] > 0
    }

    /// A point happens, or a part of it: the latest counts.
    pub(super) fn happen(&mut self, point: usize, clock: &Lanes<N>) {
        if self.needed[point] == 0 {
            return;
        }
        if self.place[point] == NOWHERE {
            self.place[point] = self.room();
        }
        let times = &mut self.times[self.place[point] as usize];
        times.iter_mut().zip(clock).for_each(|(time, clock)| *time = (*time).max(*clock));
    }

    fn room(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.times.push([0; N]);
            (self.times.len() - 1) as u32
        })
    }

    /// When a point happened; the beginning of time where nobody needs it or nothing of it has happened.
    #[inline]
    pub(super) fn of(&self, point: usize) -> &Lanes<N> {
        self.times.get(self.place[point] as usize).unwrap_or(&[0; N])
    }

    /// A need was met, or given up.
    pub(super) fn met(&mut self, point: usize) {
        self.needed[point] -= 1;
        if self.needed[point] == 0 && self.place[point] != NOWHERE {
            let place = std::mem::replace(&mut self.place[point], NOWHERE);
            self.times[place as usize] = [0; N];
            self.free.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::graph::{Graph, Hub, HubId, Line, Source, SourceId};
    use super::Moments;

    /// Three sources and a hub; which sources are needed, and then the hub.
    fn graph(needs: &[usize]) -> Graph {
        let hub = HubId::from_index(0);
        let source = Source { location: Default::default(), at: 0, hub: Some(hub) };
        let sources = needs.iter().map(|&source| SourceId::from_index(source).into());
        let line = Line { entries: Vec::new(), needs: sources.chain([hub.into()]).collect() };
        let hubs = vec![Hub { needs: 2, feeds: None }];
        Graph { sources: vec![source; 3], awaited: 3, hubs, lines: vec![line], ..Graph::default() }
    }

    #[test]
    fn room_is_given_back_when_the_last_need_is_met() {
        let mut moments: Moments<2> = Moments::new(&graph(&[0, 2, 2]));
        moments.happen(0, &[5; 2]);
        moments.happen(1, &[6; 2]);
        moments.happen(2, &[7; 2]);
        assert_eq!((moments.of(0)[0], moments.of(1)[0], moments.of(2)[0]), (5, 0, 7));
        moments.met(0);
        moments.met(2);
        assert_eq!((moments.of(2)[0], moments.times.len(), moments.free.len()), (7, 2, 1));
        // A hub takes the room of the first source and keeps the latest.
        moments.happen(3, &[4; 2]);
        moments.happen(3, &[9; 2]);
        moments.happen(3, &[8; 2]);
        assert_eq!((moments.of(3)[0], moments.times.len(), moments.free.len()), (9, 2, 0));
    }
}
