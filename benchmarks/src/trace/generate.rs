//! Simulates a parallel program and emits its events, the same for the same shape on every machine.
//!
//! Single-threaded MPI processes form a ring. In every step each process computes, sends to its right neighbour (non-blocking),
//! computes again, and waits for its left neighbour. In every other step neighbours exchange synchronous messages; at times all
//! processes take part in a reduction or a barrier. Some processes compute more slowly than others, and which ones changes over
//! time. The simulation has one clock, so that no message arrives before it is sent, and no process leaves a collective operation
//! before all have entered. All processes advance step by step, so events need not be stored.
//!
//! That is the first [`Workload`]. `messages` has the same ring with hardly any computing, `locks` has threads that
//! share a few locks.

mod locks;
mod messages;
mod process;

use lotse_model::id::{LocationId, MachineId, ProcessId};
use lotse_model::trace::{
    Clock, CollectiveOp, Communicator, Definitions, EventSink, Location, LocationKind, Machine, Process,
    ProcessKind, Ticks,
};

use serde::{Deserialize, Serialize};

use super::regions;
use process::Rank;

/// Latency of a message in nanoseconds.
const LATENCY: Ticks = 1500;
/// Steps after which the speed of a rank changes.
const DRIFT: u64 = 256;
/// Steps between two reductions.
const REDUCTION: u64 = 4;
/// Steps between two barriers.
const MEETING: u64 = 32;
const PROCESSES_OF_A_NODE: usize = 16;

/// What the simulated program does most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Workload {
    /// Three quarters of the events are computing.
    #[default]
    Computing,
    /// A message in every 12 events, and reductions.
    Messages,
    /// Threads of one process acquire and release a few locks.
    Locks,
}

impl Workload {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 3] = [Self::Computing, Self::Messages, Self::Locks];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computing => "computing",
            Self::Messages => "messages",
            Self::Locks => "locks",
        }
    }

    fn locations(self) -> u32 {
        match self {
            Self::Computing | Self::Messages => 64,
            Self::Locks => 16,
        }
    }

    /// The approximate number of events per step of a location.
    fn events_of_step(self) -> f64 {
        match self {
            Self::Computing => 54.0,
            Self::Messages => messages::EVENTS_OF_STEP,
            Self::Locks => locks::EVENTS_OF_STEP,
        }
    }
}

/// How large a trace becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// What the program does most.
    pub workload: Workload,
    /// MPI processes of one thread, or threads of one process where it is about locks. Processes: an even number, 2 at
    /// least, or the last has nobody to talk to and the simulation is refused.
    pub locations: u32,
    /// Steps of each.
    pub steps: u64,
    /// Of all random choices.
    pub seed: u64,
}

/// What was simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulated {
    /// When the last process ended; all began at 0.
    pub length: Ticks,
    /// Events of all processes.
    pub events: u64,
}

impl Shape {
    /// Steps that make about so many events.
    pub fn of_events(workload: Workload, events: u64) -> Self {
        let locations = workload.locations();
        let steps = events as f64 / (workload.events_of_step() * f64::from(locations));
        Self { workload, locations, steps: steps as u64, seed: 1 }
    }

    /// What the events refer to.
    pub fn definitions(&self) -> Definitions {
        if self.workload == Workload::Locks {
            return locks::definitions(self.locations);
        }
        let count = self.locations as usize;
        let mut all = Definitions::new(Clock::default());
        all.regions.extend(regions::all());
        let part = |name: String, class: &str, parent| Machine { name, class: class.to_owned(), parent };
        all.machines.push(part("simulated".to_owned(), "machine", None));
        let nodes = (0..count.div_ceil(PROCESSES_OF_A_NODE)).map(|it| format!("node {it}"));
        all.machines.extend(nodes.map(|name| part(name, "node", Some(MachineId(0)))));
        all.processes = (0..count)
            .map(|rank| Process {
                name: format!("MPI Rank {rank}"),
                machine: Some(MachineId::from(1 + rank / PROCESSES_OF_A_NODE)),
                kind: ProcessKind::System,
            })
            .collect();
        all.locations = (0..count)
            .map(|rank| Location {
                number: rank as u64,
                name: "Master thread".to_owned(),
                kind: LocationKind::Cpu,
                process: ProcessId::from(rank),
            })
            .collect();
        let members = (0..count).map(|rank| Some(LocationId::from(rank))).collect();
        all.communicators.push(Communicator {
            name: "MPI_COMM_WORLD".to_owned(),
            members,
            ..Communicator::default()
        });
        all
    }

