//! Bounds on the difference of two clocks over time, and the line through the middle of them.
//!
//! A message to the second clock bounds the difference from above at the time of its receive; a message from it bounds the
//! difference from below at the time of its send. Only the convex hulls of the bounds matter, so only these are stored.
//! Within the bounds, [`DifferenceSamples`] give the most likely line. They do not reduce the stated uncertainty, which
//! depends on the bounds only (`reach`).

use super::difference_samples::DifferenceSamples;

mod reach;

/// Maximum assumed difference in speed of two clocks. Real clocks stay below a thousandth.
pub(super) const MOST_DRIFT: f64 = 0.01;
/// Number of bounds that are collected before the hull is computed again.
const SLACK: usize = 256;
/// Keeps products of differences within 128 bits.
const FARTHEST: i64 = 1 << 61;

/// The lower convex hull of points: those that a line below all points can touch.
#[derive(Debug, Clone, Default)]
struct Hull {
    points: Vec<(i64, i64)>,
    settled: usize,
}

impl Hull {
    fn push(&mut self, at: i64, value: i64) {
        self.points.push((at.clamp(-FARTHEST, FARTHEST), value.clamp(-FARTHEST, FARTHEST)));
        if self.points.len() > 2 * self.settled + SLACK {
            self.settle();
        }
    }

    fn absorb(&mut self, other: &Self) {
        self.points.extend_from_slice(&other.points);
        self.settle();
    }

    fn settle(&mut self) {
        let mut points = std::mem::take(&mut self.points);
        points.sort_unstable();
        points.dedup_by_key(|point| point.0);
        for point in points {
            while let [.., a, b] = self.points[..]
                && !turns_up(a, b, point)
            {
                self.points.pop();
            }
            self.points.push(point);
        }
        self.settled = self.points.len();
    }

    /// The largest offset of a line of this slope below all points.
    fn room(&self, slope: f64) -> f64 {
        self.points.iter().map(|&(at, value)| value as f64 - slope * at as f64).fold(f64::INFINITY, f64::min)
    }

    fn span(&self) -> Option<(i64, i64)> {
        let times = || self.points.iter().map(|point| point.0);
        times().min().zip(times().max())
    }
}

fn turns_up(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> bool {
    let wide = |x: i64, y: i64| i128::from(x) - i128::from(y);
    wide(b.0, a.0) * wide(c.1, a.1) > wide(b.1, a.1) * wide(c.0, a.0)
}

/// Bounds on the difference second minus first clock, as a function of the second's time.
#[derive(Debug, Clone, Default)]
pub(super) struct Band {
    above: Hull,
    /// Negated lower bounds.
    below: Hull,
    /// The number of bounds.
    pub(super) bounds: u64,
    /// Whether a cause was recorded after its effect.
    pub(super) violated: bool,
    /// Differences at the common exits of all-to-all exchanges.
    pub(super) common_exits: DifferenceSamples,
    /// Differences at messages for which the receive waited, with their approximate transfer times.
    waits: DifferenceSamples,
}

/// The difference of two clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClockFit {
    /// The difference at the second's time 0.
    pub(super) offset: f64,
    /// The slope of the difference.
    pub(super) drift: f64,
    /// Its likely error: half the height of the band, or by how much bounds contradict each other, or the spread of the
    /// samples; infinite if it is bounded from one side only.
    pub(super) margin: f64,
}

/// A difference is significant if it is this many times as large as its uncertainty.
const SHOWS: f64 = 8.0;

impl Band {
    /// Adds an upper bound at the second's time `at`.
    pub(super) fn at_most(&mut self, at: i64, difference: i64) {
        self.above.push(at, difference);
        self.bounds += 1;
    }

    /// Adds a lower bound at the second's time `at`.
    pub(super) fn at_least(&mut self, at: i64, difference: i64) {
        self.below.push(at, difference.saturating_neg());
        self.bounds += 1;
    }

    /// Adds a receive that waited for its message, at the second's time `at`: the difference is about `difference`, and the
    /// transfer took about `apart`.
    pub(super) fn wait(&mut self, at: i64, difference: i64, apart: i64) {
        self.waits.push(at, difference, apart);
    }

