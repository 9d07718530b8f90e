//! How much of a spread comes from builds, from memory layouts, from single runs and from what is measured within a run
//! (Kalibera and Jones 2013).

use std::collections::BTreeSet;

use lotse_model::id::ProgramId;
use lotse_model::results::{Levels, ResultSet, Run, Status};
use lotse_stats::descriptive::{mean, sample_sd};
use lotse_stats::distribution::normal_quantile;
use lotse_stats::paired::blocks_needed;

use super::Question;
use super::hierarchy::{self, LEVELS, Observation};
use crate::answer::{LevelSpread, ProgramLevels, Units};
use crate::pairing;

/// The factor by which intervals are wider than those of a test of fixed size with known spread, because of repeated looks,
/// ranks and correlation (measured by the benchmark `few_blocks` at 100 blocks).
const WIDENING: f64 = 1.2;

/// The spread of every program by level: of the primary metric where builds or layouts were drawn, and of every metric that
/// runs report as a list of values.
pub(super) fn spreads(set: &ResultSet, question: &Question<'_>) -> Vec<ProgramLevels> {
    let listed: BTreeSet<&str> =
        set.runs.iter().flat_map(|run| run.within.keys().map(String::as_str)).collect();
    let others = listed.into_iter().filter(|metric| *metric != question.primary);
    let program_levels = |metric: &str, id: ProgramId| {
        let levels = spread(&observations(set, id, metric)?)?;
        Some(ProgramLevels {
            program: set.programs[id.index()].name.clone(),
            metric: metric.to_owned(),
            levels,
        })
    };
    let all = std::iter::once(question.primary).chain(others);
    all.flat_map(|metric| set.program_ids().filter_map(move |id| program_levels(metric, id))).collect()
}

/// The values of good runs with their levels, as logarithms. If some value has no logarithm, all values are divided by
/// their mean instead; `None` if the mean is not positive.
fn observations(set: &ResultSet, program: ProgramId, metric: &str) -> Option<Vec<Observation>> {
    let good = set.runs.iter().filter(|run| run.program == program && run.outcome.status == Status::Ok);
    let measured = good.enumerate().flat_map(|(at, run)| {
        let place = move |(within, value): (usize, f64)| {
            let Levels { build, layout, .. } = run.levels;
            Observation { path: [build, layout, at as u32, within as u32], value }
        };
        values(run, metric).into_iter().enumerate().map(place)
    });
    let measured: Vec<Observation> = measured.collect();
    let values: Vec<f64> = measured.iter().map(|it| it.value).collect();
    let positive = values.iter().all(|value| *value > 0.0);
    let mean = mean(&values).ok().filter(|mean| *mean > 0.0)?;
    let scaled = |value: f64| if positive { value.ln() } else { value / mean };
    Some(measured.into_iter().map(|it| Observation { value: scaled(it.value), ..it }).collect())
}

/// The values measured within a run, or the single value of the run.
fn values(run: &Run, metric: &str) -> Vec<f64> {
    let list = run.within.get(metric).filter(|list| !list.is_empty());
    list.cloned().unwrap_or_else(|| run.values.get(metric).copied().into_iter().collect())
}

/// The deviation that each level adds; `None` where runs are the only level.
fn spread(observations: &[Observation]) -> Option<Vec<LevelSpread>> {
    if matches!(hierarchy::repeated(observations)[..], [] | [2]) {
        return None;
    }
    let level = |it: hierarchy::LevelVariance| LevelSpread {
        level: it.level,
        count: it.count,
        deviation: it.variance.max(0.0).sqrt(),
    };
    Some(hierarchy::variances(observations)?.into_iter().map(level).collect())
}

/// The builds or layouts from which the interval of a ratio is computed: where they were drawn, they are independent of each
/// other, and runs of the same build or layout are not.
pub(super) fn units(
    set: &ResultSet,
    question: &Question<'_>,
    program: ProgramId,
    precision: Precision,
) -> Option<Units> {
    let both = set.runs.iter().filter(|run| run.program == program || run.program == question.reference);
    let drawn = both.map(|run| Observation { path: [run.levels.build, run.levels.layout, 0, 0], value: 0.0 });
    let level = LEVELS[*hierarchy::repeated(&drawn.collect::<Vec<_>>()).first()?];
    let blocks = pairing::blocks(set, question.reference, program, question.primary);
    let ratios: Vec<f64> = blocks.iter().map(|block| (block.program / block.reference).ln()).collect();
    let deviation = sample_sd(&ratios).ok().filter(|deviation| deviation.is_finite())?;
    let count = blocks.len() as u32;
    let needed = precision.units_needed(deviation);
    Some(Units { level, count, deviation, wanted: precision.wanted, needed })
}

