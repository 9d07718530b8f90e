//! Simulates a program on a machine and records it as a measurement would.
//!
//! Times follow from the semantics of calls: a call ends when everything that it depends on has happened, plus its cost. Locks
//! are given to threads in the order of their requests; of two requests at the same time, to the one with the lower turn.

use std::collections::HashMap;

use lotse_model::trace::{CollectiveOp, Ticks};

use crate::program::{Costs, Program, Sending, Step};
use crate::record::{Recorder, Records};

/// Simulates a program; gives the recording and the run time.
pub(crate) fn run(program: &Program, costs: Costs) -> (Records, Ticks) {
    run_with(program, costs, |_| {})
}

/// Simulates a program; passes to `taken` the order in which locks were acquired, by rank and turn.
fn run_with(
    program: &Program,
    costs: Costs,
    taken: impl FnOnce(HashMap<(u32, u32), u32>),
) -> (Records, Ticks) {
    let mut machine = Machine {
        program,
        costs,
        cursors: vec![Cursor::default(); program.steps.len()],
        recorder: Recorder::new(program),
        sent: HashMap::new(),
        posted: HashMap::new(),
        entered: Vec::new(),
        created: HashMap::new(),
        ended: HashMap::new(),
        released: HashMap::new(),
        taken: HashMap::new(),
    };
    machine.simulate();
    taken(std::mem::take(&mut machine.taken));
    let length = machine.cursors.iter().map(|cursor| cursor.clock).max().unwrap_or(0);
    (machine.recorder.finish(machine.cursors.iter().map(|cursor| cursor.clock)), length)
}

/// The same program with the turns of its locks in the order in which they were acquired.
pub(crate) fn with_actual_turns(program: &Program, costs: Costs) -> Program {
    let mut taken: HashMap<(u32, u32), u32> = HashMap::new();
    run_with(program, costs, |turns| taken = turns);
    let mut settled = program.clone();
    for (location, steps) in settled.steps.iter_mut().enumerate() {
        for step in steps {
            if let Step::Hold(turn, _) = step {
                *turn = taken[&(program.rank_of(location), *turn)];
            }
        }
    }
    settled
}

/// The position of a location in its program.
#[derive(Debug, Clone, Default)]
struct Cursor {
    next: usize,
    clock: Ticks,
    /// Whether the effects of its current step on others have been announced.
    announced: bool,
    /// The numbers of messages sent to and receives posted from each rank, and of collectives.
    sends: HashMap<u32, usize>,
    posts: HashMap<u32, usize>,
    meetings: usize,
    /// The sender of the last posted receive, and the number of its message.
    pending: (u32, usize),
}

struct Machine<'p> {
    program: &'p Program,
    costs: Costs,
    cursors: Vec<Cursor>,
    recorder: Recorder,
    /// By sender and receiver: times of sends and of posted receives.
    sent: HashMap<(u32, u32), Vec<Ticks>>,
    posted: HashMap<(u32, u32), Vec<Ticks>>,
    /// By collective: when each rank entered.
    entered: Vec<HashMap<u32, Ticks>>,
    created: HashMap<u64, Ticks>,
    ended: HashMap<u64, Ticks>,
    /// By rank: when its lock was last released.
    released: HashMap<u32, Ticks>,
    /// By rank and turn: the number of the acquisition, from 1.
    taken: HashMap<(u32, u32), u32>,
}

