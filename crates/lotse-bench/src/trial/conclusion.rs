//! How a measurement ended: its plan and its last look, from which all comparisons follow, and the record of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lotse_formats::bench::lotse_log::{EndRecord, LookRecord, PlanRecord};
use lotse_model::results::ResultSet;
use lotse_stats::sequential::{Look, Plan};

use super::{StoppedBy, blocks_made};
use crate::shell_error::{self, ShellError};

/// The plan of a measurement and its last look, from which all comparisons follow.
#[derive(Debug, Clone)]
pub struct Conclusion {
    pub plan: Plan,
    /// The last look with its levels for one comparison, for two, and so on; empty if there was no look.
    pub looks: Vec<Look>,
    /// Blocks made before that look, from which its interval is computed.
    pub looked: u32,
    /// Error bounds of the shell's cost, if it was subtracted.
    pub shell: Option<ShellError>,
    pub stopped_by: StoppedBy,
    pub blocks: u32,
}

impl Conclusion {
    /// One look at all data with the full error probability, for results without earlier looks.
    pub fn single_look(plan: Plan, comparisons: usize, blocks: u32, stopped_by: StoppedBy) -> Self {
        let look = |m: usize| Look {
            fraction: 1.0,
            information: f64::from(blocks),
            z: lotse_stats::distribution::normal_quantile(1.0 - plan.alpha / m as f64 / 2.0),
            nominal_p: plan.alpha / m as f64,
        };
        let looks = (1..=comparisons.max(1)).map(look).collect();
        Self { plan, looks, looked: blocks, shell: None, stopped_by, blocks }
    }

    /// One look at all runs of a result that was not interleaved, with the error bounds of its shell.
    pub(crate) fn from_unpaired(
        plan: Plan,
        comparisons: usize,
        set: &ResultSet,
        stopped_by: StoppedBy,
    ) -> Self {
        let single = Self::single_look(plan, comparisons, blocks_made(set), stopped_by);
        Self { shell: ShellError::measured(set, shell_error::SHARE * plan.alpha), ..single }
    }

    /// The error probability for comparisons; the bounds of the shell's cost use the rest of alpha.
    pub(crate) fn alpha_of_comparisons(&self) -> f64 {
        let share = if self.shell.is_some() { 1.0 - shell_error::SHARE } else { 1.0 };
        self.plan.alpha * share
    }

    /// The conclusion for a result file without an end record (a killed process): the same as after an interrupt.
    pub fn from_cut_file(plan: Option<PlanRecord>, look: Option<&LookRecord>, set: &ResultSet) -> Self {
        let blocks = blocks_made(set);
        let plan = plan.and_then(plan_from_record).unwrap_or_else(usual_plan);
        if !set.design.paired() {
            let programs = crate::control::without_arm(set).programs.len();
            return Self::from_unpaired(plan, programs.saturating_sub(1), set, StoppedBy::Killed);
        }
        let sane = look.filter(|look| look.nominal_p.iter().all(|p| (0.0..1.0).contains(p)));
        let looked = sane.map_or(0, |look| look.blocks);
        let looks = sane.map_or(Vec::new(), |look| looks(&look.nominal_p, look.fraction, looked));
        let cut = Self { plan, looks, looked, shell: None, stopped_by: StoppedBy::Killed, blocks };
        let shell_p = sane.and_then(|look| look.shell_p).filter(|p| (0.0..1.0).contains(p));
        let shell = ShellError::measured(&cut.seen(set), shell_p.unwrap_or(0.0));
        Self { shell, ..cut }
    }

    /// The same conclusion for another number of comparisons, each at the smallest nominal p of the looks. Without a look there
    /// is still none.
    pub(crate) fn strictest(self, comparisons: usize) -> Self {
        let strictest = self.looks.iter().copied().min_by(|a, b| a.nominal_p.total_cmp(&b.nominal_p));
        let looks = strictest.map_or(Vec::new(), |look| vec![look; comparisons.max(1)]);
        Self { looks, ..self }
    }

