//! Samples of the difference of two clocks: all members leave an all-to-all exchange at about the same time.
//!
//! No member leaves before the last has arrived, and none has a reason to stay much longer:
//!
//! ```text
//! process 0   ┤ exchange ~~~~~~~~~~~~~~├        always early: bounds say only that its clock is somewhere within the wait
//! process 1                 ┤ exchange ├        always late
//!                                      ^ common exit: one sample of the difference
//! ```
//!
//! A sample is likely and not certain: sometimes a process leaves late because it was preempted. So medians are used, and
//! bounds, which are certain, take precedence.

use super::band::MOST_DRIFT;

/// Maximum number of stored samples of two processes. If there are more, every second one is dropped.
const MOST: usize = 512;
/// Minimum number of samples for a drift.
const FEWEST_FOR_DRIFT: usize = 6;

/// One sample of the difference of two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DifferenceSample {
    /// The time by the second's clock.
    at: i64,
    /// Second minus first clock.
    difference: i64,
    /// How far apart the two events may have been.
    apart: i64,
}

/// The samples of two processes.
#[derive(Debug, Clone, Default)]
pub(super) struct DifferenceSamples {
    samples: Vec<DifferenceSample>,
    seen: u64,
    /// One of `2^thinned` samples is stored.
    thinned: u32,
}

/// The difference of two clocks as estimated from samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DifferenceEstimate {
    /// The difference at the second's time 0.
    pub(super) offset: f64,
    /// The slope of the difference.
    pub(super) drift: f64,
    /// The likely error.
    pub(super) spread: f64,
}

impl DifferenceSamples {
    pub(super) fn push(&mut self, at: i64, difference: i64, apart: i64) {
        if self.seen.trailing_zeros() >= self.thinned {
            self.samples.push(DifferenceSample { at, difference, apart });
        }
        self.seen += 1;
        if self.samples.len() >= MOST {
            let mut number = 0_usize;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.thinned += 1;
        }
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        self.samples.extend_from_slice(&other.samples);
    }

    /// The estimate; none without samples. It has a drift only if that is larger than the likely error.
    pub(super) fn likely(&self) -> Option<DifferenceEstimate> {
        let good = self.good();
        let span = good.last()?.at.saturating_sub(good.first()?.at) as f64;
        let drift = drift(&good);
        let sloping = along(&good, drift)?;
        if drift.abs() * span > sloping.spread { Some(sloping) } else { along(&good, 0.0) }
    }

    /// The estimate for a given drift.
    pub(super) fn likely_along(&self, drift: f64) -> Option<DifferenceEstimate> {
        along(&self.good(), drift)
    }

    /// The half of the samples with the smallest `apart`, in the order of time.
    fn good(&self) -> Vec<DifferenceSample> {
        let limit = median(self.samples.iter().map(|it| it.apart as f64).collect()).unwrap_or(0.0);
        let mut good: Vec<DifferenceSample> =
            self.samples.iter().copied().filter(|it| it.apart as f64 <= limit).collect();
        good.sort_unstable_by_key(|it| (it.at, it.difference));
        good
    }
}

/// The median of the slopes of pairs that are half the samples apart: robust against outliers.
fn drift(samples: &[DifferenceSample]) -> f64 {
    if samples.len() < FEWEST_FOR_DRIFT {
        return 0.0;
    }
    let later = &samples[samples.len() / 2..];
    let pairs = samples.iter().zip(later).filter(|(from, to)| to.at > from.at);
    let slope = |(from, to): (&DifferenceSample, &DifferenceSample)| {
        (to.difference as f64 - from.difference as f64) / (to.at as f64 - from.at as f64)
    };
    let drift = median(pairs.map(slope).collect()).unwrap_or(0.0);
    if drift.abs() <= MOST_DRIFT { drift } else { 0.0 }
}

fn along(samples: &[DifferenceSample], drift: f64) -> Option<DifferenceEstimate> {
    let level = |it: &DifferenceSample| it.difference as f64 - drift * it.at as f64;
    let offset = median(samples.iter().map(level).collect())?;
    let off = median(samples.iter().map(|it| (level(it) - offset).abs()).collect())?;
    let apart = median(samples.iter().map(|it| it.apart as f64).collect())?;
    Some(DifferenceEstimate { offset, drift, spread: off.max(apart) })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len().saturating_sub(1) / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::{DifferenceSamples, MOST};

    /// Samples of which every fifth is an outlier: a process left very late.
    fn samples_with(offset: i64, ppm: i64, count: i64) -> DifferenceSamples {
        let mut samples = DifferenceSamples::default();
        for number in 0..count {
            let at = number * 1_000_000;
            let late = if number % 5 == 3 { 300_000 * (1 - 2 * (number % 2)) } else { number % 7 };
            samples.push(at, offset + at / 1_000_000 * ppm + late, 20);
        }
        samples
    }

    #[test]
    fn outliers_do_not_change_the_estimate() {
        for (offset, ppm, count) in [(0, 0, 1), (-700, 0, 40), (5_000, 90, 40), (1 << 40, -200, 10_000)] {
            let likely = samples_with(offset, ppm, count).likely().unwrap();
            assert!((likely.offset - offset as f64).abs() <= 20.0, "{offset} {ppm}: {likely:?}");
            assert!((likely.drift * 1e6 - ppm as f64).abs() <= 2.0, "{offset} {ppm}: {likely:?}");
            assert!(likely.spread <= 20.0, "{likely:?}");
        }
    }

    #[test]
    fn an_insignificant_drift_is_zero() {
        let mut samples = DifferenceSamples::default();
        (0..20).for_each(|number| samples.push(number * 1000, 500 + number, 30));
        assert_eq!(samples.likely().unwrap().drift.to_bits(), 0.0_f64.to_bits());
        assert_eq!(DifferenceSamples::default().likely(), None);
    }

    #[test]
    fn only_samples_with_small_uncertainty_count() {
        let mut samples = DifferenceSamples::default();
        for number in 0..20 {
            samples.push(number * 1000, if number % 2 == 0 { 500 } else { 90_000 }, 10 + number % 2 * 50_000);
        }
        assert_eq!(samples.likely().unwrap().offset, 500.0);
    }

    #[test]
    fn the_number_of_samples_is_limited() {
        let samples = samples_with(0, 50, 1_000_000);
        assert!(samples.samples.len() <= MOST && samples.samples.len() >= MOST / 4);
        assert!(samples.samples.last().unwrap().at > 900_000 * 1_000_000);
    }
}
