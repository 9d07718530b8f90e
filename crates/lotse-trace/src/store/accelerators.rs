//! Streams of accelerators: their activities, the process that uses them, and the call that launched each activity.
//!
//! Recorders record activities (kernels, copies) on separate locations. The launching call is known if the trace has a
//! message from the call to the activity (Kineto's flows). Otherwise the last launching call of the process before the
//! begin of the activity is assumed. If activities are queued, the true one was earlier.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, LocationKind, ProcessKind, Ticks};

use super::{CallRef, OpRef, Timeline, Trace};
use crate::class::{Class, starts_work};

/// All streams.
#[derive(Debug, Default)]
pub(crate) struct Accelerators {
    pub(crate) streams: Vec<Stream>,
}

/// A stream of an accelerator.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) location: LocationId,
    /// The process that uses it.
    pub(crate) host: Option<ProcessId>,
    /// In the order of time, without overlap.
    pub(crate) activities: Vec<Activity>,
}

/// A kernel or a copy on a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) begin: Ticks,
    pub(crate) end: Ticks,
    pub(crate) launch: Option<Launch>,
}

/// The launch of an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) call: CallRef,
    /// The time on the calling thread from which the activity may begin.
    pub(crate) at: Ticks,
    /// Whether the stream was still busy at that time.
    pub(crate) queued: bool,
}

impl Accelerators {
    pub(super) fn new(trace: &Trace) -> Self {
        let is_stream = |it: &LocationId| trace.location(*it).kind == LocationKind::Accelerator;
        let mut streams: Vec<Stream> =
            trace.locations().filter(is_stream).map(|location| Stream::new(trace, location)).collect();
        let mut launching: HashMap<ProcessId, Vec<CallRef>> = HashMap::new();
        for stream in &mut streams {
            let Some(host) = stream.host else { continue };
            let known = launching.entry(host).or_insert_with(|| launching_calls(trace, host));
            stream.find_launches(trace, known);
        }
        Self { streams }
    }

    /// The streams that a process uses.
    pub(crate) fn used_by(&self, process: ProcessId) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(move |stream| stream.host == Some(process))
    }

    /// The stream of a location.
    pub(crate) fn stream(&self, location: LocationId) -> Option<&Stream> {
        let at = self.streams.binary_search_by_key(&location, |stream| stream.location).ok()?;
        Some(&self.streams[at])
    }
}

impl Stream {
    fn new(trace: &Trace, location: LocationId) -> Self {
        let activities = activities(trace, trace.timeline(location));
        Self { location, host: host(trace, location), activities }
    }

    /// The last activity that ends at or before a time.
    pub(crate) fn last_ended(&self, until: Ticks) -> Option<&Activity> {
        let ended = self.activities.partition_point(|it| it.end <= until);
        self.activities[..ended].last()
    }

    /// The first activity that ends after a time.
    pub(crate) fn first_ending_after(&self, time: Ticks) -> Option<&Activity> {
        self.activities.get(self.activities.partition_point(|it| it.end <= time))
    }

    /// The uninterrupted queue of activities until a time, the last first: each activity was queued behind the following one
    /// of the iterator; only the final one found the stream free.
    pub(crate) fn queue_until(&self, until: Ticks) -> impl Iterator<Item = &Activity> {
        let begun = self.activities.partition_point(|it| it.begin < until);
        let mut is_queued = true;
        self.activities[..begun].iter().rev().take_while(move |it| {
            let taken = is_queued;
            is_queued = it.launch.is_some_and(|launch| launch.queued);
            taken
        })
    }

    fn find_launches(&mut self, trace: &Trace, launching: &[CallRef]) {
        let by_message = launches_by_message(trace, self.location, &self.activities);
        let mut free = None;
        for (number, activity) in self.activities.iter_mut().enumerate() {
            let call = match by_message.is_empty() {
                true => {
                    let before = launching.partition_point(|&call| trace.enter(call) <= activity.begin);
                    launching[..before].last().copied()
                }
                false => by_message.get(&number).copied(),
            };
            activity.launch = call.map(|call| launch(trace, call, activity.begin, free));
            free = Some(activity.end);
        }
    }
}

/// The launch of an activity by a call. An asynchronous call launches at its exit, but not later than the activity begins.
/// A call that waits for the activity launches at its enter.
fn launch(trace: &Trace, call: CallRef, begin: Ticks, free: Option<Ticks>) -> Launch {
    let entered = trace.enter(call);
    let at = match trace.class(call).class {
        Class::AcceleratorCall => trace.exit(call).min(begin).max(entered),
        _ => entered,
    };
    Launch { call, at, queued: free.is_some_and(|free| at <= free) }
}

