//! One finding for each metric and call path that loses time: the time, the locations, the cause, and the gain without it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use hashbrown::HashSet;
use lotse_model::Workers;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_model::work;

use super::{Context, Extent, FindingDraft};
use crate::answer::{CauseAnswer, HolderAnswer, LossAnswer, PathNames};
use crate::delay::blame;
use crate::idle;
use crate::metric::{Bound, DependencySource, Metric, Parent};
use crate::patterns::{OMP_IDLE_THREADS, PATTERNS, Pattern, RMA_LOCK_CONTENTION};
use crate::store::CallRef;
use crate::unrecorded::Hidden;
use crate::waits::{CubeRow, Wait};

mod locks;
mod remedy;
mod sentence;

pub(super) use locks::held_on_path;
pub(crate) use locks::lock_answers;
use locks::lock_of;
use remedy::Remedy;
pub(crate) use remedy::{moved_out_of_lock, remedy_change};
use sentence::sentence;

/// The gain is computed for this many losses, those with the most time.
pub(crate) const GAINED: usize = 4;

/// A wait is a warning from this share of all time on.
const WARNING: f64 = 0.05;

/// The time of a metric at a call path, over all locations.
pub(crate) struct Loss {
    metric: &'static Metric,
    name: String,
    /// The call paths of that name: recorders may number the same function differently on each location.
    paths: BTreeSet<PathId>,
    ticks: Ticks,
    /// The cell with the most time: time, location, call path.
    most: (Ticks, LocationId, PathId),
    locations: BTreeSet<LocationId>,
    /// The cause of most of it, and the position of the lock that most of it waits for. Both are computed from all its
    /// waits when they are first needed.
    cause: OnceLock<Option<Cause>>,
    lock: OnceLock<Option<usize>>,
}

impl Loss {
    fn new(row: &CubeRow, name: String) -> Self {
        let most = (0, row.location, row.path);
        Self {
            metric: row.metric,
            name,
            paths: BTreeSet::new(),
            ticks: 0,
            most,
            locations: BTreeSet::new(),
            cause: OnceLock::new(),
            lock: OnceLock::new(),
        }
    }

    /// Adds the time of a cell, without the part that overlaps longer waits of another metric.
    fn add(&mut self, row: &CubeRow, overlapped: Ticks) {
        let ticks = row.ticks.saturating_sub(overlapped);
        if ticks == 0 {
            return;
        }
        self.ticks = self.ticks.saturating_add(ticks);
        self.paths.insert(row.path);
        self.locations.insert(row.location);
        if ticks > self.most.0 {
            self.most = (ticks, row.location, row.path);
        }
    }

    /// Whether it consists of waits for locks of threads or windows.
    pub(super) fn is_for_locks(&self) -> bool {
        self.metric.is_within("lock_contention") || self.metric.is_within(RMA_LOCK_CONTENTION.id)
    }

    /// The waits that it consists of.
    pub(super) fn waits<'a>(&'a self, context: &'a Context<'_>) -> impl Iterator<Item = &'a Wait> {
        context.waits.by_location.iter().flatten().filter(|wait| self.contains(context, wait))
    }

    fn contains(&self, context: &Context<'_>, wait: &Wait) -> bool {
        !wait.is_overlapped
            && wait.metric.is_some_and(|metric| metric == self.metric)
            && self.paths.contains(&context.trace.path(wait.call))
    }
}

/// The answer and the finding of each loss. `gains` has the gains of the first losses. The losses are divided among
/// threads.
pub(super) fn find(
    context: &Context<'_>,
    losses: &[Loss],
    gains: &[Option<Ticks>],
    workers: &dyn Workers,
) -> Vec<(LossAnswer, Finding)> {
    let contested = context.doubt().contested();
    work::map(workers, losses.len(), |number| {
        let loss = &losses[number];
        let share = loss.ticks as f64 / context.total(loss.metric).max(1) as f64;
        let cause = cause(context, loss);
        let lock = lock_of(context, loss);
        let certainty = LossUncertainty::new(context, loss, &contested);
        let gain = gains.get(number).copied().flatten();
        let answer = LossAnswer {
            lock: lock.map(|lock| locks::answer(context.trace, lock)),
            ..answer(context, loss, (share, &certainty), (cause, gain))
        };
        let finding = finding(context, loss, &Remedy::new(cause, lock), &answer);
        (answer, finding)
    })
}

