//! Waits that only patterns find: their cause is a time on another location.

use hashbrown::{HashMap, HashSet};
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use super::super::graph::{EntryKind, Graph, GraphEntry, SourceId};
use super::{Builder, NewWait, WaitKind};
use crate::metric::DependencySource;
use crate::patterns::RMA_LOCK_CONTENTION;
use crate::store::CallRef;
use crate::waits::{Wait, Waits};

impl Builder<'_> {
    /// Adds the waits that patterns found and that do not follow from records.
    pub(super) fn add_pattern_waits(&mut self, waits: &Waits) {
        let covered = match waits.of_phase {
            None => CoveredWaits::ByMetric,
            Some(_) => CoveredWaits::ByCall(waits_until(&self.graph), std::mem::take(&mut self.send_calls)),
        };
        let missing =
            waits.by_location.iter().flatten().filter(|wait| wait.causal && !covered.contains(wait));
        for wait in missing {
            if self.condition_waits.contains(&wait.call) || self.is_queued_for(wait) {
                continue;
            }
            if let Some(cause) = wait.cause {
                let source = self.source_at(cause.location, cause.at);
                let (begin, exit) = (self.waits_from(wait.call, wait.end), self.trace.exit(wait.call));
                let (call, happened, needs) = (wait.call, wait.end, &[source.into()]);
                self.add_wait(&NewWait {
                    call,
                    begin,
                    exit,
                    happened,
                    needs,
                    late: 0,
                    kind: WaitKind::Other,
                });
            }
        }
    }

    /// Whether a wait is for the lock of a window and the call is already in the queue of that lock.
    fn is_queued_for(&self, wait: &Wait) -> bool {
        let for_lock = wait.metric.is_some_and(|metric| *metric == RMA_LOCK_CONTENTION);
        for_lock && self.window_lock_calls.contains(&wait.call)
    }

    /// When a call begins to wait: a wait for a condition first releases its lock.
    pub(super) fn waits_from(&self, call: CallRef, end: Ticks) -> Ticks {
        let records = self.trace.timeline(call.location).ops_of(call.call);
        let releases = records.filter(|(_, op)| matches!(op.shape(), Event::ReleaseLock { .. }));
        let before = releases.map(|(_, op)| op.at).filter(|&at| at <= end).max();
        before.unwrap_or(0).max(self.trace.enter(call))
    }

    /// The source at a time of a location, which is created if it is new.
    pub(super) fn source_at(&mut self, location: LocationId, at: Ticks) -> SourceId {
        let known = self.other_sources.get(&(location, at)).copied();
        let source = known.unwrap_or_else(|| self.source(location, at, 0, None));
        self.other_sources.insert((location, at), source);
        source
    }
}

/// The waits that the graph already has.
enum CoveredWaits {
    /// Those of metrics whose dependencies come from records.
    ByMetric,
    /// In a phase, records of a wait may be outside the phase, so the graph itself is examined. By call: until when it waits
    /// in the graph; and the calls that complete sends for which it is known whether they wait.
    ByCall(HashMap<CallRef, Ticks>, HashSet<CallRef>),
}

impl CoveredWaits {
    fn contains(&self, wait: &Wait) -> bool {
        let Some(metric) = wait.metric else { return true };
        match (self, metric.dependency) {
            (Self::ByMetric, from) => from != DependencySource::Waits,
            (Self::ByCall(..), DependencySource::Waits) => false,
            (Self::ByCall(_, send_calls), DependencySource::Sends) => send_calls.contains(&wait.call),
            (Self::ByCall(until, _), _) => until.get(&wait.call).is_some_and(|&until| until >= wait.end),
        }
    }
}

/// By call: until when it waits in the graph.
fn waits_until(graph: &Graph) -> HashMap<CallRef, Ticks> {
    let mut known = HashMap::new();
    for (location, table) in graph.tables.iter().enumerate() {
        let location = LocationId::from(location);
        let waits = |entry: &&GraphEntry| {
            !entry.kind.needs().is_empty() || matches!(entry.kind, EntryKind::Enters { .. })
        };
        for entry in table.entries.iter().filter(waits) {
            let until = known.entry(CallRef { location, call: entry.call }).or_insert(entry.resume);
            *until = entry.resume.max(*until);
        }
    }
    known
}
