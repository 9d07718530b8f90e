//! Work between unsuccessful tests of requests.
//!
//! A loop that calls `MPI_Test` or `MPI_Iprobe` until it succeeds, and does some work in between, is a wait if the work only passes the
//! time, and no wait if the work was necessary. The trace does not show which: the work is counted as computation, and its
//! amount is reported here.
//!
//! ```text
//! ┤Test├┤ extra ├┤Test├┤ extra ├┤Test├┤ extra ├┤Test ✓├
//!        ←──────── at most this is waiting ──────→
//! ```
//!
//! A program that tests now and then to make progress on messages continues to do so after a successful test. Therefore the
//! loops of a call path count only if most of them end with success.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::patterns::{TestSeries, test_series};
use crate::polls::polls;
use crate::store::{PathTimes, Trace};

/// Work below this share of the time of all threads is not reported.
const LEAST: f64 = 0.01;

/// Loops that spend at least this share of their time in tests are busy waits, which have a pattern of their own.
const BUSY: f64 = 0.5;

/// Work between unsuccessful tests of requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PollingWorkAnswer {
    /// The call path of the tests.
    pub callpath: String,
    /// The call path that takes most of the time in between.
    pub work: String,
    /// Number of loops.
    pub loops: usize,
    /// Time of the work on all locations.
    pub seconds: f64,
}

/// The loops of one call path.
#[derive(Debug, Default)]
struct TestLoops {
    /// Number of loops with and without success.
    succeeded: usize,
    failed: usize,
    work: BTreeMap<PathId, Ticks>,
}

/// The loops that may be waits, those with the most work first.
pub fn polling_work(trace: &Trace) -> Vec<PollingWorkAnswer> {
    let mut all: BTreeMap<PathId, TestLoops> = BTreeMap::new();
    let mut times = PathTimes::new(trace.paths.len());
    for location in trace.locations() {
        let all_series = test_series(trace, location);
        let found = if all_series.is_empty() { Vec::new() } else { polls(trace, location) };
        for series in all_series.iter().filter(|series| !is_busy(trace, location, series)) {
            let path = trace.paths.joined(trace.timeline(location).call_path(series.last));
            let succeeded =
                series.succeeded || found.binary_search_by_key(&series.last, |poll| poll.last).is_ok();
            let series = TestSeries { succeeded, ..*series };
            all.entry(path).or_default().add(trace, location, &series, &mut times);
        }
    }
    let total: f64 =
        trace.cpu_locations().map(|it| (trace.timeline(it).last - trace.timeline(it).first) as f64).sum();
    let mut answers: Vec<(Ticks, PollingWorkAnswer)> =
        all.into_iter().filter_map(|(path, loops)| loops.answer(trace, path, LEAST * total)).collect();
    answers.sort_by_key(|(ticks, _)| std::cmp::Reverse(*ticks));
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Whether a series spends most of its time in tests.
fn is_busy(trace: &Trace, location: LocationId, series: &TestSeries) -> bool {
    let timeline = trace.timeline(location);
    series.inside as f64 >= BUSY * (timeline.exit(series.last) - timeline.enter(series.first)) as f64
}

impl TestLoops {
    fn add(&mut self, trace: &Trace, location: LocationId, series: &TestSeries, times: &mut PathTimes) {
        if !series.succeeded {
            self.failed += 1;
            return;
        }
        self.succeeded += 1;
        let timeline = trace.timeline(location);
        timeline.sum(timeline.exit(series.first), timeline.enter(series.last), times);
        for path in times.touched().filter(|&path| !trace.class_of(path).is_mpi()) {
            *self.work.entry(trace.paths.joined(path)).or_default() += times.get(path);
        }
        times.clear();
    }

    fn answer(&self, trace: &Trace, path: PathId, least: f64) -> Option<(Ticks, PollingWorkAnswer)> {
        let ticks: Ticks = self.work.values().sum();
        let (&most, _) = self.work.iter().max_by_key(|(path, ticks)| (**ticks, std::cmp::Reverse(**path)))?;
        let answer = || PollingWorkAnswer {
            callpath: trace.path_name(path),
            work: trace.path_name(most),
            loops: self.succeeded,
            seconds: trace.seconds(ticks),
        };
        (self.succeeded > self.failed && ticks > 0 && ticks as f64 >= least).then(|| (ticks, answer()))
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use super::{PollingWorkAnswer, polling_work};
    use crate::fixture::{Script, WORLD};

    /// Loops of tests of 10, each followed by work of 100; one of the tests of each loop succeeds.
    fn loops(steps: &[(usize, usize)]) -> Vec<PollingWorkAnswer> {
        let mut script = Script::processes(1);
        script.enter(0, 0, "main");
        let mut at = 0;
        for &(count, success) in steps {
            script.irecv(0, at, 5);
            for test in 1..=count {
                script.enter(0, at, "MPI_Test");
                if test == success {
                    let (sender, communicator, tag, length, request) = (0, WORLD, 0, 8, 5);
                    let event = Event::MpiIrecv { sender, communicator, tag, length, request };
                    script.event(0, at, EventKind::MpiIrecv, event);
                }
                script.leave(0, at + 10, "MPI_Test").call(0, at + 10, at + 110, "work");
                at += 110;
            }
        }
        script.leave(0, at, "main");
        polling_work(&script.trace())
    }

    #[test]
    fn work_between_tests_until_success_may_be_waiting() {
        let found = loops(&[(3, 3), (5, 5)]);
        let expected = PollingWorkAnswer {
            callpath: "main/MPI_Test".to_owned(),
            work: "main/work".to_owned(),
            loops: 2,
            seconds: 0.6,
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_loop_of_probes_succeeds_with_the_receive_of_the_message() {
        let mut script = Script::processes(2);
        for begin in [0, 1000] {
            for at in (0..5).map(|test| begin + test * 110) {
                script.call(0, at, at + 10, "MPI_Iprobe").call(0, at + 10, at + 110, "work");
            }
            script.call(0, begin + 550, begin + 560, "MPI_Iprobe").recv(0, begin + 560, begin + 565, 1, 0);
            script.send(1, begin + 500, begin + 501, 0, 0);
        }
        let found = polling_work(&script.trace());
        assert_eq!(found.iter().map(|it| (it.work.as_str(), it.loops)).collect::<Vec<_>>(), [("work", 2)]);
        assert!((found[0].seconds - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn tests_that_are_made_now_and_then_are_no_loops() {
        assert_eq!(loops(&[(6, 3), (6, 4)]), [], "the program goes on testing");
        assert_eq!(loops(&[(3, 0), (5, 0)]), [], "nothing succeeds");
        assert_eq!(loops(&[(1, 1), (1, 1)]), [], "nothing fails");
    }
}
