//! `lotse trace what-if`: changes by name, and the run time after them.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Subject, rows};
use crate::answer::PathTimeAnswer;
use crate::condition_barriers::ConditionBarriers;
use crate::farm::{FarmAnswer, farms};
use crate::focus::FocusAnswer;
use crate::patterns;
use crate::polling_work::{PollingWorkAnswer, polling_work};
use crate::report::left_out::caution;
use crate::retime::{Change, Factor, FactorOutOfRange, Graph, SharedWork, longest};
use crate::store::Trace;
use crate::waits::Wait;

mod balance;
mod conditions;
mod places;

pub use balance::BalancedAnswer;
use balance::{balanced, same_for_all_threads};
pub use conditions::{ConditionBarrierAnswer, KeptBroadcastsAnswer};
use places::Places;
pub(crate) use places::place_name;

/// Changes to try together, as people name them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// Call paths, or their ends, whose own time is multiplied; `@3` behind them names a process, `@3.1` a thread.
    pub scaled: Vec<(String, f64)>,
    /// Call paths, or their ends, whose own time is spread evenly over all locations that have any.
    pub balanced: Vec<String>,
    /// How the time of messages changes.
    pub latency: Option<Latency>,
    /// Metrics whose waits do not happen, at one call path or everywhere.
    pub removed: Vec<(String, Option<String>)>,
    /// Call paths, or their ends, whose own time with a lock held is spent before acquiring it.
    pub outside_lock: Vec<String>,
}

/// How the time of messages changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Latency {
    /// Every message takes so many seconds longer; negative: shorter.
    Add(f64),
    /// All time in MPI that is not waiting is multiplied.
    Times(f64),
}

/// Why a change cannot be tried.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WhatIfError {
    /// Nothing is called so.
    #[error(
        "no call path is or ends with '{name}'; `lotse trace critical-path` lists those that bound the run"
    )]
    NoPath {
        /// What was asked for.
        name: String,
    },
    /// No pattern books it.
    #[error("there is no metric '{name}'; there are {known}")]
    NoMetric {
        /// What was asked for.
        name: String,
        /// All metrics.
        known: String,
    },
    /// There is no such process or thread.
    #[error("there is no process or thread '{name}' here; `lotse trace info` lists them")]
    NoPlace {
        /// What was asked for.
        name: String,
    },
    /// Nobody waited so.
    #[error("there is no wait '{name}' here that could be removed")]
    NoWait {
        /// What was asked for.
        name: String,
    },
    /// Nothing to be moved.
    #[error(
        "'{name}' spends no time of its own while a lock is held that keeps others out, as far as the trace tells; \
         name the function that works between lock and unlock, not one that it calls or is called by"
    )]
    NoHolding {
        /// What was asked for.
        name: String,
    },
    /// Two changes that cannot be made together.
    #[error("'{name}' cannot be balanced and moved out of locks at the same time; try one after the other")]
    BalancedAndMoved {
        /// What was asked for.
        name: String,
    },
    /// Larger than what can be computed with.
    #[error(transparent)]
    Factor(#[from] FactorOutOfRange),
}

