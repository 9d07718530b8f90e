//! Keeps track of the iterations that a thread is in.
//!
//! Each running function has a position in its loops. It moves with every event of the function, and with every call: the
//! return address of the callee is the position of the caller.
//!
//! Epochs are a logical clock: a new one begins with each iteration of any loop. Each active loop knows the epochs in which its
//! execution and its current iteration began. Memory whose last use lies between the two was used by an earlier iteration of
//! that loop:
//!
//! ```text
//! epoch          5        6        7        8
//! outer loop     |-- iteration 0 --|-- iteration 1 ...        began 5, iteration_began 7
//! inner loop       |- 0 --|- 1 --|   |- 0 ...                 began 8
//!
//! last used in epoch 6, used again in epoch 8: carried by the outer loop, since 5 <= 6 < 7
//! ```

use std::cell::OnceCell;

use hashbrown::HashMap;
use lotse_formats::history::CarriedVariable;
use lotse_symbols::InlineFrame;

use crate::access::Iteration;
use crate::code::body::LoopBody;
use crate::code::flow::{LoopFlow, LoopNumber, LoopStep};
use crate::code::image::Image;
use crate::decode::lookup::LookupCache;
use crate::decode::shadow::Epoch;
use crate::instance::LoopId;

/// The position of a running function in its loops.
#[derive(Debug, Clone, Default)]
pub(super) struct LoopPosition {
    place: Option<u32>,
    /// Active loops, outermost first.
    loops: Vec<ActiveLoop>,
}

/// A loop that is being executed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActiveLoop {
    number: LoopNumber,
    pub(super) iteration: Iteration,
    /// The time at which it was entered.
    pub(super) since: u64,
    /// The epochs in which it was entered, and in which its current iteration began.
    began: Epoch,
    iteration_began: Epoch,
    /// The epoch of the last certain border between iterations, and the number of such borders.
    certain_border: Epoch,
    pub(super) certain_borders: u64,
    /// The generation of its epochs; epochs of different generations cannot be compared.
    pub(super) generation: u32,
}

/// The current time, in nanoseconds and in epochs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EpochClock {
    /// In nanoseconds.
    pub(super) time: u64,
    /// Number of loop iterations begun so far.
    pub(super) epoch: Epoch,
    /// How often epochs were restarted.
    pub(super) generation: u32,
}

impl ActiveLoop {
    fn entered(number: LoopNumber, loop_id: LoopId, clock: &EpochClock) -> Self {
        Self {
            number,
            iteration: Iteration { loop_id, number: 0 },
            since: clock.time,
            began: clock.epoch,
            iteration_began: clock.epoch,
            certain_border: clock.epoch,
            certain_borders: 0,
            generation: clock.generation,
        }
    }
}

impl LoopPosition {
    /// The function is entered again: its active loops are moved to `left`.
    pub(super) fn restart(&mut self, left: &mut Vec<ActiveLoop>) {
        self.place = None;
        left.append(&mut self.loops);
    }

    /// The current iterations, that of the innermost loop first.
    pub(super) fn iterations(&self) -> impl Iterator<Item = (LoopNumber, Iteration)> {
        self.loops.iter().rev().map(|active| (active.number, active.iteration))
    }

    /// Whether a loop is active.
    pub(super) fn is_in(&self, loop_id: LoopId) -> bool {
        self.loops.iter().any(|active| active.iteration.loop_id == loop_id)
    }

    pub(super) fn has_loops(&self) -> bool {
        !self.loops.is_empty()
    }

    /// The epoch in which its outermost active loop was entered.
    pub(super) fn began(&self) -> Option<Epoch> {
        self.loops.first().map(|outermost| outermost.began)
    }

    /// Moves to a place, and returns how many loops are entered. Loops that are left are appended to `left`.
    fn move_to(
        &mut self,
        place: u32,
        step: &NumberedStep,
        clock: &mut EpochClock,
        left: &mut Vec<ActiveLoop>,
    ) -> usize {
        self.place = Some(place);
        let remaining = step.continuing + usize::from(step.next);
        left.extend(self.loops.drain(remaining.min(self.loops.len())..));
        if step.next
            && let Some(active) = self.loops.get_mut(step.continuing)
        {
            clock.epoch = clock.epoch.saturating_add(1);
            active.iteration.number += 1;
            active.iteration_began = clock.epoch;
            if step.certain {
                active.certain_border = clock.epoch;
                active.certain_borders += 1;
            }
        }
        let before = self.loops.len();
        if before < step.loops.len() {
            clock.epoch = clock.epoch.saturating_add(1);
            let entered = step.loops.iter().skip(before);
            self.loops.extend(entered.map(|&(number, loop_id)| ActiveLoop::entered(number, loop_id, clock)));
        }
        self.loops.len() - before
    }
}

