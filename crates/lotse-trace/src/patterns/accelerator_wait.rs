//! Accelerator wait: a thread waits until a stream of an accelerator has done its work.

use lotse_model::Rule;
use lotse_model::trace::Ticks;

use super::{PRIOR, Pattern, Search};
use crate::class::{Class, RegionClass, is_asynchronous};
use crate::metric::{Bound, Metric};
use crate::store::{Activity, CallRef, Stream, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[
        &ACCELERATOR_WAIT,
        &ACCELERATOR_WAIT_SEVERAL,
        &ACCELERATOR_MEMORY_WAIT,
        &ACCELERATOR_WAIT_UNEXPLAINED,
    ],
    search: Search::Calls(may_wait, search),
};

/// Waiting in a synchronise call while one stream runs.
pub(super) static ACCELERATOR_WAIT: Metric =
    Metric::wait("accelerator_wait", "wait for accelerator", Class::AcceleratorSync, Bound::Exact)
        .from_records();

/// Waiting while several streams run: which of them the call waits for is not recorded.
pub(super) static ACCELERATOR_WAIT_SEVERAL: Metric = Metric::wait(
    "accelerator_wait_several",
    "wait for accelerator (one of several streams)",
    Class::AcceleratorSync,
    Bound::Upper,
)
.from_records();

/// Waiting in a call that copies, sets or frees memory.
pub(super) static ACCELERATOR_MEMORY_WAIT: Metric = Metric::wait(
    "accelerator_memory_wait",
    "wait for accelerator (copy or free)",
    Class::AcceleratorMemory,
    Bound::Upper,
);

/// Synchronise calls of a process without recorded streams.
pub(super) static ACCELERATOR_WAIT_UNEXPLAINED: Metric = Metric::wait(
    "accelerator_wait_unexplained",
    "wait for accelerator (no stream recorded)",
    Class::AcceleratorSync,
    Bound::Upper,
);

static RULE: Rule = Rule {
    id: "accelerator_wait",
    version: 1,
    title: "wait for accelerator: a thread waits until a stream has done its work",
    meaning: "The thread has given work to a stream of a GPU or another accelerator and now waits in a synchronise \
              call until it is done. The time is that of the kernels: a faster call would change nothing. In MPI and \
              OpenMP efficiencies this time counts as the thread's own, for its accelerator works meanwhile. Where a \
              stream is to blame for time outside all regions, its work was launched but held up, by other streams \
              or by the device: by which, the trace does not tell, and gains of other work are lower bounds.",
    computation: "Let S be the stream of the process whose work ends last before X(call), and a the first work on S \
                  that ends after E(call): the wait is from max(E(call), begin(a)) to the end of that last work; the \
                  rest of the call is its own. Work that ends later than X by at most 1 % of the call ends at X, for \
                  clocks of accelerators are only that exact. Exact where no other stream of the process ran during \
                  the call, else an upper bound (accelerator_wait_several). Calls that copy, set or free memory \
                  (accelerator_memory_wait) wait from E to the end of the work that they started themselves, where \
                  messages of the trace tell which that is and it ends before X. Otherwise those that block by their \
                  name wait as synchronise calls do. Both are upper bounds. Where the trace has no work of any stream \
                  of the process, the whole synchronise call is an upper bound without a cause \
                  (accelerator_wait_unexplained).",
    picture: "stream  ·······┤── heavy_kernel ───────────────├··
thread  ──┤launch├──┤synchronize▒▒▒▒▒▒▒▒▒▒▒─├─
                    ↑E                     ↑end of the kernel",
    example: "hipEventSynchronize from 0.4 to 1.01 s, the kernel runs from 0.3 to 1.0 s: 0.6 s of waiting because of \
              the kernel, 0.01 s of the call's own.",
    advice: "Make the kernel to blame faster, or give the thread something to do before it synchronises: work of its \
             own, the next batch's copies on another stream. `lotse trace what-if --zero KERNEL` shows what the \
             kernel bounds.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "CUDA C++ Programming Guide: Asynchronous Concurrent Execution",
        "HIP documentation: Asynchronous concurrent execution",
    ],
};

/// Whether a metric is that of waits for work that was not recorded.
pub(crate) fn is_unexplained(metric: &Metric) -> bool {
    *metric == ACCELERATOR_WAIT_UNEXPLAINED
}

/// Work that ends after the call by at most 1/100 of the call's duration is taken to end with the call.
const INEXACT: Ticks = 100;

fn may_wait(class: &RegionClass) -> bool {
    matches!(class.class, Class::AcceleratorSync | Class::AcceleratorMemory)
}

