//! `lotse trace what-if`: applies changes given by name and predicts the run time.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Subject, rows};
use crate::answer::PathTimeAnswer;
use crate::condition_barriers::ConditionBarriers;
use crate::farm::{FarmAnswer, farms};
use crate::focus::FocusAnswer;
use crate::kept_order::{KeptOrderAnswer, kept_orders};
use crate::patterns;
use crate::polling_work::{PollingWorkAnswer, polling_work};
use crate::report::left_out::caution;
use crate::retime::{Change, Factor, FactorOutOfRange, Graph, SharedWork, longest};
use crate::store::Trace;
use crate::waits::Wait;

mod balance;
mod bounds;
mod conditions;
mod places;

pub use balance::BalancedAnswer;
pub(crate) use balance::evened_out;
use balance::{balanced, same_for_all_threads};
pub use bounds::GainBounds;
pub use conditions::{ConditionBarrierAnswer, KeptBroadcastsAnswer};
use places::PathsAtLocations;
pub(crate) use places::place_name;

/// Changes to apply together, as given on the command line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// Call paths, or suffixes of them, whose exclusive time is multiplied; a suffix `@3` names a process, `@3.1` a thread.
    pub scaled: Vec<(String, f64)>,
    /// Call paths, or suffixes of them, whose exclusive time is distributed evenly over all locations that have any.
    pub balanced: Vec<String>,
    /// How the transfer time of messages changes.
    pub latency: Option<Latency>,
    /// Metrics whose waits are removed, at one call path or everywhere.
    pub removed: Vec<(String, Option<String>)>,
    /// Call paths, or suffixes of them, whose exclusive time under a lock is moved before the acquisition of the lock.
    pub outside_lock: Vec<String>,
}

/// How the transfer time of messages changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Latency {
    /// Adds this many seconds to every message; negative numbers make messages faster.
    Add(f64),
    /// All time in MPI that is not waiting is multiplied.
    Times(f64),
}

/// Why a change cannot be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WhatIfError {
    #[error(
        "no call path is or ends with '{name}'; `lotse trace critical-path` lists those that bound the run"
    )]
    NoPath { name: String },
    #[error(
        "'{name}' names one place, but this change is about all: only --zero and --scale take PATH@PLACE"
    )]
    AtPlace { name: String },
    #[error("there is no metric '{name}'; there are {known}")]
    NoMetric { name: String, known: String },
    #[error("there is no process or thread '{name}' here; `lotse trace info` lists them")]
    NoPlace { name: String },
    #[error("there is no wait '{name}' here that could be removed")]
    NoWait { name: String },
    #[error(
        "'{name}' spends no time of its own while a lock is held that keeps others out, as far as the trace tells; \
         name the function that works between lock and unlock, not one that it calls or is called by"
    )]
    NoHolding { name: String },
    #[error("'{name}' cannot be balanced and moved out of locks at the same time; try one after the other")]
    BalancedAndMoved { name: String },
    /// The factor is larger than the arithmetic allows.
    #[error(transparent)]
    Factor(#[from] FactorOutOfRange),
}

