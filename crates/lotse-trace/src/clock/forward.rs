//! The logical clock: goes through all locations in the order of cause and effect and moves effects behind causes.
//!
//! What follows on the same location moves along, and comes back to its measured time by a small part of the time
//! that passes. A location stops where it waits for a cause that is not settled yet, and is woken by it. Where all
//! stop, causes go in a circle: the earliest goes on without its cause.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hashbrown::HashMap;
use lotse_model::trace::Ticks;

use super::knots::{Group, Knot, Tie};
use crate::store::OpRef;

/// A moved clock comes back by this part of the time that passes.
const COMES_BACK: Ticks = 128;

/// What settling came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Settled {
    /// Effects that were moved behind their causes.
    pub(super) jumps: u64,
    /// Effects that could not be, because their causes depend on them.
    pub(super) circular: u64,
}

/// Settles when every knot happens.
pub(super) fn settle(knots: &mut [Vec<Knot>], groups: &mut [Group]) -> Settled {
    let count = knots.len();
    let mut replay = Replay {
        next: vec![0; count],
        awaited: vec![BinaryHeap::new(); count],
        awaited_groups: HashMap::new(),
        ready: (0..count).rev().collect(),
        stopped: BTreeSet::new(),
        settled: Settled::default(),
        knots,
        groups,
    };
    replay.run();
    replay.settled
}

struct Replay<'a> {
    knots: &'a mut [Vec<Knot>],
    groups: &'a mut [Group],
    /// By location, the first knot that is not settled.
    next: Vec<usize>,
    /// By location, which knot of it is awaited by whom.
    awaited: Vec<BinaryHeap<Reverse<(usize, usize)>>>,
    awaited_groups: HashMap<u32, Vec<usize>>,
    ready: Vec<usize>,
    /// Locations that wait, the earliest first.
    stopped: BTreeSet<(Ticks, usize)>,
    settled: Settled,
}

/// When a knot may happen.
enum Floor {
    At(Ticks),
    AfterKnot(usize, usize),
    AfterGroup(u32),
}

impl Replay<'_> {
    fn run(&mut self) {
        loop {
            while let Some(location) = self.ready.pop() {
                self.advance(location);
            }
            let Some((_, location)) = self.stopped.pop_first() else { return };
            self.settled.circular += 1;
            self.settle(location, 0);
            self.ready.push(location);
        }
    }

    fn advance(&mut self, location: usize) {
        while let Some(&knot) = self.knots[location].get(self.next[location]) {
            self.stopped.remove(&(knot.at, location));
            match self.floor(location, knot.tie) {
                Floor::At(floor) => self.settle(location, floor),
                Floor::AfterKnot(other, number) => {
                    self.awaited[other].push(Reverse((number, location)));
                    self.stopped.insert((knot.at, location));
                    break;
                }
                Floor::AfterGroup(group) => {
                    self.awaited_groups.entry(group).or_default().push(location);
                    self.stopped.insert((knot.at, location));
                    break;
                }
            }
        }
        self.wake(location);
    }

    fn wake(&mut self, location: usize) {
        let next = self.next[location];
        while let Some(&Reverse((number, waiting))) = self.awaited[location].peek()
            && number < next
        {
            self.awaited[location].pop();
            self.ready.push(waiting);
        }
    }

    fn floor(&self, location: usize, tie: Tie) -> Floor {
        match tie {
            Tie::Free | Tie::Gives(_) => Floor::At(0),
            Tie::Takes(group) if self.groups[group as usize].missing > 0 => Floor::AfterGroup(group),
            Tie::Takes(group) => Floor::At(self.groups[group as usize].last_in),
            Tie::After(cause) => match find(&self.knots[cause.location.index()], cause) {
                None => Floor::At(0),
                Some(number) if number < self.next[cause.location.index()] => {
                    Floor::At(self.knots[cause.location.index()][number].now)
                }
                // Nothing wakes a location that waits for itself, so it stops until circles are looked for.
                Some(number) => Floor::AfterKnot(
                    cause.location.index(),
                    if cause.location.index() == location { usize::MAX } else { number },
                ),
            },
        }
    }

    /// Settles the next knot of a location, not before `floor`.
    fn settle(&mut self, location: usize, floor: Ticks) {
        let number = self.next[location];
        self.next[location] += 1;
        let carried = number.checked_sub(1).map_or(0, |before| {
            let (before, at) = (self.knots[location][before], self.knots[location][number].at);
            let passed = at - before.at;
            before.now.saturating_add(passed - passed / COMES_BACK)
        });
        let knot = &mut self.knots[location][number];
        let free = knot.at.max(carried);
        knot.now = free.max(floor);
        self.settled.jumps += u64::from(floor > free);
        let (now, tie) = (knot.now, knot.tie);
        self.tell(now, tie);
    }

    /// Lets others know that a knot is settled.
    fn tell(&mut self, now: Ticks, tie: Tie) {
        match tie {
            Tie::Free => {}
            Tie::After(cause) => {
                let knots = &mut self.knots[cause.location.index()];
                if let Some(number) = find(knots, cause) {
                    knots[number].cap = knots[number].cap.min(now);
                }
            }
            Tie::Gives(group) => {
                let of = &mut self.groups[group as usize];
                of.missing = of.missing.saturating_sub(1);
                of.last_in = of.last_in.max(now);
                if of.missing == 0 {
                    self.ready.extend(self.awaited_groups.remove(&group).into_iter().flatten());
                }
            }
            Tie::Takes(group) => {
                let of = &mut self.groups[group as usize];
                of.first_out = of.first_out.min(now);
            }
        }
    }
}

/// The last knot of a record.
fn find(knots: &[Knot], record: OpRef) -> Option<usize> {
    let number = knots.partition_point(|knot| knot.op <= record.op).checked_sub(1)?;
    (knots[number].is_op && knots[number].op == record.op).then_some(number)
}
