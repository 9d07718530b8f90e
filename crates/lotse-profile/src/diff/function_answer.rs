//! A function of several profiles, as an answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Change, Counts, Query};
use crate::answer::FunctionName;
use crate::events::Cost;

/// In which profiles a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In the first and in another.
    Matched,
    /// Only in the first.
    Gone,
    /// Not in the first.
    New,
}

/// A function with its changes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FunctionDiff {
    /// Its names, in the first profile that has it.
    #[serde(flatten)]
    pub function: FunctionName,
    /// In which profiles it is.
    pub status: Status,
    /// How many functions are summed up because only a compiler's suffix or hash tells them apart.
    #[serde(skip_serializing_if = "is_one")]
    pub variants: usize,
    /// All names that were summed up or matched, where there are several: variants of compilers, renamed functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The change from the first profile to each of the others.
    pub versus: Vec<Versus>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(variants: &usize) -> bool {
    *variants == 1
}

/// The change from the first profile to another, per event type.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Versus {
    /// Of self costs.
    #[serde(rename = "self")]
    pub own: Vec<Change>,
    /// Of inclusive costs.
    pub inclusive: Vec<Change>,
    /// Of times called.
    pub calls: Counts,
}

impl Versus {
    /// Whether no change is more than chance may make.
    pub(crate) fn is_noise(&self) -> bool {
        self.own.iter().chain(&self.inclusive).all(|change| change.noise)
    }

    /// Inclusive or self costs, as asked for.
    pub(super) fn asked(&self, query: &Query<'_>) -> &[Change] {
        if query.inclusive { &self.inclusive } else { &self.own }
    }
}

/// What is not shown because it changed too little.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Hidden {
    /// Functions that did not change at all.
    pub unchanged: usize,
    /// Functions whose change is within the noise of sampling.
    pub noise: usize,
    /// Functions that changed by less than asked for, noise included.
    pub changed: usize,
    /// What the changes of these add up to (self costs), for each file after the first per event type.
    pub difference: Vec<Vec<Cost>>,
}
