//! Sums of squares of a hierarchy and their expectations.

use super::NestedValues;
use crate::descriptive::mean;
use crate::error::{Result, StatsError, finite};
use crate::sum::sum;

/// The values of a hierarchy in one list, and its groups as ranges of that list.
pub(super) struct SumsOfSquares {
    values: Vec<f64>,
    /// The groups of each depth: 0 is the whole list, the last depth are single values.
    groups: Vec<Vec<std::ops::Range<usize>>>,
}

impl SumsOfSquares {
    pub(super) fn new(nested: &NestedValues, depth: usize) -> Result<Self> {
        let mut groups = vec![Vec::new(); depth + 1];
        let values = nested.values();
        collect(nested, 0, 0, &mut groups);
        for ranges in &groups {
            if ranges.iter().any(|range| range.is_empty()) {
                return Err(StatsError::TooFew { needed: 1, present: 0 });
            }
        }
        Ok(Self { values, groups })
    }

    /// The variances that make every sum of squares equal its expectation, top level first.
    pub(super) fn variances(&self) -> Result<Vec<f64>> {
        let depth = self.groups.len() - 1;
        let mut variances = vec![0.0; depth + 1];
        for level in (1..=depth).rev() {
            let df = self.groups[level].len() - self.groups[level - 1].len();
            if df == 0 {
                let present = self.groups[level].len();
                return Err(StatsError::TooFew { needed: present + 1, present });
            }
            let weight = |below| self.weight(level, below) - self.weight(level - 1, below);
            let explained = sum((level + 1..=depth).map(|below| weight(below) * variances[below]));
            variances[level] = finite("the variance", (self.between(level)? - explained) / weight(level))?;
        }
        variances.remove(0);
        Ok(variances)
    }

    /// The sum, over the groups of a level, of the size times the squared distance of the group's mean from its parent's.
    fn between(&self, level: usize) -> Result<f64> {
        let mut parents = self.groups[level - 1].iter();
        let mut parent_end = 0;
        let mut parent_mean = 0.0;
        let mut terms = Vec::with_capacity(self.groups[level].len());
        for group in &self.groups[level] {
            if group.start >= parent_end {
                let parent = parents.next().ok_or(StatsError::TooFew { needed: 1, present: 0 })?;
                parent_end = parent.end;
                parent_mean = mean(&self.values[parent.clone()])?;
            }
            let distance = mean(&self.values[group.clone()])? - parent_mean;
            terms.push(group.len() as f64 * distance * distance);
        }
        Ok(sum(terms))
    }

    /// The coefficient of the variance of depth `source` in the expectation of the sum, over the groups of depth `level`,
    /// of the size times the squared mean.
    fn weight(&self, level: usize, source: usize) -> f64 {
        if source <= level {
            return self.values.len() as f64;
        }
        let mut sources = self.groups[source].iter().peekable();
        let mut total = 0.0;
        for group in &self.groups[level] {
            let mut squares = 0.0;
            while let Some(inner) = sources.next_if(|inner| inner.start < group.end) {
                squares += (inner.len() * inner.len()) as f64;
            }
            total += squares / group.len() as f64;
        }
        total
    }
}

/// Lists the ranges of all groups below `nested`, which starts at value `start`; returns its end.
fn collect(
    nested: &NestedValues,
    depth: usize,
    start: usize,
    groups: &mut [Vec<std::ops::Range<usize>>],
) -> usize {
    let end = match nested {
        NestedValues::Values(values) => {
            groups[depth + 1].extend((start..start + values.len()).map(|i| i..i + 1));
            start + values.len()
        }
        NestedValues::Groups(members) => {
            members.iter().fold(start, |at, member| collect(member, depth + 1, at, groups))
        }
    };
    groups[depth].push(start..end);
    end
}

#[cfg(test)]
mod tests {
    use super::super::components;
    use super::*;

    fn groups(values: &[&[f64]]) -> NestedValues {
        NestedValues::Groups(values.iter().map(|v| NestedValues::Values(v.to_vec())).collect())
    }

    #[test]
    fn two_balanced_levels_match_the_hand_calculation() {
        // Within: variances 1 and 1, T² = 1. Means 2 and 6: S² = 8, T² = 8 - 1/3.
        let parts = components(&groups(&[&[1.0, 2.0, 3.0], &[5.0, 6.0, 7.0]]), 0.95).unwrap();
        assert!((parts.variances[0] - (8.0 - 1.0 / 3.0)).abs() < 1e-12);
        assert!((parts.variances[1] - 1.0).abs() < 1e-12);
        assert_eq!(parts.mean, 4.0);
    }

    #[test]
    fn plain_values_have_one_level() {
        let parts = components(&NestedValues::Values(vec![1.0, 2.0, 3.0]), 0.95).unwrap();
        assert_eq!(parts.variances, [1.0]);
    }

    #[test]
    fn constants_have_no_variance_on_any_level() {
        let parts = components(&groups(&[&[4.0; 3], &[4.0; 2]]), 0.95).unwrap();
        assert_eq!((parts.variances.as_slice(), parts.shares()), (&[0.0, 0.0][..], None));
    }

    #[test]
    fn unrepeated_levels_uneven_depths_and_empty_groups_are_refused() {
        assert_eq!(
            components(&groups(&[&[1.0], &[2.0]]), 0.95),
            Err(StatsError::TooFew { needed: 3, present: 2 })
        );
        let uneven =
            NestedValues::Groups(vec![NestedValues::Values(vec![1.0, 2.0]), groups(&[&[1.0], &[2.0]])]);
        assert!(components(&uneven, 0.95).is_err());
        assert!(components(&groups(&[&[1.0, 2.0], &[]]), 0.95).is_err());
    }
}
