//! Which iteration of which loops a thread is in.
//!
//! A position belongs to a function that runs. It moves with every event of the function, and with every call: the return
//! address of the called function says where the caller is.
//!
//! Each loop under way knows the epochs in which its execution and its present iteration began: a place of memory that was
//! last used between the two was used by another iteration of it.

use std::cell::OnceCell;

use hashbrown::HashMap;
use lotse_formats::history::CarriedVariable;
use lotse_symbols::InlineFrame;

use crate::access::Iteration;
use crate::code::body::LoopBody;
use crate::code::flow::{Flow, LoopNumber, Step};
use crate::code::image::Image;
use crate::decode::lookup::Lookup;
use crate::decode::shadow::Epoch;
use crate::instance::LoopId;

/// Where a function that runs is in its loops.
#[derive(Debug, Clone, Default)]
pub(super) struct Position {
    place: Option<u32>,
    /// Loops under way, the outermost first.
    loops: Vec<UnderWay>,
}

/// A loop under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnderWay {
    number: LoopNumber,
    pub(super) iteration: Iteration,
    /// When it was entered.
    pub(super) since: u64,
    /// The epoch in which it was entered, and that of its present iteration.
    began: Epoch,
    iteration_began: Epoch,
    /// The epoch of the last border between iterations that is certain, and how many of them there were.
    certain_border: Epoch,
    pub(super) certain_borders: u64,
    /// Epochs of another generation cannot be compared.
    pub(super) generation: u32,
}

/// The present moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    /// Nanoseconds.
    pub(super) time: u64,
    /// How many iterations of any loop began.
    pub(super) epoch: Epoch,
    /// How often epochs were begun anew.
    pub(super) generation: u32,
}

impl UnderWay {
    fn entered(number: LoopNumber, of_loop: LoopId, clock: &Clock) -> Self {
        Self {
            number,
            iteration: Iteration { of_loop, number: 0 },
            since: clock.time,
            began: clock.epoch,
            iteration_began: clock.epoch,
            certain_border: clock.epoch,
            certain_borders: 0,
            generation: clock.generation,
        }
    }
}

impl Position {
    /// The function is entered anew.
    pub(super) fn restart(&mut self, left: &mut Vec<UnderWay>) {
        self.place = None;
        left.append(&mut self.loops);
    }

    /// Iterations under way, of the innermost loop first.
    pub(super) fn iterations(&self) -> impl Iterator<Item = (LoopNumber, Iteration)> {
        self.loops.iter().rev().map(|under_way| (under_way.number, under_way.iteration))
    }

    /// Whether a loop is under way.
    pub(super) fn is_in(&self, of_loop: LoopId) -> bool {
        self.loops.iter().any(|under_way| under_way.iteration.of_loop == of_loop)
    }

    pub(super) fn has_loops(&self) -> bool {
        !self.loops.is_empty()
    }

    /// The epoch in which the outermost of its loops was entered.
    pub(super) fn began(&self) -> Option<Epoch> {
        self.loops.first().map(|outermost| outermost.began)
    }

    /// Moves on, and says how many loops are entered. Loops that are left are added to a list.
    fn take(
        &mut self,
        place: u32,
        step: &NumberedStep,
        clock: &mut Clock,
        left: &mut Vec<UnderWay>,
    ) -> usize {
        self.place = Some(place);
        let kept = step.kept + usize::from(step.next);
        left.extend(self.loops.drain(kept.min(self.loops.len())..));
        if step.next
            && let Some(under_way) = self.loops.get_mut(step.kept)
        {
            clock.epoch = clock.epoch.saturating_add(1);
            under_way.iteration.number += 1;
            under_way.iteration_began = clock.epoch;
            if step.certain {
                under_way.certain_border = clock.epoch;
                under_way.certain_borders += 1;
            }
        }
        let before = self.loops.len();
        if before < step.loops.len() {
            clock.epoch = clock.epoch.saturating_add(1);
            let entered = step.loops.iter().skip(before);
            self.loops.extend(entered.map(|&(number, of_loop)| UnderWay::entered(number, of_loop, clock)));
        }
        self.loops.len() - before
    }
}

/// Which borders between iterations count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Borders {
    All,
    Certain,
}

/// The loop of which an earlier iteration used what was last used in an epoch. Functions that run are given innermost first.
pub(super) fn carried_by<'a>(
    positions: impl Iterator<Item = &'a Position>,
    used: Epoch,
    borders: Borders,
    generation: u32,
) -> Option<LoopId> {
    if used == 0 {
        return None;
    }
    for under_way in positions.flat_map(|position| position.loops.iter().rev()) {
        let border = match borders {
            Borders::All => under_way.iteration_began,
            Borders::Certain => under_way.certain_border,
        };
        // Used in the present iteration, then in that of all loops around it too.
        if used >= border || under_way.generation != generation {
            return None;
        }
        if used >= under_way.began {
            return Some(under_way.iteration.of_loop);
        }
    }
    None
}

/// The loops of functions, as far as they were met, and the steps between their places.
#[derive(Debug)]
pub(super) struct Flows {
    functions: HashMap<u64, Option<Numbered>>,
    /// Nothing for a step within a function without loops.
    steps: Vec<Option<NumberedStep>>,
    by_places: HashMap<u64, u32>,
    last_steps: Lookup<u32>,
}

