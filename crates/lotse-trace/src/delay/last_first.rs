//! Waits in the order in which they are charged: the last to end first, of those that end together the first location's
//! and its first wait.
//!
//! The waits of a location are sorted by their ends already. Those of all locations are joined as they are asked for, so
//! that no list of all of them is needed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use lotse_model::trace::Ticks;

use super::{WaitRef, is_charged, is_need};
use crate::waits::{Wait, Waits};

/// Waits with causes and needs of all locations.
pub(super) struct LastFirst<'a> {
    locations: Vec<Location<'a>>,
    /// The next wait of each location that has one.
    next: BinaryHeap<(Ticks, Reverse<WaitRef>)>,
}

/// Those of one location.
struct Location<'a> {
    waits: &'a [Wait],
    /// How many end before the present moment.
    before: usize,
    /// Those that end at the present moment and are still to come.
    together: Range<usize>,
}

impl<'a> LastFirst<'a> {
    pub(super) fn new(waits: &'a Waits) -> Self {
        let location = |waits: &'a Vec<Wait>| Location { waits, before: waits.len(), together: 0..0 };
        let mut locations: Vec<Location<'_>> = waits.by_location.iter().map(location).collect();
        let first = |(number, it): (u32, &mut Location<'_>)| it.next(number);
        let next = (0..).zip(&mut locations).filter_map(first).collect();
        Self { locations, next }
    }
}

impl Iterator for LastFirst<'_> {
    type Item = WaitRef;

    fn next(&mut self) -> Option<WaitRef> {
        let mut top = self.next.peek_mut()?;
        let Reverse(wait) = top.1;
        match self.locations[wait.0 as usize].next(wait.0) {
            Some(next) => *top = next,
            None => {
                PeekMut::pop(top);
            }
        }
        Some(wait)
    }
}

impl Location<'_> {
    fn next(&mut self, location: u32) -> Option<(Ticks, Reverse<WaitRef>)> {
        loop {
            let number = match self.together.next() {
                Some(number) => number,
                None => self.go_back()?,
            };
            let wait = &self.waits[number];
            if is_charged(wait) || is_need(wait) {
                return Some((wait.end, Reverse((location, number as u32))));
            }
        }
    }

    /// Goes to the waits that end at the moment before; gives the first of them.
    fn go_back(&mut self) -> Option<usize> {
        let before = &self.waits[..self.before];
        let end = before.last()?.end;
        let count = before.iter().rev().take_while(|wait| wait.end == end).count();
        self.together = self.before - count..self.before;
        self.before -= count;
        self.together.next()
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use proptest::prelude::*;

    use super::LastFirst;
    use crate::patterns::LOCK_CONTENTION;
    use crate::store::CallRef;
    use crate::waits::{Cause, Wait, Waits};

    /// A wait that ends at a moment; without a cause nobody is charged for it.
    fn wait(location: usize, end: u64, has_cause: bool) -> Wait {
        let call = CallRef { location: LocationId::from(location), call: 0 };
        let cause = has_cause.then_some(Cause { location: LocationId(0), at: end });
        let metric = Some(&LOCK_CONTENTION);
        Wait { metric, call, begin: 0, end, cause, causal: true, is_overlapped: false }
    }

    proptest! {
        #[test]
        fn all_that_are_charged_come_as_sorting_gives_them(
            ends in proptest::collection::vec(proptest::collection::vec((1..9_u64, any::<bool>()), 0..12), 0..5),
        ) {
            let mut waits = Waits::default();
            for (location, mut ends) in ends.into_iter().enumerate() {
                ends.sort_unstable();
                let of_one = ends.into_iter().map(|(end, has_cause)| wait(location, end, has_cause));
                waits.by_location.push(of_one.collect());
            }
            let rows = (0..).zip(&waits.by_location).flat_map(|(location, of_one)| {
                (0..).zip(of_one).map(move |(number, wait)| (wait, (location, number)))
            });
            let mut sorted: Vec<(&Wait, (u32, u32))> = rows.filter(|(wait, _)| wait.cause.is_some()).collect();
            sorted.sort_by_key(|&(wait, place)| (std::cmp::Reverse(wait.end), place));
            let expected: Vec<(u32, u32)> = sorted.into_iter().map(|(_, place)| place).collect();
            prop_assert_eq!(LastFirst::new(&waits).collect::<Vec<_>>(), expected);
        }
    }
}
