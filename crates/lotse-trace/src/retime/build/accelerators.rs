//! Accelerators: work on a stream begins after a thread has launched it, and synchronise calls wait for its end.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{EntryKind, GraphEntry, Need};
use super::{Builder, NewWait, WaitKind};
use crate::class::{Class, waits_for_all};
use crate::patterns::last_stream_to_end;
use crate::store::{Activity, CallRef, Stream};

impl Builder<'_> {
    /// Adds the dependencies of streams on launches, and of synchronise calls on streams.
    pub(super) fn add_accelerator_waits(&mut self) {
        let trace = self.trace;
        for stream in &trace.accelerators().streams {
            let mut free = trace.timeline(stream.location).first;
            for activity in &stream.activities {
                self.add_launch(stream.location, free, activity);
                free = activity.end;
            }
        }
        if trace.accelerators().streams.is_empty() {
            return;
        }
        for location in trace.cpu_locations() {
            let calls =
                (0..trace.timeline(location).calls.len() as u32).map(|call| CallRef { location, call });
            calls
                .filter(|&call| trace.class(call).class == Class::AcceleratorSync)
                .for_each(|call| self.add_stream_wait(call));
        }
    }

    /// The begin of an activity. If the stream was free, the activity begins as long after the launch as recorded. If it was
    /// queued, it begins after the previous activity, and not before its launch.
    fn add_launch(&mut self, stream: LocationId, free: Ticks, activity: &Activity) {
        let Some(launch) = activity.launch else { return };
        let source = self.source(launch.call.location, launch.at, launch.call.call, None);
        let table = &mut self.graph.tables[stream.index()];
        let first = table.needs.len() as u32;
        table.needs.push(source.into());
        let (at, kind) = match launch.queued {
            true => (activity.begin, EntryKind::Needs { first, count: 1 }),
            false => (free.min(activity.begin), EntryKind::Starts { need: first }),
        };
        table.entries.push(GraphEntry { at, resume: activity.begin, kind, call: 0 });
    }

    /// A synchronise call depends on the activity that ended last before it; a call for a device on all its streams.
    fn add_stream_wait(&mut self, call: CallRef) {
        let trace = self.trace;
        let (begin, exit) = (trace.enter(call), trace.exit(call));
        let process = trace.location(call.location).process;
        let last = last_stream_to_end(trace, call);
        let used: Vec<&Stream> = trace.accelerators().used_by(process).collect();
        let all = waits_for_all(&trace.class(call).name) || (last.is_none() && used.len() == 1);
        let others =
            used.iter().filter(|_| all).filter_map(|it| Some((it.location, it.last_ended(exit)?.end)));
        let mut ends: Vec<(LocationId, Ticks)> = others.collect();
        // The end may be slightly later than that of the call, since clocks are not exact.
        if let Some((stream, end)) = last {
            ends.retain(|(location, _)| *location != stream.location);
            ends.push((stream.location, end));
        }
        let happened = last.map_or(begin, |(_, end)| end);
        let needs: Vec<Need> =
            ends.into_iter().map(|(location, end)| self.source_at(location, end).into()).collect();
        if !needs.is_empty() {
            self.add_wait(&NewWait {
                call,
                begin,
                exit,
                happened,
                late: 0,
                needs: &needs,
                kind: WaitKind::Other,
            });
        }
    }
}