/// `lotse trace what-if --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WhatIfAnswer {
    /// `lotse.trace.what-if/1`.
    pub schema: &'static str,
    /// The part of the run that was re-timed, where a region was requested; else null.
    pub focus: Option<FocusAnswer>,
    /// The recorded length of the run, or of that part.
    pub runtime: f64,
    /// The predicted length with the changes.
    pub predicted: f64,
    /// How much shorter the predicted length is; negative where it is longer.
    pub gain: f64,
    /// The least and the most that can be gained, where the recorder left out who waits for whom among threads; else null.
    pub gain_bounds: Option<GainBounds>,
    /// `runtime` divided by `predicted`; null where nothing is left.
    pub speedup: Option<f64>,
    /// Call paths whose time was multiplied.
    pub scaled: Vec<ScaledAnswer>,
    /// Call paths whose time was distributed evenly.
    pub balanced: Vec<BalancedAnswer>,
    /// Number of waits that were removed.
    pub removed_waits: usize,
    /// Dependencies that were left out because they formed a cycle, which only wrong clocks or a damaged trace cause.
    pub left_out: u64,
    /// The critical path of the changed run: recorded time by call path and location, the longest first.
    pub bounded_by: Vec<PathTimeAnswer>,
    /// Work that was moved before the acquisition of a lock under which it was done.
    pub outside_lock: Vec<OutsideLockAnswer>,
    /// Time of the changed calls that may be waiting for an accelerator whose work was not recorded. Such waiting cannot
    /// disappear while the accelerator's work stays, so the gain is an upper bound where this is not 0.
    pub unexplained_waits: f64,
    /// Work that is assumed to be shared by threads, because threads with less of it waited for a lock most of the time.
    pub shared_work: Vec<SharedWorkAnswer>,
    /// Where work is shared: the predicted length if every thread keeps the work that it had in the recorded run.
    pub predicted_without_sharing: Option<f64>,
    /// Barriers built from a condition variable: the last thread to arrive wakes all others.
    pub condition_barriers: Vec<ConditionBarrierAnswer>,
    /// Where it is not certain that they are barriers, because the same thread broadcast every time: the predicted length
    /// if that thread does not wait for the others.
    pub predicted_without_condition_barriers: Option<f64>,
    /// Broadcasts to condition variables that do not form a barrier: the thread that woke others in the recorded run does
    /// so in the changed run, although another thread may now be the last. Null where there are none.
    pub kept_broadcasts: Option<KeptBroadcastsAnswer>,
    /// Work between unsuccessful tests of requests. It keeps its length, although it may be waiting.
    pub polling_work: Vec<PollingWorkAnswer>,
    /// Why the prediction is not reliable: what the recorder left out, in words; null where nothing is missing.
    pub caution: Option<String>,
    /// Masters that give tasks to the first worker that asks. Every worker keeps the tasks that it had in the recorded run,
    /// so the gain is a lower bound.
    pub dynamic_distribution: Vec<FarmAnswer>,
    /// Other work that goes to whoever is ready first, or is done as it becomes ready: kept too, so the gain is a lower bound.
    pub kept_order: Vec<KeptOrderAnswer>,
    /// The largest remaining error of corrected clocks, in seconds; null where it is not bounded.
    pub clock_uncertainty: Option<f64>,
}

/// Work moved before the acquisition of a lock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OutsideLockAnswer {
    /// The call path as requested.
    pub name: String,
    /// Its time on all locations.
    pub seconds: f64,
    /// How many times a lock was held during it.
    pub holdings: usize,
}

/// Work that threads share.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SharedWorkAnswer {
    /// The call with which each work item begins.
    pub callpath: String,
    /// How many work items each location had in the recorded run.
    pub pieces: Vec<PiecesAnswer>,
}

/// Work items of a location.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PiecesAnswer {
    /// The location that worked on them.
    pub location: u32,
    /// The number of items.
    pub count: usize,
}

/// A call path whose time was multiplied.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ScaledAnswer {
    /// The call path.
    pub callpath: String,
    /// The factor of its exclusive time.
    pub factor: f64,
    /// Its recorded exclusive time on the changed locations.
    pub seconds: f64,
    /// The locations where it was changed; null for all.
    pub locations: Option<Vec<u32>>,
}

/// Re-times the run with all changes of the request together.
pub fn what_if(subject: &Subject, request: &Request) -> Result<WhatIfAnswer, WhatIfError> {
    let trace = &subject.trace;
    let graph = Graph::new(trace, &subject.waits);
    let mut change = change(subject, request)?;
    let removed_waits = change.removed.len() + change.spans.len();
    let outside_lock = move_outside(trace, &graph, request, &mut change)?;
    let outcomes = graph.run(trace, &[Change::none(), change.clone()]);
    // Re-timing without changes may differ from the recorded run where cycles were cut. Only the difference of the two
    // re-timed lengths is used, and subtracted from the run time that every other answer gives.
    let runtime = trace.seconds(trace.runtime());
    let gain = trace.seconds(outcomes[0].length) - trace.seconds(outcomes[1].length);
    let predicted = (runtime - gain).max(0.0);
    let mut bounded_by = rows::path_times(trace, &longest(&graph, trace, &change).rows);
    bounded_by.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let shared_work = shared_work(trace, &graph);
    let predicted_unshared = (!shared_work.is_empty()).then(|| {
        let alone = graph.without_sharing().run(trace, &[Change::none(), change.clone()]);
        trace.seconds(alone[1].length)
    });
    let conditions = ConditionBarriers::new(trace);
    let predicted_with_kept_broadcasts =
        conditions.barriers.iter().any(|barrier| !barrier.is_certain()).then(|| {
            let kept = Graph::with_kept_broadcasts(trace, &subject.waits);
            let lengths = kept.run(trace, &[Change::none(), change.clone()]);
            (runtime - trace.seconds(lengths[0].length) + trace.seconds(lengths[1].length)).max(0.0)
        });
    let (scaled, farms) = (scaled_answers(trace, request)?, farms(trace));
    Ok(WhatIfAnswer {
        schema: "lotse.trace.what-if/1",
        focus: subject.part_answer(),
        runtime,
        predicted,
        gain,
        gain_bounds: bounds::gain_bounds(subject, request, &scaled, runtime),
        speedup: (predicted > 0.0).then(|| runtime / predicted),
        scaled,
        balanced: balanced_answers(trace, request)?,
        removed_waits,
        left_out: outcomes[1].cut,
        bounded_by,
        outside_lock,
        unexplained_waits: unexplained(subject, &change),
        shared_work,
        predicted_without_sharing: predicted_unshared,
        condition_barriers: conditions::barriers(&conditions),
        predicted_without_condition_barriers: predicted_with_kept_broadcasts,
        kept_broadcasts: conditions::kept_broadcasts(trace, &conditions),
        polling_work: polling_work(trace),
        caution: caution(&subject.facts),
        kept_order: kept_orders(trace, &farms),
        dynamic_distribution: farms,
        clock_uncertainty: bounds::clock_uncertainty(subject),
    })
}