fn search(scene: &Scene<'_>, call: CallRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let about = trace.class(call);
    match about.class {
        Class::AcceleratorSync => synchronise(trace, call, collector),
        _ => memory(trace, call, about, collector),
    }
}

fn synchronise(trace: &Trace, call: CallRef, collector: &mut WaitCollector) {
    let process = trace.location(call.location).process;
    if trace.accelerators().used_by(process).all(|stream| stream.activities.is_empty()) {
        let (begin, end) = (trace.enter(call), trace.exit(call));
        let metric = Some(&ACCELERATOR_WAIT_UNEXPLAINED);
        collector
            .add(trace, Wait { metric, call, begin, end, cause: None, causal: false, is_overlapped: false });
        return;
    }
    let Some((stream, end)) = last_to_end(trace, call) else { return };
    let running = trace.accelerators().used_by(process).filter(|it| runs_during(trace, it, call)).count();
    let metric = if running > 1 { &ACCELERATOR_WAIT_SEVERAL } else { &ACCELERATOR_WAIT };
    wait(trace, metric, call, (stream, end), collector);
}

/// Adds the wait of a memory operation: for its own work on the device if that is recorded, else, unless the operation is
/// asynchronous, for the last work to end before it returns.
fn memory(trace: &Trace, call: CallRef, about: &RegionClass, collector: &mut WaitCollector) {
    match own_work(trace, call) {
        Some((stream, work)) if work.end <= latest_end(trace, call) => {
            wait_from(
                trace,
                &ACCELERATOR_MEMORY_WAIT,
                call,
                trace.enter(call),
                (stream, work.end),
                collector,
            );
        }
        None if !is_asynchronous(&about.name) => {
            if let Some(found) = last_to_end(trace, call) {
                wait(trace, &ACCELERATOR_MEMORY_WAIT, call, found, collector);
            }
        }
        _ => {}
    }
}

fn wait(
    trace: &Trace,
    metric: &'static Metric,
    call: CallRef,
    (stream, end): (&Stream, Ticks),
    collector: &mut WaitCollector,
) {
    let entered = trace.enter(call);
    let begin = stream.first_ending_after(entered).map_or(entered, |first| first.begin.max(entered));
    wait_from(trace, metric, call, begin, (stream, end), collector);
}

fn wait_from(
    trace: &Trace,
    metric: &'static Metric,
    call: CallRef,
    begin: Ticks,
    (stream, end): (&Stream, Ticks),
    collector: &mut WaitCollector,
) {
    let until = end.min(trace.exit(call));
    let cause = Some(Cause { location: stream.location, at: until });
    collector.add(
        trace,
        Wait { metric: Some(metric), call, begin, end: until, cause, causal: true, is_overlapped: false },
    );
}

/// The latest end of work for which the call may have waited.
fn latest_end(trace: &Trace, call: CallRef) -> Ticks {
    let (enter, exit) = (trace.enter(call), trace.exit(call));
    exit + (exit - enter) / INEXACT
}

/// The stream of the process whose work ends last before the end of a call, and the time of that end.
pub(crate) fn last_to_end(trace: &Trace, call: CallRef) -> Option<(&Stream, Ticks)> {
    let latest = latest_end(trace, call);
    let process = trace.location(call.location).process;
    let ended = |stream: &'_ Stream| stream.last_ended(latest).map(|it| it.end);
    let streams = trace.accelerators().used_by(process);
    let ends = streams.filter_map(|stream| Some((stream, ended(stream)?)));
    ends.filter(|&(_, end)| end > trace.enter(call)).max_by_key(|&(stream, end)| (end, stream.location))
}

fn runs_during(trace: &Trace, stream: &Stream, call: CallRef) -> bool {
    stream.first_ending_after(trace.enter(call)).is_some_and(|it| it.begin < trace.exit(call))
}

/// The work that a call itself launched, if the trace has that link.
fn own_work(trace: &Trace, call: CallRef) -> Option<(&Stream, &Activity)> {
    let process = trace.location(call.location).process;
    let is_own = |it: &&Activity| it.launch.is_some_and(|launch| launch.call == call);
    let from = trace.enter(call);
    trace.accelerators().used_by(process).find_map(|stream| {
        let first = stream.activities.partition_point(|it| it.end <= from);
        let during = stream.activities[first..].iter().take_while(|it| it.begin <= latest_end(trace, call));
        during.into_iter().find(is_own).map(|activity| (stream, activity))
    })
}

#[cfg(test)]
mod tests;
