//! A call path on the critical path is distributed unevenly.

use hashbrown::HashSet;
use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::{LocationId, PathId, ProcessId};
use lotse_model::rule::Threshold;
use lotse_report::number::{format_percent, format_seconds};

use super::{Context, Extent, FindingDraft, PRIOR};
use crate::analyze::rows::real_seconds;
use crate::analyze::{evened_out, paths_of_same_name};
use crate::class::Class;
use crate::critical::Imbalance;
use crate::report::short_path;
use crate::retime::{Change, Factor};
use crate::store::{Paths, Trace};
use crate::unrecorded::Hidden;

pub(super) static RULE: Rule = Rule {
    id: "trace-imbalance",
    version: 2,
    title: "work on the critical path is spread unevenly",
    meaning: "What bounds the run time spends longer in a call path than the processes do on average. Others are \
              through with it earlier and wait somewhere else.",
    computation: "max(0, time of the call path on the critical path - its mean time over the processes), where the \
                  time of a process is the mean of its threads that came to the call path. Time with a \
                  lock that another thread waits for does not count: that is lock contention. The six call paths \
                  where that is most, at least `share` of the run time, are spread evenly and the run is timed \
                  again, as `what-if --balance` does. Fires when the run becomes shorter by at least `share`: if \
                  another location bounds the run as soon as this one has less to do, nothing is gained. Where \
                  some process never enters the call path, its time is reduced to the mean, as `what-if --scale` \
                  does, and the gain is an upper bound. Where the gain is not computed (`--quick`, more than a \
                  million calls, causes of waits that were not recorded), the time above the mean is the bound. Does not \
                  fire if a location lost events: what it did less is then not known.",
    picture: "rank 0  ┤solve████████████████████├  ← critical path: 0.8 s
rank 1  ┤solve████████├ waits ▒▒▒▒▒▒▒├   mean 0.65 s: 0.15 s too long",
    example: "Two ranks compute 0.8 and 0.5 s and meet: the path has 0.8 s, the mean is 0.65 s, the imbalance 0.15 s.",
    advice: "Divide the work by what it costs and not by how many elements there are, or let idle processes take \
             some of it.",
    thresholds: &[Threshold { name: "share", default: 0.02, meaning: "share of the run time at least" }],
    prior: PRIOR,
    references: &["D. Böhme et al.: Scalable critical-path based performance analysis, IPDPS 2012"],
};

/// The run is re-timed for this many call paths, those furthest above their mean.
const MOST_SPREAD: usize = 6;

/// A change of all calls of a path takes memory for each of them, so paths with more calls are not re-timed.
const MOST_CALLS: u64 = 1_000_000;

/// A call path that is distributed unevenly.
pub(crate) struct Uneven {
    row: Imbalance,
    remedy: Spread,
}

/// How a call path is distributed evenly.
enum Spread {
    /// Each location that enters it gets the mean.
    Balanced,
    /// Some process never enters it, so that there is no call that could become longer: its time is multiplied by this
    /// factor, which is an upper bound of the gain.
    Scaled(f64),
}

/// The call paths whose time on the critical path is furthest above the mean.
pub(crate) fn uneven(context: &Context<'_>) -> Vec<Uneven> {
    let least = context.threshold(&RULE, "share") * context.trace.runtime() as f64;
    // A single location is never unbalanced, and time outside of all regions cannot be changed.
    if context.trace.cpu_locations().count() < 2 {
        return Vec::new();
    }
    let own = |row: &&Imbalance| row.path != Paths::ROOT && !context.trace.class_of(row.path).is_primitive();
    let held = super::waits::held_on_path(context);
    // Time explained by a contended lock is reported as waiting for the lock.
    let rest = |row: &Imbalance| Imbalance {
        excess: (row.excess - held.get(&row.path).copied().unwrap_or(0) as f64).max(0.0),
        ..*row
    };
    let rows = context.path.imbalance.iter().filter(own).map(rest);
    let mut rows: Vec<Imbalance> = rows.filter(|row| row.excess > 0.0 && row.excess >= least).collect();
    rows.sort_by(|a, b| b.excess.total_cmp(&a.excess));
    rows.truncate(MOST_SPREAD);
    rows.into_iter().map(|row| Uneven { remedy: Spread::of_row(context.trace, &row), row }).collect()
}

