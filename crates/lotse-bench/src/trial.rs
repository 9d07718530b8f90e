//! The sequential side of a measurement: looks at the primary metric while it grows, and the last look it ends with.

use lotse_formats::bench::lotse_log::LookRecord;
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_report::number::{format_change, format_percent};
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
    /// The time is up.
    Budget,
    /// As many runs as asked for.
    Runs,
    /// The user.
    Interrupt,
    /// A program that keeps failing.
    Failure {
        /// Its name.
        program: String,
    },
    /// A command around the runs that failed.
    Hook,
    /// The process that starts all runs is gone.
    Launcher,
    /// Something of the environment failed: a full disk, say.
    Error,
    /// Killed, or still under way: the result file has no end.
    Killed,
    /// Unknown: the result was read from a file that does not say.
    Unknown,
}

impl StoppedBy {
    /// In a word, as in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Precision => "precision",
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

/// The plan behind some options.
pub fn plan(stopping: &Stopping) -> Plan {
    Plan {
        alpha: stopping.alpha,
        delta: stopping.delta,
        until: stopping.until,
        min_blocks: stopping.min_blocks as usize,
        spending: SpendingFunction::ByLength,
    }
}

/// How many blocks were begun.
pub(crate) fn blocks_made(set: &ResultSet) -> u32 {
    set.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0)
}

/// Looks at a growing result.
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
    /// Blocks made until the last look.
    looked: u32,
    fraction: f64,
    last: Vec<Decision>,
}

impl<'a> BenchTrial<'a> {
    /// A trial of programs; `subtracts` says whether the cost of a shell is taken off their times.
    pub(crate) fn new(options: &'a Options, subtracts: bool) -> lotse_stats::error::Result<Self> {
        let reference = ProgramId::from(options.reference);
        let programs = (0..options.programs.len()).map(ProgramId::from);
        let is_compared =
            |id: &ProgramId| *id != reference && !control::is_control(&options.programs[id.index()].program);
        let compared: Vec<ProgramId> = programs.filter(is_compared).collect();
        let mut plan = plan(&options.stopping);
        if compared.is_empty() {
            // One program alone has no verdict: it is measured until its centre is known as well as a verdict needs.
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

    /// Remembers how far the measurement is.
    pub(crate) fn reached(&mut self, fraction: f64) {
        self.fraction = fraction;
    }

    /// Looks. `true` when there is nothing more to wait for.
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
        // A program without a single pair has no decision, and so there is none to stop at yet.
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

    /// The most blocks in which both programs of a comparison had a good run, also of builds or layouts measured before.
    fn pairs(&self, set: &ResultSet) -> usize {
        let (reference, metric) = (ProgramId::from(self.options.reference), self.options.primary.as_str());
        let alone = [reference];
        let compared = if self.compared.is_empty() { &alone[..] } else { &self.compared };
        let pairs = |&program: &ProgramId| pairing::levelled_pairs(set, reference, program, metric).len();
        compared.iter().map(pairs).max().unwrap_or(0)
    }

    /// Why the measurement ended, after a look that said so.
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
        } else {
            StoppedBy::Verdict
        }
    }

    fn blocks_looked_at(&self) -> f64 {
        self.looks.first().map_or(0.0, |look| look.information)
    }

    /// The last look, for the result file: written before anyone sees what it shows.
    pub(crate) fn look_record(&self) -> Option<LookRecord> {
        let fraction = self.looks.first()?.fraction;
        let nominal_p = self.looks.iter().map(|look| look.nominal_p).collect();
        Some(LookRecord { blocks: self.looked, fraction, nominal_p, shell_p: self.shell_p })
    }

    /// The last look made. Whoever stops a measurement by hand has seen it and chosen the moment, so no other look may
    /// be added: the intervals of the looks made hold together, whatever the reason to stop.
    pub(crate) fn conclude(&self, set: &ResultSet, stopped_by: StoppedBy) -> Conclusion {
        let (plan, blocks) = (plan(&self.options.stopping), blocks_made(set));
        if !self.options.design.paired() {
            return Conclusion::from_unpaired(plan, self.compared.len(), set, stopped_by);
        }
        let (looks, shell) = (self.looks.clone(), self.shell.clone());
        Conclusion { plan, looks, looked: self.looked, shell, stopped_by, blocks }
    }

    /// What the last look showed, for whoever waits; of several comparisons the first.
    pub(crate) fn note(&self) -> Option<String> {
        let known = self.last.first().and_then(|decision| decision.ratio);
        let ratio = known.filter(|ratio| ratio.half_width().is_finite())?;
        Some(match self.compared.first() {
            Some(first) => {
                let name = &self.options.programs[first.index()].program.name;
                format!("{name}: {} to {}", format_change(ratio.low, 1), format_change(ratio.high, 1))
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
