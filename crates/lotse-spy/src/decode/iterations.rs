//! Which iteration of which loops a thread is in.
//!
//! A position belongs to a function that runs. It moves with every event of the function, and with every call: the return
//! address of the called function says where the caller is.

use std::rc::Rc;

use hashbrown::HashMap;

use crate::access::Iteration;
use crate::code::flow::{Flow, LoopNumber, Step};
use crate::code::image::Image;
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
    fn take(&mut self, place: u32, step: &Step, id: impl Fn(LoopNumber) -> LoopId) -> usize {
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
            .map(|&number| UnderWay { number, iteration: Iteration { of_loop: id(number), number: 0 } });
        let before = self.loops.len();
        self.loops.extend(entered);
        self.loops.len() - before
    }
}

/// The loops of functions, as far as they were met, and the steps between their places.
#[derive(Debug, Default)]
pub(super) struct Flows {
    functions: HashMap<u64, Option<Numbered>>,
    steps: HashMap<(u32, u32), Rc<Step>>,
}

/// The loops of a function, numbered from one on for the whole program.
#[derive(Debug, Clone)]
struct Numbered {
    flow: Rc<Flow>,
    first: u32,
}

/// No place has this number.
const NOWHERE: u32 = u32::MAX;

impl Flows {
    /// A function is at a place now; how many loops it entered. `loops` is how many loops of the program have a number.
    pub(super) fn advance(
        &mut self,
        image: &Image<'_>,
        loops: &mut u32,
        (function, place): (u64, u32),
        position: &mut Position,
    ) -> usize {
        let known = self.functions.entry(function).or_insert_with(|| {
            let flow = Rc::new(image.flow(function)?);
            let first = *loops;
            *loops += flow.count() as u32;
            Some(Numbered { flow, first })
        });
        let Some(Numbered { flow, first }) = known else { return 0 };
        let step = self
            .steps
            .entry((position.place.unwrap_or(NOWHERE), place))
            .or_insert_with(|| Rc::new(flow.step(position.place.map(u64::from), u64::from(place))));
        position.take(place, step, |number| LoopId(*first + number))
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
