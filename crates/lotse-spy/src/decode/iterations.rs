//! Which iteration of which loops a thread is in.
//!
//! A position belongs to a function that runs. It moves with every event of the function, and with every call: the return
//! address of the called function says where the caller is.

use hashbrown::HashMap;

use crate::access::Iteration;
use crate::code::flow::{Flow, LoopNumber, Step};
use crate::code::image::Image;
use crate::decode::lookup::Lookup;
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
struct UnderWay {
    number: LoopNumber,
    iteration: Iteration,
}

impl Position {
    /// The function is entered anew.
    pub(super) fn restart(&mut self) {
        self.place = None;
        self.loops.clear();
    }

    /// Iterations under way, of the innermost loop first.
    pub(super) fn iterations(&self) -> impl Iterator<Item = (LoopNumber, Iteration)> {
        self.loops.iter().rev().map(|under_way| (under_way.number, under_way.iteration))
    }

    /// Moves on, and says how many loops are entered.
    fn take(&mut self, place: u32, step: &NumberedStep) -> usize {
        self.place = Some(place);
        if step.next
            && let Some(under_way) = self.loops.get_mut(step.kept)
        {
            under_way.iteration.number += 1;
        }
        let kept = step.kept + usize::from(step.next);
        self.loops.truncate(kept);
        let entered = step
            .loops
            .iter()
            .skip(self.loops.len())
            .map(|&(number, of_loop)| UnderWay { number, iteration: Iteration { of_loop, number: 0 } });
        let before = self.loops.len();
        self.loops.extend(entered);
        self.loops.len() - before
    }
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
}

/// A step, with the numbers of its loops within the whole program.
#[derive(Debug)]
struct NumberedStep {
    kept: usize,
    next: bool,
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
        self.steps[step as usize].as_ref().map_or(0, |step| position.take(place, step))
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
                Some(Numbered { flow, first })
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

    /// Places that tell in which source a loop is.
    pub(super) fn border_places(&self, function: u64, number: LoopNumber) -> Vec<u64> {
        let known = self.functions.get(&function).and_then(Option::as_ref);
        known.map_or_else(Vec::new, |known| known.flow.border_places(number))
    }
}

impl Numbered {
    fn step(&self, from: Option<u32>, to: u32) -> NumberedStep {
        let Step { kept, next, loops } = self.flow.step(from.map(u64::from), u64::from(to));
        let loops = loops.into_iter().map(|number| (number, LoopId(self.first + number))).collect();
        NumberedStep { kept, next, loops }
    }
}
