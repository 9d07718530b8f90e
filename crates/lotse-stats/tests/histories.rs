//! Error rates of session comparisons and change point searches on simulated histories, with fixed seeds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helper functions too")]

use lotse_stats::change_points::{ChangePointSearch, change_points};
use lotse_stats::distribution::normal_quantile;
use lotse_stats::sessions::{Session, SessionSpread, difference};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

struct Noise(Xoshiro256PlusPlus);

impl Noise {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        normal_quantile(self.uniform())
    }

    /// One session in twenty is disturbed: ten times as large as the others.
    fn with_bad_days(&mut self) -> f64 {
        let calm = self.normal();
        if self.uniform() < 0.05 { 10.0 * calm.abs() } else { calm }
    }

    /// A first-order autoregression.
    fn series(&mut self, len: usize, lag: f64) -> Vec<f64> {
        let fresh = (1.0 - lag * lag).sqrt();
        let mut last = self.normal();
        let mut next = || {
            last = lag * last + fresh * self.normal();
            last
        };
        (0..len).map(|_| next()).collect()
    }
}

const EXACT: f64 = 0.0;

fn sessions(values: &[f64]) -> Vec<Session> {
    values.iter().map(|&centre| Session { centre, error: EXACT }).collect()
}

/// The shares of intervals that miss a true difference of 0: those above it (false alarms) and those below. A new session is
/// compared with the newest `earlier` of `known` sessions; the spread is estimated from all of them.
fn misses(known: usize, earlier: usize, level: f64, draw: impl Fn(&mut Noise) -> f64) -> [f64; 2] {
    const TRIALS: u32 = 4000;
    let mut noise = Noise::new(known as u64 * 1000 + earlier as u64);
    let mut missed = [0, 0];
    for _ in 0..TRIALS {
        let history: Vec<f64> = (0..known).map(|_| draw(&mut noise)).collect();
        let spread = SessionSpread::within([history.as_slice()]).unwrap();
        let new = Session { centre: draw(&mut noise), error: EXACT };
        let found = difference(&[new], &sessions(&history[known - earlier..]), spread, level).unwrap();
        missed[0] += u32::from(found.low > 0.0);
        missed[1] += u32::from(found.high < 0.0);
    }
    missed.map(|count| f64::from(count) / f64::from(TRIALS))
}

#[test]
fn an_interval_misses_no_more_often_than_it_may() {
    // Three standard errors of a share of 5 % in 4000 trials are 1 %.
    for (known, earlier) in [(3, 3), (5, 3), (5, 5), (10, 3), (10, 5), (10, 10), (60, 3), (60, 10)] {
        let [above, below] = misses(known, earlier, 0.95, Noise::normal);
        assert!(above + below <= 0.06, "{known} known, {earlier} compared with: {above} + {below}");
        assert!((above - below).abs() <= 0.015, "lopsided: {above} and {below}");
    }
}

#[test]
fn an_interval_is_not_wider_than_it_must_be() {
    // The extremes of few sessions are nearer than the quantile, so that they cost nothing. From eight sessions on the
    // spread is one that bad days do not move, which costs some width.
    for (known, least) in [(3, 0.04), (5, 0.04), (10, 0.03)] {
        let [above, below] = misses(known, known, 0.95, Noise::normal);
        assert!(above + below >= least, "{known} known: {above} + {below}");
    }
    let [above, below] = misses(10, 10, 0.8, Noise::normal);
    assert!((0.10..=0.22).contains(&(above + below)), "{above} + {below} at 80 %");
}

#[test]
fn bad_days_raise_few_false_alarms() {
    // One session in twenty is bad. What the history has not seen it cannot allow for, but what it has seen it must: without
    // the extremes, every second bad day of a long history would be an alarm.
    let [short, _] = misses(5, 5, 0.95, Noise::with_bad_days);
    let [long, _] = misses(60, 10, 0.95, Noise::with_bad_days);
    assert!(short <= 0.06 && long <= 0.025, "{short} with 5 sessions, {long} with 60");
}

#[test]
fn a_real_difference_is_seen() {
    let mut noise = Noise::new(5);
    let mut seen = |shift: f64| {
        let proved = |noise: &mut Noise| {
            let history: Vec<f64> = (0..10).map(|_| noise.normal()).collect();
            let spread = SessionSpread::within([history.as_slice()]).unwrap();
            let new = Session { centre: noise.normal() + shift, error: EXACT };
            difference(&[new], &sessions(&history), spread, 0.95).unwrap().low > 0.0
        };
        (0..500).filter(|_| proved(&mut noise)).count()
    };
    let (double, fivefold) = (seen(2.0), seen(5.0));
    assert!(double < 300, "two deviations are {double} times of 500 more than a session differs by");
    assert!(fivefold > 445, "five deviations are seen {fivefold} times of 500");
}

