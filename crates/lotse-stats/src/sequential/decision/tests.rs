//! Verdicts and stopping on synthetic blocks.

use super::*;
use crate::paired::Block;
use crate::sequential::Trial;

/// Blocks whose log ratios lie evenly within `spread` of `theta`, without serial correlation.
fn estimate(theta: f64, spread: f64, blocks: usize) -> PairedEstimate {
    let block = |i: usize| {
        let place = (i * 20 % blocks) as f64 / (blocks - 1) as f64;
        let program = (theta + spread * (2.0 * place - 1.0)).exp();
        Block { program, reference: 1.0, position: if i.is_multiple_of(2) { 1 } else { -1 } }
    };
    PairedEstimate::new(&(0..blocks).map(block).collect::<Vec<_>>()).unwrap()
}

fn look(fraction: f64, blocks: usize, nominal_p: f64) -> Look {
    Look { fraction, information: blocks as f64, z: 0.0, nominal_p }
}

fn check(plan: Plan, theta: f64, spread: f64, verdict: Verdict, stop: Option<StopReason>) {
    let decision = decide(&plan, look(0.5, 51, 0.01), &estimate(theta, spread, 51));
    assert_eq!((decision.verdict, decision.stop), (verdict, stop), "{theta} ± {spread}: {decision:?}");
    assert_eq!(decision.ratio.unwrap().level, 0.95);
}

#[test]
fn verdicts_and_stops() {
    let plan = Plan::default();
    check(plan, -0.02, 0.01, Verdict::Faster, Some(StopReason::Different));
    check(plan, 0.02, 0.01, Verdict::Slower, Some(StopReason::Different));
    check(plan, 0.0, 0.005, Verdict::Equivalent, Some(StopReason::Equivalent));
    check(plan, 0.0, 0.025, Verdict::Equivalent, None);
    check(plan, 0.0, 0.1, Verdict::Undecided, None);
    // A small difference that is certain is a difference, not an equivalence.
    check(plan, 0.002, 0.001, Verdict::Slower, Some(StopReason::Different));
}

#[test]
fn until_asks_for_precision_instead_of_a_verdict() {
    let plan = Plan { until: Some(0.005), ..Plan::default() };
    check(plan, 0.1, 0.05, Verdict::Slower, None);
    check(plan, 0.1, 0.01, Verdict::Slower, Some(StopReason::Precise));
    check(plan, 0.0, 0.01, Verdict::Equivalent, Some(StopReason::Precise));
}

#[test]
fn a_limit_must_be_excluded_on_one_side() {
    let plan = Plan { limit: Some(1.02), ..Plan::default() };
    let decided = Some(StopReason::Limit);
    // Slower for certain, by 1.9 to 4.1 %: without a limit this would be the end.
    check(Plan::default(), 1.03_f64.ln(), 0.05, Verdict::Slower, Some(StopReason::Different));
    check(plan, 1.03_f64.ln(), 0.05, Verdict::Slower, None);
    check(plan, 1.03_f64.ln(), 0.02, Verdict::Slower, decided);
    // Allowed for certain, whether or not it differs from 1.
    check(plan, 0.0, 0.08, Verdict::Undecided, decided);
    check(plan, 1.01_f64.ln(), 0.02, Verdict::Slower, decided);
    check(plan, 0.9_f64.ln(), 0.2, Verdict::Faster, decided);
    // Precision that was asked for does not replace the decision, nor the other way round.
    let both = Plan { until: Some(0.02), ..plan };
    check(both, 1.03_f64.ln(), 0.05, Verdict::Slower, None);
    check(both, 1.1_f64.ln(), 0.05, Verdict::Slower, Some(StopReason::Precise));
}

#[test]
fn a_plain_difference_has_no_relative_precision() {
    let block = |i: usize| Block { program: (i % 3) as f64 * 1e-9, reference: 0.0, position: 0 };
    let estimate = PairedEstimate::new(&(0..51).map(block).collect::<Vec<_>>()).unwrap();
    let plan = Plan { until: Some(0.005), ..Plan::default() };
    let decision = decide(&plan, look(0.5, 51, 0.01), &estimate);
    assert_eq!((decision.ratio, decision.stop), (None, None));
}