/// Losses above the limit, the greatest first, then time that may be well spent. Metrics that are part of another one are
/// not listed.
pub(crate) fn losses(context: &Context<'_>) -> Vec<Loss> {
    let mut names = PathNames::new(context.trace);
    let mut sums: BTreeMap<(&str, String), Loss> = BTreeMap::new();
    let overlapped = overlapped(context);
    for row in context.waits.cube.iter().filter(|row| row.ticks > 0) {
        if matches!(row.metric.parent, Parent::Metric(_)) {
            continue;
        }
        let name = names.get(row.path);
        let overlapped_here = overlapped.get(&(row.metric.id, row.path, row.location)).copied().unwrap_or(0);
        sums.entry((row.metric.id, name.clone()))
            .or_insert_with(|| Loss::new(row, name))
            .add(row, overlapped_here);
    }
    let least = |loss: &Loss| context.options.least_share * context.total(loss.metric) as f64;
    let is_much = |loss: &Loss| loss.ticks > 0 && loss.ticks as f64 >= least(loss);
    let mut losses: Vec<Loss> = sums.into_values().filter(is_much).collect();
    losses.sort_by(|a, b| {
        let by_loss = b.metric.is_loss.cmp(&a.metric.is_loss).then(b.ticks.cmp(&a.ticks));
        by_loss.then_with(|| (a.metric.id, &a.name).cmp(&(b.metric.id, &b.name)))
    });
    losses
}

/// By metric, call path and location: time of waits during a longer wait of the same call, which is counted there.
fn overlapped(context: &Context<'_>) -> BTreeMap<(&'static str, PathId, LocationId), Ticks> {
    let mut sums = BTreeMap::new();
    for wait in context.waits.by_location.iter().flatten().filter(|wait| wait.is_overlapped) {
        let Some(metric) = wait.metric else { continue };
        *sums.entry((metric.id, context.trace.path(wait.call), wait.call.location)).or_default() +=
            wait.ticks();
    }
    sums
}

/// The answer about a loss, with its uncertainty, cause and gain. The gain is left out if the recording does not
/// determine it.
fn answer(
    context: &Context<'_>,
    loss: &Loss,
    (share, uncertain): (f64, &LossUncertainty),
    (cause, gain): (Option<&Cause>, Option<Ticks>),
) -> LossAnswer {
    let trace = context.trace;
    let is_known = loss.metric.is_loss
        && loss.metric.dependency != DependencySource::Unknown
        && context.facts.hidden == Hidden::Nothing;
    LossAnswer {
        metric: loss.metric.id,
        title: loss.metric.title,
        callpath: loss.name.clone(),
        seconds: trace.seconds(loss.ticks),
        share,
        bound: loss.metric.bound,
        uncertain: (uncertain.ticks > 0).then(|| trace.seconds(uncertain.ticks.min(loss.ticks))),
        clock_uncertainty: uncertain.clocks.filter(|&most| most > 0).map(|most| trace.seconds(most)),
        locations: loss.locations.len(),
        worst_location: loss.most.1.0,
        cause: cause.map(|cause| CauseAnswer {
            location: cause.location.0,
            callpath: trace.path_name(cause.path),
            seconds: cause.seconds,
            contested: uncertain.is_contested(),
            unrecorded: context.is_unrecorded(cause.path),
            leads_back: cause.leads_back,
        }),
        lock: None,
        gain: gain.filter(|_| is_known).map(|gain| trace.seconds(gain)),
        is_loss: loss.metric.is_loss,
        is_wait: loss.metric.is_wait,
    }
}