/// The loops of a function, numbered from one on for the whole program.
#[derive(Debug)]
struct Numbered {
    flow: Flow,
    first: u32,
    /// Which lines its code is from, by block.
    lines: OnceCell<Vec<(u32, Vec<InlineFrame>)>>,
}

/// A step, with the numbers of its loops within the whole program.
#[derive(Debug)]
struct NumberedStep {
    kept: usize,
    next: bool,
    certain: bool,
    loops: Vec<(LoopNumber, LoopId)>,
}

/// No place has this number.
const NOWHERE: u32 = u32::MAX;

impl Flows {
    pub(super) fn new() -> Self {
        Self {
            functions: HashMap::new(),
            steps: Vec::new(),
            by_places: HashMap::new(),
            last_steps: Lookup::new(),
        }
    }

    /// A function is at a place now; how many loops it entered. `loops` is how many loops of the program have a number.
    pub(super) fn advance(
        &mut self,
        image: &Image<'_>,
        loops: &mut u32,
        (function, place): (u64, u32),
        position: &mut Position,
        (clock, left): (&mut Clock, &mut Vec<UnderWay>),
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
        self.steps[step as usize].as_ref().map_or(0, |step| position.take(place, step, clock, left))
    }

    /// The number of the step between two places of a function.
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
                Some(Numbered { flow, first, lines: OnceCell::new() })
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

    /// What tells whether a stack of the source is in a loop.
    pub(super) fn body(&self, image: &Image<'_>, function: u64, number: LoopNumber) -> Option<LoopBody> {
        let known = self.functions.get(&function)?.as_ref()?;
        let lines = known.lines.get_or_init(|| image.code_lines(function));
        LoopBody::new(lines, |block| known.flow.is_in(number, block))
    }

    /// Places that tell in which source a loop is.
    pub(super) fn border_places(&self, function: u64, number: LoopNumber) -> Vec<u64> {
        let known = self.functions.get(&function).and_then(Option::as_ref);
        known.map_or_else(Vec::new, |known| known.flow.border_places(number))
    }
}

impl Numbered {
    fn step(&self, from: Option<u32>, to: u32) -> NumberedStep {
        let Step { kept, next, certain, loops } = self.flow.step(from.map(u64::from), u64::from(to));
        let loops = loops.into_iter().map(|number| (number, LoopId(self.first + number))).collect();
        NumberedStep { kept, next, certain, loops }
    }
}

#[cfg(test)]
mod tests {
    use super::{Borders, Clock, NumberedStep, Position, carried_by};
    use crate::instance::LoopId;

    /// Moves to a place within so many loops, of which the first `kept` go on.
    fn take(
        position: &mut Position,
        clock: &mut Clock,
        (kept, next, certain): (usize, bool, bool),
        depth: u32,
    ) {
        let loops = (0..depth).map(|number| (number, LoopId(10 + number))).collect();
        position.take(0, &NumberedStep { kept, next, certain, loops }, clock, &mut Vec::new());
    }

    fn carried(position: &Position, used: u32, borders: Borders) -> Option<u32> {
        carried_by(std::iter::once(position), used, borders, 0).map(|of_loop| of_loop.0)
    }

    #[test]
    fn a_use_in_an_earlier_iteration_is_carried_by_the_loop_that_went_on_since() {
        let (mut position, mut clock) = (Position::default(), Clock { epoch: 5, ..Clock::default() });
        let before = clock.epoch;
        take(&mut position, &mut clock, (0, false, true), 2);
        let first = clock.epoch;
        take(&mut position, &mut clock, (1, true, true), 2);
        let inner = clock.epoch;
        assert_eq!(carried(&position, before, Borders::All), None, "before both loops");
        assert_eq!(
            carried(&position, first, Borders::All),
            Some(11),
            "an earlier iteration of the inner one"
        );
        assert_eq!(carried(&position, inner, Borders::All), None, "this iteration");
        take(&mut position, &mut clock, (0, true, true), 2);
        assert_eq!(
            carried(&position, inner, Borders::All),
            Some(10),
            "an earlier iteration of the outer one"
        );
        assert_eq!(carried(&position, 0, Borders::All), None, "never");
    }

    #[test]
    fn borders_that_are_not_certain_count_only_where_they_must() {
        let (mut position, mut clock) = (Position::default(), Clock::default());
        take(&mut position, &mut clock, (0, false, true), 1);
        let used = clock.epoch;
        take(&mut position, &mut clock, (0, true, false), 1);
        assert_eq!(carried(&position, used, Borders::All), Some(10));
        assert_eq!(carried(&position, used, Borders::Certain), None);
        take(&mut position, &mut clock, (0, true, true), 1);
        assert_eq!(carried(&position, used, Borders::Certain), Some(10));
    }

    #[test]
    fn loops_that_are_left_are_listed_with_their_iterations() {
        let (mut position, mut clock) = (Position::default(), Clock { time: 100, ..Clock::default() });
        take(&mut position, &mut clock, (0, false, true), 1);
        take(&mut position, &mut clock, (0, true, false), 1);
        take(&mut position, &mut clock, (0, true, true), 1);
        let mut left = Vec::new();
        position.restart(&mut left);
        let seen: Vec<_> =
            left.iter().map(|it| (it.iteration.of_loop.0, it.certain_borders, it.since)).collect();
        assert_eq!(seen, [(10, 1, 100)]);
        assert!(!position.has_loops());
    }
}