/// Seconds of waits without a known cause in calls whose time is changed.
fn unexplained(subject: &Subject, change: &Change) -> f64 {
    let is_changed = |wait: &&Wait| {
        let (path, at) = (subject.trace.path(wait.call), wait.call.location);
        change.scaled.iter().any(|it| it.path == path && it.location.is_none_or(|here| here == at))
            || change.stretched.iter().any(|it| it.path == path && it.location == at)
    };
    let waits = subject.waits.by_location.iter().flatten();
    let unknown = waits.filter(|wait| wait.metric.is_some_and(patterns::is_unexplained));
    subject.trace.seconds(unknown.filter(is_changed).map(Wait::ticks).sum())
}

fn shared_work(trace: &Trace, graph: &Graph) -> Vec<SharedWorkAnswer> {
    let pieces = |(location, count): (LocationId, usize)| PiecesAnswer { location: location.0, count };
    let answer = |work: SharedWork| SharedWorkAnswer {
        callpath: trace.path_name(work.path),
        pieces: work.pieces.into_iter().map(pieces).collect(),
    };
    graph.shared_work().into_iter().map(answer).collect()
}

/// Moves the requested work before the acquisition of the locks under which it is done.
fn move_outside(
    trace: &Trace,
    graph: &Graph,
    request: &Request,
    change: &mut Change,
) -> Result<Vec<OutsideLockAnswer>, WhatIfError> {
    let (mut answers, mut all) = (Vec::new(), Vec::new());
    for name in &request.outside_lock {
        let paths = named(trace, name)?;
        if change.stretched.iter().any(|it| paths.contains(&it.path)) {
            return Err(WhatIfError::BalancedAndMoved { name: name.clone() });
        }
        let moved = graph.outside_lock(trace, &paths);
        if moved.inserted.is_empty() {
            return Err(WhatIfError::NoHolding { name: name.clone() });
        }
        let ticks: Ticks = moved.inserted.iter().map(|extra| extra.ticks).sum();
        let calls = moved.inserted.chunk_by(|a, b| a.before == b.before);
        let (seconds, holdings) = (trace.seconds(ticks), calls.count());
        answers.push(OutsideLockAnswer { name: name.clone(), seconds, holdings });
        all.extend(paths);
    }
    // All paths in one change, so that a path requested by two names is moved once.
    let moved = graph.outside_lock(trace, &all);
    change.spans.extend(moved.spans);
    change.inserted = moved.inserted;
    Ok(answers)
}