    /// Runs the program; one sink for each location, in their order. `None` where their number is not the shape's, or
    /// not one that can be paired.
    pub fn simulate<S: EventSink>(&self, sinks: &mut [S]) -> Option<Simulated> {
        let is_paired = self.locations >= 2 && self.locations.is_multiple_of(2);
        if sinks.len() != self.locations as usize || !is_paired {
            return None;
        }
        if self.workload == Workload::Locks {
            return Some(locks::simulate(self, sinks));
        }
        let mut world = World::new(self.seed, sinks);
        world.begin();
        for step in 0..self.steps {
            match self.workload {
                Workload::Messages => world.exchange_and_reduce(step),
                Workload::Computing | Workload::Locks => world.step(step),
            }
        }
        Some(world.end())
    }
}

struct World<'a, S> {
    ranks: Vec<Rank<'a, S>>,
    /// Arrival time of the message from the left neighbour.
    arrivals: Vec<Ticks>,
}

impl<'a, S: EventSink> World<'a, S> {
    fn new(seed: u64, sinks: &'a mut [S]) -> Self {
        let ranks: Vec<_> =
            sinks.iter_mut().zip(0..).map(|(sink, rank)| Rank::new(seed, rank, sink)).collect();
        Self { arrivals: vec![0; ranks.len()], ranks }
    }

    fn begin(&mut self) {
        for rank in &mut self.ranks {
            rank.enter(regions::MAIN);
            rank.enter(regions::INIT);
            rank.compute(40_000);
            rank.leave(regions::INIT);
        }
    }

    fn step(&mut self, step: u64) {
        self.send_and_compute(step);
        self.wait_and_compute();
        if step % 2 == 1 {
            self.exchange();
        }
        if step % REDUCTION == REDUCTION - 1 {
            self.meet(regions::ALLREDUCE, CollectiveOp::Allreduce, 8);
        }
        if step % MEETING == MEETING - 1 {
            self.meet(regions::BARRIER, CollectiveOp::Barrier, 0);
        }
        self.ranks.iter_mut().for_each(|rank| rank.leave(regions::STEP));
    }

    fn send_and_compute(&mut self, step: u64) {
        let count = self.ranks.len();
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            if step.is_multiple_of(DRIFT) {
                rank.drift();
            }
            rank.enter(regions::STEP);
            rank.run_one_of(&regions::BEFORE);
            rank.post_receive();
            let (right, bytes) = ((number + 1) % count, rank.message_length());
            let sent = rank.send_on(right as u32, bytes);
            self.arrivals[right] = sent + LATENCY + bytes / 8;
            rank.run_one_of(&regions::BETWEEN);
        }
    }

    fn wait_and_compute(&mut self) {
        let count = self.ranks.len();
        let lengths: Vec<u64> = self.ranks.iter().map(Rank::sent_length).collect();
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            let left = (number + count - 1) % count;
            rank.wait_all(left as u32, lengths[left], self.arrivals[number]);
            rank.recurse();
            rank.run_one_of(&regions::AFTER);
        }
    }

    /// Even ranks send to their right first, then odd ones.
    fn exchange(&mut self) {
        let count = self.ranks.len();
        for first in [0, 1] {
            for sender in (first..count).step_by(2) {
                self.pass(sender, (sender + 1) % count);
            }
        }
    }

    /// A synchronous message: the sender waits for the receiver.
    fn pass(&mut self, from: usize, to: usize) {
        let Ok([sender, receiver]) = self.ranks.get_disjoint_mut([from, to]) else { return };
        let bytes = 1 << 17;
        let sent = sender.begin_send(to as u32, bytes);
        let posted = receiver.begin_receive();
        let over = sent.max(posted) + LATENCY + bytes / 8;
        sender.end_send(over);
        receiver.end_receive(from as u32, bytes, over);
    }

    fn meet(&mut self, region: lotse_model::id::RegionId, op: CollectiveOp, bytes: u64) {
        let begun = self.ranks.iter_mut().map(|rank| rank.begin_collective(region)).max().unwrap_or(0);
        let rounds = self.ranks.len().ilog2();
        let over = begun + LATENCY * Ticks::from(rounds);
        self.ranks.iter_mut().for_each(|rank| rank.end_collective(region, op, bytes, over));
    }

    fn end(mut self) -> Simulated {
        for rank in &mut self.ranks {
            rank.enter(regions::FINALIZE);
            rank.compute(20_000);
            rank.leave(regions::FINALIZE);
            rank.leave(regions::MAIN);
        }
        let length = self.ranks.iter().map(Rank::now).max().unwrap_or(0);
        Simulated { length, events: self.ranks.iter().map(Rank::events).sum() }
    }
}

#[cfg(test)]
mod tests;
