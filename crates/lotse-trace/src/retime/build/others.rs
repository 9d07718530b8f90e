//! Waits of kinds that no record tells of: their cause is a moment on another location.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::super::graph::{Entry, Graph, SourceId, What};
use super::{Builder, WaitKind, Waiting};
use crate::metric::DependencySource;
use crate::patterns::RMA_LOCK_CONTENTION;
use crate::store::CallRef;
use crate::waits::{Wait, Waits};

impl Builder<'_> {
    /// Adds the waits that patterns found and records do not tell of.
    pub(super) fn need_others(&mut self, waits: &Waits) {
        let covered = match waits.of_phase {
            None => Covered::ByMetric,
            Some(_) => Covered::ByCall(waits_until(&self.graph), std::mem::take(&mut self.sending)),
        };
        let missing = waits.by_location.iter().flatten().filter(|wait| wait.causal && !covered.has(wait));
        for wait in missing {
            if self.meeting.contains(&wait.call) || self.is_queued_for(wait) {
                continue;
            }
            if let Some(cause) = wait.cause {
                let source = self.moment(cause.location, cause.at);
                let (begin, exit) = (self.waits_from(wait.call, wait.end), self.trace.exit(wait.call));
                let (call, happened, on) = (wait.call, wait.end, &[source.into()]);
                self.push(&Waiting { call, begin, exit, happened, on, late: 0, kind: WaitKind::Other });
            }
        }
    }

    /// Whether a call waits for the lock of a window in the queue for it.
    fn is_queued_for(&self, wait: &Wait) -> bool {
        let for_lock = wait.metric.is_some_and(|metric| *metric == RMA_LOCK_CONTENTION);
        for_lock && self.queuing.contains(&wait.call)
    }

    /// From when a call waits: one that waits for a condition first gives its lock back.
    pub(super) fn waits_from(&self, call: CallRef, end: Ticks) -> Ticks {
        let records = self.trace.timeline(call.location).ops_of(call.call);
        let releases = records.filter(|(_, op)| matches!(op.shape(), Event::ReleaseLock { .. }));
        let before = releases.map(|(_, op)| op.at).filter(|&at| at <= end).max();
        before.unwrap_or(0).max(self.trace.enter(call))
    }

    /// The source that a moment is, made when first asked for.
    pub(super) fn moment(&mut self, location: LocationId, at: Ticks) -> SourceId {
        let known = self.generic.get(&(location, at)).copied();
        let source = known.unwrap_or_else(|| self.source(location, at, 0, None));
        self.generic.insert((location, at), source);
        source
    }
}

/// Which waits the graph has already.
enum Covered {
    /// Those of metrics whose dependencies come from records.
    ByMetric,
    /// Records that tell of a phase's waits may lie beyond its borders. So by call: until when it waits by what the
    /// graph has; and the calls that complete sends of which it was decided whether they wait.
    ByCall(HashMap<CallRef, Ticks>, HashSet<CallRef>),
}

impl Covered {
    fn has(&self, wait: &Wait) -> bool {
        let Some(metric) = wait.metric else { return true };
        match (self, metric.dependency) {
            (Self::ByMetric, from) => from != DependencySource::Waits,
            (Self::ByCall(..), DependencySource::Waits) => false,
            (Self::ByCall(_, sending), DependencySource::Sends) => sending.contains(&wait.call),
            (Self::ByCall(until, _), _) => until.get(&wait.call).is_some_and(|&until| until >= wait.end),
        }
    }
}

/// By call: until when it waits.
fn waits_until(graph: &Graph) -> HashMap<CallRef, Ticks> {
    let mut known = HashMap::new();
    for (location, line) in graph.lines.iter().enumerate() {
        let location = LocationId::from(location);
        let waits =
            |entry: &&Entry| !entry.what.needs().is_empty() || matches!(entry.what, What::Enters { .. });
        for entry in line.entries.iter().filter(waits) {
            let until = known.entry(CallRef { location, call: entry.call }).or_insert(entry.resume);
            *until = entry.resume.max(*until);
        }
    }
    known
}