impl Machine<'_> {
    fn is_over(&self) -> bool {
        self.cursors.iter().zip(&self.program.steps).all(|(cursor, steps)| cursor.next == steps.len())
    }

    fn simulate(&mut self) {
        while !self.is_over() {
            let mut moved = false;
            for location in 0..self.program.steps.len() {
                while !matches!(self.next(location), Some(Step::Hold(..))) && self.step(location) {
                    moved = true;
                }
            }
            // No other location can request the lock before the earliest one that requests it now.
            let first = (0..self.program.steps.len()).filter_map(|it| Some((self.turn(it)?, it))).min();
            moved |= first.is_some_and(|(_, location)| self.step(location));
            assert!(moved, "the program hangs: {:?}", self.program);
        }
    }

    fn next(&self, location: usize) -> Option<Step> {
        self.program.steps[location].get(self.cursors[location].next).copied()
    }

    /// For a location that requests a lock: when it can acquire it, when it requested it, and its turn.
    fn turn(&self, location: usize) -> Option<(Ticks, Ticks, u32)> {
        let Some(Step::Hold(turn, _)) = self.next(location) else { return None };
        let requested = self.cursors[location].clock;
        let free = self.released.get(&self.program.rank_of(location)).copied().unwrap_or(0);
        Some((requested.max(free), requested, turn))
    }

    /// Executes the next step of a location, if everything it depends on is known; gives whether it did.
    fn step(&mut self, location: usize) -> bool {
        let Some(step) = self.next(location) else { return false };
        if !self.cursors[location].announced {
            self.announce(location, step);
            self.cursors[location].announced = true;
        }
        let enter = self.cursors[location].clock;
        let Some(ready) = self.ready(location, step) else { return false };
        let exit = ready + self.cost(step);
        self.close(location, step, exit);
        let recorded = self.with_acquisition_number(location, step);
        self.recorder.record(location, recorded, (enter, exit), self.costs);
        let cursor = &mut self.cursors[location];
        (cursor.clock, cursor.announced) = (exit, false);
        cursor.next += 1;
        true
    }

    /// The step as it is recorded: with the number of the acquisition, from 1, instead of the turn.
    fn with_acquisition_number(&mut self, location: usize, step: Step) -> Step {
        let Step::Hold(turn, ticks) = step else { return step };
        let rank = self.program.rank_of(location);
        let number = 1 + self.taken.keys().filter(|(of, _)| *of == rank).count() as u32;
        self.taken.insert((rank, turn), number);
        Step::Hold(number, ticks)
    }

    /// Registers the begin of a step on which other locations may depend.
    fn announce(&mut self, location: usize, step: Step) {
        let rank = self.program.rank_of(location);
        let cursor = &mut self.cursors[location];
        match step {
            Step::Send(_, to) => self.sent.entry((rank, to)).or_default().push(cursor.clock),
            Step::Recv(from) | Step::Post(from) => {
                let number = cursor.posts.entry(from).or_default();
                cursor.pending = (from, *number);
                *number += 1;
                self.posted.entry((from, rank)).or_default().push(cursor.clock);
            }
            Step::Meet(..) => {
                self.entered.resize(self.entered.len().max(cursor.meetings + 1), HashMap::new());
                self.entered[cursor.meetings].insert(rank, cursor.clock);
            }
            _ => {}
        }
    }

    /// When everything that the step depends on has happened; none if that is not known yet.
    fn ready(&mut self, location: usize, step: Step) -> Option<Ticks> {
        let rank = self.program.rank_of(location);
        let cursor = &self.cursors[location];
        let needed = match step {
            Step::Send(Sending::Large | Sending::Synchronous, to) => {
                let number = cursor.sends.get(&to).copied().unwrap_or(0);
                *self.posted.get(&(rank, to))?.get(number)?
            }
            Step::Recv(_) | Step::Wait => {
                let (from, number) = cursor.pending;
                self.sent.get(&(from, rank))?.get(number)? + self.costs.flight
            }
            Step::Meet(op, root) => self.last_needed(op, root, rank, cursor.meetings)?,
            Step::Begin(thread) => *self.created.get(&thread)?,
            Step::Join(thread) => *self.ended.get(&thread)?,
            Step::Hold(..) => self.released.get(&rank).copied().unwrap_or(0),
            _ => 0,
        };
        Some(needed.max(cursor.clock))
    }

    /// When the last of the members on which a rank depends has entered a collective.
    fn last_needed(&self, op: CollectiveOp, root: u32, rank: u32, number: usize) -> Option<Ticks> {
        let needs = |other: u32| match op {
            CollectiveOp::Bcast => other == root,
            CollectiveOp::Reduce => rank == root,
            CollectiveOp::Scan => other <= rank,
            _ => true,
        };
        let came = &self.entered[number];
        let times = (0..self.program.ranks).filter(|&other| needs(other)).map(|other| came.get(&other));
        times.collect::<Option<Vec<_>>>().map(|times| times.into_iter().copied().max().unwrap_or(0))
    }

    fn cost(&self, step: Step) -> Ticks {
        match step {
            Step::Compute(_, ticks) => ticks,
            Step::Send(..) => self.costs.send,
            Step::Recv(_) | Step::Wait => self.costs.transfer,
            Step::Meet(..) => self.costs.collective,
            Step::Create(_) | Step::Begin(_) => self.costs.create,
            Step::Join(_) => self.costs.join,
            Step::Hold(_, ticks) => self.costs.lock + ticks,
            Step::Post(_) | Step::End(_) => 0,
        }
    }

    /// Registers the end of a step on which other locations may depend.
    fn close(&mut self, location: usize, step: Step, exit: Ticks) {
        let rank = self.program.rank_of(location);
        let cursor = &mut self.cursors[location];
        match step {
            Step::Send(_, to) => *cursor.sends.entry(to).or_default() += 1,
            Step::Meet(..) => cursor.meetings += 1,
            Step::Create(thread) => {
                self.created.insert(thread, exit);
            }
            Step::End(thread) => {
                self.ended.insert(thread, exit);
            }
            Step::Hold(..) => {
                self.released.insert(rank, exit);
            }
            _ => {}
        }
    }
}
