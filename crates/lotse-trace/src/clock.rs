//! Corrects the clocks of processes that disagree.
//!
//! A clock is wrong if a message is received before it was sent, or if a member leaves a collective before another member
//! arrives that it had to wait for (a violation). Without violations no time is changed. Otherwise two steps follow.
//!
//! Step 1, linear correction: messages in both directions bound the difference of two clocks from above and below. A line
//! through the middle of these bounds gives the offset and drift of each process.
//!
//! ```text
//! difference of two clocks
//!     v    v       v     v      v     upper bounds, from messages in one direction
//!     ───────────────────────────     the fitted line: offset and drift
//!       ^     ^  ^     ^     ^        lower bounds, from messages in the other direction
//!                             → time
//! ```
//!
//! If one process always waits for the other, the bounds are far apart. Then the line is chosen such that both leave an
//! all-to-all exchange at about the same time. The stated uncertainty depends on the bounds only.
//!
//! Step 2, controlled logical clock: violations may remain, because clocks do not drift evenly or because only one direction
//! is known. Effects are moved after their causes. Later events of the location move as well and return slowly to their
//! time; earlier events are stretched, but not beyond the time at which another location depends on them.
//!
//! Guarantees: events of a location keep their order; no violation is left unless causes form a cycle, which is counted; the
//! threads of a process share a clock.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Ticks};
use lotse_model::work;

use crate::matching::is_receive;
use crate::store::{OpRef, Trace};

mod backward;
mod band;
mod bounds;
mod certainty;
mod difference_samples;
mod doubt;
mod forward;
mod line;
mod retime;
mod roles;
mod sync_events;
mod tree;

pub use certainty::Certainty;
pub(crate) use doubt::Doubt;

/// The number of effects that are recorded before their causes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Violations {
    /// Messages whose send record is later than their receive record.
    pub messages: u64,
    /// Collectives that a member left before another arrived that it had to wait for.
    pub collectives: u64,
}

impl Violations {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The error of the clock of a location.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockOffset {
    pub location: LocationId,
    /// Its first time minus the corresponding time of the reference clock, in ticks.
    pub ticks: i64,
    /// How much faster than the reference clock it runs, in parts per million.
    pub drift_ppm: f64,
    /// The number of messages and collectives from which it was derived.
    pub messages: u64,
    /// The maximum error of the offset; `None` if it is bounded from one side only or not at all.
    pub uncertainty: Option<Ticks>,
}

impl ClockOffset {
    /// The offset in seconds.
    pub fn seconds(&self, definitions: &Definitions) -> f64 {
        let size = definitions.seconds(self.ticks.unsigned_abs());
        if self.ticks < 0 { -size } else { size }
    }
}

/// The result of a clock correction.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The violations before the correction.
    pub before: Violations,
    /// By location. The first location of those that communicate with each other is the reference.
    pub offsets: Vec<ClockOffset>,
    /// The number of events whose time changed.
    pub moved_events: u64,
    pub largest_move: Ticks,
    /// Effects that were still before their causes after the linear correction.
    pub jumps: u64,
    /// Effects that were not moved because their causes depend on them.
    pub circular: u64,
    /// How far corrected clocks may still differ.
    pub certainty: Certainty,
}

/// Counts messages and collectives with effects before their causes.
pub fn violations(trace: &Trace, workers: &dyn Workers) -> Violations {
    const CHUNK: usize = 256;
    let messages =
        work::map(workers, trace.timelines.len(), |at| reversed_messages(trace, LocationId::from(at)));
    let all = &trace.links.collectives;
    let collectives = work::map(workers, all.len().div_ceil(CHUNK), |chunk| {
        let end = ((chunk + 1) * CHUNK).min(all.len());
        all[chunk * CHUNK..end].iter().filter(|it| roles::is_reversed(trace, it)).count() as u64
    });
    Violations { messages: messages.iter().sum(), collectives: collectives.iter().sum() }
}

fn reversed_messages(trace: &Trace, location: LocationId) -> u64 {
    received(trace, location).filter(|&(send, receive)| trace.op(send).at > trace.op(receive).at).count()
        as u64
}

/// The messages that a location received, as pairs of send and receive.
fn received(trace: &Trace, location: LocationId) -> impl Iterator<Item = (OpRef, OpRef)> + '_ {
    let receives = trace.timeline(location).ops.with_shape(is_receive);
    receives.filter_map(move |(op, _)| {
        let receive = OpRef { location, op };
        trace.links.partner(receive).map(|send| (send, receive))
    })
}

/// Corrects the times of a trace in place. If a time would be before tick 0, all locations are moved by the same amount.
pub fn correct(trace: &mut Trace, workers: &dyn Workers) -> Correction {
    let before = violations(trace, workers);
    if before.is_none() {
        return Correction::unchanged(trace);
    }
    let clocks = tree::clocks(trace, &bounds::bands(trace, workers));
    let (mut sync_events, mut groups) = sync_events::collect(trace, &clocks.lines, workers);
    let settled = forward::settle(&mut sync_events, &mut groups);
    let sync_events = backward::smooth(sync_events, &groups, workers);
    let moves = retime::retime(trace, &clocks.lines, sync_events, workers);
    // The cached accelerator streams have the old times.
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
    fn unchanged(trace: &Trace) -> Self {
        let unchanged =
            |location| ClockOffset { location, ticks: 0, drift_ppm: 0.0, messages: 0, uncertainty: Some(0) };
        Self {
            before: Violations::default(),
            offsets: trace.locations().map(unchanged).collect(),
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
