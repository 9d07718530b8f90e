//! Sequential analysis: repeated looks at the primary metric during the measurement, and the last look.

use lotse_formats::bench::lotse_log::LookRecord;
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_report::number::{format_change_interval, format_percent};
use lotse_stats::sequential::{Decision, Look, Plan, SpendingFunction, StopReason, Trial};

use crate::control;
use crate::options::{Options, Stopping};
use crate::pairing::{self, CostFamily};
use crate::shell_error::{self, ShellError};

mod conclusion;

pub use conclusion::Conclusion;

/// Why measuring ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoppedBy {
    /// Every comparison has its answer.
    Verdict,
    /// Every interval is as narrow as asked for.
    Precision,
    /// Every interval excludes the largest ratio that is allowed (`--max-regression`).
    Limit,
    Budget,
    /// As many runs as asked for.
    Runs,
    Interrupt,
    /// A program that keeps failing.
    Failure {
        program: String,
    },
    /// A command around the runs that failed.
    Hook,
    /// The process that starts all runs is gone.
    Launcher,
    /// Another error, such as a full disk.
    Error,
    /// Killed, or still under way: the result file has no end.
    Killed,
    /// Unknown: the result was read from a file that does not say.
    Unknown,
}

impl StoppedBy {
    /// The word used in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Precision => "precision",
            Self::Limit => "limit",
            Self::Budget => "budget",
            Self::Runs => "runs",
            Self::Interrupt => "interrupt",
            Self::Failure { .. } => "failure",
            Self::Hook => "hook",
            Self::Launcher => "launcher",
            Self::Error => "error",
            Self::Killed => "kill",
            Self::Unknown => "unknown",
        }
    }

    /// The reason behind a word read from a file.
    pub fn from_word(word: &str) -> Self {
        let known = [
            Self::Verdict,
            Self::Precision,
            Self::Limit,
            Self::Budget,
            Self::Runs,
            Self::Interrupt,
            Self::Hook,
            Self::Launcher,
            Self::Error,
            Self::Killed,
            Self::Failure { program: String::new() },
        ];
        known.into_iter().find(|reason| reason.word() == word).unwrap_or(Self::Unknown)
    }
}

/// The plan of the sequential test for stopping options.
pub fn plan(stopping: &Stopping) -> Plan {
    Plan {
        alpha: stopping.alpha,
        delta: stopping.delta,
        until: stopping.until,
        limit: stopping.max_regression.map(|share| 1.0 + share),
        min_blocks: stopping.min_blocks as usize,
        spending: SpendingFunction::ByLength,
    }
}

/// The number of blocks begun.
pub(crate) fn blocks_made(set: &ResultSet) -> u32 {
    set.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0)
}

/// The sequential test of a running measurement.
pub(crate) struct BenchTrial<'a> {
    options: &'a Options,
    compared: Vec<ProgramId>,
    plan: Plan,
    trial: Option<Trial>,
    /// Looks at the cost of the shell, where it is subtracted.
    calibration: Option<Trial>,
    shell_p: Option<f64>,
    shell: Option<ShellError>,
    looks: Vec<Look>,
    /// Blocks made before the last look.
    looked: u32,
    fraction: f64,
    last: Vec<Decision>,
}

impl<'a> BenchTrial<'a> {
    /// A trial of programs; `subtracts` says whether the cost of a shell is subtracted from their times.
    pub(crate) fn new(options: &'a Options, subtracts: bool) -> lotse_stats::error::Result<Self> {
        let reference = ProgramId::from(options.reference);
        let programs = (0..options.programs.len()).map(ProgramId::from);
        let is_compared =
            |id: &ProgramId| *id != reference && !control::is_control(&options.programs[id.index()].program);
        let compared: Vec<ProgramId> = programs.filter(is_compared).collect();
        let mut plan = plan(&options.stopping);
        if compared.is_empty() {
            // A single program has no verdict: it is measured until its centre is known as precisely as a verdict needs.
            plan.until = plan.until.or(Some(0.25 * plan.delta));
        }
        let paired = options.design.paired();
        let share = if subtracts { shell_error::SHARE } else { 0.0 };
        let part = |share: f64, comparisons: usize| {
            Trial::new(Plan { alpha: share * plan.alpha, ..plan }, comparisons)
        };
        let trial = if paired { Some(part(1.0 - share, compared.len().max(1))?) } else { None };
        let calibration = if paired && subtracts { Some(part(share, 1)?) } else { None };
        Ok(Self {
            options,
            compared,
            plan,
            trial,
            calibration,
            shell_p: None,
            shell: None,
            looks: Vec::new(),
            looked: 0,
            fraction: 0.0,
            last: Vec::new(),
        })
    }

    /// Sets the share of the measurement that is over.
    pub(crate) fn reached(&mut self, fraction: f64) {
        self.fraction = fraction;
    }

