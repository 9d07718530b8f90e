//! Busy waiting: a process tests repeatedly whether a message has arrived.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::id::{LocationId, PathId};
use lotse_model::rule::Threshold;
use lotse_model::trace::{Event, Ticks};

use super::{PRIOR, Pattern, Search};
use crate::metric::{Bound, Metric};
use crate::polls::{Poll, polls};
use crate::store::{CallRef, PathTimes, Paths, Timeline, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&BUSY_WAIT], search: Search::Locations(search) };

/// Testing in a loop whether a message has arrived.
static BUSY_WAIT: Metric =
    Metric::share("busy_wait", "polling for a message", Bound::Upper).charged().from_records();

static RULE: Rule = Rule {
    id: "busy_wait",
    version: 2,
    title: "polling for a message: a process asks in a loop whether a message has come",
    meaning: "MPI_Test or MPI_Iprobe is called over and over, without success and with hardly any work in between: a \
              wait that looks like many short calls. A process that sleeps between two calls waits just the same.",
    computation: "A run is a sequence of MPI_Test, MPI_Testall, MPI_Testany, MPI_Testsome, MPI_Iprobe and MPI_Improbe \
                  calls of one call path with no other call of MPI between them; it ends with the call that completes \
                  a request. X(last) - E(first), if the run has at least `tests` calls and spends at least `inside` \
                  of that time in them or asleep: otherwise the process computed while it asked. An upper bound: the \
                  work in between is counted.",
    picture: "receiver  ── compute ──┤Test├┤Test├┤Test├┤Test ✓├──
                       ↑E(first)              ↑X(last)",
    example: "Five calls of MPI_Test from 1.00 to 1.10 s, 0.08 s of it inside them, the fifth completes: 0.1 s.",
    advice: "Where there is nothing else to do, MPI_Wait says so and lets the library and the processor rest. Where \
             there is, do more of it between two tests.",
    thresholds: &[
        Threshold { name: "tests", default: 4.0, meaning: "calls in a row that make a run" },
        Threshold {
            name: "inside",
            default: 0.5,
            meaning: "share of the run's time inside the calls or asleep",
        },
    ],
    prior: PRIOR,
    references: &["MPI Forum: MPI, a message-passing interface standard, version 4.1, 2023, chapter 3.7"],
};

/// A series of tests of one call path without another MPI call in between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestSeries {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) tests: u64,
    /// Time inside the calls, or asleep between them.
    pub(crate) inside: Ticks,
    /// Whether the last call completed a request.
    pub(crate) succeeded: bool,
}

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let all_series = test_series(scene.trace, location);
    if all_series.is_empty() {
        return;
    }
    let found = polls(scene.trace, location);
    all_series.into_iter().for_each(|series| add_wait(scene, location, series, &found, collector));
}

/// The series of tests of a location: of one call path, with no other call of MPI between them, up to one that succeeds.
pub(crate) fn test_series(trace: &Trace, location: LocationId) -> Vec<TestSeries> {
    let name = |path: PathId| trace.classes[trace.paths.region(path).index()].name.as_str();
    let test_paths = trace.uses[location.index()].iter().map(|used| used.path);
    let test_paths: BTreeSet<PathId> =
        test_paths.filter(|&path| path != Paths::ROOT && is_test(name(path))).collect();
    let mut all_series = Vec::new();
    if test_paths.is_empty() {
        return all_series;
    }
    let timeline = trace.timeline(location);
    let mut series: Option<TestSeries> = None;
    for call in 0..timeline.calls.len() as u32 {
        if test_paths.contains(&timeline.call_path(call)) {
            let same = series.take_if(|series| timeline.call_path(series.first) == timeline.call_path(call));
            all_series.extend(series.take());
            let extended = extended(timeline, same, call);
            series = Some(extended);
            if extended.succeeded {
                all_series.extend(series.take());
            }
        } else if trace.class(CallRef { location, call }).class.is_mpi() {
            all_series.extend(series.take());
        }
    }
    all_series.extend(series);
    add_sleep(trace, location, &mut all_series);
    all_series
}

