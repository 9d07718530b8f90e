//! When a process makes progress on its messages: whenever one of its threads is inside a call of the MPI library.
//!
//! A send that finds no free buffer at its receiver waits until the receiver enters the library, for whatever reason. It
//! ends soon after that entry, possibly before the receive is posted:
//!
//! ```text
//! sender     ──┤MPI_Send ▒▒▒▒▒▒▒▒▒▒▒▒├────
//! receiver   ── work ───────────────┤MPI_Allreduce├── work ──┤MPI_Recv├──
//!                                   ╰ this entry ends the send
//! ```

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::Ticks;

use crate::store::{CallRef, OpRef, Trace};

/// A send shorter than this, in seconds, does not wait, or its wait is negligible.
const SHORTEST: f64 = 100e-6;
/// A wait has to last this many times as long as the rest of the call after it.
const CLEARLY: Ticks = 2;
/// Because clocks differ, a send may seem to end before the receiver's entry, by less than 1/8 of its duration.
const UNSURE: Ticks = 8;

/// Finds the entries of processes into the MPI library.
#[derive(Debug)]
pub struct Attention {
    threads_of_process: Vec<Vec<LocationId>>,
}

/// An entry of a process into the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LibraryEntry {
    /// The thread that enters.
    pub location: LocationId,
    pub at: Ticks,
}

impl Attention {
    /// Gathers the threads of each process.
    pub fn new(trace: &Trace) -> Self {
        let mut threads_of_process: Vec<Vec<LocationId>> =
            vec![Vec::new(); trace.definitions.processes.len()];
        for location in trace.locations() {
            if let Some(threads) = threads_of_process.get_mut(trace.location(location).process.index()) {
                threads.push(location);
            }
        }
        Self { threads_of_process }
    }

    /// Whether a call is so short that it does not wait for an entry into the library, or its wait is negligible.
    pub fn is_too_short(&self, trace: &Trace, call: CallRef) -> bool {
        trace.seconds(trace.exit(call) - trace.enter(call)) < SHORTEST
    }

    /// The entry of the receiver into the library that ended a send call, if the call waited for such an entry.
    pub fn ended(&self, trace: &Trace, call: CallRef, receiver: ProcessId) -> Option<LibraryEntry> {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        if self.is_too_short(trace, call) {
            return None;
        }
        let next = self.next(trace, receiver, enter)?;
        let ends_it = match next.at.checked_sub(exit) {
            None | Some(0) => CLEARLY * (exit - next.at) < next.at - enter,
            Some(after) => UNSURE * after < exit - enter,
        };
        ends_it.then_some(next)
    }

    /// The entry that ended a call which waits for several processes: that of the last of them to enter the library. Each
    /// process comes with the time from which on it could be waited for.
    pub fn last_entry(
        &self,
        trace: &Trace,
        call: CallRef,
        others: impl Iterator<Item = (ProcessId, Ticks)>,
    ) -> Option<LibraryEntry> {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        if self.is_too_short(trace, call) {
            return None;
        }
        let entry_of = |(process, from): (ProcessId, Ticks)| {
            let from = from.max(enter);
            let next = self.next(trace, process, from).filter(|next| next.at <= exit)?;
            (CLEARLY * (exit - next.at) < next.at - from).then_some(next)
        };
        others.filter_map(entry_of).max_by_key(|it| it.at)
    }

    /// The next entry of a process into the library after `from`; none if one of its threads is inside at that time.
    fn next(&self, trace: &Trace, process: ProcessId, from: Ticks) -> Option<LibraryEntry> {
        let mut next: Option<LibraryEntry> = None;
        for &location in self.threads_of_process.get(process.index())? {
            let Some(call) = next_call(trace, location, from) else { continue };
            let at = trace.enter(call);
            if at <= from {
                return None;
            }
            if next.is_none_or(|it| at < it.at) {
                next = Some(LibraryEntry { location, at });
            }
        }
        next
    }
}

/// The library call with a record that a location is in at `from`, or the next one.
fn next_call(trace: &Trace, location: LocationId, from: Ticks) -> Option<CallRef> {
    let ops = &trace.timeline(location).ops;
    // The record of a call in progress may lie before `from`.
    let first = ops.before(from).saturating_sub(1) as u32;
    let mut calls = (first..ops.len() as u32).filter_map(|op| trace.call_of(OpRef { location, op }));
    calls.find(|&call| trace.exit(call) > from && trace.class(call).class.is_mpi())
}
