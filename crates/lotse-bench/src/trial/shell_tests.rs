//! A user who watches a measurement with a shell and stops as soon as the interval is wrong.

use lotse_model::results::ResultSet;

use super::BenchTrial;
use super::tests::options;
use crate::analysis::shell_tests::{RATIO, measured};
use crate::options::Stopping;

const BLOCKS: usize = 60;
const TRIALS: u64 = 100;

fn first_blocks(set: &ResultSet, blocks: u32) -> ResultSet {
    let mut begun = set.clone();
    begun.runs.retain(|run| run.block.0 < blocks);
    begun.shell.retain(|run| run.block.0 < blocks);
    begun
}

/// Whether the interval of any look does not contain the true ratio.
fn misses(set: &ResultSet, allow: bool) -> bool {
    let options = options(set, Stopping { until: Some(1e-9), ..Stopping::default() });
    let mut trial = BenchTrial::new(&options, allow).unwrap();
    let mut looks = (10..=BLOCKS).step_by(5);
    let missed = looks.any(|blocks| {
        trial.reached(blocks as f64 / BLOCKS as f64);
        trial.look(&first_blocks(set, blocks as u32)).unwrap();
        trial.last.iter().filter_map(|decision| decision.ratio).any(|ratio| !ratio.contains(RATIO))
    });
    // The interval must also be narrow: an unbounded one would never be wrong.
    let last = trial.last[0].ratio.unwrap();
    assert!(missed || last.relative_half_width() < 0.08, "{last:?}");
    missed
}

fn missed(drift: f64, allow: bool) -> usize {
    (0..TRIALS).filter(|seed| misses(&measured(BLOCKS, drift, *seed).set, allow)).count()
}

#[test]
fn stopping_at_any_look_is_wrong_in_at_most_one_of_twenty_trials() {
    // The shell takes a tenth longer than what was subtracted, or not longer.
    for drift in [0.0, 0.1] {
        let wrong = missed(drift, true);
        // 5 are expected of 100 at 5 %; more than 11 has a chance of 0.4 %.
        assert!(wrong <= 11, "{wrong} of {TRIALS} with a drift of {drift}");
    }
    let bare = missed(0.1, false);
    assert!(bare > 20, "the data no longer show what is tested: {bare}");
}
