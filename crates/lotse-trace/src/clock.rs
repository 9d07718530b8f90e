//! Clocks that disagree: finds how far each process's clock is off, and mends the times of a trace.
//!
//! A clock is seen to be wrong where something is received before it was sent, or where somebody leaves a collective
//! before those came whom it had to wait for. Where nothing of the kind is seen, no time is changed. Otherwise two
//! steps follow. Messages in both directions bound the difference of two clocks; a straight line through the middle
//! of these bounds gives each process offset and drift. Where the bounds are far apart, because one of two always
//! waits for the other, that both leave an exchange at about the same time says where between them the line is likely
//! to be; how far off it may be is stated by the bounds alone. What is still the wrong way round, because clocks do not
//! drift evenly or only one direction is known, is mended by a controlled logical clock: effects are moved behind
//! their causes, what follows moves along and comes back slowly, what precedes is stretched as far as nobody has seen
//! it yet.
//!
//! Promises: events of a location keep their order; no message and no collective is left the wrong way round, unless
//! causes go in a circle, which is counted; the threads of a process share a clock.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, Ticks};
use lotse_model::work;

use crate::store::{OpRef, Trace};

mod backward;
mod band;
mod bounds;
mod certainty;
mod doubt;
mod forward;
mod knots;
mod line;
mod meetings;
mod retime;
mod roles;
mod tree;

pub use certainty::Certainty;
pub(crate) use doubt::Doubt;

/// How often effects come before their causes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Violations {
    /// Messages whose send record is later than their receive record.
    pub messages: u64,
    /// Collectives that somebody left before the last came whom it had to wait for.
    pub collectives: u64,
}

impl Violations {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// How wrong the clock of a location was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offset {
    /// Whose clock.
    pub location: LocationId,
    /// Its first time minus what the reference's clock showed then, in ticks.
    pub ticks: i64,
    /// How much faster than the reference's clock it runs, in millionths.
    pub drift_ppm: f64,
    /// Messages and collectives that tell of it.
    pub messages: u64,
    /// How far off the offset may be; `None` where it is bounded from one side or not at all.
    pub uncertainty: Option<Ticks>,
}

impl Offset {
    /// The offset in seconds.
    pub fn seconds(&self, definitions: &Definitions) -> f64 {
        let size = definitions.seconds(self.ticks.unsigned_abs());
        if self.ticks < 0 { -size } else { size }
    }
}

/// What was done to the times of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// What was wrong before.
    pub before: Violations,
    /// By location, how wrong its clock was; the first location of those that talk to each other is the reference.
    pub offsets: Vec<Offset>,
    /// Events whose time changed.
    pub moved_events: u64,
    /// By how much at most.
    pub largest_move: Ticks,
    /// Effects that offset and drift alone left before their causes.
    pub jumps: u64,
    /// Effects left as they were, because their causes depend on them.
    pub circular: u64,
    /// How far corrected clocks may still be apart.
    pub certainty: Certainty,
}

/// Counts messages and collectives that are the wrong way round.
pub fn violations(trace: &Trace, workers: &dyn Workers) -> Violations {
    const PIECE: usize = 256;
    let messages = work::map(workers, trace.timelines.len(), |at| reversed(trace, LocationId::from(at)));
    let all = &trace.links.collectives;
    let collectives = work::map(workers, all.len().div_ceil(PIECE), |piece| {
        let end = ((piece + 1) * PIECE).min(all.len());
        all[piece * PIECE..end].iter().filter(|it| roles::is_reversed(trace, it)).count() as u64
    });
    Violations { messages: messages.iter().sum(), collectives: collectives.iter().sum() }
}

fn reversed(trace: &Trace, location: LocationId) -> u64 {
    received(trace, location).filter(|&(send, receive)| trace.op(send).at > trace.op(receive).at).count()
        as u64
}

/// The messages that a location received: sends and receives.
fn received(trace: &Trace, location: LocationId) -> impl Iterator<Item = (OpRef, OpRef)> + '_ {
    let ops = &trace.timeline(location).ops;
    let is_receive =
        |&number: &usize| matches!(ops.shape(number), Event::MpiRecv { .. } | Event::MpiIrecv { .. });
    (0..ops.len()).filter(is_receive).filter_map(move |number| {
        let receive = OpRef { location, op: number as u32 };
        trace.links.partner(receive).map(|send| (send, receive))
    })
}

/// Mends the times of a trace in place. Where that leads before tick 0, all locations are moved together.
pub fn correct(trace: &mut Trace, workers: &dyn Workers) -> Correction {
    let before = violations(trace, workers);
    if before.is_none() {
        return Correction::nothing(trace);
    }
    let clocks = tree::clocks(trace, &bounds::bands(trace, workers));
    let (mut knots, mut groups) = knots::tie(trace, &clocks.lines, workers);
    let settled = forward::settle(&mut knots, &mut groups);
    let knots = backward::smooth(knots, &groups, workers);
    let moves = retime::retime(trace, &clocks.lines, knots, workers);
    // What was found on streams has the times of before.
    trace.streams.take();
    Correction {
        before,
        offsets: clocks.offsets,
        moved_events: moves.events,
        largest_move: moves.largest,
        jumps: settled.jumps,
        circular: settled.circular,
        certainty: clocks.certainty,
    }
}

impl Correction {
    fn nothing(trace: &Trace) -> Self {
        let right =
            |location| Offset { location, ticks: 0, drift_ppm: 0.0, messages: 0, uncertainty: Some(0) };
        Self {
            before: Violations::default(),
            offsets: trace.locations().map(right).collect(),
            moved_events: 0,
            largest_move: 0,
            jumps: 0,
            circular: 0,
            certainty: Certainty::default(),
        }
    }
}

#[cfg(test)]
mod tests;