#[test]
fn the_last_look_ends_every_trial() {
    let decision = decide(&Plan::default(), look(1.0, 51, 0.01), &estimate(0.0, 0.1, 51));
    assert_eq!(decision.stop, Some(StopReason::Exhausted));
}

#[test]
fn early_looks_conclude_nothing_and_spend_nothing() {
    let mut trial = Trial::new(Plan::default(), 1).unwrap();
    let few = trial.decide(0.02, &[estimate(0.5, 0.01, 5)]).unwrap()[0];
    assert_eq!((few.verdict, few.stop), (Verdict::Undecided, None));
    let mut fresh = Trial::new(Plan::default(), 1).unwrap();
    // 0.05 · 0.06² is less than the smallest p value of ten signs, 2 / 2^10.
    let blind = fresh.look(0.06, 10).unwrap()[0];
    assert_eq!((blind.nominal_p, blind.z), (0.0, f64::INFINITY));
    assert_eq!(trial.look(0.5, 50).unwrap(), fresh.look(0.5, 50).unwrap());
    let last = Trial::new(Plan::default(), 1).unwrap().look(1.0, 6).unwrap()[0];
    assert!((last.nominal_p - 0.05).abs() < 1e-9);
}

#[test]
fn all_equal_blocks_need_a_real_look_too() {
    let same = [Block { program: 1.0, reference: 2.0, position: 0 }; 20];
    let decide_at = |n: usize, fraction: f64| {
        let estimate = PairedEstimate::new(&same[..n]).unwrap();
        Trial::new(Plan::default(), 1).unwrap().decide(fraction, &[estimate]).unwrap()[0]
    };
    assert_eq!(decide_at(2, 0.1).verdict, Verdict::Undecided);
    assert_eq!(decide_at(20, 0.5).verdict, Verdict::Faster);
}

#[test]
fn several_comparisons_share_alpha_and_every_verdict_is_that_of_its_interval() {
    let plan = Plan::default();
    let weak = estimate(0.004, 0.02, 51);
    let looks = [look(0.5, 51, 0.05), look(0.5, 51, 0.001)];
    let together = decide_together(&plan, &looks, &[weak.clone(), estimate(-0.1, 0.02, 51)]);
    assert_eq!(together.iter().map(|d| d.verdict).collect::<Vec<_>>(), [Verdict::Undecided, Verdict::Faster]);
    assert!(together[0].theta.contains(0.0), "{together:?}");
    let alone = decide_together(&plan, &looks, &[weak]);
    assert_eq!(alone[0].verdict, Verdict::Slower);
}

#[test]
fn until_is_a_share_of_the_ratio() {
    // Ten times as much, known to 1 %: the ends lie 0.1 from the middle on the scale of ratios.
    let plan = Plan { until: Some(0.02), ..Plan::default() };
    check(plan, 10.0_f64.ln(), 0.03, Verdict::Slower, Some(StopReason::Precise));
    check(plan, 0.1_f64.ln(), 0.03, Verdict::Faster, Some(StopReason::Precise));
    check(plan, 0.1_f64.ln(), 0.2, Verdict::Faster, None);
}

#[test]
fn nonsense_is_refused() {
    assert!(Trial::new(Plan::default(), 0).is_err());
    assert!(Trial::new(Plan { delta: 0.0, ..Plan::default() }, 1).is_err());
    assert!(Trial::new(Plan { until: Some(f64::NAN), ..Plan::default() }, 1).is_err());
    assert!(Trial::new(Plan { limit: Some(0.0), ..Plan::default() }, 1).is_err());
    assert!(Trial::new(Plan { alpha: 1.0, ..Plan::default() }, 1).is_err());
    assert!(Trial::new(Plan::default(), 2).unwrap().decide(0.5, &[estimate(0.0, 0.1, 11)]).is_err());
}
