//! Intervals of times from which a measured cost of the shell was subtracted, compared with the true ratio.

use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::ShellRun;
use lotse_stats::descriptive::median;
use lotse_stats::sequential::Plan;

use crate::answer::{Comparison, Verdict};
use crate::rules::fixture::{Fixture, noise};
use crate::shell_error::ShellError;
use crate::trial::{Conclusion, StoppedBy};

/// The true times of the programs without the shell, and their ratio.
const OLD: f64 = 2.0;
const NEW: f64 = 3.0;
pub(crate) const RATIO: f64 = NEW / OLD;

/// A measurement in which the shell takes about 1, and `drift` more after its cost was measured on 50 runs.
pub(crate) fn measured(blocks: usize, drift: f64, seed: u64) -> Fixture {
    let shell = |count: usize, drift: f64, stream: u64| -> Vec<f64> {
        noise(count, 0.1, 10 * seed + stream).into_iter().map(|cost| cost + drift).collect()
    };
    let subtracted = median(&shell(50, 0.0, 0)).unwrap();
    let times = |own: f64, stream: u64| -> Vec<f64> {
        shell(blocks, drift, stream).into_iter().map(|cost| own + cost - subtracted).collect()
    };
    let mut fixture = Fixture::paired(&[("old", &times(OLD, 1)), ("new", &times(NEW, 2))]);
    let later = shell(2 * blocks, drift, 3).into_iter().enumerate();
    let run = |(index, cost): (usize, f64)| ShellRun {
        block: BlockId::from(index / 2),
        excess: [("wall".to_owned(), cost - subtracted)].into(),
    };
    fixture.set.shell = later.map(run).collect();
    fixture
}

fn compared(fixture: &Fixture, allow: bool) -> Comparison {
    let plan = Plan::default();
    let share = if allow { 0.9 } else { 1.0 };
    let single =
        Conclusion::single_look(Plan { alpha: share * plan.alpha, ..plan }, 1, 1000, StoppedBy::Runs);
    let shell = ShellError::measured(&fixture.set, 0.1 * plan.alpha).filter(|_| allow);
    let conclusion = Conclusion { plan, shell, ..single };
    fixture.concluded(&conclusion).comparisons.remove(0)
}

/// In how many of 100 measurements the interval contains the ratio.
fn covered(blocks: usize, drift: f64, allow: bool) -> usize {
    let contains = |seed: &u64| {
        let row = compared(&measured(blocks, drift, *seed), allow);
        matches!(row.interval, [Some(low), Some(high)] if low <= RATIO && RATIO <= high)
    };
    (0..100).filter(contains).count()
}

#[test]
fn intervals_allow_for_the_error_of_the_subtracted_cost() {
    // The ratio of raw times is known more precisely from 200 blocks than the cost of the shell from 50 runs.
    assert!(covered(200, 0.0, true) >= 95);
    assert!(covered(200, 0.0, false) < 95, "the data no longer show what is tested");
    // A shell that slows down by a tenth after its cost was measured.
    assert!(covered(30, 0.1, true) >= 95);
    assert!(covered(200, 0.1, false) < 50, "the data no longer show what is tested");
}

#[test]
fn a_program_faster_than_the_shell_varies_has_no_bound() {
    let mut fixture = measured(30, 0.0, 1);
    for run in &mut fixture.set.runs {
        run.values.values_mut().for_each(|wall| *wall *= 1e-3);
    }
    let row = compared(&fixture, true);
    assert_eq!((row.verdict, row.interval), (Verdict::Undecided, [None, None]));
    assert!(row.warnings[0].contains("measure without a shell"), "{:?}", row.warnings);
    assert_eq!(compared(&fixture, false).verdict, Verdict::Slower);
}

#[test]
fn runs_that_were_not_interleaved_allow_for_the_error_too() {
    let mut fixture = measured(60, 0.1, 7);
    fixture.set.design = lotse_model::results::Design::Sequential;
    let [low, high] = compared(&fixture, true).interval.map(Option::unwrap);
    assert!(low < RATIO && RATIO < high, "{low} to {high}");
    let [bare_low, bare_high] = compared(&fixture, false).interval.map(Option::unwrap);
    assert!(high - low > bare_high - bare_low);
}

#[test]
fn equal_programs_share_the_error_and_stay_equal() {
    let mut fixture = measured(200, 0.1, 3);
    let old: Vec<f64> = fixture.set.samples(ProgramId(0), "wall");
    for run in fixture.set.runs.iter_mut().filter(|run| run.program == ProgramId(1)) {
        // Differs from the time of the other program in the same block by at most a thousandth.
        let time = old[run.block.index()] * (1.0 + 1e-3 * f64::from(run.block.0 as i32 % 3 - 1));
        run.values.insert("wall".to_owned(), time);
    }
    let row = compared(&fixture, true);
    assert_eq!(row.verdict, Verdict::Equivalent, "{row:?}");
}
