//! Signals and broadcasts to condition variables, sorted by time, so that the one that ended a wait is found by bisection.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, ObjectKind, Ticks};

use crate::class::RegionClass;
use crate::patterns::is_condition_wait;
use crate::store::{CallRef, Trace};

/// The time at which a signal was entered, and its location.
type Signal = (Ticks, LocationId);

/// All signals and broadcasts of a trace.
#[derive(Debug, Default)]
pub struct Signals {
    /// By process.
    all: HashMap<ProcessId, Vec<Signal>>,
    /// By process and condition variable; `None` if the trace does not contain which one it is.
    by_condition: HashMap<(ProcessId, Option<u64>), Vec<Signal>>,
}

impl Signals {
    /// Lists the signals; empty if no call waits for a condition.
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut signals = Self::default();
        if !trace.classes.iter().any(is_condition_wait) {
            return signals;
        }
        for location in trace.locations() {
            signals.add_location(trace, location);
        }
        signals.all.values_mut().for_each(|list| list.sort_unstable());
        signals.by_condition.values_mut().for_each(|list| list.sort_unstable());
        signals
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn add_location(&mut self, trace: &Trace, location: LocationId) {
        let process = trace.location(location).process;
        for call in (0..trace.timeline(location).calls.len() as u32).map(|call| CallRef { location, call }) {
            if is_signal(trace.class(call)) {
                let signal = (trace.enter(call), location);
                self.all.entry(process).or_default().push(signal);
                self.by_condition.entry((process, condition(trace, call))).or_default().push(signal);
            }
        }
    }

    /// The signal of another thread that ended a wait: the last one that was entered during it.
    pub(crate) fn signal_that_ended(&self, trace: &Trace, wait: CallRef) -> Option<Signal> {
        let process = trace.location(wait.location).process;
        let last = |list: Option<&Vec<Signal>>| last_during(trace, list?, wait);
        match condition(trace, wait) {
            None => last(self.all.get(&process)),
            wanted => last(self.by_condition.get(&(process, None)))
                .max(last(self.by_condition.get(&(process, wanted)))),
        }
    }
}

fn last_during(trace: &Trace, list: &[Signal], wait: CallRef) -> Option<Signal> {
    let (enter, exit) = (trace.enter(wait), trace.exit(wait));
    let before = &list[..list.partition_point(|&(at, _)| at < exit)];
    let during = before.iter().rev().take_while(|&&(at, _)| at > enter);
    during.copied().find(|&(_, location)| location != wait.location)
}

/// The condition variable of a call, if the trace contains it.
pub(crate) fn condition(trace: &Trace, call: CallRef) -> Option<u64> {
    trace.timeline(call.location).ops_of(call.call).find_map(|(_, op)| match op.event() {
        Event::Object { kind: ObjectKind::Condition, address } => Some(address),
        _ => None,
    })
}

pub(crate) fn is_signal(class: &RegionClass) -> bool {
    matches!(class.name.as_str(), "pthread_cond_signal" | "pthread_cond_broadcast")
}