/// `lotse trace what-if --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIfAnswer {
    /// `lotse.trace.what-if/1`.
    pub schema: &'static str,
    /// The part of the run that it is about, where one was asked for by a region; else null.
    pub focus: Option<FocusAnswer>,
    /// The length of the run, or of that part, as it was.
    pub runtime: f64,
    /// Its length with the changes.
    pub predicted: f64,
    /// How much shorter that is; negative where it is longer.
    pub gain: f64,
    /// How many times faster; null where nothing is left.
    pub speedup: Option<f64>,
    /// What was changed: call paths with their factors.
    pub scaled: Vec<ScaledAnswer>,
    /// What was spread evenly.
    pub balanced: Vec<BalancedAnswer>,
    /// Calls that no longer wait.
    pub removed_waits: usize,
    /// Dependencies that had to be left out because they formed a circle: only wrong clocks or a damaged trace do.
    pub left_out: u64,
    /// What bounds the changed run: time by call path and location, in times of the recorded run.
    pub bounded_by: Vec<PathTimeAnswer>,
    /// Work that happens before a lock is acquired instead of while it is held.
    pub outside_lock: Vec<OutsideLockAnswer>,
    /// Time of the changed calls that may be waiting for an accelerator of which nothing is recorded: it cannot go
    /// where the accelerator's work stays, so the gain is an upper bound where this is not 0.
    pub unexplained_waits: f64,
    /// Work that threads are taken to share, since those with less of it waited for a lock most of the time.
    pub shared_work: Vec<SharedWorkAnswer>,
    /// Where work is shared: the length of the changed run if every thread keeps the work that it had.
    pub predicted_without_sharing: Option<f64>,
    /// Barriers that the program makes of a condition: the last thread to come lets all others go on.
    pub condition_barriers: Vec<ConditionBarrierAnswer>,
    /// Where it is not certain that they are barriers, since one thread broadcast every time: the length of the changed
    /// run if that thread waits for nobody there.
    pub predicted_without_condition_barriers: Option<f64>,
    /// Broadcasts of conditions that are no barrier: whoever woke others does so in the changed run, although another
    /// may come last. Null where there are none.
    pub kept_broadcasts: Option<KeptBroadcastsAnswer>,
    /// Work between tests that fail. It keeps its length, although it may be waiting.
    pub polling_work: Vec<PollingWorkAnswer>,
    /// Why this cannot be relied on: what the recorder left out, in words; null where nothing is missing.
    pub caution: Option<String>,
    /// Masters that give tasks to whoever asks first. Every worker keeps the tasks that it had, so that the gain is a
    /// lower bound.
    pub dynamic_distribution: Vec<FarmAnswer>,
    /// How far corrected clocks may still be off, where they were corrected; null where that is not bounded.
    pub clock_uncertainty: Option<f64>,
}

/// Work that happens before a lock is acquired.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OutsideLockAnswer {
    /// What was asked for.
    pub name: String,
    /// How long it takes on all locations.
    pub seconds: f64,
    /// How many times a lock was held for it.
    pub holdings: usize,
}

/// Work that threads share.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SharedWorkAnswer {
    /// The call that a piece of it begins with.
    pub callpath: String,
    /// How many pieces each location had in the recorded run.
    pub pieces: Vec<PiecesAnswer>,
}

/// Pieces of shared work.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PiecesAnswer {
    /// Who had them.
    pub location: u32,
    /// How many.
    pub count: usize,
}

/// A call path whose time was multiplied.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScaledAnswer {
    /// Which.
    pub callpath: String,
    /// By what.
    pub factor: f64,
    /// Its own time there before.
    pub seconds: f64,
    /// Where it was changed; null for all locations.
    pub locations: Option<Vec<u32>>,
}

