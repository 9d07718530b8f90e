//! How much of a spread comes from builds, from memory layouts and from single runs (Kalibera and Jones 2013).

use std::collections::BTreeMap;

use lotse_model::id::ProgramId;
use lotse_model::results::{Levels, ResultSet, Status};
use lotse_stats::descriptive::sample_sd;
use lotse_stats::distribution::normal_quantile;
use lotse_stats::nested::{Nested, components};

use super::Question;
use crate::answer::{LevelSpread, ProgramLevels, Units};
use crate::pairing;

/// A level above single runs, and which of them a run belongs to.
type Above = (&'static str, fn(&Levels) -> u32);

/// The levels above single runs, the highest first.
const LEVELS: [Above; 2] = [("build", |levels| levels.build), ("layout", |levels| levels.layout)];

/// The spread of every program by level; nothing where neither builds nor layouts were drawn.
pub(super) fn spreads(set: &ResultSet, question: &Question<'_>) -> Vec<ProgramLevels> {
    let of = |id: ProgramId| {
        let levels = spread(&values(set, id, question.primary))?;
        Some(ProgramLevels { program: set.programs[id.index()].name.clone(), levels })
    };
    set.program_ids().filter_map(of).collect()
}

/// Logarithms of the values of good runs, with their levels.
fn values(set: &ResultSet, program: ProgramId, metric: &str) -> Vec<(Levels, f64)> {
    let good = set.runs.iter().filter(|run| run.program == program && run.outcome.status == Status::Ok);
    let value =
        |run: &lotse_model::results::Run| run.values.get(metric).copied().filter(|value| *value > 0.0);
    good.filter_map(|run| Some((run.levels, value(run)?.ln()))).collect()
}

fn spread(values: &[(Levels, f64)]) -> Option<Vec<LevelSpread>> {
    let drawn = drawn_levels(values.iter().map(|(levels, _)| levels));
    if drawn.is_empty() {
        return None;
    }
    let mut names: Vec<&'static str> = drawn.iter().map(|(name, _)| *name).collect();
    let mut tree = nested(values, &drawn);
    if is_single(&tree) {
        // One run of each layout: what runs add by themselves cannot be told.
        tree = without_runs(tree);
    } else {
        names.push("run");
    }
    let variances = components(&tree, 0.95).ok()?.variances;
    let counts = counts(&tree);
    let level = |((name, count), variance): ((&'static str, u32), f64)| LevelSpread {
        level: name,
        count,
        deviation: variance.max(0.0).sqrt(),
    };
    Some(names.into_iter().zip(counts).zip(variances).map(level).collect())
}

/// Levels of which more than one was drawn.
fn drawn_levels<'a>(all: impl Iterator<Item = &'a Levels> + Clone) -> Vec<Above> {
    let several = |number: fn(&Levels) -> u32| {
        let mut numbers = all.clone().map(number);
        let first = numbers.next();
        numbers.any(|number| Some(number) != first)
    };
    LEVELS.into_iter().filter(|(_, number)| several(*number)).collect()
}

fn nested(values: &[(Levels, f64)], levels: &[Above]) -> Nested {
    let Some(((_, number), below)) = levels.split_first() else {
        return Nested::Values(values.iter().map(|(_, value)| *value).collect());
    };
    let mut groups: BTreeMap<u32, Vec<(Levels, f64)>> = BTreeMap::new();
    for (levels, value) in values {
        groups.entry(number(levels)).or_default().push((*levels, *value));
    }
    Nested::Groups(groups.values().map(|group| nested(group, below)).collect())
}

/// Whether no group of runs has two.
fn is_single(tree: &Nested) -> bool {
    match tree {
        Nested::Values(values) => values.len() < 2,
        Nested::Groups(groups) => groups.iter().all(is_single),
    }
}

/// The same with the lowest groups, of one run each, as values.
fn without_runs(tree: Nested) -> Nested {
    match tree {
        Nested::Groups(groups) if groups.iter().all(|group| matches!(group, Nested::Values(_))) => {
            Nested::Values(groups.iter().flat_map(Nested::values).collect())
        }
        Nested::Groups(groups) => Nested::Groups(groups.into_iter().map(without_runs).collect()),
        values @ Nested::Values(_) => values,
    }
}

/// How many there are of each level in all, the highest first.
fn counts(tree: &Nested) -> Vec<u32> {
    match tree {
        Nested::Values(values) => vec![values.len() as u32],
        Nested::Groups(groups) => {
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

/// What the interval of a ratio is computed from, where builds or layouts were drawn: they are independent, runs are not.
pub(super) fn units(
    set: &ResultSet,
    question: &Question<'_>,
    program: ProgramId,
    delta: f64,
) -> Option<Units> {
    let both = |run: &&lotse_model::results::Run| run.program == program || run.program == question.reference;
    let levels: Vec<Levels> = set.runs.iter().filter(both).map(|run| run.levels).collect();
    let (level, _) = *drawn_levels(levels.iter()).first()?;
    let blocks = pairing::blocks(set, question.reference, program, question.primary);
    let ratios: Vec<f64> = blocks.iter().map(|block| (block.program / block.reference).ln()).collect();
    let deviation = sample_sd(&ratios).ok().filter(|deviation| deviation.is_finite())?;
    Some(Units { level, count: blocks.len() as u32, deviation, needed: needed(deviation, delta) })
}

/// How many units bound a ratio to within a share of it, to either side.
fn needed(deviation: f64, share: f64) -> Option<u32> {
    let quantile = normal_quantile(0.975);
    let units = (quantile * deviation / share.ln_1p()).powi(2).ceil();
    units.is_finite().then(|| units.clamp(2.0, f64::from(u32::MAX)) as u32)
}

#[cfg(test)]
mod tests {
    use lotse_model::results::Levels;

    use super::{needed, spread};
    use crate::rules::fixture::{Fixture, noise};

    fn runs(values: &[(u32, u32, f64)]) -> Vec<(Levels, f64)> {
        let one = |&(build, layout, value): &(u32, u32, f64)| (Levels { build, layout, process: 0 }, value);
        values.iter().map(one).collect()
    }

    /// Layouts differ by 10 %, runs of one by 1 %.
    #[test]
    fn layouts_and_runs_are_told_apart() {
        let values: Vec<(u32, u32, f64)> = (0..40)
            .flat_map(|layout| {
                [0.01, -0.01, 0.01, -0.01].map(|run| (0, layout, f64::from(layout % 2) * 0.2 + run))
            })
            .collect();
        let levels = spread(&runs(&values)).unwrap();
        assert_eq!(
            levels.iter().map(|it| (it.level, it.count)).collect::<Vec<_>>(),
            [("layout", 40), ("run", 160)]
        );
        assert!((levels[0].deviation - 0.1).abs() < 0.005, "{levels:?}");
        assert!((levels[1].deviation - 0.0115).abs() < 0.001, "{levels:?}");
    }

    #[test]
    fn one_run_of_each_layout_says_nothing_about_runs() {
        let values: Vec<(u32, u32, f64)> = (0..20).map(|layout| (0, layout, f64::from(layout % 2))).collect();
        let levels = spread(&runs(&values)).unwrap();
        assert_eq!(levels.len(), 1);
        assert_eq!((levels[0].level, levels[0].count), ("layout", 20));
    }

    #[test]
    fn builds_are_above_layouts() {
        let values: Vec<(u32, u32, f64)> = (0..8)
            .flat_map(|build| {
                (0..3).flat_map(move |layout| [0, 1].map(|run| (build, layout, f64::from(run) * 0.1)))
            })
            .collect();
        let levels = spread(&runs(&values)).unwrap();
        let found: Vec<_> = levels.iter().map(|it| (it.level, it.count)).collect();
        assert_eq!(found, [("build", 8), ("layout", 24), ("run", 48)]);
        assert!(
            levels[0].deviation < 1e-6 && levels[1].deviation < 1e-6 && levels[2].deviation > 0.05,
            "{levels:?}"
        );
    }

    #[test]
    fn nothing_drawn_is_nothing_said() {
        assert_eq!(spread(&runs(&[(0, 0, 1.0), (0, 0, 1.1), (0, 0, 1.2)])), None);
    }

    /// Two programs that are equal, each with layouts that change its time by 5 % and runs that agree to 0.1 %: what many runs of
    /// ten layouts seem to show is claimed no more often than promised.
    #[test]
    fn layouts_raise_no_false_alarms() {
        let alarms = |layouts: usize, drawn: bool| {
            let trial = |seed: u64| {
                let program = |seed: u64| -> Vec<f64> {
                    let effects = noise(layouts, 0.05, seed);
                    let runs = noise(8 * layouts, 0.001, seed + 1);
                    runs.iter().enumerate().map(|(at, run)| run * effects[at % layouts]).collect()
                };
                let fixture = Fixture::paired(&[("a", &program(4 * seed)), ("b", &program(4 * seed + 2))]);
                let fixture = if drawn { fixture.in_layouts(layouts as u32) } else { fixture };
                fixture.answer().comparisons[0].differs()
            };
            (0..200).filter(|seed| trial(*seed)).count()
        };
        // 5 % of 200, and three deviations more.
        assert!(alarms(10, true) <= 20, "{} of 200", alarms(10, true));
        assert!(alarms(10, false) > 60, "as if runs were independent: {} of 200", alarms(10, false));
    }

    /// 1.96 times 9 % over the root of n is 1 %: some 300 layouts.
    #[test]
    fn units_that_a_precision_needs() {
        assert_eq!(needed(0.09, 0.01), Some(315));
        assert_eq!(needed(0.0, 0.01), Some(2));
    }
}