/// Which borders between iterations are considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Borders {
    All,
    Certain,
}

/// The loop that carries a dependence from a use in epoch `used` to now: the innermost active loop of which an earlier
/// iteration contains that epoch. Positions are those of the running functions, innermost first.
pub(super) fn carried_by<'a>(
    positions: impl Iterator<Item = &'a LoopPosition>,
    used: Epoch,
    borders: Borders,
    generation: u32,
) -> Option<LoopId> {
    if used == 0 {
        return None;
    }
    for active in positions.flat_map(|position| position.loops.iter().rev()) {
        let border = match borders {
            Borders::All => active.iteration_began,
            Borders::Certain => active.certain_border,
        };
        // A use in the current iteration is also in the current iteration of all loops around it.
        if used >= border || active.generation != generation {
            return None;
        }
        if used >= active.began {
            return Some(active.iteration.loop_id);
        }
    }
    None
}

/// The loops of the functions seen so far, and the steps between their places, computed once each.
#[derive(Debug)]
pub(super) struct LoopFlows {
    functions: HashMap<u64, Option<NumberedLoops>>,
    /// `None` for a step within a function without loops.
    steps: Vec<Option<NumberedStep>>,
    by_places: HashMap<u64, u32>,
    last_steps: LookupCache<u32>,
}

/// The loops of a function; `first` is the program-wide number of the first one.
#[derive(Debug)]
struct NumberedLoops {
    flow: LoopFlow,
    first: u32,
    /// The source lines of its code, by block.
    lines: OnceCell<Vec<(u32, Vec<InlineFrame>)>>,
}

/// A step, with the program-wide numbers of its loops.
#[derive(Debug)]
struct NumberedStep {
    continuing: usize,
    next: bool,
    certain: bool,
    loops: Vec<(LoopNumber, LoopId)>,
}

/// Stands for the function's entry; no place has this number.
const NOWHERE: u32 = u32::MAX;

impl LoopFlows {
    pub(super) fn new() -> Self {
        Self {
            functions: HashMap::new(),
            steps: Vec::new(),
            by_places: HashMap::new(),
            last_steps: LookupCache::new(),
        }
    }

    /// Moves the position of a function to a place, and returns how many loops it entered. `loops` counts the loops numbered
    /// so far.
    pub(super) fn advance(
        &mut self,
        image: &Image<'_>,
        loops: &mut u32,
        (function, place): (u64, u32),
        position: &mut LoopPosition,
        (clock, left): (&mut EpochClock, &mut Vec<ActiveLoop>),
    ) -> usize {
        let key = u64::from(position.place.unwrap_or(NOWHERE)) << 32 | u64::from(place);
        let step = match self.last_steps.get(key) {
            Some(known) => known,
            None => {
                let step = self.step(image, loops, function, (position.place, place));
                self.last_steps.put(key, step);
                step
            }
        };
        self.steps[step as usize].as_ref().map_or(0, |step| position.move_to(place, step, clock, left))
    }

    /// The index of the step between two places of a function.
    fn step(
        &mut self,
        image: &Image<'_>,
        loops: &mut u32,
        function: u64,
        (from, to): (Option<u32>, u32),
    ) -> u32 {
        let key = u64::from(from.unwrap_or(NOWHERE)) << 32 | u64::from(to);
        let Self { functions, steps, by_places, .. } = self;
        *by_places.entry(key).or_insert_with(|| {
            let known = functions.entry(function).or_insert_with(|| {
                let flow = image.flow(function)?;
                let first = *loops;
                *loops += flow.count() as u32;
                Some(NumberedLoops { flow, first, lines: OnceCell::new() })
            });
            let step = known.as_ref().map(|numbered| numbered.step(from, to));
            steps.push(step);
            (steps.len() - 1) as u32
        })
    }

    /// The header of a loop, as a return address.
    pub(super) fn header_place(&self, function: u64, number: LoopNumber) -> Option<u64> {
        Some(self.functions.get(&function)?.as_ref()?.flow.header_place(number))
    }

