//! A compared function, as an answer.

use lotse_model::id::FunctionId;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Change, Counts, DiffQuery};
use crate::answer::FunctionName;
use crate::events::Cost;

/// Which profiles have a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FunctionDiff {
    /// Its names, in the first profile that has it.
    #[serde(flatten)]
    pub function: FunctionName,
    /// For each profile, the functions that are summed in this row; none if it does not have the function.
    #[serde(skip)]
    pub ids: Vec<Vec<FunctionId>>,
    pub status: Status,
    /// The number of functions that are summed because they differ only in a compiler's suffix or hash.
    #[serde(skip_serializing_if = "is_one")]
    pub variants: usize,
    /// All names that were summed or matched, if there are several: variants of compilers, renamed functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The change from the first profile to each of the others.
    pub versus: Vec<Versus>,
}

impl FunctionDiff {
    /// Whether it is not known how much its inclusive costs changed.
    pub fn has_unknown_change(&self) -> bool {
        self.versus.iter().flat_map(|versus| &versus.inclusive).any(|change| change.bound().is_none())
    }

    /// Whether its inclusive costs are exact in all profiles.
    pub fn has_exact_inclusive(&self) -> bool {
        let is_exact = |change: &Change| change.old_bound.is_exact() && change.new_bound.is_exact();
        self.versus.iter().flat_map(|versus| &versus.inclusive).all(is_exact)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_one(variants: &usize) -> bool {
    *variants == 1
}

/// The change from the first profile to another, per event type.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Versus {
    /// Changes of self costs.
    #[serde(rename = "self")]
    pub own: Vec<Change>,
    pub inclusive: Vec<Change>,
    pub calls: Counts,
}

impl Versus {
    /// Whether chance explains all changes.
    pub(crate) fn is_noise(&self) -> bool {
        self.own.iter().chain(&self.inclusive).all(|change| change.noise)
    }

    /// The changes of inclusive or self costs, whichever the query ranks by.
    pub(super) fn ranked_by(&self, query: &DiffQuery<'_>) -> &[Change] {
        if query.inclusive { &self.inclusive } else { &self.own }
    }
}

/// The sum of the rows that are not shown because they changed too little.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HiddenChanges {
    /// Functions that did not change at all.
    pub unchanged: usize,
    /// Functions whose change is within the noise of sampling.
    pub noise: usize,
    /// Functions that changed by less than the least change of the query, including noise.
    pub changed: usize,
    /// The sum of their changes of self cost: for each file after the first, one per event type.
    pub difference: Vec<Vec<Cost>>,
}
