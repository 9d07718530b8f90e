//! When a process attends to its messages: whenever it is inside a call of the library.
//!
//! A send for which there is no room left waits until its receiver enters the library, whatever for. It then ends soon
//! after that, and perhaps before the receive is posted.

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::Ticks;

use crate::store::{CallRef, OpRef, Trace};

/// A send that lasts shorter than so many seconds waits for nobody, or it does not matter.
const SHORTEST: f64 = 100e-6;
/// So many times as long as what follows it a wait has to last.
const CLEARLY: Ticks = 2;
/// Clocks may differ: a send may seem to end before the receiver came, by so small a part of its time.
const UNSURE: Ticks = 8;

/// The threads of all processes.
#[derive(Debug)]
pub struct Attention {
    of_process: Vec<Vec<LocationId>>,
}

/// A process enters the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attended {
    /// The thread that does.
    pub location: LocationId,
    /// When.
    pub at: Ticks,
}

impl Attention {
    /// Looks up which threads processes have.
    pub fn new(trace: &Trace) -> Self {
        let mut of_process: Vec<Vec<LocationId>> = vec![Vec::new(); trace.definitions.processes.len()];
        for location in trace.locations() {
            if let Some(threads) = of_process.get_mut(trace.location(location).process.index()) {
                threads.push(location);
            }
        }
        Self { of_process }
    }

    /// When a process entered the library and so ended a call that sends to it, if that is what the call waited for.
    pub fn ended(&self, trace: &Trace, call: CallRef, receiver: ProcessId) -> Option<Attended> {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        if trace.seconds(exit - enter) < SHORTEST {
            return None;
        }
        let next = self.next(trace, receiver, enter)?;
        let ends_it = match next.at.checked_sub(exit) {
            None | Some(0) => CLEARLY * (exit - next.at) < next.at - enter,
            Some(after) => UNSURE * after < exit - enter,
        };
        ends_it.then_some(next)
    }

    /// What ended a call that waits for several processes: the last of them to come back into the library. With each
    /// process goes the moment from which it could be waited for.
    pub fn ended_by(
        &self,
        trace: &Trace,
        call: CallRef,
        others: impl Iterator<Item = (ProcessId, Ticks)>,
    ) -> Option<Attended> {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        if trace.seconds(exit - enter) < SHORTEST {
            return None;
        }
        let came = |(process, from): (ProcessId, Ticks)| {
            let from = from.max(enter);
            let next = self.next(trace, process, from).filter(|next| next.at <= exit)?;
            (CLEARLY * (exit - next.at) < next.at - from).then_some(next)
        };
        others.filter_map(came).max_by_key(|it| it.at)
    }

    /// When a process next enters the library; nothing if one of its threads is inside at that moment.
    fn next(&self, trace: &Trace, process: ProcessId, from: Ticks) -> Option<Attended> {
        let mut next: Option<Attended> = None;
        for &location in self.of_process.get(process.index())? {
            let Some(call) = next_call(trace, location, from) else { continue };
            let at = trace.enter(call);
            if at <= from {
                return None;
            }
            if next.is_none_or(|it| at < it.at) {
                next = Some(Attended { location, at });
            }
        }
        next
    }
}

/// The call of the library with a record that a location is in, or the next one.
fn next_call(trace: &Trace, location: LocationId, from: Ticks) -> Option<CallRef> {
    let ops = &trace.timeline(location).ops;
    // The record of a call that goes on may lie before.
    let first = ops.before(from).saturating_sub(1) as u32;
    let mut calls = (first..ops.len() as u32).filter_map(|op| trace.call_of(OpRef { location, op }));
    calls.find(|&call| trace.exit(call) > from && trace.class(call).class.is_mpi())
}
