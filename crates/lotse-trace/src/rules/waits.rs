//! One finding for each metric and call path that loses time: what, how much, who, because of what, what can be gained.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use hashbrown::HashSet;
use lotse_model::Workers;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_model::work;
use lotse_report::number::{format_percent, format_seconds};

use super::{Context, Draft};
use crate::answer::{CauseAnswer, HolderAnswer, LossAnswer, PathNames};
use crate::delay::blame;
use crate::idle;
use crate::metric::{Bound, DependencySource, Metric, Parent};
use crate::patterns::{OMP_IDLE_THREADS, PATTERNS, Pattern, RMA_LOCK_CONTENTION};
use crate::report::short_path;
use crate::store::CallRef;
use crate::unrecorded::Hidden;
use crate::waits::{CubeRow, Wait};

mod locks;
mod remedy;

pub(super) use locks::held_on_path;
pub(crate) use locks::lock_answers;
use locks::lock_of;
use remedy::Remedy;
pub(crate) use remedy::{moved_out_of_lock, without};

/// Waits for which the reachable gain is computed, those with the most time.
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
    /// Who lost most, and where.
    most: (Ticks, LocationId, PathId),
    locations: BTreeSet<LocationId>,
    /// What most of it is because of, and the place of the lock that most of it is waiting for: found when first asked
    /// for, by a walk over all its waits.
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

    /// Adds the time of a cell that no other row has.
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

    /// Whether it is waiting for locks of threads or of windows.
    pub(super) fn is_for_locks(&self) -> bool {
        self.metric.is_within("lock_contention") || self.metric.is_within(RMA_LOCK_CONTENTION.id)
    }

    /// Its waits.
    pub(super) fn waits<'a>(&'a self, context: &'a Context<'_>) -> impl Iterator<Item = &'a Wait> {
        context.waits.by_location.iter().flatten().filter(|wait| self.has(context, wait))
    }

    fn has(&self, context: &Context<'_>, wait: &Wait) -> bool {
        !wait.is_overlapped
            && wait.metric.is_some_and(|metric| metric == self.metric)
            && self.paths.contains(&context.trace.path(wait.call))
    }
}

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
        let certainty = Uncertain::of(context, loss, &contested);
        let gain = gains.get(number).copied().flatten();
        let answer = LossAnswer {
            lock: lock.map(|lock| locks::answer(context.trace, lock)),
            ..answer(context, loss, (share, &certainty), (cause, gain))
        };
        let finding = finding(context, loss, &Remedy::new(cause, lock), &answer);
        (answer, finding)
    })
}

/// Losses above the limit, the greatest first, then time that may be well spent; what is part of another metric is
/// told with that one.
pub(crate) fn losses(context: &Context<'_>) -> Vec<Loss> {
    let mut names = PathNames::new(context.trace);
    let mut sums: BTreeMap<(&str, String), Loss> = BTreeMap::new();
    let overlapped = overlapped(context);
    for row in context.waits.cube.iter().filter(|row| row.ticks > 0) {
        if matches!(row.metric.parent, Parent::Metric(_)) {
            continue;
        }
        let name = names.get(row.path);
        let elsewhere = overlapped.get(&(row.metric.id, row.path, row.location)).copied().unwrap_or(0);
        sums.entry((row.metric.id, name.clone())).or_insert_with(|| Loss::new(row, name)).add(row, elsewhere);
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

/// By metric, call path and location: waits during a longer wait of the same call, which are counted with that one.
fn overlapped(context: &Context<'_>) -> BTreeMap<(&'static str, PathId, LocationId), Ticks> {
    let mut sums = BTreeMap::new();
    for wait in context.waits.by_location.iter().flatten().filter(|wait| wait.is_overlapped) {
        let Some(metric) = wait.metric else { continue };
        *sums.entry((metric.id, context.trace.path(wait.call), wait.call.location)).or_default() +=
            wait.ticks();
    }
    sums
}

fn answer(
    context: &Context<'_>,
    loss: &Loss,
    (share, uncertain): (f64, &Uncertain),
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
        }),
        lock: None,
        gain: gain.filter(|_| is_known).map(|gain| trace.seconds(gain)),
        is_loss: loss.metric.is_loss,
        is_wait: loss.metric.is_wait,
    }
}

fn finding(context: &Context<'_>, loss: &Loss, remedy: &Remedy<'_>, answer: &LossAnswer) -> Finding {
    let pattern = specific(context, loss);
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
    Draft {
        rule: pattern.rule,
        level: if answer.share >= WARNING && !answer.is_doubtful() { Level::Warning } else { Level::Note },
        sites: changed_at.into_iter().chain([waits_at]).collect(),
        severity: (answer.share, "of the time of all locations"),
        certainty: if answer.is_doubtful() { DOUBTFUL } else { certainty(answer.bound) },
        text: text(context, answer),
        data,
        recommendation: pattern.rule.advice.to_owned(),
        verification: answer.gain.map(verify),
    }
    .finish()
}

/// Of waits that may be none.
const DOUBTFUL: f64 = 0.3;

fn certainty(bound: Bound) -> f64 {
    match bound {
        Bound::Exact => 0.95,
        Bound::Lower => 0.9,
        Bound::Upper => 0.7,
    }
}