/// Adds the time asleep between the tests of each series. What a test itself sleeps is part of its own time.
fn add_sleep(trace: &Trace, location: LocationId, all_series: &mut [TestSeries]) {
    let sleeps = |path: PathId| trace.sleeps(path);
    if !trace.uses[location.index()].iter().any(|used| sleeps(used.path)) {
        return;
    }
    let timeline = trace.timeline(location);
    let mut times = PathTimes::new(trace.paths.len());
    for series in all_series.iter_mut().filter(|series| series.tests > 1) {
        timeline.sum(timeline.exit(series.first), timeline.enter(series.last), &mut times);
        series.inside +=
            times.touched().filter(|&path| sleeps(path)).map(|path| times.get(path)).sum::<Ticks>();
        times.clear();
    }
}

/// Whether a call only tests for completion or a message, and returns in any case.
pub(crate) fn is_test(name: &str) -> bool {
    let tests = ["mpi_test", "mpi_testall", "mpi_testany", "mpi_testsome", "mpi_iprobe", "mpi_improbe"];
    tests.contains(&name)
}

fn extended(timeline: &Timeline, series: Option<TestSeries>, call: u32) -> TestSeries {
    let series =
        series.unwrap_or(TestSeries { first: call, last: call, tests: 0, inside: 0, succeeded: false });
    let inside = series.inside + timeline.exit(call) - timeline.enter(call);
    TestSeries { last: call, tests: series.tests + 1, inside, succeeded: succeeded(timeline, call), ..series }
}

fn succeeded(timeline: &Timeline, call: u32) -> bool {
    let completes = |event: &Event| {
        matches!(
            event,
            Event::MpiIrecv { .. } | Event::MpiIsendComplete { .. } | Event::CollectiveComplete { .. }
        )
    };
    timeline.ops_of(call).any(|(_, op)| completes(op.shape()))
}

