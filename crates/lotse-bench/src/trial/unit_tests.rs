//! Looks at builds or layouts that are measured again and again.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_stats::sequential::{Plan, Trial, Verdict};

use super::BenchTrial;
use super::tests::options;
use crate::options::Stopping;
use crate::pairing;
use crate::rules::fixture::{Fixture, noise};

const BLOCKS: u32 = 240;
const LAYOUTS: u32 = 24;

/// Equal programs in layouts that change nothing.
fn equal(seed: u64) -> ResultSet {
    let count = BLOCKS as usize;
    let runs = [noise(count, 0.02, 2 * seed), noise(count, 0.02, 2 * seed + 1)];
    Fixture::paired(&[("a", &runs[0]), ("b", &runs[1])]).in_layouts(LAYOUTS).set
}

/// Whether some look claims a difference; `look` returns the look after a share of the trial, at a number of units and of blocks.
fn claims(set: &ResultSet, mut look: impl FnMut(f64, usize, usize) -> lotse_stats::sequential::Look) -> bool {
    (2..=20).any(|twentieth| {
        let blocks = BLOCKS * twentieth / 20;
        let mut seen = set.clone();
        seen.runs.retain(|run| run.block.0 < blocks);
        let family = pairing::family(&seen, ProgramId(0), ProgramId(1), "wall", None).unwrap();
        let look = look(f64::from(twentieth) / 20.0, family.estimate.blocks(), blocks as usize);
        let verdict = family.decide(&Plan::default(), look).verdict;
        matches!(verdict, Verdict::Faster | Verdict::Slower)
    })
}

/// A person who watches the display stops at the first claim. If measuring the same layouts again counted as no new look,
/// more of such trials would claim a difference.
#[test]
fn looking_at_the_same_layouts_again_raises_no_more_false_alarms() {
    const TRIALS: u64 = 200;
    let trial = || Trial::new(Plan::default(), 1).unwrap();
    let share = |claimed: &dyn Fn(u64) -> bool| {
        (0..TRIALS).filter(|seed| claimed(*seed)).count() as f64 / TRIALS as f64
    };
    let counted = share(&|seed| {
        let mut trial = trial();
        claims(&equal(seed), |t, units, blocks| trial.look_again(t, units, blocks).unwrap()[0])
    });
    let ignored = share(&|seed| {
        let mut trial = trial();
        claims(&equal(seed), |t, units, _| trial.look(t, units).unwrap()[0])
    });
    assert!(counted <= 0.05 + 3.0 * (0.05_f64 * 0.95 / TRIALS as f64).sqrt(), "{counted}");
    assert!(ignored > counted, "{ignored} {counted}");
}

/// The number of blocks, not of layouts, is what `--max-runs` ends.
#[test]
fn looks_count_blocks_and_their_p_values_those_of_all_looks_before() {
    let set = equal(1);
    let options = options(&set, Stopping { max_blocks: Some(BLOCKS), ..Stopping::default() });
    let mut trial = BenchTrial::new(&options, false).unwrap();
    let mut expected = Trial::new(super::plan(&options.stopping), 1).unwrap();
    for blocks in [20, 50, BLOCKS] {
        let mut seen = set.clone();
        seen.runs.retain(|run| run.block.0 < blocks);
        let fraction = f64::from(blocks) / f64::from(BLOCKS);
        trial.reached(fraction);
        trial.look(&seen).unwrap();
        let look = expected.look_again(fraction, LAYOUTS as usize, blocks as usize).unwrap()[0];
        assert_eq!(trial.looks, [look]);
    }
    assert_eq!(trial.stopped_by(), super::StoppedBy::Runs);
}
