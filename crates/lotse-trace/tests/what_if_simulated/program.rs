//! A parallel program as a list of steps for each of its threads.

use lotse_model::trace::{CollectiveOp, Ticks};

/// A step of a thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// Computes in a function for some time.
    Compute(&'static str, Ticks),
    /// Sends to a rank.
    Send(Sending, u32),
    /// Receives from a rank.
    Recv(u32),
    /// Posts a receive from a rank.
    Post(u32),
    /// Completes the receive posted last.
    Wait,
    /// Takes part in a collective of all ranks; some operations have a root.
    Meet(CollectiveOp, u32),
    /// Creates a thread.
    Create(u64),
    /// Begins as that thread.
    Begin(u64),
    /// Ends as that thread.
    End(u64),
    /// Waits for the end of a thread.
    Join(u64),
    /// Holds the process's lock for some time; of threads that request it at the same time, the one with the lowest turn
    /// gets it. Turns count from 1.
    Hold(u32, Ticks),
}

/// How a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    /// A small message: the sender continues at once.
    Buffered,
    /// A large message: the sender waits until the receive is posted.
    Large,
    /// A small message, but sent by a call that waits until the receive is posted.
    Synchronous,
}

/// The function whose time is spent with the lock held.
pub(crate) const HELD: &str = "update";

/// Ranks with threads: steps by location. The locations of a rank are consecutive, its main thread first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    pub(crate) ranks: u32,
    pub(crate) threads: u32,
    pub(crate) steps: Vec<Vec<Step>>,
}

impl Program {
    pub(crate) fn new(ranks: u32, threads: u32) -> Self {
        let count = ranks * (1 + threads);
        Self { ranks, threads, steps: vec![Vec::new(); count as usize] }
    }

    /// The location of a rank's main thread.
    pub(crate) fn main_of(&self, rank: u32) -> usize {
        (rank * (1 + self.threads)) as usize
    }

    /// The rank of a location.
    pub(crate) fn rank_of(&self, location: usize) -> u32 {
        location as u32 / (1 + self.threads)
    }

    /// Adds a step to a rank's main thread.
    pub(crate) fn then(&mut self, rank: u32, step: Step) {
        let location = self.main_of(rank);
        self.steps[location].push(step);
    }

    /// The same program with the time of a function multiplied by `halves` / 2.
    pub(crate) fn scaled(&self, function: &str, halves: Ticks) -> Self {
        let mut changed = self.clone();
        changed.steps.iter_mut().for_each(|steps| scale(steps, function, halves));
        changed
    }

    /// The same program with a function taking no time on one location.
    pub(crate) fn without(&self, function: &str, location: usize) -> Self {
        let mut changed = self.clone();
        scale(&mut changed.steps[location], function, 0);
        changed
    }
}

fn scale(steps: &mut [Step], function: &str, halves: Ticks) {
    let scale = |ticks: &mut Ticks| *ticks = *ticks * halves / 2;
    for step in steps {
        match step {
            Step::Compute(name, ticks) if *name == function => scale(ticks),
            Step::Hold(_, ticks) if function == HELD => scale(ticks),
            _ => {}
        }
    }
}

/// Costs of calls besides waiting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Costs {
    pub(crate) send: Ticks,
    /// Time from the arrival of message and receiver to the end of the receive.
    pub(crate) transfer: Ticks,
    /// Time of a message in the network, whether a receiver waits for it or not.
    pub(crate) flight: Ticks,
    pub(crate) collective: Ticks,
    /// Time to create a thread, and until that thread runs.
    pub(crate) create: Ticks,
    pub(crate) join: Ticks,
    pub(crate) lock: Ticks,
}

impl Costs {
    pub(crate) const SMALL: Self =
        Self { send: 3, transfer: 10, flight: 0, collective: 7, create: 5, join: 2, lock: 1 };

    /// The same machine with a network that costs nothing.
    pub(crate) fn ideal_network(self) -> Self {
        Self { send: 0, transfer: 0, flight: 0, collective: 0, ..self }
    }
}