    /// Looks at the data: first at the cost of the shell, then at all comparisons at the strictest level. `true` if all
    /// comparisons are decided or the budget is spent.
    pub(crate) fn look(&mut self, set: &ResultSet) -> lotse_stats::error::Result<bool> {
        if self.trial.is_some() {
            self.look_at_shell(set)?;
        }
        let families = self.families(set);
        let units = families.iter().flatten().map(|family| family.estimate.blocks()).max();
        let pairs = self.pairs(set);
        let (Some(trial), Some(units)) = (&mut self.trial, units) else { return Ok(self.fraction >= 1.0) };
        self.looks = trial.look_again(self.fraction, units, pairs)?;
        self.looked = blocks_made(set);
        // As long as a program has no pair, there is no decision and no reason to stop.
        let all: Option<Vec<CostFamily>> = families.into_iter().collect();
        let strictest = self.looks.last().copied();
        let decided = |(look, all): (Look, Vec<CostFamily>)| -> Vec<Decision> {
            all.iter().map(|family| family.decide(&self.plan, look)).collect()
        };
        self.last = strictest.zip(all).map_or_else(Vec::new, decided);
        let answered = !self.last.is_empty() && self.last.iter().all(|decision| decision.stop.is_some());
        Ok(self.fraction >= 1.0 || answered)
    }

    fn look_at_shell(&mut self, set: &ResultSet) -> lotse_stats::error::Result<()> {
        let Some(calibration) = self.calibration.as_mut().filter(|_| !set.shell.is_empty()) else {
            return Ok(());
        };
        let look = calibration.look(self.fraction, set.shell.len())?.first().copied();
        self.shell_p = look.map(|look| look.nominal_p);
        self.shell = ShellError::measured(set, self.shell_p.unwrap_or(0.0));
        Ok(())
    }

    fn families(&self, set: &ResultSet) -> Vec<Option<CostFamily>> {
        let (reference, metric) = (ProgramId::from(self.options.reference), self.options.primary.as_str());
        if self.compared.is_empty() {
            return vec![pairing::own_centre(set, reference, metric, self.shell.as_ref())];
        }
        let family =
            |&program: &ProgramId| pairing::family(set, reference, program, metric, self.shell.as_ref());
        self.compared.iter().map(family).collect()
    }

    /// The largest number of blocks in which both programs of a comparison had a good run, before merging by build or layout.
    fn pairs(&self, set: &ResultSet) -> usize {
        let (reference, metric) = (ProgramId::from(self.options.reference), self.options.primary.as_str());
        let alone = [reference];
        let compared = if self.compared.is_empty() { &alone[..] } else { &self.compared };
        let pairs = |&program: &ProgramId| pairing::levelled_pairs(set, reference, program, metric).len();
        compared.iter().map(pairs).max().unwrap_or(0)
    }

    /// Why the measurement ended, after its last look.
    pub(crate) fn stopped_by(&self) -> StoppedBy {
        let all = |wanted: StopReason| self.last.iter().all(|decision| decision.stop == Some(wanted));
        let exhausted =
            self.last.iter().any(|decision| matches!(decision.stop, None | Some(StopReason::Exhausted)));
        if self.options.stopping.fixed {
            StoppedBy::Runs
        } else if self.last.is_empty() || exhausted {
            let counted = self
                .options
                .stopping
                .max_blocks
                .is_some_and(|most| self.blocks_looked_at() >= f64::from(most));
            if counted { StoppedBy::Runs } else { StoppedBy::Budget }
        } else if all(StopReason::Precise) {
            StoppedBy::Precision
        } else if self.last.iter().any(|decision| decision.stop == Some(StopReason::Limit)) {
            StoppedBy::Limit
        } else {
            StoppedBy::Verdict
        }
    }

    fn blocks_looked_at(&self) -> f64 {
        self.looks.first().map_or(0.0, |look| look.information)
    }

    /// The last look for the result file, which is written before the result of the look is displayed.
    pub(crate) fn look_record(&self) -> Option<LookRecord> {
        let fraction = self.looks.first()?.fraction;
        let nominal_p = self.looks.iter().map(|look| look.nominal_p).collect();
        Some(LookRecord { blocks: self.looked, fraction, nominal_p, shell_p: self.shell_p })
    }

    /// The conclusion from the last look. No look is added at the end: a user who interrupts has seen the last look and chose
    /// the moment, and only the intervals of planned looks hold regardless of the reason to stop.
    pub(crate) fn conclude(&self, set: &ResultSet, stopped_by: StoppedBy) -> Conclusion {
        let (plan, blocks) = (plan(&self.options.stopping), blocks_made(set));
        if !self.options.design.paired() {
            return Conclusion::from_unpaired(plan, self.compared.len(), set, stopped_by);
        }
        let (looks, shell) = (self.looks.clone(), self.shell.clone());
        Conclusion { plan, looks, looked: self.looked, shell, stopped_by, blocks }
    }

    /// The interval of the last look for the progress display; of several comparisons the first.
    pub(crate) fn note(&self) -> Option<String> {
        let known = self.last.first().and_then(|decision| decision.ratio);
        let ratio = known.filter(|ratio| ratio.half_width().is_finite())?;
        Some(match self.compared.first() {
            Some(first) => {
                let name = &self.options.programs[first.index()].program.name;
                format!("{name}: {}", format_change_interval(ratio.low, ratio.high, 1))
            }
            None => format!("± {}", format_percent(ratio.half_width(), 2)),
        })
    }
}

#[cfg(test)]
mod shell_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unit_tests;