    /// The likely distance of the difference from the bound if there are bounds from one side only: that of the receives
    /// that waited for their messages. Infinite if none waited.
    pub(super) fn slack(&self) -> f64 {
        let bound = self.along(0.0).offset;
        let waits = self.waits.likely_along(0.0);
        waits.map_or(f64::INFINITY, |waits| (waits.offset - bound).abs() + waits.spread)
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        self.waits.absorb(&other.waits);
        self.above.absorb(&other.above);
        self.below.absorb(&other.below);
        self.bounds += other.bounds;
        self.violated |= other.violated;
        self.common_exits.absorb(&other.common_exits);
    }

    /// The line through the middle of the bounds, or the most likely line if its margin is smaller.
    pub(super) fn fit(&self) -> ClockFit {
        let certain = self.middle();
        let Some(likely) = self.common_exits.likely() else { return certain };
        let better = self.likely_along(likely.drift).or_else(|| self.likely_along(certain.drift));
        better.filter(|fit| fit.margin < certain.margin).unwrap_or(certain)
    }

    /// The line through the middle of the bounds. A drift is assumed only if no line without drift is possible.
    fn middle(&self) -> ClockFit {
        let level = self.along(0.0);
        if level.margin >= 0.0 || !self.overlaps() {
            return ClockFit { margin: level.margin.abs(), ..level };
        }
        let (mut low, mut high) = (-MOST_DRIFT, MOST_DRIFT);
        // Ternary search: the margin is a concave function of the slope.
        for _ in 0..100 {
            let third = (high - low) / 3.0;
            if self.along(low + third).margin < self.along(high - third).margin {
                low += third;
            } else {
                high -= third;
            }
        }
        let best = self.along(f64::midpoint(low, high));
        ClockFit { margin: best.margin.abs(), ..best }
    }

    /// The line of a slope in the middle of its bounds, or at its only bound.
    fn along(&self, slope: f64) -> ClockFit {
        let (below, above) = self.room(slope);
        let offset = match (above.is_finite(), below.is_finite()) {
            (true, true) => above / 2.0 + below / 2.0,
            (true, false) => above,
            (false, true) => below,
            (false, false) => 0.0,
        };
        ClockFit { offset, drift: slope, margin: above / 2.0 - below / 2.0 }
    }

    /// The smallest and largest offset of a line of this slope.
    fn room(&self, slope: f64) -> (f64, f64) {
        (-self.below.room(-slope), self.above.room(slope))
    }

    /// The most likely line of a slope within the bounds; none if samples and bounds contradict each other.
    fn likely_along(&self, slope: f64) -> Option<ClockFit> {
        let (below, above) = self.room(slope);
        let likely = self.common_exits.likely_along(slope)?;
        let low = below.max(likely.offset - likely.spread);
        let high = above.min(likely.offset + likely.spread);
        (low <= high).then(|| {
            let offset = likely.offset.clamp(low, high);
            ClockFit { offset, drift: slope, margin: (high - offset).max(offset - low) }
        })
    }

    /// The difference `offset`, which no bound contradicts; the estimate of the samples if they contradict it.
    pub(super) fn fit_unless(&self, offset: f64) -> ClockFit {
        let (below, above) = self.room(0.0);
        let margin = (above - offset).max(offset - below);
        let unchanged = ClockFit { offset, drift: 0.0, margin };
        let bound = self.along(0.0);
        if bound.margin.is_infinite() && (bound.offset - offset).abs() > SHOWS * self.slack() {
            return bound;
        }
        let Some(likely) = self.common_exits.likely() else { return unchanged };
        let off = (likely.offset - offset).abs();
        if likely.drift == 0.0 && off <= likely.spread {
            return ClockFit { margin: margin.min(likely.spread + off), ..unchanged };
        }
        self.likely_along(likely.drift).unwrap_or(unchanged)
    }

    /// Whether the times of upper and lower bounds overlap. Otherwise the slope would be arbitrary.
    fn overlaps(&self) -> bool {
        let (Some(above), Some(below)) = (self.above.span(), self.below.span()) else { return false };
        above.0.max(below.0) < above.1.min(below.1)
    }
}

#[cfg(test)]
mod tests {
    use super::Band;