/// Attributes the time of a series to the metric, if it has enough tests and little work between them. The part up to the
/// send of the message is a wait with the sender as its cause; the rest has no cause.
fn add_wait(
    scene: &Scene<'_>,
    location: LocationId,
    series: TestSeries,
    found: &[Poll],
    collector: &mut WaitCollector,
) {
    let trace: &Trace = scene.trace;
    let timeline = trace.timeline(location);
    let span = (timeline.enter(series.first), timeline.exit(series.last));
    let ticks = span.1 - span.0;
    let limit = |name| scene.thresholds.get(&RULE, name);
    if series.tests as f64 >= limit("tests") && series.inside as f64 >= limit("inside") * ticks as f64 {
        let cause = found
            .binary_search_by_key(&series.last, |poll| poll.last)
            .ok()
            .map(|at| &found[at])
            .filter(|poll| poll.sent > span.0);
        let sent = cause.map_or(span.0, |poll| poll.sent.min(span.1));
        if let Some(poll) = cause {
            let call = CallRef { location, call: series.last };
            let cause = Some(Cause { location: poll.send.location, at: sent });
            collector.add(
                trace,
                Wait {
                    metric: Some(&BUSY_WAIT),
                    call,
                    begin: span.0,
                    end: sent,
                    cause,
                    causal: true,
                    is_overlapped: false,
                },
            );
        }
        collector.add_interval(&BUSY_WAIT, location, timeline.call_path(series.last), (sent, span.1));
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::{Script, WORLD};
    use crate::patterns::amounts;

    /// Four tests of 20 without success and a fifth that completes, `pause` apart.
    fn script(pause: u64) -> Script {
        let mut script = Script::processes(1);
        script.irecv(0, 900, 5);
        let mut at = 1000;
        for _ in 0..4 {
            script.enter(0, at, "MPI_Test");
            script.event(0, at, EventKind::MpiRequestTest, Event::MpiRequestTest { request: 5 });
            script.leave(0, at + 20, "MPI_Test").call(0, at + 20, at + 20 + pause, "work");
            at += 20 + pause;
        }
        let event = Event::MpiIrecv { sender: 0, communicator: WORLD, tag: 0, length: 8, request: 5 };
        script.enter(0, at, "MPI_Test").event(0, at, EventKind::MpiIrecv, event);
        script.leave(0, at + 20, "MPI_Test").call(0, at + 100, at + 120, "MPI_Test");
        script
    }

    #[test]
    fn a_loop_of_tests_is_a_wait() {
        // 5 tests of 20, 4 pauses of 5; the test after the completion begins a new run.
        assert_eq!(amounts(&script(5), "busy_wait"), [(0, "MPI_Test".to_owned(), 120)]);
    }

    /// Of 60 from one test to the next, a test takes 20, all asleep: counted twice, it would be more than half of the time.
    #[test]
    fn what_a_test_sleeps_is_its_own_time() {
        let mut script = Script::processes(1);
        for at in (0..5).map(|test| test * 60) {
            script.enter(0, at, "MPI_Test").call(0, at, at + 20, "nanosleep").leave(0, at + 20, "MPI_Test");
            script.call(0, at + 20, at + 60, "work");
        }
        assert_eq!(amounts(&script, "busy_wait"), []);
    }

    #[test]
    fn computing_between_tests_is_no_wait() {
        assert_eq!(amounts(&script(100), "busy_wait"), []);
    }

    /// Rank 1 sends at 500 because `slow` takes long; rank 0 asks every 110 and sleeps for 100 of them.
    #[test]
    fn sleeping_between_tests_is_part_of_the_wait_and_its_sender_is_the_cause() {
        let mut script = Script::processes(3);
        script.enter(0, 0, "main").enter(1, 0, "main").enter(2, 0, "main");
        for at in (0..5).map(|test| test * 110) {
            script.call(0, at, at + 10, "MPI_Iprobe").call(0, at + 10, at + 110, "usleep");
        }
        script.call(0, 550, 560, "MPI_Iprobe").recv(0, 560, 565, 1, 0).barrier(0, 565, 570);
        script.call(1, 0, 500, "slow").send(1, 500, 501, 0, 0).barrier(1, 501, 570);
        script.barrier(2, 0, 570);
        for rank in 0..3 {
            script.leave(rank, 570, "main");
        }
        let (trace, waits) = (script.trace(), crate::patterns::search_waits(&script.trace()));
        assert_eq!(amounts(&script, "busy_wait"), [(0, "main/MPI_Iprobe".to_owned(), 560)]);
        let delays = crate::delay::delays(&trace, &waits, &lotse_model::work::Sequential);
        let caused = |rank: u32, path: &str| -> f64 {
            let rows =
                delays.costs.iter().filter(|it| it.location.0 == rank && trace.path_name(it.path) == path);
            rows.map(|it| it.short + it.long).sum()
        };
        // Rank 0 waits for 500, and rank 2 for 565: the last 60 of these are the sleep in which rank 0 noticed nothing.
        assert!(caused(1, "main/slow") > 0.85 * (500.0 + 565.0), "{delays:?}");
        assert!(caused(0, "main/usleep") < 65.0, "{delays:?}");
    }

    #[test]
    fn probes_end_with_another_call() {
        let mut script = Script::processes(1);
        for at in [0, 10, 20, 30] {
            script.call(0, at, at + 10, "MPI_Iprobe");
        }
        script.call(0, 40, 50, "MPI_Recv");
        for at in [60, 70, 80] {
            script.call(0, at, at + 10, "MPI_Iprobe");
        }
        assert_eq!(amounts(&script, "busy_wait"), [(0, "MPI_Iprobe".to_owned(), 40)]);
    }
}
