//! Findings: the losses that patterns detected, ranked by their cost, and other facts worth knowing about a trace.
//!
//! Waits become one finding for each metric and call path (`waits`); every other rule has a file and an rule in [`RULES`].

use lotse_model::Rule;
use lotse_model::Workers;
use lotse_model::finding::{self, Finding, Level, Reason, Severity, shell_word};
use lotse_model::id::{LocationId, PathId, RegionId};
use lotse_model::rule::Prior;
use lotse_model::site::{Site, SourceSite};
use lotse_model::trace::{Region, Ticks};
use lotse_model::unit::Share;
use lotse_report::number::{format_seconds, format_share};

use crate::analyze::Options;
use crate::answer::{Facts, LossAnswer};
use crate::clock::{Correction, Doubt};
use crate::contention::Contention;
use crate::critical::CriticalPath;
use crate::focus::{Focus, FocusOn};
use crate::metric::Metric;
use crate::store::{Paths, Trace};
use crate::waits::Waits;

mod clocks;
mod imbalance;
mod incomplete;
mod unrecorded;
mod waits;

pub(crate) use imbalance::uneven;
pub(crate) use waits::{GAINED, Loss, lock_answers, losses, moved_out_of_lock, remedy_change, without_words};

/// A rule about traces and its search.
pub struct TraceRule {
    /// The text that `lotse explain` prints.
    pub rule: &'static Rule,
    find: fn(&Context<'_>) -> Vec<Finding>,
}

/// Rules about traces, other than patterns of waiting.
pub const RULES: &[TraceRule] = &[
    TraceRule { rule: &imbalance::RULE, find: imbalance::find },
    TraceRule { rule: &clocks::RULE, find: clocks::find },
    TraceRule { rule: &unrecorded::RULE, find: unrecorded::find },
    TraceRule { rule: &incomplete::RULE, find: incomplete::find },
];

/// All rules about traces: those of the patterns, then the others.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let patterns = crate::patterns::PATTERNS.iter().map(|pattern| pattern.rule);
    patterns.chain(RULES.iter().map(|it| it.rule))
}

/// The input of rules.
pub(crate) struct Context<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) waits: &'a Waits,
    pub(crate) facts: &'a Facts,
    pub(crate) path: &'a CriticalPath,
    pub(crate) correction: Option<&'a Correction>,
    pub(crate) options: &'a Options<'a>,
    pub(crate) focus: Focus,
    pub(crate) contention: &'a Contention,
    /// By unevenly distributed call path: how much shorter the run is if it is distributed evenly, where that is known.
    pub(crate) spread: &'a [(PathId, Ticks)],
}

/// The losses, and all findings of a trace by rank.
///
/// `gains` has the gains of the first losses.
pub(crate) fn findings(
    context: &Context<'_>,
    losses: &[Loss],
    gains: &[Option<Ticks>],
    workers: &dyn Workers,
) -> (Vec<LossAnswer>, Vec<Finding>) {
    let (losses, mut found): (Vec<LossAnswer>, Vec<Finding>) =
        waits::find(context, losses, gains, workers).into_iter().unzip();
    found.extend(RULES.iter().flat_map(|rule| (rule.find)(context)));
    finding::sort(&mut found);
    // What the recording lacks qualifies everything else.
    found
        .sort_by_key(|it| context.facts.incomplete_locations.is_empty() || it.rule.id != incomplete::RULE.id);
    gains_overlap(&mut found);
    (losses, found)
}

/// Says in the first finding with a gain that the gains of several findings overlap.
fn gains_overlap(findings: &mut [Finding]) {
    let mut with_gain =
        findings.iter_mut().filter(|it| it.reason.data.get("gain").is_some_and(|gain| *gain > 0.0));
    if let (Some(first), Some(_)) = (with_gain.next(), with_gain.next()) {
        first.reason.text.push_str(OVERLAPPING_GAINS);
    }
}

const OVERLAPPING_GAINS: &str = "; gains of several findings do not add up: they may be of the same time";

/// The prior of a rule's advice before any experience with it: it helps half of the time.
const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

/// The metric of waits in starting and ending MPI.
const INIT_FINALIZE: &str = "init_finalize";

