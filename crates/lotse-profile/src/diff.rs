//! Profiles compared: old and new cost of every function, difference and ratio, per event type.
//!
//! Functions are matched by object, file and name (see `matching`), ignoring suffixes that compilers add to names.
//! Functions that only one profile has are listed, with hints which of them may have been renamed, but are never merged
//! by a guess. Costs are compared as they are, or as shares of the total if the profiles count different things.
//! Differences of integers are exact. Differences of sample counts have an uncertainty.

use lotse_model::finding::Finding;
use lotse_model::profile::Costs;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer, default_event};
use crate::events::Column;
use crate::filter::Filter;

mod align;
mod calls;
mod change;
mod events;
mod function_answer;
mod functions;
mod line_files;
mod lines;
mod matching;
mod names;
mod order;
mod other_names;
mod paths;
mod program_lines;
mod rename;
mod renames;
mod units;
mod variants;

pub use align::{LinePair, align};
pub use calls::{CallDiff, calls};
pub use change::{Change, Counts};
pub use events::{Pairing, pair};
pub use function_answer::{FunctionDiff, HiddenChanges, Status, Versus};
pub use functions::Comparison;
pub use line_files::LineSources;
pub use lines::{LineCosts, LineDiff, line_costs, lines, program_lines};
pub use order::DiffOrder;
pub use other_names::other_names;
pub use paths::PathMatches;
pub use program_lines::{LinePairing, PairedLine, PairedLines, paired_lines};
pub use rename::{BadRename, Rename};
pub use renames::RenameHint;

/// Whether costs or shares are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Costs as they are.
    Cost,
    /// Shares of the total.
    Share,
}

/// One of the compared profiles.
#[derive(Debug, Clone, Copy)]
pub struct DiffSide<'a> {
    pub file: &'a str,
    pub format: &'a str,
    pub analysis: &'a Analysis<'a>,
    /// The event types to compare; the same number for all sides.
    pub columns: &'a [Column],
}

impl DiffSide<'_> {
    /// The number of samples that have any cost of an event type; `None` if the profiler counted every event. Samples of
    /// other event types in the same file do not affect its precision.
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

    /// The number of samples; `None` if the profiler counted every event.
    pub fn samples(&self) -> Option<i128> {
        let event = self.analysis.profile.events.iter().position(|event| event.name == "samples")?;
        self.analysis.totals.get(event).copied().filter(|&samples| samples > 0)
    }
}

/// Which rows are shown, and in which order.
#[derive(Debug, Clone, Copy)]
pub struct DiffQuery<'a> {
    pub basis: Basis,
    pub order: DiffOrder,
    /// Whether rows are sorted and filtered by inclusive costs instead of self costs.
    pub inclusive: bool,
    /// The greatest number of rows; `None` for all.
    pub limit: Option<usize>,
    /// Changes below this share of the total, or within the noise, are hidden and summed; 0 hides nothing.
    pub min_change: f64,
    /// Which functions are shown.
    pub filter: &'a Filter,
}

/// `lotse profile diff --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DiffAnswer {
    /// `lotse.profile.diff/1`.
    pub schema: &'static str,
    pub by: Basis,
    /// The index of the event type that rows are ranked by.
    #[serde(skip)]
    pub ranked: usize,
    /// The profiles; all others are compared with the first.
    pub files: Vec<ComparedFile>,
    /// The change of the totals: for each file after the first, one per event type.
    pub totals: Vec<Vec<Change>>,
    /// Functions, the greatest change first.
    pub functions: Vec<FunctionDiff>,
    /// The number of functions before a limit cut the list.
    pub function_count: usize,
    /// Functions that only the first profile has, the costliest first.
    pub gone: Vec<FunctionDiff>,
    /// Functions that the first profile does not have, the costliest first.
    pub new: Vec<FunctionDiff>,
    pub counts: KindCounts,
    pub hidden: HiddenChanges,
    /// Pairs of a gone and a new function that may be the same.
    pub renames: Vec<RenameHint>,
    /// Calls, the greatest change first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Vec<CallDiff>>,
    /// Lines of one function, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineDiff>>,
    /// Findings of the rules.
    pub findings: Vec<Finding>,
    /// Problems of the files, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// One of the compared profiles, as an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ComparedFile {
    pub file: String,
    pub format: String,
    /// The profiled command.
    pub command: Option<String>,
    /// The number of samples; null if every event was counted.
    pub samples: Option<u64>,
    /// Event types, in the order of all costs.
    pub events: Vec<EventAnswer>,
    /// The event type that is shown and ranked by unless another is chosen.
    pub default_event: Option<String>,
}