/// Re-times the run with all changes together.
pub fn what_if(subject: &Subject, request: &Request) -> Result<WhatIfAnswer, WhatIfError> {
    let trace = &subject.trace;
    let graph = Graph::new(trace, &subject.waits);
    let mut change = change(subject, request)?;
    let removed_waits = change.removed.len() + change.spans.len();
    let outside_lock = move_outside(trace, &graph, request, &mut change)?;
    let outcomes = graph.run(trace, &[Change::none(), change.clone()]);
    // Re-timing without a change may differ by what was left out of circles: the gain counts, from the run time that
    // every other answer gives.
    let runtime = trace.seconds(trace.runtime());
    let gain = trace.seconds(outcomes[0].length) - trace.seconds(outcomes[1].length);
    let predicted = (runtime - gain).max(0.0);
    let mut bounded_by = rows::path_times(trace, &longest(&graph, trace, &change).rows);
    bounded_by.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let shared_work = shared_work(trace, &graph);
    let unshared = (!shared_work.is_empty()).then(|| {
        let alone = graph.without_sharing().run(trace, &[Change::none(), change.clone()]);
        trace.seconds(alone[1].length)
    });
    let conditions = ConditionBarriers::new(trace);
    let kept = conditions.barriers.iter().any(|barrier| !barrier.is_certain()).then(|| {
        let kept = Graph::with_kept_broadcasts(trace, &subject.waits);
        let lengths = kept.run(trace, &[Change::none(), change.clone()]);
        (runtime - trace.seconds(lengths[0].length) + trace.seconds(lengths[1].length)).max(0.0)
    });
    Ok(WhatIfAnswer {
        schema: "lotse.trace.what-if/1",
        focus: subject.part_answer(),
        runtime,
        predicted,
        gain,
        speedup: (predicted > 0.0).then(|| runtime / predicted),
        scaled: scaled(trace, request)?,
        balanced: spread(trace, request)?,
        removed_waits,
        left_out: outcomes[1].cut,
        bounded_by,
        outside_lock,
        unexplained_waits: unexplained(subject, &change),
        shared_work,
        predicted_without_sharing: unshared,
        condition_barriers: conditions::barriers(&conditions),
        predicted_without_condition_barriers: kept,
        kept_broadcasts: conditions::kept(trace, &conditions),
        polling_work: polling_work(trace),
        caution: caution(&subject.facts),
        dynamic_distribution: farms(trace),
        clock_uncertainty: clock_uncertainty(subject),
    })
}

/// How far any clock may be off from the reference's; 0 where none was corrected.
fn clock_uncertainty(subject: &Subject) -> Option<f64> {
    let offsets = subject.correction.as_ref().map_or(&[][..], |correction| &correction.offsets);
    let known: Option<Vec<Ticks>> =
        offsets.iter().filter(|it| it.messages > 0).map(|it| it.uncertainty).collect();
    known.map(|known| subject.trace.seconds(known.into_iter().max().unwrap_or(0)))
}

/// Waits without a known cause in calls whose time is changed.
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

/// Moves work out of locks.
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
    // Together, so that a path with two names is moved once.
    let moved = graph.outside_lock(trace, &all);
    change.spans.extend(moved.spans);
    change.inserted = moved.inserted;
    Ok(answers)
}