    /// The runs that the last look saw; all of them where there was no look.
    pub(crate) fn seen<'a>(&self, set: &'a ResultSet) -> Cow<'a, ResultSet> {
        if self.looks.is_empty() || self.looked >= self.blocks {
            return Cow::Borrowed(set);
        }
        let mut seen = set.clone();
        seen.runs.retain(|run| run.block.0 < self.looked);
        seen.shell.retain(|run| run.block.0 < self.looked);
        Cow::Owned(seen)
    }

    /// The last line of the result file.
    pub(crate) fn record(&self) -> EndRecord {
        let nominal: Vec<f64> = self.looks.iter().map(|look| look.nominal_p).collect();
        let fraction = self.looks.first().map(|look| look.fraction);
        let end = [
            ("stopped_by", serde_json::json!(self.stopped_by.word())),
            ("blocks", serde_json::json!(self.blocks)),
            ("looked", serde_json::json!(self.looked)),
            ("alpha", serde_json::json!(self.plan.alpha)),
            ("delta", serde_json::json!(self.plan.delta)),
            ("until", serde_json::json!(self.plan.until)),
            ("fraction", serde_json::json!(fraction)),
            ("nominal_p", serde_json::json!(nominal)),
        ];
        let mut end: BTreeMap<_, _> = end.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if let Some(shell) = &self.shell {
            end.insert("shell".to_owned(), serde_json::json!(shell.clocks));
        }
        EndRecord { end }
    }

    /// The conclusion from the last line of a result file. `None` if fields are missing or invalid.
    pub fn from_record(record: &EndRecord) -> Option<Self> {
        let number = |key: &str| record.end.get(key)?.as_f64();
        let nominal: Vec<f64> = serde_json::from_value(record.end.get("nominal_p")?.clone()).ok()?;
        let (alpha, delta, until) = (number("alpha")?, number("delta")?, number("until"));
        let plan = plan_from_record(PlanRecord { alpha, delta, until })?;
        if !nominal.iter().all(|p| (0.0..1.0).contains(p)) {
            return None;
        }
        let blocks = number("blocks")? as u32;
        let looked = number("looked").map_or(blocks, |looked| looked as u32);
        let looks = looks(&nominal, number("fraction").unwrap_or(1.0), looked);
        let stopped_by = StoppedBy::from_word(record.end.get("stopped_by")?.as_str()?);
        let shell = record.end.get("shell").map(shell_from_record);
        Some(Self { plan, looks, looked, shell, stopped_by, blocks })
    }
}

/// The bounds of the shell's cost; null stands for an infinite bound.
fn shell_from_record(record: &serde_json::Value) -> ShellError {
    let end = |pair: &serde_json::Value, at: usize, open: f64| pair[at].as_f64().unwrap_or(open);
    let clock = |(clock, pair): (&String, &serde_json::Value)| {
        (clock.clone(), [end(pair, 0, f64::NEG_INFINITY), end(pair, 1, f64::INFINITY)])
    };
    let clocks = record.as_object().map_or_else(BTreeMap::new, |clocks| clocks.iter().map(clock).collect());
    ShellError { clocks, shared: true }
}

/// The plan for a file that records none.
fn usual_plan() -> Plan {
    Plan::default()
}

/// The plan of a file, if its values are valid.
fn plan_from_record(record: PlanRecord) -> Option<Plan> {
    let PlanRecord { alpha, delta, until } = record;
    let sane = alpha > 0.0 && alpha < 1.0 && delta > 0.0 && delta.is_finite();
    sane.then(|| Plan { alpha, delta, until: until.filter(|until| *until > 0.0), ..Plan::default() })
}

fn looks(nominal: &[f64], fraction: f64, blocks: u32) -> Vec<Look> {
    let look = |&nominal_p: &f64| {
        let z = if nominal_p > 0.0 {
            lotse_stats::distribution::normal_quantile(1.0 - nominal_p / 2.0)
        } else {
            f64::INFINITY
        };
        Look { fraction, information: f64::from(blocks), z, nominal_p }
    };
    nominal.iter().map(look).collect()
}
