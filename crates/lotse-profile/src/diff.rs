//! Profiles compared: old and new cost of every function, difference and ratio, per event type.
//!
//! Functions are matched by object, file and name (see `matching`), whatever suffixes compilers added to the name;
//! those that only one profile has are listed, with hints which of them may be the same under another name, and are
//! never merged by a guess. Costs are
//! compared as they are, or as shares of the total where the profiles count different things. Differences of
//! integers are exact. Counts of samples are uncertain, and their differences say how much.

use lotse_model::finding::Finding;
use lotse_model::profile::Costs;
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer, default_event};
use crate::events::Column;
use crate::filter::Filter;

mod calls;
mod change;
mod events;
mod function_answer;
mod functions;
mod lines;
mod matching;
mod names;
mod order;
mod rename;
mod renames;
mod units;
mod variants;

pub use calls::{CallDiff, calls};
pub use change::{Change, Counts};
pub use events::{Pairing, pair};
pub use function_answer::{FunctionDiff, Hidden, Status, Versus};
pub use functions::Comparison;
pub use lines::{LineCosts, LineDiff, line_costs, lines};
pub use order::Order;
pub use rename::{BadRename, Rename};
pub use renames::RenameHint;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Costs as they are.
    Cost,
    /// Shares of the total.
    Share,
}

/// One of the profiles.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// What its file is called.
    pub file: &'a str,
    /// The format of its file.
    pub format: &'a str,
    /// Its costs.
    pub analysis: &'a Analysis<'a>,
    /// The event types to compare; the same number for all sides.
    pub columns: &'a [Column],
}

impl Side<'_> {
    /// How many samples have any cost of an event type; `None` where the profiler counted every event. Samples of
    /// other event types in the same file say nothing about its precision.
    pub(crate) fn samples_of(&self, event: usize) -> Option<i128> {
        let all = self.samples()?;
        let profile = self.analysis.profile;
        let counter = profile.events.iter().position(|event| event.name == "samples")?;
        let parts = self.analysis.parts.iter().map(|part| &profile.parts[part.index()].samples.costs);
        let with_cost = |costs: &Costs, row: &usize| event == counter || costs.value(*row, event) != 0;
        let counted = parts.map(|costs| {
            (0..costs.rows())
                .filter(|row| with_cost(costs, row))
                .map(|row| costs.value(row, counter))
                .sum::<i128>()
        });
        Some(counted.sum()).filter(|&samples| samples > 0).or(Some(all))
    }

    /// How many samples its counts stand for; `None` where the profiler counted every event.
    pub fn samples(&self) -> Option<i128> {
        let event = self.analysis.profile.events.iter().position(|event| event.name == "samples")?;
        self.analysis.totals.get(event).copied().filter(|&samples| samples > 0)
    }
}

/// Which rows, in which order.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// What is compared.
    pub basis: Basis,
    /// Sorted by what.
    pub order: Order,
    /// Whether inclusive costs decide about order and size of a change.
    pub inclusive: bool,
    /// At most so many; `None` for all.
    pub limit: Option<usize>,
    /// Changes below this share of the total, or within the noise, are hidden and summed up; 0 hides nothing.
    pub min_change: f64,
    /// Only these functions.
    pub filter: &'a Filter,
}

/// `lotse profile diff --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DiffAnswer {
    /// `lotse.profile.diff/1`.
    pub schema: &'static str,
    /// What is compared.
    pub by: Basis,
    /// The place of the event type that rows are ranked by.
    #[serde(skip)]
    pub ranked: usize,
    /// The profiles; all others are compared with the first.
    pub files: Vec<FileAnswer>,
    /// The totals, for each file after the first one change per event type.
    pub totals: Vec<Vec<Change>>,
    /// Functions, the greatest change first.
    pub functions: Vec<FunctionDiff>,
    /// How many functions there are to show; a limit may have cut the list.
    pub function_count: usize,
    /// Functions that only the first profile has, the costliest first.
    pub gone: Vec<FunctionDiff>,
    /// Functions that the first profile does not have, the costliest first.
    pub new: Vec<FunctionDiff>,
    /// How many there are of each kind.
    pub counts: KindCounts,
    /// What is not shown because it changed too little.
    pub hidden: Hidden,
    /// Which new function may be which gone one.
    pub renames: Vec<RenameHint>,
    /// Calls, the greatest change first; where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<CallDiff>>,
    /// Lines of one function; where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineDiff>>,
    /// What rules found.
    pub findings: Vec<Finding>,
    /// What was odd, and what a reader of the numbers must know.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// One of the profiles, as told.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileAnswer {
    /// What its file is called.
    pub file: String,
    /// The format of its file.
    pub format: String,
    /// The profiled command.
    pub command: Option<String>,
    /// How many samples its counts stand for; null where every event was counted.
    pub samples: Option<u64>,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
}

impl FileAnswer {
    /// Of a side.
    pub fn of(side: &Side<'_>) -> Self {
        Self {
            file: side.file.to_owned(),
            format: side.format.to_owned(),
            command: side.analysis.profile.command.clone(),
            samples: side.samples().and_then(|samples| u64::try_from(samples).ok()),
            events: EventAnswer::of(side.columns, &side.analysis.totals),
            default_event: default_event(side.analysis.profile),
        }
    }
}

/// How many functions are in which profiles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KindCounts {
    /// In the first and in another.
    pub matched: usize,
    /// Only in the first.
    pub gone: usize,
    /// Not in the first.
    pub new: usize,
    /// Those of `gone` and `new` that so few samples show that chance explains it.
    #[serde(skip_serializing_if = "NoiseCounts::is_none")]
    pub noise: NoiseCounts,
}

impl NoiseCounts {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// How many functions only one profile has by chance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoiseCounts {
    /// Only in the first.
    pub gone: usize,
    /// Not in the first.
    pub new: usize,
}

/// Compares profiles with the first of them.
pub fn diff(sides: &[Side<'_>], query: &Query<'_>) -> DiffAnswer {
    Comparison::new(sides, query.basis).answer(query)
}

/// Says that nothing is known about the noise of profiles whose weights may be numbers of samples or anything else.
pub fn weight_note(sides: &[Side<'_>]) -> Option<String> {
    let unknown =
        |side: &&Side<'_>| side.format == "collapsed" && side.columns.iter().any(|it| it.name == "weight");
    let files: Vec<&str> = sides.iter().filter(unknown).map(|side| side.file).collect();
    (!files.is_empty()).then(|| {
        format!(
            "the weights of {} are not known to be numbers of samples, so which differences are noise is not known \
             either; if they are, --unit samples says so",
            files.join(" and ")
        )
    })
}

/// Whether any of the profiles counts samples; then a note about it.
pub fn sampling_note(sides: &[Side<'_>]) -> Option<String> {
    let told = |side: &Side<'_>| Some(format!("{}: {} samples", side.file, side.samples()?));
    let told: Vec<String> = sides.iter().filter_map(told).collect();
    (!told.is_empty()).then(|| {
        format!(
            "counts are samples ({}): ± is two standard errors of a difference, and what lies within is noise",
            told.join(", ")
        )
    })
}

#[cfg(test)]
pub(crate) mod tests;
