//! Waits in the order in which they are charged: in descending order of their end; those that end at the same time in
//! ascending order of location and index.
//!
//! The waits of each location are already sorted by their end. They are merged lazily with a heap, so that no list of all
//! waits is needed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use lotse_model::trace::Ticks;

use super::{WaitRef, is_charged, is_need};
use crate::waits::{Wait, Waits};

/// Iterator over the charged waits and the dependencies of all locations.
pub(super) struct LastFirst<'a> {
    locations: Vec<WaitsOfLocation<'a>>,
    /// The next wait of each location.
    next: BinaryHeap<(Ticks, Reverse<WaitRef>)>,
}

/// The waits of one location that are still to come.
struct WaitsOfLocation<'a> {
    waits: &'a [Wait],
    /// How many end before the current end time.
    before: usize,
    /// Those that end at the current end time.
    together: Range<usize>,
}

impl<'a> LastFirst<'a> {
    pub(super) fn new(waits: &'a Waits) -> Self {
        let location = |waits: &'a Vec<Wait>| WaitsOfLocation { waits, before: waits.len(), together: 0..0 };
        let mut locations: Vec<WaitsOfLocation<'_>> = waits.by_location.iter().map(location).collect();
        let first = |(number, it): (u32, &mut WaitsOfLocation<'_>)| it.next(number);
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

impl WaitsOfLocation<'_> {
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

    /// Moves to the next earlier end time, and returns the first wait that ends then.
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

    /// A wait that ends at a time; without a cause it is not charged.
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
                let location_waits = ends.into_iter().map(|(end, has_cause)| wait(location, end, has_cause));
                waits.by_location.push(location_waits.collect());
            }
            let all = (0..).zip(&waits.by_location).flat_map(|(location, location_waits)| {
                (0..).zip(location_waits).map(move |(number, wait)| (wait, (location, number)))
            });
            let mut sorted: Vec<(&Wait, (u32, u32))> = all.filter(|(wait, _)| wait.cause.is_some()).collect();
            sorted.sort_by_key(|&(wait, place)| (std::cmp::Reverse(wait.end), place));
            let expected: Vec<(u32, u32)> = sorted.into_iter().map(|(_, place)| place).collect();
            prop_assert_eq!(LastFirst::new(&waits).collect::<Vec<_>>(), expected);
        }
    }
}