fn change(subject: &Subject, request: &Request) -> Result<Change, WhatIfError> {
    let trace = &subject.trace;
    let mut change = Change::default();
    for (name, factor) in &request.scaled {
        let factor = Factor::try_from(*factor)?;
        change.scaled.extend(Places::named(trace, name)?.scaled(factor));
    }
    for name in &request.balanced {
        let groups = same_for_all_threads(trace, named(trace, name)?);
        for same in groups {
            // Of several changes for one path the last counts.
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
    if paths.is_empty() { Err(WhatIfError::NoPath { name: name.to_owned() }) } else { Ok(paths) }
}

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
    // A call that waits longer for something else waits as long without this.
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

fn scaled(trace: &Trace, request: &Request) -> Result<Vec<ScaledAnswer>, WhatIfError> {
    let mut answers = Vec::new();
    for (name, factor) in &request.scaled {
        let places = Places::named(trace, name)?;
        for &path in &places.paths {
            let seconds = trace.seconds(places.ticks(trace, path));
            let locations = places.locations.as_ref().map(|some| some.iter().map(|it| it.0).collect());
            let callpath = trace.path_name(path);
            answers.push(ScaledAnswer { callpath, factor: *factor, seconds, locations });
        }
    }
    Ok(answers)
}

fn spread(trace: &Trace, request: &Request) -> Result<Vec<BalancedAnswer>, WhatIfError> {
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

    fn tried(request: Request) -> Result<WhatIfAnswer, WhatIfError> {
        what_if(&subject(), &request)
    }

    #[test]
    fn zeroing_gives_what_the_other_ranks_allow() {
        for (name, factor, expected) in
            [("main/phaseA", 0.0, 0.9), ("phaseB", 0.0, 0.8), ("phaseA", 0.5, 1.3), ("phaseB", 2.0, 2.6)]
        {
            let answer =
                tried(Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() }).unwrap();
            assert_eq!((answer.runtime, answer.predicted), (1.7, expected), "{name} {factor}");
        }
    }

    #[test]
    fn a_process_can_be_changed_alone() {
        for (name, factor, expected) in
            [("phaseA@0", 0.5, 1.4), ("phaseA@1", 0.0, 1.7), ("phaseB@1", 0.0, 1.3)]
        {
            let answer =
                tried(Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() }).unwrap();
            assert_eq!(answer.predicted, expected, "{name} {factor}");
            assert_eq!(answer.scaled[0].locations.as_ref().map(Vec::len), Some(1));
        }
        let scaled = |name: &str| Request { scaled: vec![(name.to_owned(), 0.0)], ..Request::default() };
        assert!(matches!(tried(scaled("phaseA@7")), Err(WhatIfError::NoPlace { .. })));
        assert!(matches!(tried(scaled("nothing@1")), Err(WhatIfError::NoPath { .. })));
        assert!(matches!(tried(scaled("phaseA@x")), Err(WhatIfError::NoPath { .. })));
    }

    #[test]
    fn balanced_work_takes_the_mean_everywhere() {
        let answer = tried(Request { balanced: vec!["phaseA".to_owned()], ..Request::default() }).unwrap();
        assert_eq!((answer.runtime, answer.predicted), (1.7, 1.55));
        let [row] = &answer.balanced[..] else { panic!("{:?}", answer.balanced) };
        assert_eq!((row.locations, row.longest, row.mean), (2, 0.8, 0.65));
        let balanced = vec!["phaseA".to_owned(), "phaseB".to_owned()];
        let both = tried(Request { balanced, ..Request::default() }).unwrap();
        assert!((both.predicted - 1.35).abs() < 0.002, "{}", both.predicted);
    }

    #[test]
    fn removed_waits_are_counted() {
        let removed = vec![("wait_at_barrier".to_owned(), Some("MPI_Barrier".to_owned()))];
        let answer = tried(Request { removed, ..Request::default() }).unwrap();
        assert_eq!((answer.removed_waits, answer.predicted), (2, 1.4));
    }

    #[test]
    fn latency_changes_messages_alone() {
        for latency in [Latency::Add(0.5), Latency::Times(0.0)] {
            let answer = tried(Request { latency: Some(latency), ..Request::default() }).unwrap();
            assert_eq!(answer.predicted, 1.7, "{latency:?}");
        }
    }

    #[test]
    fn what_is_done_without_a_lock_cannot_be_moved() {
        let outside_lock = vec!["phaseA".to_owned()];
        let answer = tried(Request { outside_lock, ..Request::default() });
        assert!(matches!(answer, Err(WhatIfError::NoHolding { .. })), "{answer:?}");
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let scaled =
            |name: &str, factor| Request { scaled: vec![(name.to_owned(), factor)], ..Request::default() };
        assert!(matches!(tried(scaled("nothing", 0.0)), Err(WhatIfError::NoPath { .. })));
        assert!(matches!(tried(scaled("phaseA", 1e9)), Err(WhatIfError::Factor(_))));
        let removed = |name: &str, path: Option<&str>| Request {
            removed: vec![(name.to_owned(), path.map(str::to_owned))],
            ..Request::default()
        };
        assert!(matches!(tried(removed("nothing", None)), Err(WhatIfError::NoMetric { .. })));
        assert!(matches!(tried(removed("late_sender", None)), Err(WhatIfError::NoWait { .. })));
        assert!(matches!(tried(removed("wait_at_barrier", Some("x"))), Err(WhatIfError::NoPath { .. })));
    }
}