/// The activities of a stream: calls without callees. This leaves out annotations around several kernels.
fn activities(trace: &Trace, timeline: &Timeline) -> Vec<Activity> {
    let depth = |step: usize| trace.paths.depth(timeline.path[step]);
    let is_leaf = |step: &usize| depth(*step) > depth(step - 1) && depth(step + 1) < depth(*step);
    let leaves = (1..timeline.at.len().saturating_sub(1)).filter(is_leaf);
    leaves
        .map(|step| Activity { begin: timeline.at[step], end: timeline.at[step + 1], launch: None })
        .collect()
}

/// The process that uses a stream: as recorded, by messages to the stream, or the only process of the trace.
fn host(trace: &Trace, stream: LocationId) -> Option<ProcessId> {
    let process = trace.location(stream).process;
    let recorded = match trace.definitions.processes.get(process.index()).map(|it| it.kind) {
        Some(ProcessKind::Accelerator { creator }) => creator,
        _ => trace.cpu_locations().any(|it| trace.location(it).process == process).then_some(process),
    };
    let by_message =
        || launch_messages(trace, stream).next().map(|(_, call)| trace.location(call.location).process);
    let only = || match &trace.processes()[..] {
        [(process, _)] => Some(*process),
        _ => None,
    };
    recorded.or_else(by_message).or_else(only)
}

/// The messages to a stream: time of arrival and sending call.
fn launch_messages(trace: &Trace, stream: LocationId) -> impl Iterator<Item = (Ticks, CallRef)> {
    let ops = trace.timeline(stream).ops.iter().enumerate();
    ops.filter_map(move |(number, op)| {
        let Event::MpiRecv { .. } = op.event() else { return None };
        let send = trace.links.partner(OpRef { location: stream, op: number as u32 })?;
        Some((op.at, trace.call_of(send)?))
    })
}

/// By index of the activity: the launching call according to messages.
fn launches_by_message(
    trace: &Trace,
    stream: LocationId,
    activities: &[Activity],
) -> HashMap<usize, CallRef> {
    let number = |at: Ticks| activities.partition_point(|it| it.begin <= at).checked_sub(1);
    launch_messages(trace, stream).filter_map(|(at, call)| Some((number(at)?, call))).collect()
}

/// The calls of a process that can launch an activity, in the order of their enters. Calls that copy are left out: which
/// activity belongs to which copy is not guessed.
fn launching_calls(trace: &Trace, process: ProcessId) -> Vec<CallRef> {
    let mut found = Vec::new();
    for location in trace.cpu_locations().filter(|&it| trace.location(it).process == process) {
        let calls = (0..trace.timeline(location).calls.len() as u32).map(|call| CallRef { location, call });
        found.extend(calls.filter(|&call| {
            let class = trace.class(call);
            class.class == Class::AcceleratorCall && starts_work(&class.name)
        }));
    }
    found.sort_by_key(|&call| (trace.enter(call), call));
    found
}

#[cfg(test)]
mod tests {
    use lotse_model::id::ProcessId;
    use lotse_model::trace::{LocationKind, Paradigm, ProcessKind, RegionRole};

    use crate::fixture::Script;

    /// Two processes with an accelerator stream each.
    fn script(creators: [Option<ProcessId>; 2]) -> Script {
        let mut script = Script::processes(4);
        script.define("hipLaunchKernel", RegionRole::Wrapper, Paradigm::Accelerator);
        for (stream, creator) in [2, 3].into_iter().zip(creators) {
            script.definitions.locations[stream].kind = LocationKind::Accelerator;
            script.definitions.processes[stream].kind = ProcessKind::Accelerator { creator };
        }
        for host in 0..2 {
            script.enter(host, 0, "main").call(host, 10, 20, "hipLaunchKernel");
            script.call(host, 30, 40, "hipLaunchKernel").leave(host, 200, "main");
        }
        script.call(2, 25, 100, "first").call(2, 101, 150, "second").call(3, 25, 28, "first");
        script
    }

    #[test]
    fn a_stream_belongs_to_the_process_that_created_it() {
        let trace = script([Some(ProcessId(1)), Some(ProcessId(0))]).trace();
        let hosts: Vec<_> = trace.accelerators().streams.iter().map(|stream| stream.host).collect();
        assert_eq!(hosts, [Some(ProcessId(1)), Some(ProcessId(0))]);
        let unknown = script([None, None]).trace();
        assert!(
            unknown.accelerators().streams.iter().all(|stream| stream.host.is_none()),
            "either may be it"
        );
    }

    #[test]
    fn an_activity_is_launched_by_the_last_call_before_it() {
        let trace = script([Some(ProcessId(0)), Some(ProcessId(1))]).trace();
        let streams = &trace.accelerators().streams;
        let launches: Vec<(u32, u64, bool)> = streams[0]
            .activities
            .iter()
            .map(|it| it.launch.unwrap())
            .map(|it| (it.call.call, it.at, it.queued))
            .collect();
        assert_eq!(launches, [(0, 20, false), (1, 40, true)]);
        assert_eq!(streams[0].queue_until(150).count(), 2);
        assert_eq!(streams[0].last_ended(149).unwrap().end, 100);
    }
}
