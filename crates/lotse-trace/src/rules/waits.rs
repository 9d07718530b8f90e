//! One finding for each metric and call path that loses time: what, how much, who, because of what, what can be gained.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;
use lotse_model::Workers;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_model::work;
use lotse_report::number::{format_percent, format_seconds};

use super::{Context, Draft};
use crate::analyze::{alike, place_name};
use crate::answer::{CauseAnswer, LossAnswer, PathNames};
use crate::delay::blame;
use crate::idle;
use crate::metric::{Bound, Metric, Parent};
use crate::patterns::{OMP_IDLE_THREADS, PATTERNS, Pattern};
use crate::retime::{Change, Factor, Scaled};
use crate::store::CallRef;
use crate::waits::{CubeRow, Wait};

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
}

impl Loss {
    fn new(row: &CubeRow, name: String) -> Self {
        let most = (0, row.location, row.path);
        Self { metric: row.metric, name, paths: BTreeSet::new(), ticks: 0, most, locations: BTreeSet::new() }
    }

    fn add(&mut self, row: &CubeRow) {
        self.ticks = self.ticks.saturating_add(row.ticks);
        self.paths.insert(row.path);
        self.locations.insert(row.location);
        if row.ticks > self.most.0 {
            self.most = (row.ticks, row.location, row.path);
        }
    }

    fn has(&self, context: &Context<'_>, wait: &Wait) -> bool {
        wait.metric.is_some_and(|metric| metric == self.metric)
            && self.paths.contains(&context.trace.path(wait.call))
    }
}

pub(super) fn find(
    context: &Context<'_>,
    losses: &[Loss],
    gains: &[Ticks],
    workers: &dyn Workers,
) -> Vec<(LossAnswer, Finding)> {
    let contested = context.doubt().contested();
    work::map(workers, losses.len(), |number| {
        let loss = &losses[number];
        let share = loss.ticks as f64 / context.total(loss.metric).max(1) as f64;
        let cause = cause(context, loss);
        let certainty = Uncertain::of(context, loss, &contested);
        let answer = answer(context, loss, (share, &certainty), (cause.as_ref(), gains.get(number).copied()));
        let finding = finding(context, loss, cause.as_ref(), &answer);
        (answer, finding)
    })
}

/// Losses above the limit, the greatest first; what is part of another metric is told with that one.
pub(crate) fn losses(context: &Context<'_>) -> Vec<Loss> {
    let mut names = PathNames::new(context.trace);
    let mut sums: BTreeMap<(&str, String), Loss> = BTreeMap::new();
    for row in context.waits.cube.iter().filter(|row| row.ticks > 0) {
        if matches!(row.metric.parent, Parent::Metric(_)) {
            continue;
        }
        let name = names.get(row.path);
        sums.entry((row.metric.id, name.clone())).or_insert_with(|| Loss::new(row, name)).add(row);
    }
    let least = |loss: &Loss| context.options.least_share * context.total(loss.metric) as f64;
    let mut losses: Vec<Loss> = sums.into_values().filter(|loss| loss.ticks as f64 >= least(loss)).collect();
    losses.sort_by(|a, b| {
        b.ticks.cmp(&a.ticks).then_with(|| (a.metric.id, &a.name).cmp(&(b.metric.id, &b.name)))
    });
    losses
}

/// The run without what most of a loss is because of; where that is not known, without its waits.
pub(crate) fn without(context: &Context<'_>, loss: &Loss) -> Change {
    if let Some(cause) = cause(context, loss) {
        let location = Some(cause.location);
        let scaled = |path| Scaled { path, location, factor: Factor::ZERO };
        let paths = alike::paths(context.trace, cause.path).into_iter();
        return Change { scaled: paths.map(scaled).collect(), ..Change::default() };
    }
    let mut change = Change::default();
    let waits = context.waits.by_location.iter().flatten();
    waits.filter(|wait| loss.has(context, wait)).for_each(|wait| change.remove(wait));
    change
}

fn answer(
    context: &Context<'_>,
    loss: &Loss,
    (share, uncertain): (f64, &Uncertain),
    (cause, gain): (Option<&Cause>, Option<Ticks>),
) -> LossAnswer {
    let trace = context.trace;
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
        }),
        gain: gain.map(|gain| trace.seconds(gain)),
    }
}

fn finding(context: &Context<'_>, loss: &Loss, cause: Option<&Cause>, answer: &LossAnswer) -> Finding {
    let pattern = specific(context, loss);
    let waits_at = context.site(Some(loss.most.1), loss.most.2);
    let changed_at = cause.map(|cause| context.site(Some(cause.location), cause.path));
    let mut data = vec![
        ("seconds", answer.seconds),
        ("share", answer.share),
        ("locations", answer.locations as f64),
        ("runtime", context.trace.seconds(context.trace.runtime())),
    ];
    data.extend(answer.uncertain.map(|seconds| ("uncertain", seconds)));
    data.extend(answer.gain.map(|gain| ("gain", gain)));
    let change = match cause {
        Some(cause) => {
            let (path, place) =
                (context.trace.path_name(cause.path), place_name(context.trace, cause.location));
            format!("--zero {}", super::shell_word(&format!("{path}@{place}")))
        }
        None => format!("--remove {}", super::shell_word(&format!("{}@{}", answer.metric, answer.callpath))),
    };
    let verify = |_| context.command("what-if", &[&change]);
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
struct Cause {
    location: LocationId,
    path: PathId,
    /// How much of the loss.
    seconds: f64,
}

fn cause(context: &Context<'_>, loss: &Loss) -> Option<Cause> {
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
        loss.callpath,
        format_seconds(loss.seconds)
    );
    if let Some(cause) = &loss.cause {
        let at = if cause.callpath.is_empty() { "time outside all regions" } else { &cause.callpath };
        let (on, part) = (location(cause.location), format_seconds(cause.seconds));
        let contested =
            if cause.contested { ", if it came last: by these clocks another may have" } else { "" };
        text = format!("{text}; {part} of it because of {at} on {on}{contested}");
    }
    if loss.is_doubtful() {
        let known = loss.clock_uncertainty.map(|most| format!("only known to ± {}", format_seconds(most)));
        let known = known.unwrap_or_else(|| "bounded from one side only".to_owned());
        text = format!("{text}; it may be none, as the clocks are {known}");
    }
    if let Some(gain) = loss.gain {
        let runtime = format_seconds(context.trace.seconds(context.trace.runtime()));
        let gain = format_seconds(gain);
        let without = if loss.cause.is_some() { "if that took no time there" } else { "without this wait" };
        text = format!("{text}; {without}, the run of {runtime} would be {gain} shorter");
    }
    text
}