    /// What a loop carries in registers.
    pub(super) fn carried(&self, function: u64, number: LoopNumber) -> Option<CarriedVariable> {
        self.functions.get(&function)?.as_ref()?.flow.carried(number)
    }

    /// The description of a loop by its source lines.
    pub(super) fn body(&self, image: &Image<'_>, function: u64, number: LoopNumber) -> Option<LoopBody> {
        let known = self.functions.get(&function)?.as_ref()?;
        let lines = known.lines.get_or_init(|| image.code_lines(function));
        LoopBody::new(lines, |block| known.flow.is_in(number, block))
    }

    /// Places from which the source line of a loop is found.
    pub(super) fn border_places(&self, function: u64, number: LoopNumber) -> Vec<u64> {
        let known = self.functions.get(&function).and_then(Option::as_ref);
        known.map_or_else(Vec::new, |known| known.flow.border_places(number))
    }
}

impl NumberedLoops {
    fn step(&self, from: Option<u32>, to: u32) -> NumberedStep {
        let LoopStep { continuing, next, certain, loops } =
            self.flow.step(from.map(u64::from), u64::from(to));
        let loops = loops.into_iter().map(|number| (number, LoopId(self.first + number))).collect();
        NumberedStep { continuing, next, certain, loops }
    }
}

#[cfg(test)]
mod tests {
    use super::{Borders, EpochClock, LoopPosition, NumberedStep, carried_by};
    use crate::instance::LoopId;

    /// Moves to a place within `depth` loops, of which the first `continuing` continue.
    fn move_to(
        position: &mut LoopPosition,
        clock: &mut EpochClock,
        (continuing, next, certain): (usize, bool, bool),
        depth: u32,
    ) {
        let loops = (0..depth).map(|number| (number, LoopId(10 + number))).collect();
        position.move_to(0, &NumberedStep { continuing, next, certain, loops }, clock, &mut Vec::new());
    }

    fn carried(position: &LoopPosition, used: u32, borders: Borders) -> Option<u32> {
        carried_by(std::iter::once(position), used, borders, 0).map(|loop_id| loop_id.0)
    }

    #[test]
    fn a_use_in_an_earlier_iteration_is_carried_by_the_loop_that_went_on_since() {
        let (mut position, mut clock) =
            (LoopPosition::default(), EpochClock { epoch: 5, ..EpochClock::default() });
        let before = clock.epoch;
        move_to(&mut position, &mut clock, (0, false, true), 2);
        let first = clock.epoch;
        move_to(&mut position, &mut clock, (1, true, true), 2);
        let inner = clock.epoch;
        assert_eq!(carried(&position, before, Borders::All), None, "before both loops");
        assert_eq!(
            carried(&position, first, Borders::All),
            Some(11),
            "an earlier iteration of the inner one"
        );
        assert_eq!(carried(&position, inner, Borders::All), None, "this iteration");
        move_to(&mut position, &mut clock, (0, true, true), 2);
        assert_eq!(
            carried(&position, inner, Borders::All),
            Some(10),
            "an earlier iteration of the outer one"
        );
        assert_eq!(carried(&position, 0, Borders::All), None, "never");
    }

    #[test]
    fn borders_that_are_not_certain_count_only_where_they_must() {
        let (mut position, mut clock) = (LoopPosition::default(), EpochClock::default());
        move_to(&mut position, &mut clock, (0, false, true), 1);
        let used = clock.epoch;
        move_to(&mut position, &mut clock, (0, true, false), 1);
        assert_eq!(carried(&position, used, Borders::All), Some(10));
        assert_eq!(carried(&position, used, Borders::Certain), None);
        move_to(&mut position, &mut clock, (0, true, true), 1);
        assert_eq!(carried(&position, used, Borders::Certain), Some(10));
    }

    #[test]
    fn loops_that_are_left_are_listed_with_their_iterations() {
        let (mut position, mut clock) =
            (LoopPosition::default(), EpochClock { time: 100, ..EpochClock::default() });
        move_to(&mut position, &mut clock, (0, false, true), 1);
        move_to(&mut position, &mut clock, (0, true, false), 1);
        move_to(&mut position, &mut clock, (0, true, true), 1);
        let mut left = Vec::new();
        position.restart(&mut left);
        let seen: Vec<_> =
            left.iter().map(|it| (it.iteration.loop_id.0, it.certain_borders, it.since)).collect();
        assert_eq!(seen, [(10, 1, 100)]);
        assert!(!position.has_loops());
    }
}
