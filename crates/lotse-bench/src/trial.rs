//! The sequential side of a measurement: looks at the primary metric while it grows, and the last look it ends with.

use lotse_formats::bench::lotse_log::LookRecord;
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_report::number::{format_change, format_percent};
use lotse_stats::paired::PairedEstimate;
use lotse_stats::sequential::{Decision, Look, Plan, SpendingFunction, StopReason, Trial, decide_together};

use crate::options::{Options, Stopping};
use crate::{control, pairing};

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
        spending: SpendingFunction::Power(2.0),
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
    looks: Vec<Look>,
    /// Blocks made until the last look.
    looked: u32,
    fraction: f64,
    last: Vec<Decision>,
}

impl<'a> BenchTrial<'a> {
    pub(crate) fn new(options: &'a Options) -> lotse_stats::error::Result<Self> {
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
        let trial = if paired { Some(Trial::new(plan, compared.len().max(1))?) } else { None };
        Ok(Self {
            options,
            compared,
            plan,
            trial,
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
        let estimates = self.estimates(set);
        let blocks = estimates.iter().flatten().map(PairedEstimate::blocks).max();
        let (Some(trial), Some(blocks)) = (&mut self.trial, blocks) else { return Ok(self.fraction >= 1.0) };
        self.looks = trial.look(self.fraction, blocks)?;
        self.looked = blocks_made(set);
        // A program without a single pair has no decision, and so there is none to stop at yet.
        let all: Option<Vec<PairedEstimate>> = estimates.into_iter().collect();
        self.last = all.map_or_else(Vec::new, |all| decide_together(&self.plan, &self.looks, &all));
        let answered = !self.last.is_empty() && self.last.iter().all(|decision| decision.stop.is_some());
        Ok(self.fraction >= 1.0 || answered)
    }

    fn estimates(&self, set: &ResultSet) -> Vec<Option<PairedEstimate>> {
        let (reference, metric) = (ProgramId::from(self.options.reference), self.options.primary.as_str());
        if self.compared.is_empty() {
            return vec![pairing::own_centre(set, reference, metric)];
        }
        self.compared.iter().map(|&program| pairing::estimate(set, reference, program, metric)).collect()
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
        Some(LookRecord { blocks: self.looked, fraction, nominal_p })
    }

    /// The last look made. Whoever stops a measurement by hand has seen it and chosen the moment, so no other look may
    /// be added: the intervals of the looks made hold together, whatever the reason to stop.
    pub(crate) fn conclude(&self, set: &ResultSet, stopped_by: StoppedBy) -> Conclusion {
        let (plan, blocks) = (plan(&self.options.stopping), blocks_made(set));
        if !self.options.design.paired() {
            return Conclusion::single_look(plan, self.compared.len(), blocks, stopped_by);
        }
        Conclusion { plan, looks: self.looks.clone(), looked: self.looked, stopped_by, blocks }
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
mod tests;