impl Context<'_> {
    /// The total of which the time of a metric is a share: the time of all threads on CPUs within the focus; for waits in
    /// starting and ending MPI, that of the whole run.
    fn total(&self, metric: &Metric) -> Ticks {
        let whole_run = Focus { begin: 0, end: Ticks::MAX, is_whole: true };
        let focus = if metric.is_within(INIT_FINALIZE) { whole_run } else { self.focus };
        focus.thread_time(self.trace)
    }

    /// The same total in words; of all locations, where nothing else is said.
    fn total_in_words(&self, metric: &Metric) -> &'static str {
        if !self.focus.is_whole && !metric.is_within(INIT_FINALIZE) {
            return "of the time between MPI_Init and MPI_Finalize";
        }
        match (self.options.phase, self.options.focus) {
            (Some(_), _) => "of this phase",
            (_, FocusOn::Region(_)) => "of this part of the run",
            _ => "of the whole run",
        }
    }

    /// The label of a location.
    fn label(&self, location: LocationId) -> &str {
        self.facts.location_labels.get(location.index()).map_or("", String::as_str)
    }

    /// A phrase for the run, or for the part of it that was cut out, with its length.
    fn run_words(&self) -> String {
        let length = format_seconds(self.trace.seconds(self.trace.runtime()));
        match (self.options.phase, self.options.focus) {
            (Some(_), _) => format!("this phase of {length}"),
            (_, FocusOn::Region(_)) => format!("this part of the run, {length},"),
            _ => format!("the run of {length}"),
        }
    }

    /// Whether only the times of a call path's calls were recorded.
    fn is_unrecorded(&self, path: PathId) -> bool {
        let name = self.trace.region_name(self.trace.paths.region(path));
        path != Paths::ROOT && self.facts.unrecorded.iter().any(|row| row.region == name)
    }

    /// The uncertainty that the error of corrected clocks causes.
    fn doubt(&self) -> Doubt<'_> {
        Doubt::new(self.trace, self.correction)
    }

    fn threshold(&self, rule: &Rule, name: &str) -> f64 {
        self.options.thresholds.get(rule, name)
    }

    /// A call path on a location; or its source line, if it is the program's own code and the trace has the line.
    fn site(&self, location: Option<LocationId>, path: PathId) -> Site {
        let own = path != Paths::ROOT && !self.trace.class_of(path).is_primitive();
        let regions = self.trace.paths.regions(path);
        let about = |region: &RegionId| &self.trace.definitions.regions[region.index()];
        let known = |region: &&Region| own && region.begin_line > 0 && !region.file.is_empty();
        if let Some(region) = regions.last().map(about).filter(known) {
            let (file, function) = (region.file.clone(), Some(region.name.clone()));
            return Site::Source(SourceSite { file, line: Some(region.begin_line), column: None, function });
        }
        Site::Region {
            process: location.map(|it| self.label(it).to_owned()),
            path: regions.iter().map(|region| self.trace.region_name(*region).to_owned()).collect(),
        }
    }

    /// A command about this trace, or its requested phase or region, with the options by which the user had it read.
    fn command(&self, verb: &str, added: &[&str]) -> String {
        // `info` is about the whole recording.
        let phase = self.options.phase.filter(|_| verb != "info");
        let phase = phase.map_or_else(String::new, |number| format!(" --phase {number}"));
        let focus = match self.options.focus {
            FocusOn::Region(name) if verb != "info" => format!(" --focus {}", shell_word(name)),
            _ => String::new(),
        };
        let options = self.options.call.options_for(verb, added);
        format!("lotse trace {verb} {}{phase}{focus}{options}", shell_word(self.options.name))
    }
}

/// A finding under construction.
struct FindingDraft {
    rule: &'static Rule,
    level: Level,
    sites: Vec<Site>,
    extent: Extent,
    certainty: f64,
    text: String,
    data: Vec<(&'static str, f64)>,
    recommendation: String,
    verification: Option<String>,
}

/// How much a finding concerns: a share, and of what.
#[derive(Clone, Copy)]
enum Extent {
    /// Of the run, or of a part of it.
    Run(f64, &'static str),
    /// Of what was recorded: no severity, since it cannot be compared with shares of the run.
    Recording(f64, &'static str),
}

impl Extent {
    /// The severity, or why there is none.
    fn severity(self) -> (Option<Severity>, Option<String>) {
        match self {
            Self::Run(share, of) => (Some(Severity::new(share, of)), None),
            Self::Recording(share, of) => {
                let concerned = format_share(share, 1);
                (None, Some(format!("it concerns {concerned} {of}, which is no share of the run time")))
            }
        }
    }
}

impl FindingDraft {
    fn finish(self) -> Finding {
        let (severity, no_severity) = self.extent.severity();
        Finding {
            rule: self.rule.into(),
            level: self.level,
            sites: self.sites,
            severity,
            no_severity,
            certainty: Share::clamped(self.certainty),
            reason: Reason::new(self.text, self.data),
            recommendation: self.recommendation,
            evidence: Vec::new(),
            verification: self.verification,
        }
    }
}

#[cfg(test)]
mod tests;