/// The pattern of the part that makes up most of a loss, else of the loss itself.
fn specific(context: &Context<'_>, loss: &Loss) -> &'static Pattern {
    let of = |metric: &Metric| {
        let rows =
            context.waits.cube.iter().filter(|row| row.metric == metric && loss.paths.contains(&row.path));
        rows.map(|row| row.ticks).fold(0, Ticks::saturating_add)
    };
    let books = |pattern: &&Pattern, wanted: &'static Metric| pattern.metrics.contains(&wanted);
    let own = PATTERNS.iter().find(|pattern| books(pattern, loss.metric));
    let is_most = |metric: &&&'static Metric| {
        metric.parent == Parent::Metric(loss.metric) && of(metric) > loss.ticks / 2
    };
    let part = PATTERNS.iter().find(|pattern| pattern.metrics.iter().any(|metric| is_most(&metric)));
    part.or(own).expect("every metric of the cube is booked by a pattern")
}

/// The call path to blame for most of a loss.
pub(super) struct Cause {
    pub(super) location: LocationId,
    pub(super) path: PathId,
    /// How much of the loss.
    seconds: f64,
}

pub(super) fn cause<'a>(context: &Context<'_>, loss: &'a Loss) -> Option<&'a Cause> {
    loss.cause.get_or_init(|| find_cause(context, loss)).as_ref()
}

fn find_cause(context: &Context<'_>, loss: &Loss) -> Option<Cause> {
    if *loss.metric == OMP_IDLE_THREADS {
        return serial_code(context, loss);
    }
    let blame = blame(context.trace, context.waits, |wait| loss.has(context, wait));
    let worst = blame.costs.first()?;
    let share = (worst.short + worst.long) / blame.charged.max(1) as f64;
    let seconds = context.trace.seconds(loss.ticks) * share.min(1.0);
    (seconds > 0.0).then_some(Cause { location: worst.location, path: worst.path, seconds })
}

/// Workers are idle because of what their master does alone, which is what their time is booked at.
fn serial_code(context: &Context<'_>, loss: &Loss) -> Option<Cause> {
    let trace = context.trace;
    let (_, worker, path) = loss.most;
    let location = idle::master(trace, worker)?;
    let rows =
        context.waits.cube.iter().filter(|row| row.metric == loss.metric && loss.paths.contains(&row.path));
    let ours = rows.filter(|row| idle::master(trace, row.location) == Some(location));
    let seconds = trace.seconds(ours.map(|row| row.ticks).sum());
    Some(Cause { location, path, seconds })
}

/// How much of a loss the clocks leave in doubt.
#[derive(Debug, Default)]
struct Uncertain {
    /// Waits shorter than the clocks are known to.
    ticks: Ticks,
    /// How well they are known at worst; nothing where they are bounded from one side.
    clocks: Option<Ticks>,
    /// Waits for the last to come to an exchange to which another may have come as late.
    contested: Ticks,
    /// All waits.
    all: Ticks,
}

impl Uncertain {
    fn of(context: &Context<'_>, loss: &Loss, contested: &HashSet<CallRef>) -> Self {
        let mut sums = Self { clocks: Some(0), ..Self::default() };
        if context.correction.is_none() {
            return sums;
        }
        let doubt = context.doubt();
        let waits = context.waits.by_location.iter().flatten();
        for wait in waits.filter(|wait| loss.has(context, wait)) {
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

/// What is done while the lock is held that is waited for.
fn holder(loss: &LossAnswer) -> Option<&HolderAnswer> {
    loss.lock.as_ref()?.holder.as_ref()
}

/// The change behind the gain of a loss, in a sentence that has named its cause.
pub(crate) fn without_words(loss: &LossAnswer) -> Option<&'static str> {
    match (holder(loss), &loss.cause) {
        (Some(_), _) => Some("if that were done before the lock is acquired"),
        (None, Some(_)) => Some("if that took no time there"),
        (None, None) => None,
    }
}

fn text(context: &Context<'_>, loss: &LossAnswer) -> String {
    let exactness = match loss.bound {
        _ if loss.is_doubtful() => "about ",
        Bound::Exact => "",
        Bound::Lower => "at least ",
        Bound::Upper => "at most ",
    };
    let location = |number: u32| context.label(LocationId(number));
    let who = match loss.locations {
        1 => format!("on {}", location(loss.worst_location)),
        many => format!("on {many} locations, most on {}", location(loss.worst_location)),
    };
    let mut text = format!(
        "{} takes {exactness}{} of all time in {}; {exactness}{} {who}",
        loss.title,
        format_percent(loss.share, 1),
        short_path(&loss.callpath),
        format_seconds(loss.seconds)
    );
    if let Some(lock) = &loss.lock {
        let who = if loss.metric == RMA_LOCK_CONTENTION.id { "processes" } else { "threads" };
        text.push_str(&locks::clause(lock, who));
    }
    if let (Some(cause), None) = (&loss.cause, holder(loss)) {
        let at = short_path(&cause.callpath);
        let at = if at.is_empty() { "time outside all regions" } else { &at };
        let (on, part) = (location(cause.location), format_seconds(cause.seconds));
        let contested =
            if cause.contested { ", if it came last: by these clocks another may have" } else { "" };
        let unknown = if cause.unrecorded { ", whose own cause the recorder did not write" } else { "" };
        text = format!("{text}; {part} of it because of {at} on {on}{unknown}{contested}");
    }
    if loss.is_doubtful() {
        let known = loss.clock_uncertainty.map(|most| format!("only known to ± {}", format_seconds(most)));
        let known = known.unwrap_or_else(|| "bounded from one side only".to_owned());
        text = format!("{text}; it may be none, as the clocks are {known}");
    }
    if let Some(gain) = loss.gain {
        let (run, gain) = (context.run_of(), format_seconds(gain));
        let without = without_words(loss).unwrap_or("without this wait");
        text = format!("{text}; {without}, {run} would be {gain} shorter");
    }
    text
}