/// Translates the request to a change of the graph, except for work that is moved out of locks.
fn change(subject: &Subject, request: &Request) -> Result<Change, WhatIfError> {
    let trace = &subject.trace;
    let mut change = Change::default();
    for (name, factor) in &request.scaled {
        let factor = Factor::try_from(*factor)?;
        change.scaled.extend(PathsAtLocations::named(trace, name)?.scaled(factor));
    }
    for name in &request.balanced {
        let groups = same_for_all_threads(trace, named(trace, name)?);
        for same in groups {
            // Of several changes to one path the last one applies.
            change.scaled.retain(|it| !same.contains(&it.path));
            change.stretched.retain(|it| !same.contains(&it.path));
            change.stretched.extend(balanced(trace, &same).into_iter().flat_map(|(stretched, _)| stretched));
        }
    }
    match request.latency {
        Some(Latency::Add(seconds)) => {
            change.latency = (seconds * trace.definitions.clock.resolution as f64).round() as i64;
        }
        Some(Latency::Times(factor)) => {
            let mpi = trace.paths.ids().filter(|&path| trace.class_of(path).is_mpi());
            change.stretched.retain(|it| !trace.class_of(it.path).is_mpi());
            change.scaled.extend(Change::scaled(mpi, Factor::try_from(factor)?).scaled);
        }
        None => {}
    }
    for (metric, path) in &request.removed {
        remove(subject, metric, path.as_deref(), &mut change)?;
    }
    Ok(change)
}

fn named(trace: &Trace, name: &str) -> Result<Vec<PathId>, WhatIfError> {
    let paths = trace.paths_named(name);
    if !paths.is_empty() {
        return Ok(paths);
    }
    let name = name.to_owned();
    let is_at_place = |(path, _): (&str, &str)| !trace.paths_named(path).is_empty();
    Err(match name.rsplit_once('@').is_some_and(is_at_place) {
        true => WhatIfError::AtPlace { name },
        false => WhatIfError::NoPath { name },
    })
}

/// Adds the removal of all waits of a metric, at one call path or everywhere.
fn remove(
    subject: &Subject,
    metric: &str,
    path: Option<&str>,
    change: &mut Change,
) -> Result<(), WhatIfError> {
    let known = || patterns::metrics().map(|metric| metric.id).collect::<Vec<_>>().join(", ");
    let wanted = patterns::named(metric);
    if wanted.is_empty() {
        return Err(WhatIfError::NoMetric { name: metric.to_owned(), known: known() });
    }
    let paths = path.map(|path| named(&subject.trace, path)).transpose()?;
    let waits = subject.waits.by_location.iter().flatten();
    // An overlapped wait lies within a longer one of the same call: removing it changes nothing.
    let ours = waits.filter(|wait| {
        !wait.is_overlapped
            && wait.metric.is_some_and(|metric| wanted.contains(&metric))
            && paths.as_ref().is_none_or(|paths| paths.contains(&subject.trace.path(wait.call)))
    });
    let before = (change.removed.len(), change.spans.len());
    ours.for_each(|wait| change.remove(wait));
    if (change.removed.len(), change.spans.len()) == before {
        let at = path.map_or_else(String::new, |path| format!("@{path}"));
        return Err(WhatIfError::NoWait { name: format!("{metric}{at}") });
    }
    Ok(())
}

fn scaled_answers(trace: &Trace, request: &Request) -> Result<Vec<ScaledAnswer>, WhatIfError> {
    let mut answers = Vec::new();
    for (name, factor) in &request.scaled {
        let places = PathsAtLocations::named(trace, name)?;
        for &path in &places.paths {
            let seconds = trace.seconds(places.ticks(trace, path));
            let locations = places.locations.as_ref().map(|some| some.iter().map(|it| it.0).collect());
            let callpath = trace.path_name(path);
            answers.push(ScaledAnswer { callpath, factor: *factor, seconds, locations });
        }
    }
    Ok(answers)
}

