//! The sequential side of a measurement: looks at the primary metric while it grows, and the last look it ends with.

use lotse_formats::bench::lotse_log::EndRecord;
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_report::number::{format_change, format_percent};
use lotse_stats::paired::PairedEstimate;
use lotse_stats::sequential::{Decision, Look, Plan, SpendingFunction, StopReason, Trial, holm_sequential};

use crate::options::{Options, Stopping};
use crate::{control, pairing};

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
            Self::Failure { program: String::new() },
        ];
        known.into_iter().find(|reason| reason.word() == word).unwrap_or(Self::Unknown)
    }
}

/// The plan of a measurement and its last look, from which all comparisons follow.
#[derive(Debug, Clone)]
pub struct Conclusion {
    /// What was to be decided.
    pub plan: Plan,
    /// The last look, for each of Holm's levels; empty where there was none.
    pub looks: Vec<Look>,
    /// Why it ended.
    pub stopped_by: StoppedBy,
    /// Blocks made.
    pub blocks: u32,
}

impl Conclusion {
    /// One look at all of the data, at the full error probability: for results nobody looked at before.
    pub fn single_look(plan: Plan, comparisons: usize, blocks: u32, stopped_by: StoppedBy) -> Self {
        let look = |m: usize| Look {
            fraction: 1.0,
            information: f64::from(blocks),
            z: lotse_stats::distribution::normal_quantile(1.0 - plan.alpha / m as f64 / 2.0),
            nominal_p: plan.alpha / m as f64,
        };
        Self { plan, looks: (1..=comparisons.max(1)).map(look).collect(), stopped_by, blocks }
    }

    /// The same end, for another number of comparisons: each at the smallest p value that was looked at. Nothing was
    /// concluded where nothing was looked at.
    pub(crate) fn strictest(self, comparisons: usize) -> Self {
        let blind =
            Look { fraction: 1.0, information: f64::from(self.blocks), z: f64::INFINITY, nominal_p: 0.0 };
        let strictest = self.looks.iter().copied().min_by(|a, b| a.nominal_p.total_cmp(&b.nominal_p));
        Self { looks: vec![strictest.unwrap_or(blind); comparisons.max(1)], ..self }
    }

    /// The last line of the result file.
    pub(crate) fn record(&self) -> EndRecord {
        let nominal: Vec<f64> = self.looks.iter().map(|look| look.nominal_p).collect();
        let fraction = self.looks.first().map(|look| look.fraction);
        let end = [
            ("stopped_by", serde_json::json!(self.stopped_by.word())),
            ("blocks", serde_json::json!(self.blocks)),
            ("alpha", serde_json::json!(self.plan.alpha)),
            ("delta", serde_json::json!(self.plan.delta)),
            ("fraction", serde_json::json!(fraction)),
            ("nominal_p", serde_json::json!(nominal)),
        ];
        EndRecord { end: end.into_iter().map(|(key, value)| (key.to_owned(), value)).collect() }
    }

    /// The same from the last line of a result file. `None` where it does not say enough.
    pub fn from_record(record: &EndRecord) -> Option<Self> {
        let number = |key: &str| record.end.get(key)?.as_f64();
        let nominal: Vec<f64> = serde_json::from_value(record.end.get("nominal_p")?.clone()).ok()?;
        let plan = Plan { alpha: number("alpha")?, delta: number("delta")?, ..Plan::default() };
        let sane = (0.0..1.0).contains(&plan.alpha)
            && plan.alpha > 0.0
            && plan.delta > 0.0
            && plan.delta.is_finite();
        if !sane || !nominal.iter().all(|p| (0.0..1.0).contains(p)) {
            return None;
        }
        let blocks = number("blocks")? as u32;
        let (fraction, information) = (number("fraction").unwrap_or(1.0), f64::from(blocks));
        let look = |nominal_p: f64| {
            let z = if nominal_p > 0.0 {
                lotse_stats::distribution::normal_quantile(1.0 - nominal_p / 2.0)
            } else {
                f64::INFINITY
            };
            Look { fraction, information, z, nominal_p }
        };
        let stopped_by = StoppedBy::from_word(record.end.get("stopped_by")?.as_str()?);
        Some(Self { plan, looks: nominal.into_iter().map(look).collect(), stopped_by, blocks })
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

/// Looks at a growing result.
pub(crate) struct BenchTrial<'a> {
    options: &'a Options,
    compared: Vec<ProgramId>,
    plan: Plan,
    trial: Option<Trial>,
    looks: Vec<Look>,
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
        Ok(Self { options, compared, plan, trial, looks: Vec::new(), fraction: 0.0, last: Vec::new() })
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
        // A program without a single pair has no decision, and so there is none to stop at yet.
        let all: Option<Vec<PairedEstimate>> = estimates.into_iter().collect();
        self.last = all.map_or_else(Vec::new, |all| holm_sequential(&self.plan, &self.looks, &all));
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

    /// The last look. A measurement cut short spends no more than it had reached.
    pub(crate) fn conclude(
        &mut self,
        set: &ResultSet,
        stopped_by: StoppedBy,
    ) -> lotse_stats::error::Result<Conclusion> {
        let planned = matches!(
            stopped_by,
            StoppedBy::Verdict | StoppedBy::Precision | StoppedBy::Budget | StoppedBy::Runs
        );
        if !planned {
            self.look(set)?;
        }
        let blocks = set.runs.iter().map(|run| run.block.0.saturating_add(1)).max().unwrap_or(0);
        if !self.options.design.paired() {
            return Ok(Conclusion::single_look(self.plan, self.compared.len(), blocks, stopped_by));
        }
        Ok(Conclusion { plan: self.plan, looks: self.looks.clone(), stopped_by, blocks })
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
