//! Variance components of nested measurements (Kalibera & Jones 2013).
//!
//! Runs are nested in processes, processes in layouts, layouts in builds. Each
//! level adds variance; only the repetitions of the top level are independent.
//!
//! ```text
//! build 1 ─┬─ process 1: run run run        variance within processes
//!          └─ process 2: run run run        + between the processes of a build
//! build 2 ─┬─ process 3: run run run        + between builds
//!          └─ process 4: run run run
//! ```
//!
//! The components are the unbiased estimators T² of the authors, extended to
//! unequal group sizes by equating each sum of squares with its expectation.

mod squares;

use crate::descriptive::{mean, standard_error};
use crate::distribution::t_quantile;
use crate::error::{Result, StatsError, check, check_open_unit};
use crate::interval::Interval;
use squares::SumsOfSquares;

/// Values grouped by levels, top level outermost. All branches must be equally deep.
#[derive(Debug, Clone, PartialEq)]
pub enum NestedValues {
    /// The values of the lowest level.
    Values(Vec<f64>),
    /// The groups of a higher level.
    Groups(Vec<NestedValues>),
}

impl NestedValues {
    /// All values, in order.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Self::Values(values) => values.clone(),
            Self::Groups(groups) => groups.iter().flat_map(Self::values).collect(),
        }
    }

    /// The number of levels, one for plain values; `None` if branches differ.
    fn depth(&self) -> Option<usize> {
        match self {
            Self::Values(_) => Some(1),
            Self::Groups(groups) => {
                let first = groups.first()?.depth()?;
                groups.iter().all(|g| g.depth() == Some(first)).then_some(first + 1)
            }
        }
    }
}

/// The variance that each level adds.
#[derive(Debug, Clone, PartialEq)]
pub struct VarianceComponents {
    /// Mean of the means of the top level's groups.
    pub mean: f64,
    /// Interval of that mean from the spread of those means.
    pub interval: Interval,
    /// The estimate T² per level, top level first. May be negative by chance.
    pub variances: Vec<f64>,
}

impl VarianceComponents {
    /// The share of the summed variance that each level adds, negative estimates taken as zero;
    /// `None` if there is no variance.
    pub fn shares(&self) -> Option<Vec<f64>> {
        let positive: Vec<f64> = self.variances.iter().map(|v| v.max(0.0)).collect();
        let total: f64 = positive.iter().sum();
        (total > 0.0).then(|| positive.iter().map(|v| v / total).collect())
    }
}

/// The components of values with at least two groups (or values) at the top and, on every level
/// below, at least one group with two members.
pub fn components(nested: &NestedValues, level: f64) -> Result<VarianceComponents> {
    check_open_unit("confidence level", level)?;
    check(&nested.values(), 2)?;
    let depth = nested.depth().ok_or(StatsError::Unrepresentable { what: "a hierarchy of unequal depth" })?;
    let top = top_means(nested)?;
    let radius = standard_error(&top)? * t_quantile(0.5 + level / 2.0, (top.len() - 1) as f64);
    let mean = mean(&top)?;
    let variances = SumsOfSquares::new(nested, depth)?.variances()?;
    Ok(VarianceComponents { mean, interval: Interval::around(mean, radius, level), variances })
}

fn top_means(nested: &NestedValues) -> Result<Vec<f64>> {
    match nested {
        NestedValues::Values(values) => Ok(values.clone()),
        NestedValues::Groups(groups) => groups.iter().map(|group| mean(&group.values())).collect(),
    }
}

/// The numbers of repetitions, for each level but the top one, that give the narrowest interval in a given time; top level
/// first (one entry fewer than there are variances).
///
/// `costs` are the times that one more repetition of each level takes in addition to the levels below it, top level first:
/// n_i = ⌈√(c_{i+1} / c_i · T_i² / T_{i+1}²)⌉, where i + 1 is the level above i. A level without cost is repeated for every
/// repetition below it, and its variance counts as that of the level below. A level without variance is repeated once.
/// Where the level above has no variance, the formula has no answer; both variances are then taken as equal.
pub fn best_repetitions(variances: &[f64], costs: &[f64]) -> Result<Vec<u64>> {
    if variances.len() != costs.len() {
        return Err(StatsError::Unpaired { left: variances.len(), right: costs.len() });
    }
    check(variances, 1)?;
    check(costs, 1)?;
    let (&lowest_cost, &lowest) =
        costs.last().zip(variances.last()).ok_or(StatsError::TooFew { needed: 1, present: 0 })?;
    let negative = costs.iter().find(|cost| **cost < 0.0);
    if let Some(&value) = negative.or((lowest_cost == 0.0).then_some(&lowest_cost)) {
        return Err(StatsError::Parameter {
            name: "cost",
            value,
            range: "the positive numbers, 0 above the lowest level",
        });
    }
    let mut below = (lowest.max(0.0), lowest_cost);
    let mut found = Vec::new();
    for (&variance, &cost) in variances.iter().zip(costs).rev().skip(1) {
        if cost == 0.0 {
            found.push(1);
            below.0 += variance.max(0.0);
        } else {
            found.push(repetitions((variance, cost), below));
            below = (variance.max(0.0), cost);
        }
    }
    found.reverse();
    Ok(found)
}

/// The repetitions of a level within one repetition of the level above; both levels are given as (variance, cost).
fn repetitions((upper, upper_cost): (f64, f64), (lower, lower_cost): (f64, f64)) -> u64 {
    if lower <= 0.0 {
        return 1;
    }
    let spread = if upper > 0.0 { lower / upper } else { 1.0 };
    (upper_cost / lower_cost * spread).sqrt().ceil().max(1.0) as u64
}

/// The variance of the mean of one top-level group with these `repetitions` of the levels below it (see
/// [`best_repetitions`]): Σ T_i² / (n_{top - 1} · … · n_i), negative estimates taken as zero.
pub fn group_variance(variances: &[f64], repetitions: &[u64]) -> f64 {
    let mut members = 1.0;
    let below = variances.iter().skip(1).zip(repetitions).map(|(variance, &count)| {
        members *= count.max(1) as f64;
        variance.max(0.0) / members
    });
    variances.first().map_or(0.0, |top| top.max(0.0)) + below.sum::<f64>()
}

/// The time of one top-level group with these `repetitions` of the levels below it: Σ c_i · n_{top - 1} · … · n_i.
pub fn group_cost(costs: &[f64], repetitions: &[u64]) -> f64 {
    let mut members = 1.0;
    let below = costs.iter().skip(1).zip(repetitions).map(|(cost, &count)| {
        members *= count.max(1) as f64;
        cost * members
    });
    costs.first().copied().unwrap_or(0.0) + below.sum::<f64>()
}

#[cfg(test)]
mod tests;
