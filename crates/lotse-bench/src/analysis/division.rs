//! How measuring time is best divided over builds, layouts and runs (Kalibera and Jones 2013), from their measured spread
//! and cost.
//!
//! Example: one more build costs 60 s and adds a standard deviation of 1 %; one more run costs 1 s and adds 3 %. The best
//! number of runs in each build is sqrt(60 / 1) * 3 / 1 = 23: a run is cheap and varies much, so it is worth repeating.

use std::collections::BTreeMap;

use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::results::{Levels, ResultSet};
use lotse_stats::descriptive::mean;
use lotse_stats::nested::{best_repetitions, group_cost, group_variance};

use super::Question;
use super::hierarchy::{self, LevelVariance, Observation};
use super::levels::Precision;
use crate::answer::{Division, LevelShare};
use crate::pairing;

/// The best division for the ratio of a program to the reference on the primary metric.
///
/// `None` where nothing was drawn, where only one run was made of each build or layout (then the variance that runs add is not known), or
/// where the cost of a build or of a run is not known.
pub(super) fn best_division(
    set: &ResultSet,
    question: &Question<'_>,
    program: ProgramId,
    precision: Precision,
) -> Option<Division> {
    let both = [question.reference, program];
    let components = hierarchy::variances(&ratios(set, both, question.primary)?)?;
    if components.len() < 2 || components.last()?.level != "run" {
        return None;
    }
    let variances: Vec<f64> = components.iter().map(|it| it.variance).collect();
    let costs = components.iter().map(|it| cost(set, both, it.level)).collect::<Option<Vec<f64>>>()?;
    let repetitions = best_repetitions(&variances, &costs).ok()?;
    let needed = precision.units_needed(group_variance(&variances, &repetitions).sqrt())?;
    let seconds = f64::from(needed) * group_cost(&costs, &repetitions);
    let within = std::iter::once(None).chain(repetitions.into_iter().map(Some));
    let share = |((it, seconds), repetitions): ((&LevelVariance, f64), Option<u64>)| LevelShare {
        level: it.level,
        deviation: it.variance.max(0.0).sqrt(),
        seconds,
        repetitions,
    };
    let levels = components.iter().zip(costs).zip(within).map(share).collect();
    Some(Division { levels, needed, seconds })
}

/// The logarithms of the ratios of all pairs of runs, with their levels; nothing where a value has no logarithm.
fn ratios(set: &ResultSet, [reference, program]: [ProgramId; 2], metric: &str) -> Option<Vec<Observation>> {
    let pairs = pairing::levelled_pairs(set, reference, program, metric);
    let (mut builds, mut layouts) = (Numbers::new(), Numbers::new());
    let one = |(at, (levels, block)): (usize, ([Levels; 2], lotse_stats::paired::Block))| {
        let value = (block.program / block.reference).ln();
        let build = number(&mut builds, levels.map(|it| it.build));
        let layout = number(&mut layouts, levels.map(|it| it.layout));
        value.is_finite().then_some(Observation { path: [build, layout, at as u32, 0], value })
    };
    pairs.into_iter().enumerate().map(one).collect()
}

/// Numbers of the builds (or layouts) of the two programs of a pair, in order of first appearance.
type Numbers = BTreeMap<[u32; 2], u32>;

fn number(known: &mut Numbers, drawn: [u32; 2]) -> u32 {
    let next = known.len() as u32;
    *known.entry(drawn).or_insert(next)
}

/// Seconds that one more build, layout or run takes for both programs, without the levels below it.
fn cost(set: &ResultSet, both: [ProgramId; 2], level: &str) -> Option<f64> {
    let cost_of_program = |program: ProgramId| match level {
        "build" if has_builds(set, program) => set.programs[program.index()].build_seconds,
        // A program with a single build is not built again. A new layout only changes the environment of the next run.
        "build" | "layout" => Some(0.0),
        _ => mean(&set.samples(program, WALL)).ok().filter(|seconds| *seconds > 0.0),
    };
    both.into_iter().map(cost_of_program).sum()
}

fn has_builds(set: &ResultSet, program: ProgramId) -> bool {
    set.good_runs(program).any(|run| run.levels.build > 0)
}

#[cfg(test)]
mod tests {
    use crate::answer::Division;
    use crate::rules::fixture::{Fixture, noise};

    /// Ten builds (or layouts) that change the ratio by `spread`, with eight runs of each that vary by `runs`.
    fn fixture(spread: f64, runs: f64) -> Fixture {
        let drawn = noise(10, spread, 5);
        let base = noise(80, runs, 6);
        let program: Vec<f64> =
            noise(80, runs, 7).iter().enumerate().map(|(at, value)| value * drawn[at % 10]).collect();
        Fixture::paired(&[("base", &base), ("program", &program)])
    }

    fn division(fixture: &Fixture) -> Option<Division> {
        fixture.answer().comparisons[0].division.clone()
    }

    /// A layout costs nothing, so every run gets its own.
    #[test]
    fn one_run_in_each_layout() {
        let found = division(&fixture(0.02, 0.05).in_layouts(10)).unwrap();
        assert_eq!(found.levels.iter().map(|it| it.level).collect::<Vec<_>>(), ["layout", "run"]);
        assert_eq!((found.levels[0].repetitions, found.levels[1].repetitions), (None, Some(1)));
        assert_eq!(found.levels[0].seconds, 0.0);
        // A run of the fixture takes about a second, a pair two.
        assert!((found.seconds / f64::from(found.needed) - 2.0).abs() < 0.05, "{found:?}");
    }

    /// √(c_build / c_run · T²_run / T²_build), rounded up.
    #[test]
    fn expensive_builds_have_several_runs() {
        let mut fixture = fixture(0.02, 0.05).in_builds(10);
        assert_eq!(division(&fixture), None, "what a build costs is not known");
        fixture.set.programs.iter_mut().for_each(|program| program.build_seconds = Some(30.0));
        let found = division(&fixture).unwrap();
        let [build, run] = &found.levels[..] else { panic!("{found:?}") };
        assert_eq!(build.seconds, 60.0);
        let best = (build.seconds / run.seconds).sqrt() * run.deviation / build.deviation;
        assert_eq!(run.repetitions, Some(best.ceil() as u64), "{found:?}");
        let each = build.seconds + best.ceil() * run.seconds;
        assert!((found.seconds - f64::from(found.needed) * each).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn nothing_is_divided_where_nothing_is_drawn_or_repeated() {
        assert_eq!(division(&fixture(0.02, 0.05)), None);
        assert_eq!(division(&fixture(0.02, 0.05).in_layouts(80)), None, "one run in each layout");
    }
}