impl Spread {
    fn of_row(trace: &Trace, row: &Imbalance) -> Self {
        let paths = paths_of_same_name(trace, row.path);
        let process = |location: LocationId| trace.definitions.locations[location.index()].process;
        let enters = |location: &LocationId| {
            trace.uses[location.index()].iter().any(|used| used.exclusive > 0 && paths.contains(&used.path))
        };
        let all: HashSet<ProcessId> = trace.cpu_locations().map(process).collect();
        let entering: HashSet<ProcessId> = trace.cpu_locations().filter(enters).map(process).collect();
        if all == entering {
            return Self::Balanced;
        }
        // As many digits as the command that verifies the finding has.
        Self::Scaled(((1.0 - row.excess / row.on_path.max(1) as f64) * 1000.0).round() / 1000.0)
    }
}

impl Uneven {
    pub(crate) fn path(&self) -> PathId {
        self.row.path
    }

    /// The change that distributes it evenly; none where that would take too much memory.
    pub(crate) fn change(&self, trace: &Trace) -> Option<Change> {
        let paths = paths_of_same_name(trace, self.row.path);
        if let Spread::Scaled(factor) = self.remedy {
            let factor = Factor::try_from(factor).unwrap_or(Factor::ZERO);
            return Some(Change::scaled(paths, factor));
        }
        let uses = trace.uses.iter().flatten().filter(|used| paths.contains(&used.path));
        let calls: u64 = uses.map(|used| used.visits).sum();
        if calls > MOST_CALLS { None } else { evened_out(trace, paths) }
    }

    /// The option of `what-if` for the same change.
    fn option(&self, trace: &Trace) -> String {
        let name = trace.name_to_ask_for(self.row.path);
        match self.remedy {
            Spread::Balanced => format!("--balance {}", super::shell_word(&name)),
            Spread::Scaled(factor) => {
                format!("--scale {}", super::shell_word(&format!("{name}={factor:.3}")))
            }
        }
    }
}

/// The uneven call paths that would make the run shorter if they were distributed evenly, as far as that is known.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    if !context.facts.incomplete_locations.is_empty() {
        return Vec::new();
    }
    let least = context.threshold(&RULE, "share") * context.trace.runtime() as f64;
    let gain = |it: &Uneven| {
        let known = context.spread.iter().find(|(path, _)| *path == it.row.path);
        known.filter(|_| context.facts.hidden == Hidden::Nothing).map(|&(_, gain)| gain as f64)
    };
    let found = uneven(context).into_iter().map(|it| (gain(&it), it));
    let worthwhile = found.filter(|(gain, _)| gain.is_none_or(|gain| gain > 0.0 && gain >= least));
    worthwhile.map(|(gain, it)| finding(context, &it, gain)).collect()
}

/// What to do about an uneven call path.
fn advice(trace: &Trace, path: PathId) -> &'static str {
    match trace.class_of(path) {
        Class::Sleep => ADVICE_FOR_SLEEPING,
        _ => RULE.advice,
    }
}

const ADVICE_FOR_SLEEPING: &str = "This is sleeping and no work that could be divided: find out what the program sleeps \
    for, and wait for that event itself, or sleep for shorter times.";

/// The finding of an unbalanced call path, at the location with most of its time on the critical path.
fn finding(context: &Context<'_>, uneven: &Uneven, gain: Option<f64>) -> Finding {
    let (trace, row) = (context.trace, &uneven.row);
    let on_path = context.path.rows.iter().filter(|share| share.path == row.path);
    let location = on_path.max_by_key(|share| (share.ticks, std::cmp::Reverse(share.location)));
    let excess = real_seconds(trace, row.excess);
    let shorter = gain.unwrap_or(row.excess);
    let share = shorter / trace.runtime().max(1) as f64;
    let is_bound = gain.is_none() || matches!(uneven.remedy, Spread::Scaled(_));
    let mut data = vec![("seconds", excess), ("on_path", trace.seconds(row.on_path)), ("share", share)];
    data.extend(gain.map(|gain| ("gain", real_seconds(trace, gain))));
    FindingDraft {
        rule: &RULE,
        level: if share >= 0.1 { Level::Warning } else { Level::Note },
        sites: vec![context.site(location.map(|share| share.location), row.path)],
        extent: Extent::Run(share, if is_bound { "of the run time at most" } else { "of the run time" }),
        certainty: 0.7,
        text: format!(
            "{} takes {} on the critical path; that is {} above the average: spread evenly, the run would be {}{} \
             ({}) shorter",
            short_path(&trace.path_name(row.path)),
            format_seconds(trace.seconds(row.on_path)),
            format_seconds(excess),
            if is_bound { "at most " } else { "" },
            format_seconds(real_seconds(trace, shorter)),
            format_percent(share, 1)
        ),
        data,
        recommendation: advice(trace, row.path).to_owned(),
        verification: Some(context.command("what-if", &[&uneven.option(trace)])),
    }
    .finish()
}