    /// A clock that is `offset` ahead and runs `ppm` fast; messages take at least 10, some 500 or 1000 longer.
    fn band(offset: i64, ppm: i64) -> Band {
        let mut band = Band::default();
        for number in 0..1000_i64 {
            let at = number * 10_000;
            let difference = offset + at * ppm / 1_000_000;
            let delay = 10 + (number % 3) * 500;
            band.at_most(at, difference + delay);
            band.at_least(at + 5_000, difference + 5_000 * ppm / 1_000_000 - delay);
        }
        band
    }

    #[test]
    fn offset_and_drift_are_found_within_the_shortest_delays() {
        for (offset, ppm) in [(0, 0), (-70_000, 0), (5_000, 40), (-123_456, -250), (1 << 40, 900)] {
            let fit = band(offset, ppm).fit();
            assert!((fit.offset - offset as f64).abs() <= 12.0, "{offset} {ppm}: {fit:?}");
            assert!((fit.drift * 1e6 - ppm as f64).abs() <= 3.0, "{offset} {ppm}: {fit:?}");
            assert!(fit.margin <= 12.0, "{fit:?}");
        }
    }

    #[test]
    fn a_drift_that_nothing_proves_is_not_assumed() {
        assert_eq!(band(300, 0).fit().drift.to_bits(), 0.0_f64.to_bits());
        let mut apart = Band::default();
        apart.at_most(10, -200);
        apart.at_least(20, 100);
        assert_eq!((apart.fit().drift, apart.fit().offset), (0.0, -50.0));
    }

    #[test]
    fn one_bound_is_better_than_none() {
        let mut one_way = Band::default();
        [(5, 40), (7, -30), (9, 10)].into_iter().for_each(|(at, difference)| one_way.at_most(at, difference));
        let fit = one_way.fit();
        assert_eq!((fit.offset, fit.drift, fit.margin), (-30.0, 0.0, f64::INFINITY));
        let mut other_way = Band::default();
        [(5, 40), (7, 90)].into_iter().for_each(|(at, difference)| other_way.at_least(at, difference));
        assert_eq!(other_way.fit().offset, 90.0);
    }

    #[test]
    fn parts_of_a_band_join_to_the_whole() {
        let (mut whole, mut parts) = (Band::default(), [Band::default(), Band::default()]);
        for number in 0..5000_i64 {
            let (at, value) = ((number * 7919) % 5000, (number * 104_729) % 1009);
            for band in [&mut whole, &mut parts[(number % 2) as usize]] {
                band.at_most(at, 2000 + value);
                band.at_least(at, -value);
            }
        }
        let [mut first, second] = parts;
        first.absorb(&second);
        assert_eq!((first.fit(), first.bounds), (whole.fit(), whole.bounds));
        assert!(whole.above.points.len() < 2 * 1000 + super::SLACK);
    }

    /// Bounds that are 10 000 apart, and samples at `difference` with an uncertainty of 20.
    fn band_with_samples(difference: i64) -> Band {
        let mut band = Band::default();
        for number in 0..10 {
            let at = number * 1000;
            band.at_most(at, 400);
            band.at_least(at, -9_600);
            band.common_exits.push(at, difference + number % 3, 20);
        }
        band
    }

    #[test]
    fn samples_choose_a_line_within_the_bounds() {
        let fit = band_with_samples(300).fit();
        assert_eq!((fit.offset, fit.drift, fit.margin), (301.0, 0.0, 20.0));
        let (at_the_bound, beyond) = (band_with_samples(395).fit(), band_with_samples(700).fit());
        assert_eq!((at_the_bound.offset, at_the_bound.margin), (396.0, 20.0));
        assert_eq!(
            (beyond.offset, beyond.margin),
            (-4_600.0, 5_000.0),
            "bounds are certain, samples are not"
        );
    }

    #[test]
    fn a_difference_stays_unless_samples_contradict_it() {
        let (near, far) = (band_with_samples(300).fit_unless(310.0), band_with_samples(300).fit_unless(0.0));
        assert_eq!((near.offset, near.margin), (310.0, 29.0));
        assert_eq!((far.offset, far.margin), (301.0, 20.0));
        let mut without_samples = band_with_samples(300);
        without_samples.common_exits = super::DifferenceSamples::default();
        assert_eq!(
            (without_samples.fit_unless(0.0).offset, without_samples.fit_unless(0.0).margin),
            (0.0, 9_600.0)
        );
    }
}