/// The finding of a loss: where to change the program first, then where the loss occurs.
fn finding(context: &Context<'_>, loss: &Loss, remedy: &Remedy<'_>, answer: &LossAnswer) -> Finding {
    let pattern = most_specific_pattern(context, loss);
    let waits_at = context.site(Some(loss.most.1), loss.most.2);
    let changed_at = match remedy {
        Remedy::OutsideLock(path) => Some(context.site(None, *path)),
        Remedy::Zero(cause) => Some(context.site(Some(cause.location), cause.path)),
        Remedy::Remove => None,
    };
    let mut data = vec![
        ("seconds", answer.seconds),
        ("share", answer.share),
        ("locations", answer.locations as f64),
        ("runtime", context.trace.seconds(context.trace.runtime())),
    ];
    data.extend(answer.uncertain.map(|seconds| ("uncertain", seconds)));
    data.extend(answer.gain.map(|gain| ("gain", gain)));
    let verify = |_| context.command("what-if", &[&remedy.options(context, answer)]);
    FindingDraft {
        rule: pattern.rule,
        level: if answer.share >= WARNING && !answer.is_doubtful() { Level::Warning } else { Level::Note },
        sites: changed_at.into_iter().chain([waits_at]).collect(),
        extent: Extent::Run(answer.share, context.total_in_words(loss.metric)),
        certainty: if answer.is_doubtful() || context.facts.lacks_processes() || lacks_cause(loss, answer) {
            DOUBTFUL
        } else {
            certainty(answer.bound)
        },
        text: sentence(context, answer, (context.total_in_words(loss.metric), lacks_cause(loss, answer))),
        data,
        recommendation: pattern.rule.advice.to_owned(),
        verification: answer.gain.map(verify),
    }
    .finish()
}

/// The certainty of waits shorter than the error of the clocks, of waits whose cause may be a process without events, and
/// of waits that have a cause in their metric but none that was found.
const DOUBTFUL: f64 = 0.3;

/// Whether the waits of a loss have causes, but no call path is responsible for a considerable part of them.
fn lacks_cause(loss: &Loss, answer: &LossAnswer) -> bool {
    loss.metric.is_charged && answer.cause.is_none() && answer.lock.is_none()
}

fn certainty(bound: Bound) -> f64 {
    match bound {
        Bound::Exact => 0.95,
        Bound::Lower => 0.9,
        Bound::Upper => 0.7,
    }
}

/// The pattern of a part of the loss's metric that makes up most of the loss, else the pattern of the metric itself.
fn most_specific_pattern(context: &Context<'_>, loss: &Loss) -> &'static Pattern {
    let time_of = |metric: &Metric| {
        let rows =
            context.waits.cube.iter().filter(|row| row.metric == metric && loss.paths.contains(&row.path));
        rows.map(|row| row.ticks).fold(0, Ticks::saturating_add)
    };
    let has_metric = |pattern: &&Pattern, wanted: &'static Metric| pattern.metrics.contains(&wanted);
    let own = PATTERNS.iter().find(|pattern| has_metric(pattern, loss.metric));
    let is_most = |metric: &&&'static Metric| {
        metric.parent == Parent::Metric(loss.metric) && time_of(metric) > loss.ticks / 2
    };
    let part = PATTERNS.iter().find(|pattern| pattern.metrics.iter().any(|metric| is_most(&metric)));
    part.or(own).expect("every metric of the cube belongs to a pattern")
}

/// The least share of a loss that a call path causes, on all locations together, for it to be called the cause.
const LEAST_CAUSE: f64 = 0.1;

/// The call path that causes most of a loss.
pub(super) struct Cause {
    pub(super) location: LocationId,
    pub(super) path: PathId,
    /// The part of the loss that it causes.
    seconds: f64,
    /// Whether it is on the location that waits most, and causes most of this by making others late.
    leads_back: bool,
}

