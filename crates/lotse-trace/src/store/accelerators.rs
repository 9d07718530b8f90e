//! Streams of accelerators: what ran on them, which process uses them, and which call started each piece of work.
//!
//! Recorders write what ran (kernels, copies) on locations of their own. Who started it is known where a message leads
//! from the call to the work (Kineto's flows). Elsewhere it is taken to be the last call of the process before the work
//! begins that launches any: where work queues up, the true one was earlier.

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
    /// What ran on it, in the order of time; no two at once.
    pub(crate) activities: Vec<Activity>,
}

/// A kernel or a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) begin: Ticks,
    pub(crate) end: Ticks,
    pub(crate) launch: Option<Launch>,
}

/// What started an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) call: CallRef,
    /// The moment on the calling thread from which on the stream may begin.
    pub(crate) at: Ticks,
    /// Whether the stream was still busy then.
    pub(crate) queued: bool,
}

impl Accelerators {
    pub(super) fn new(trace: &Trace) -> Self {
        let is_stream = |it: &LocationId| trace.location(*it).kind == LocationKind::Accelerator;
        let mut streams: Vec<Stream> =
            trace.locations().filter(is_stream).map(|location| Stream::new(trace, location)).collect();
        let mut starters: HashMap<ProcessId, Vec<CallRef>> = HashMap::new();
        for stream in &mut streams {
            let Some(host) = stream.host else { continue };
            let known = starters.entry(host).or_insert_with(|| calls_that_start(trace, host));
            stream.find_launches(trace, known);
        }
        Self { streams }
    }

    /// The streams that a process uses.
    pub(crate) fn used_by(&self, process: ProcessId) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(move |stream| stream.host == Some(process))
    }

    /// The stream that a location is.
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

    /// The last activity that ends at or before a moment.
    pub(crate) fn last_ended(&self, until: Ticks) -> Option<&Activity> {
        let ended = self.activities.partition_point(|it| it.end <= until);
        self.activities[..ended].last()
    }

    /// The first activity that ends after a moment.
    pub(crate) fn first_ending_after(&self, moment: Ticks) -> Option<&Activity> {
        self.activities.get(self.activities.partition_point(|it| it.end <= moment))
    }

    /// The activities that ran without a pause for want of work until a moment, the last first: each but the last of
    /// them was queued behind the next.
    pub(crate) fn queue_until(&self, until: Ticks) -> impl Iterator<Item = &Activity> {
        let begun = self.activities.partition_point(|it| it.begin < until);
        let mut goes_on = true;
        self.activities[..begun].iter().rev().take_while(move |it| {
            let taken = goes_on;
            goes_on = it.launch.is_some_and(|launch| launch.queued);
            taken
        })
    }

    fn find_launches(&mut self, trace: &Trace, starters: &[CallRef]) {
        let told = told_launches(trace, self.location, &self.activities);
        let mut free = None;
        for (number, activity) in self.activities.iter_mut().enumerate() {
            let call = match told.is_empty() {
                true => {
                    let before = starters.partition_point(|&call| trace.enter(call) <= activity.begin);
                    starters[..before].last().copied()
                }
                false => told.get(&number).copied(),
            };
            activity.launch = call.map(|call| launch(trace, call, activity.begin, free));
            free = Some(activity.end);
        }
    }
}

/// A call that waits for what it starts does so when it is entered: nothing else can happen on its thread before.
fn launch(trace: &Trace, call: CallRef, begin: Ticks, free: Option<Ticks>) -> Launch {
    let entered = trace.enter(call);
    let at = match trace.class(call).class {
        Class::AcceleratorCall => trace.exit(call).min(begin).max(entered),
        _ => entered,
    };
    Launch { call, at, queued: free.is_some_and(|free| at <= free) }
}

/// Calls that nothing is called from: an annotation around several kernels is none of them.
fn activities(trace: &Trace, timeline: &Timeline) -> Vec<Activity> {
    let depth = |step: usize| trace.paths.depth(timeline.path[step]);
    let is_leaf = |step: &usize| depth(*step) > depth(step - 1) && depth(step + 1) < depth(*step);
    let leaves = (1..timeline.at.len().saturating_sub(1)).filter(is_leaf);
    leaves
        .map(|step| Activity { begin: timeline.at[step], end: timeline.at[step + 1], launch: None })
        .collect()
}

/// The process that uses a stream: as the trace says, as messages to it show, or the only one that there is.
fn host(trace: &Trace, stream: LocationId) -> Option<ProcessId> {
    let process = trace.location(stream).process;
    let said = match trace.definitions.processes.get(process.index()).map(|it| it.kind) {
        Some(ProcessKind::Accelerator { creator }) => creator,
        _ => trace.cpu_locations().any(|it| trace.location(it).process == process).then_some(process),
    };
    let by_message =
        || launching(trace, stream).next().map(|(_, call)| trace.location(call.location).process);
    let only = || match &trace.processes()[..] {
        [(process, _)] => Some(*process),
        _ => None,
    };
    said.or_else(by_message).or_else(only)
}

/// Messages to a stream: when they arrive, and the calls that send them.
fn launching(trace: &Trace, stream: LocationId) -> impl Iterator<Item = (Ticks, CallRef)> {
    let ops = trace.timeline(stream).ops.iter().enumerate();
    ops.filter_map(move |(number, op)| {
        let Event::MpiRecv { .. } = op.event() else { return None };
        let send = trace.links.partner(OpRef { location: stream, op: number as u32 })?;
        Some((op.at, trace.call_of(send)?))
    })
}

/// By number of the activity: the call that a message tells of.
fn told_launches(trace: &Trace, stream: LocationId, activities: &[Activity]) -> HashMap<usize, CallRef> {
    let number = |at: Ticks| activities.partition_point(|it| it.begin <= at).checked_sub(1);
    launching(trace, stream).filter_map(|(at, call)| Some((number(at)?, call))).collect()
}

/// The calls of a process that can start something on a stream, in the order of their enters. Which copy a stream makes
/// for which call is not guessed.
fn calls_that_start(trace: &Trace, process: ProcessId) -> Vec<CallRef> {
    let mut found = Vec::new();
    for location in trace.cpu_locations().filter(|&it| trace.location(it).process == process) {
        let calls = (0..trace.timeline(location).calls.len() as u32).map(|call| CallRef { location, call });
        found.extend(calls.filter(|&call| {
            let about = trace.class(call);
            about.class == Class::AcceleratorCall && starts_work(&about.name)
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

    /// Two processes with a stream each; both streams are of accelerators.
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
    fn a_stream_belongs_to_the_process_that_made_it() {
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
    fn work_is_started_by_the_last_call_before_it() {
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