/// An interval to reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Precision {
    /// How far it may reach to either side, as a share of the ratio.
    pub(super) wanted: f64,
    /// The probability that it does not contain the ratio.
    pub(super) alpha: f64,
}

impl Precision {
    /// Estimated number of units. Fewer than [`blocks_needed`] give no interval at all, however little they vary.
    pub(super) fn units_needed(self, deviation: f64) -> Option<u32> {
        let quantile = WIDENING * normal_quantile(0.975);
        let units = (quantile * deviation / self.wanted.ln_1p()).powi(2).ceil();
        let least = blocks_needed(self.alpha).ok()? as f64;
        units.is_finite().then(|| units.clamp(least, f64::from(u32::MAX)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::{Observation, Precision, spread};
    use crate::rules::fixture::{Fixture, noise};

    fn runs(values: &[(u32, u32, f64)]) -> Vec<Observation> {
        let one = |(at, &(build, layout, value)): (usize, &(u32, u32, f64))| Observation {
            path: [build, layout, at as u32, 0],
            value,
        };
        values.iter().enumerate().map(one).collect()
    }

    /// Layouts differ by 10 %, runs of one by 1 %.
    #[test]
    fn the_spreads_of_layouts_and_of_runs_are_separate() {
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
    fn a_single_layout_has_no_levels() {
        assert_eq!(spread(&runs(&[(0, 0, 1.0), (0, 0, 1.1), (0, 0, 1.2)])), None);
    }

    /// Two programs that are equal, each with layouts that change its time by 5 % and runs that agree to 0.1 %: differences
    /// are claimed no more often than promised, although many runs of ten layouts seem to show one.
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

    /// 1.2 times 1.96 times 9 % over the root of n is 1 %: (0.2117 / 0.00995)² layouts.
    #[test]
    fn units_that_a_precision_needs() {
        let precision = Precision { wanted: 0.01, alpha: 0.05 };
        assert_eq!(precision.units_needed(0.09), Some(453));
        // As many as `lotse_stats::paired::blocks_needed` says: fewer have no interval.
        assert_eq!(precision.units_needed(0.0), Some(10));
    }

    /// A fixture of two programs that print a list of `latency` in each of 40 runs.
    fn printing(list: impl Fn(f64, usize) -> Vec<f64>) -> Fixture {
        let runs = [noise(40, 0.05, 8), noise(40, 0.05, 9)];
        let mut fixture = Fixture::paired(&[("base", &runs[0]), ("new", &runs[1])]);
        fixture.measure("latency", &[&runs[0], &runs[1]]);
        for (at, run) in fixture.set.runs.iter_mut().enumerate() {
            let printed = list(run.values["latency"], at);
            run.values.insert("latency".to_owned(), printed.iter().sum::<f64>() / printed.len() as f64);
            run.within.insert("latency".to_owned(), printed);
        }
        fixture
    }

    #[test]
    fn lists_are_a_level_below_the_run() {
        let within = noise(800, 0.02, 10);
        let answer =
            printing(|run, at| (0..3 + at % 4).map(|i| run * within[10 * at + i]).collect()).answer();
        assert_eq!(answer.levels.len(), 2, "{:?}", answer.levels);
        let levels = &answer.levels[1];
        assert_eq!((levels.program.as_str(), levels.metric.as_str()), ("new", "latency"));
        let found: Vec<_> = levels.levels.iter().map(|it| (it.level, it.count)).collect();
        assert_eq!(found, [("run", 40), ("value", 180)]);
        assert!((levels.levels[0].deviation - 0.05).abs() < 0.015, "{levels:?}");
        assert!((levels.levels[1].deviation - 0.02).abs() < 0.004, "{levels:?}");
        // The comparison counts runs, not values.
        let latency = answer.comparisons.iter().find(|it| it.metric == "latency").unwrap();
        assert_eq!(latency.blocks, 40);
    }

    #[test]
    fn constant_lists_add_nothing_and_zeros_have_a_spread_too() {
        let constant = printing(|run, _| vec![run; 3]).answer();
        assert!(constant.levels[0].levels[1].deviation < 1e-12, "{:?}", constant.levels);
        let zeros = printing(|run, at| vec![0.0, if at % 2 == 0 { run } else { 2.0 * run }]).answer();
        let within = &zeros.levels[0].levels[1];
        assert!(within.level == "value" && within.deviation > 0.5, "{:?}", zeros.levels);
        let none = printing(|_, _| vec![0.0, 0.0]).answer();
        assert_eq!(none.levels, [], "a mean of zero has no shares");
    }
}
