//! Work on the streams of accelerators begins when a thread has launched it, and synchronise calls need its end.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;

use super::super::graph::{Entry, Need, What};
use super::{Builder, WaitKind, Waiting};
use crate::class::{Class, waits_for_all};
use crate::patterns::last_stream_to_end;
use crate::store::{Activity, CallRef, Stream};

impl Builder<'_> {
    /// What streams need of threads, and threads of streams.
    pub(super) fn need_accelerators(&mut self) {
        let trace = self.trace;
        for stream in &trace.accelerators().streams {
            let mut free = trace.timeline(stream.location).first;
            for activity in &stream.activities {
                self.need_launch(stream.location, free, activity);
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
                .for_each(|call| self.need_streams(call));
        }
    }

    /// A stream that is free begins as long after the launch as it did; work in a queue begins after the work before
    /// it, and not before its launch.
    fn need_launch(&mut self, stream: LocationId, free: Ticks, activity: &Activity) {
        let Some(launch) = activity.launch else { return };
        let source = self.source(launch.call.location, launch.at, launch.call.call, None);
        let line = &mut self.graph.lines[stream.index()];
        let first = line.needs.len() as u32;
        line.needs.push(source.into());
        let (at, what) = match launch.queued {
            true => (activity.begin, What::Needs { first, count: 1 }),
            false => (free.min(activity.begin), What::Starts { need: first }),
        };
        line.entries.push(Entry { at, resume: activity.begin, what, call: 0 });
    }

    /// A synchronise call needs the work that ended last before it did; one that is about a device, that of all its
    /// streams.
    fn need_streams(&mut self, call: CallRef) {
        let trace = self.trace;
        let (begin, exit) = (trace.enter(call), trace.exit(call));
        let process = trace.location(call.location).process;
        let last = last_stream_to_end(trace, call);
        let used: Vec<&Stream> = trace.accelerators().used_by(process).collect();
        let all = waits_for_all(&trace.class(call).name) || (last.is_none() && used.len() == 1);
        let others =
            used.iter().filter(|_| all).filter_map(|it| Some((it.location, it.last_ended(exit)?.end)));
        let mut ends: Vec<(LocationId, Ticks)> = others.collect();
        // The end may lie a little behind the call's, since clocks are not exact.
        if let Some((stream, end)) = last {
            ends.retain(|(location, _)| *location != stream.location);
            ends.push((stream.location, end));
        }
        let happened = last.map_or(begin, |(_, end)| end);
        let on: Vec<Need> =
            ends.into_iter().map(|(location, end)| self.moment(location, end).into()).collect();
        if !on.is_empty() {
            self.push(&Waiting { call, begin, exit, happened, late: 0, on: &on, kind: WaitKind::Other });
        }
    }
}