#[test]
fn steps_between_levels_are_no_spread() {
    let mut noise = Noise::new(9);
    let low: Vec<f64> = (0..30).map(|_| noise.normal()).collect();
    let high: Vec<f64> = (0..30).map(|_| 100.0 + noise.normal()).collect();
    let apart = SessionSpread::within([low.as_slice(), &high]).unwrap();
    let together = SessionSpread::within([[low, high].concat().as_slice()]).unwrap();
    assert!((apart.deviation - 1.0).abs() < 0.2 && (apart.freedom - 0.37 * 58.0).abs() < 1e-9, "{apart:?}");
    assert!(together.deviation > 45.0, "{together:?}");
}

fn is_changed(values: &[f64]) -> bool {
    !change_points(values, &ChangePointSearch::default()).unwrap().is_empty()
}

/// In how many of 100 series a change is found.
fn found(seed: u64, len: usize, lag: f64, step: f64) -> usize {
    let mut noise = Noise::new(seed);
    let mut changed = || {
        let mut values = noise.series(len, lag);
        values[len / 2..].iter_mut().for_each(|value| *value += step);
        is_changed(&values)
    };
    (0..100).filter(|_| changed()).count()
}

#[test]
fn false_changes_are_rare_at_every_length() {
    for len in [6, 12, 30, 80] {
        let alarms = found(len as u64, len, 0.0, 0.0);
        assert!(alarms <= 4, "{alarms} of 100 series of {len} independent values");
        let alarms = found(len as u64 + 1, len, 0.4, 0.0);
        assert!(alarms <= 10, "{alarms} of 100 series of {len} correlated values");
    }
}

#[test]
fn larger_and_longer_steps_are_found_more_often() {
    let steps = [0.5, 1.5, 3.0].map(|step| found(40, 30, 0.0, step));
    assert!(steps[0] < steps[1] && steps[1] < steps[2] && steps[2] >= 92, "by size: {steps:?}");
    let lengths = [10, 20, 60].map(|len| found(41, len, 0.0, 1.5));
    assert!(lengths[0] < lengths[1] && lengths[1] < lengths[2] && lengths[2] >= 90, "by length: {lengths:?}");
    // What slow noise could have done is less certain, and a large step is more than that.
    let (independent, correlated) = (found(42, 30, 0.0, 2.0), found(42, 30, 0.5, 2.0));
    assert!(correlated < independent, "{correlated} and {independent}");
    let large = found(43, 80, 0.5, 6.0);
    assert!(large >= 90, "{large}");
}

#[test]
fn a_step_back_is_two_changes() {
    let mut noise = Noise::new(77);
    let mut both = 0;
    for _ in 0..50 {
        let mut values = noise.series(60, 0.0);
        values[20..40].iter_mut().for_each(|value| *value += 5.0);
        let changes = change_points(&values, &ChangePointSearch::default()).unwrap();
        if let [up, down] = &changes[..] {
            assert!(up.shift > 3.0 && down.shift < -3.0, "{changes:?}");
            both += usize::from(up.at.abs_diff(20) <= 1 && down.at.abs_diff(40) <= 1);
        }
    }
    assert!(both >= 40, "{both} of 50");
}

#[test]
fn the_same_series_has_the_same_changes() {
    let mut values = Noise::new(3).series(50, 0.2);
    values[25..].iter_mut().for_each(|value| *value += 1.2);
    let once = change_points(&values, &ChangePointSearch::default()).unwrap();
    assert_eq!(once, change_points(&values, &ChangePointSearch::default()).unwrap());
    // Another seed shuffles otherwise, so that only chances may differ, and these a little.
    let other =
        change_points(&values, &ChangePointSearch { seed: 2, ..ChangePointSearch::default() }).unwrap();
    let places = |changes: &[lotse_stats::change_points::ChangePoint]| -> Vec<usize> {
        changes.iter().map(|change| change.at).collect()
    };
    assert_eq!((places(&once), once.len()), (places(&other), 1));
    assert!((once[0].p - other[0].p).abs() < 0.01, "{once:?} {other:?}");
}