pub(super) fn cause<'a>(context: &Context<'_>, loss: &'a Loss) -> Option<&'a Cause> {
    loss.cause.get_or_init(|| find_cause(context, loss)).as_ref()
}

fn find_cause(context: &Context<'_>, loss: &Loss) -> Option<Cause> {
    if *loss.metric == OMP_IDLE_THREADS {
        return serial_code(context, loss);
    }
    let blame = blame(context.trace, context.waits, |wait| loss.contains(context, wait));
    let worst = blame.costs.first()?;
    let of_path = blame.costs.iter().filter(|cost| cost.path == worst.path);
    if of_path.map(|cost| cost.short + cost.long).sum::<f64>() < LEAST_CAUSE * blame.charged as f64 {
        return None;
    }
    let share = (worst.short + worst.long) / blame.charged.max(1) as f64;
    let seconds = context.trace.seconds(loss.ticks) * share.min(1.0);
    let leads_back = worst.location == loss.most.1 && worst.long > worst.short;
    (seconds > 0.0).then_some(Cause { location: worst.location, path: worst.path, seconds, leads_back })
}

/// The cause of idle workers: the serial code of their master, to whose call path their idle time is attributed.
fn serial_code(context: &Context<'_>, loss: &Loss) -> Option<Cause> {
    let trace = context.trace;
    let (_, worker, path) = loss.most;
    let location = idle::master(trace, worker)?;
    let rows =
        context.waits.cube.iter().filter(|row| row.metric == loss.metric && loss.paths.contains(&row.path));
    let ours = rows.filter(|row| idle::master(trace, row.location) == Some(location));
    let seconds = trace.seconds(ours.map(|row| row.ticks).sum());
    Some(Cause { location, path, seconds, leads_back: false })
}

/// The part of a loss that is uncertain because of the error of the clocks.
#[derive(Debug, Default)]
struct LossUncertainty {
    /// Time of waits that are shorter than the error of the clocks.
    ticks: Ticks,
    /// The largest error of these clocks; none if it is bounded from one side only.
    clocks: Option<Ticks>,
    /// Time of waits for the last to enter a collective that another location may have entered as late.
    contested: Ticks,
    /// Time of all waits.
    all: Ticks,
}

impl LossUncertainty {
    /// Sums over the waits of a loss; `contested` has the calls whose last arrival is uncertain.
    fn new(context: &Context<'_>, loss: &Loss, contested: &HashSet<CallRef>) -> Self {
        let mut sums = Self { clocks: Some(0), ..Self::default() };
        if context.correction.is_none() {
            return sums;
        }
        let doubt = context.doubt();
        let waits = context.waits.by_location.iter().flatten();
        for wait in waits.filter(|wait| loss.contains(context, wait)) {
            let ticks = wait.ticks();
            sums.all = sums.all.saturating_add(ticks);
            if doubt.is_doubtful(wait) {
                sums.ticks = sums.ticks.saturating_add(ticks);
                sums.clocks = sums.clocks.zip(doubt.uncertainty(wait)).map(|(one, other)| one.max(other));
            }
            if contested.contains(&wait.call) {
                sums.contested = sums.contested.saturating_add(ticks);
            }
        }
        sums
    }

    fn is_contested(&self) -> bool {
        self.contested > self.all / 2
    }
}

/// The work done under the lock that is waited for.
fn holder(loss: &LossAnswer) -> Option<&HolderAnswer> {
    loss.lock.as_ref()?.holder.as_ref()
}

/// A phrase with the change to which the gain of a loss refers, for a sentence that has named its cause.
pub(crate) fn without_words(loss: &LossAnswer) -> Option<&'static str> {
    match (holder(loss), &loss.cause) {
        (Some(_), _) => Some("if that were done before the lock is acquired"),
        (None, Some(_)) => Some("if that took no time there"),
        (None, None) => None,
    }
}