fn balanced_answers(trace: &Trace, request: &Request) -> Result<Vec<BalancedAnswer>, WhatIfError> {
    let mut answers = Vec::new();
    for name in &request.balanced {
        let groups = same_for_all_threads(trace, named(trace, name)?);
        answers.extend(groups.iter().filter_map(|same| balanced(trace, same)).map(|(_, answer)| answer));
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use lotse_model::work::Sequential;

    use super::{Latency, Request, WhatIfAnswer, WhatIfError, what_if};
    use crate::analyze::{Clocks, Options, Subject};
    use crate::fixture::Script;

    /// Two phases with barriers, longest on different ranks: 0.8 + 0.9 s.
    fn subject() -> Subject {
        let mut script = Script::processes(2);
        for (location, (first, second)) in [(800, 500), (500, 900)].into_iter().enumerate() {
            script
                .enter(location, 0, "main")
                .call(location, 0, first, "phaseA")
                .barrier(location, first, 800);
            script.call(location, 800, 800 + second, "phaseB").barrier(location, 800 + second, 1700);
            script.leave(location, 1700, "main");
        }
        let options = Options { clock: Clocks::Raw, ..Options::usual("t") };
        Subject::new(script.trace(), &options, &Sequential).unwrap()
    }

    fn predict(request: Request) -> Result<WhatIfAnswer, WhatIfError> {
        what_if(&subject(), &request)
    }

    #[test]
    fn zeroing_gives_what_the_other_ranks_allow() {
        for (name, factor, expected) in
            [("main/phaseA", 0.0, 0.9), ("phaseB", 0.0, 0.8), ("phaseA", 0.5, 1.3), ("phaseB", 2.0, 2.6)]
        {
            let answer =
                predict(Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() }).unwrap();
            assert_eq!((answer.runtime, answer.predicted), (1.7, expected), "{name} {factor}");
        }
    }

    #[test]
    fn a_process_can_be_changed_alone() {
        for (name, factor, expected) in
            [("phaseA@0", 0.5, 1.4), ("phaseA@1", 0.0, 1.7), ("phaseB@1", 0.0, 1.3)]
        {
            let answer =
                predict(Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() }).unwrap();
            assert_eq!(answer.predicted, expected, "{name} {factor}");
            assert_eq!(answer.scaled[0].locations.as_ref().map(Vec::len), Some(1));
        }
        let scaled = |name: &str| Request { scaled: vec![(name.to_owned(), 0.0)], ..Request::default() };
        assert!(matches!(predict(scaled("phaseA@7")), Err(WhatIfError::NoPlace { .. })));
        assert!(matches!(predict(scaled("nothing@1")), Err(WhatIfError::NoPath { .. })));
        assert!(matches!(predict(scaled("phaseA@x")), Err(WhatIfError::NoPath { .. })));
    }

    #[test]
    fn balanced_work_takes_the_mean_everywhere() {
        let answer = predict(Request { balanced: vec!["phaseA".to_owned()], ..Request::default() }).unwrap();
        assert_eq!((answer.runtime, answer.predicted), (1.7, 1.55));
        let [row] = &answer.balanced[..] else { panic!("{:?}", answer.balanced) };
        assert_eq!((row.locations, row.longest, row.mean), (2, 0.8, 0.65));
        let balanced = vec!["phaseA".to_owned(), "phaseB".to_owned()];
        let both = predict(Request { balanced, ..Request::default() }).unwrap();
        assert!((both.predicted - 1.35).abs() < 0.002, "{}", both.predicted);
    }

    #[test]
    fn removed_waits_are_counted() {
        let removed = vec![("wait_at_barrier".to_owned(), Some("MPI_Barrier".to_owned()))];
        let answer = predict(Request { removed, ..Request::default() }).unwrap();
        assert_eq!((answer.removed_waits, answer.predicted), (2, 1.4));
    }

    #[test]
    fn latency_changes_messages_alone() {
        for latency in [Latency::Add(0.5), Latency::Times(0.0)] {
            let answer = predict(Request { latency: Some(latency), ..Request::default() }).unwrap();
            assert_eq!(answer.predicted, 1.7, "{latency:?}");
        }
    }

    #[test]
    fn what_is_done_without_a_lock_cannot_be_moved() {
        let outside_lock = vec!["phaseA".to_owned()];
        let answer = predict(Request { outside_lock, ..Request::default() });
        assert!(matches!(answer, Err(WhatIfError::NoHolding { .. })), "{answer:?}");
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let scaled =
            |name: &str, factor| Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() };
        assert!(matches!(predict(scaled("nothing", 0.0)), Err(WhatIfError::NoPath { .. })));
        assert!(matches!(predict(scaled("phaseA", 1e9)), Err(WhatIfError::Factor(_))));
        let balanced = |name: &str| Request { balanced: vec![name.to_owned()], ..Request::default() };
        assert!(matches!(predict(balanced("phaseA@1")), Err(WhatIfError::AtPlace { .. })));
        assert!(matches!(predict(balanced("nothing@1")), Err(WhatIfError::NoPath { .. })));
        let removed = |name: &str, path: Option<&str>| Request {
            removed: vec![(name.to_owned(), path.map(str::to_owned))],
            ..Request::default()
        };
        assert!(matches!(predict(removed("nothing", None)), Err(WhatIfError::NoMetric { .. })));
        assert!(matches!(predict(removed("late_sender", None)), Err(WhatIfError::NoWait { .. })));
        assert!(matches!(predict(removed("wait_at_barrier", Some("x"))), Err(WhatIfError::NoPath { .. })));
    }
}
