//! Values by build, layout, run and index within the run, and the variance that each of these levels adds.
//!
//! ```text
//! build     0               1              variance between builds
//! run       0       1       2       3      variance between runs of one build
//! value   10 11   10 12   14 15   13 15    variance between values of one run
//! ```

use std::collections::BTreeMap;

use lotse_stats::nested::{NestedValues, components};

/// The levels of repetition, the highest first. The last one is what a program measures several times in one run.
pub(super) const LEVELS: [&str; 4] = ["build", "layout", "run", "value"];

/// A value and its group on each of the [`LEVELS`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Observation {
    pub(super) path: [u32; LEVELS.len()],
    pub(super) value: f64,
}

/// The variance that one level adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LevelVariance {
    pub(super) level: &'static str,
    /// How many builds (or layouts, runs, values) there are in total.
    pub(super) count: u32,
    /// An unbiased estimate, so it may be negative by chance.
    pub(super) variance: f64,
}

/// The variance that each level adds, the highest first.
///
/// A level with only one member in each group of the level above (one run per build, say) cannot be separated from that
/// level and is left out. `None` where there are fewer than two values.
pub(super) fn variances(observations: &[Observation]) -> Option<Vec<LevelVariance>> {
    let levels = repeated(observations);
    let tree = nested(observations, &levels);
    let variances = components(&tree, 0.95).ok()?.variances;
    let counts = counts(&tree);
    let component = |((level, count), variance): ((&usize, u32), f64)| LevelVariance {
        level: LEVELS[*level],
        count,
        variance,
    };
    Some(levels.iter().zip(counts).zip(variances).map(component).collect())
}

/// The levels with more than one member in some group of the level above, as indices into [`LEVELS`].
pub(super) fn repeated(observations: &[Observation]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for level in 0..LEVELS.len() {
        let mut first: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let several = observations.iter().any(|it| {
            let group: Vec<u32> = kept.iter().map(|&level| it.path[level]).collect();
            *first.entry(group).or_insert(it.path[level]) != it.path[level]
        });
        if several {
            kept.push(level);
        }
    }
    kept
}

fn nested(observations: &[Observation], levels: &[usize]) -> NestedValues {
    let (Some((&level, below)), true) = (levels.split_first(), levels.len() > 1) else {
        return NestedValues::Values(observations.iter().map(|it| it.value).collect());
    };
    let mut groups: BTreeMap<u32, Vec<Observation>> = BTreeMap::new();
    for observation in observations {
        groups.entry(observation.path[level]).or_default().push(*observation);
    }
    NestedValues::Groups(groups.values().map(|group| nested(group, below)).collect())
}

/// The number of groups or values at each level of the tree, the highest level first.
fn counts(tree: &NestedValues) -> Vec<u32> {
    match tree {
        NestedValues::Values(values) => vec![values.len() as u32],
        NestedValues::Groups(groups) => {
            let mut below: Vec<u32> = Vec::new();
            for group in groups {
                for (depth, count) in counts(group).into_iter().enumerate() {
                    match below.get_mut(depth) {
                        Some(sum) => *sum += count,
                        None => below.push(count),
                    }
                }
            }
            [vec![groups.len() as u32], below].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Observation, variances};

    fn check(values: &[([u32; 4], f64)], expected: &[(&str, u32)]) -> Vec<f64> {
        let observations: Vec<Observation> =
            values.iter().map(|&(path, value)| Observation { path, value }).collect();
        let found = variances(&observations).unwrap();
        assert_eq!(found.iter().map(|it| (it.level, it.count)).collect::<Vec<_>>(), expected);
        found.iter().map(|it| it.variance).collect()
    }

    #[test]
    fn every_level_that_is_repeated_has_its_variance() {
        let mut values = Vec::new();
        for build in 0..4 {
            for layout in 0..3 {
                for run in 0..2 {
                    for value in 0..2 {
                        values.push(([build, layout, 10 * build + run, value], f64::from(build % 2)));
                    }
                }
            }
        }
        let found = check(&values, &[("build", 4), ("layout", 12), ("run", 24), ("value", 48)]);
        assert!((found[0] - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
        assert!(found[1..].iter().all(|variance| *variance == 0.0), "{found:?}");
    }

    /// One run in each layout: the variance of runs cannot be separated from that of layouts.
    #[test]
    fn a_level_that_is_not_repeated_is_left_out() {
        let values = [0, 1, 2].map(|i| ([0, i, i, 0], f64::from(i)));
        assert_eq!(check(&values, &[("layout", 3)]), [1.0]);
        let lists: Vec<_> = [0, 1, 2]
            .into_iter()
            .flat_map(|i| [0, 1].map(|value| ([0, i, i, value], f64::from(i))))
            .collect();
        check(&lists, &[("layout", 3), ("value", 6)]);
    }

    /// Within: T² of [1, 3] and [5, 6, 7] is (2 + 2) / 3. Lists are weighted by their length.
    #[test]
    fn lists_of_different_lengths() {
        let values = [(0, 0, 1.0), (0, 1, 3.0), (1, 0, 5.0), (1, 1, 6.0), (1, 2, 7.0)];
        let values = values.map(|(run, at, value)| ([0, 0, run, at], value));
        let found = check(&values, &[("run", 2), ("value", 5)]);
        assert!((found[1] - 4.0 / 3.0).abs() < 1e-12, "{found:?}");
        // Between: Σ n (mean - 4.4)² = 2 · 2.4² + 3 · 1.6² = 19.2 = T²_value + (5 - 13 / 5) T²_run.
        assert!((found[0] - (19.2 - 4.0 / 3.0) / 2.4).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn one_value_has_no_variance() {
        assert_eq!(variances(&[Observation { path: [0; 4], value: 1.0 }]), None);
        assert_eq!(variances(&[]), None);
    }
}