impl DiffAnswer {
    /// The number of functions listed whose change of inclusive costs is not known.
    pub fn unknown_changes(&self) -> usize {
        self.functions.iter().filter(|function| function.has_unknown_change()).count()
    }
}

impl ComparedFile {
    /// The file, format and totals of a compared profile.
    pub fn from_side(side: &DiffSide<'_>) -> Self {
        Self {
            file: side.file.to_owned(),
            format: side.format.to_owned(),
            command: side.analysis.profile.command.clone(),
            samples: side.samples().and_then(|samples| u64::try_from(samples).ok()),
            events: EventAnswer::for_columns(side.columns, &side.analysis.totals),
            default_event: default_event(side.analysis.profile),
        }
    }
}

/// The number of functions by the profiles that have them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KindCounts {
    /// In the first and in another.
    pub matched: usize,
    /// Only in the first.
    pub gone: usize,
    /// Not in the first.
    pub new: usize,
    /// Those of `gone` and `new` that have so few samples that chance explains it.
    #[serde(skip_serializing_if = "NoiseCounts::is_none")]
    pub noise: NoiseCounts,
}

impl NoiseCounts {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The number of functions that only one profile has, by chance of sampling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NoiseCounts {
    /// Only in the first.
    pub gone: usize,
    /// Not in the first.
    pub new: usize,
}

/// Compares all profiles with the first.
pub fn diff(sides: &[DiffSide<'_>], query: &DiffQuery<'_>) -> DiffAnswer {
    Comparison::new(sides, query.basis).answer(query)
}

/// A note that noise is unknown, if a profile has weights of unknown unit, which may or may not be numbers of samples.
pub fn weight_note(sides: &[DiffSide<'_>]) -> Option<String> {
    let unknown = |side: &&DiffSide<'_>| {
        side.format == "collapsed" && side.columns.iter().any(|it| it.name == "weight")
    };
    let files: Vec<&str> = sides.iter().filter(unknown).map(|side| side.file).collect();
    (!files.is_empty()).then(|| {
        format!(
            "the weights of {} are not known to be numbers of samples, so which differences are noise is not known \
             either; if they are, --unit samples says so",
            files.join(" and ")
        )
    })
}

/// A note that some changes of inclusive costs are not known; `what` names the rows.
pub fn unknown_note(count: usize, what: &str) -> Option<String> {
    let subject = match count {
        0 => return None,
        1 => format!("1 {what} has inclusive costs"),
        many => format!("{many} {what}s have inclusive costs"),
    };
    Some(format!(
        "{subject} that are bounds of the same kind in both profiles (recursion), so how much these changed is not known (?)"
    ))
}

/// A note about the uncertainty, if any of the profiles counts samples.
pub fn sampling_note(sides: &[DiffSide<'_>]) -> Option<String> {
    let count = |side: &DiffSide<'_>| Some(format!("{}: {} samples", side.file, side.samples()?));
    let counts: Vec<String> = sides.iter().filter_map(count).collect();
    (!counts.is_empty()).then(|| {
        format!(
            "counts are samples ({}): ± is two standard errors of a difference, and what lies within is noise",
            counts.join(", ")
        )
    })
}

#[cfg(test)]
pub(crate) mod tests;
