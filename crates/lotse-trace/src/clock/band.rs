//! What messages say about the difference of two clocks over time, and the straight line through the middle of it.
//!
//! A message to the second clock bounds the difference from above at the time of its receive, one from it bounds the
//! difference from below at the time of its send. Only the convex hulls of these bounds matter, so only they are kept.
//! Within the bounds, [`Meetings`] say what is likely: they choose the line, and never narrow how far off it may be,
//! which is what the bounds leave open (`reach`).

use super::meetings::Meetings;

mod reach;

/// Clocks that differ more in speed are not believed: real ones stay below a thousandth.
pub(super) const MOST_DRIFT: f64 = 0.01;
/// Bounds that wait before the hull is made again.
const SLACK: usize = 256;
/// Keeps products of differences within 128 bits.
const FARTHEST: i64 = 1 << 61;

/// The lower hull of points: all that a line below them can touch.
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

    /// How high a line of this slope through the origin can be lifted.
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

/// Bounds on what the second clock shows more than the first, as a function of the second's time.
#[derive(Debug, Clone, Default)]
pub(super) struct Band {
    above: Hull,
    /// Bounds from below, with their signs turned.
    below: Hull,
    /// Bounds that were added.
    pub(super) bounds: u64,
    /// Whether some bound says that the clocks differ.
    pub(super) violated: bool,
    /// What is likely within the bounds.
    pub(super) meetings: Meetings,
    /// Messages that receives waited for. How far they are apart, and about how long they were on their way.
    waits: Meetings,
}

/// The difference of two clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    /// At the second's time 0.
    pub(super) offset: f64,
    /// Its growth.
    pub(super) drift: f64,
    /// How far off it is likely to be: half the height of the band around it, how far bounds contradict each other, or
    /// how far meetings are apart; infinite where it is bounded from one side.
    pub(super) margin: f64,
}

/// A difference that is so many times as large as what is unknown of it shows.
const SHOWS: f64 = 8.0;

impl Band {
    /// At the second's time `at`, it shows at most `difference` more.
    pub(super) fn at_most(&mut self, at: i64, difference: i64) {
        self.above.push(at, difference);
        self.bounds += 1;
    }

    /// At the second's time `at`, it shows at least `difference` more.
    pub(super) fn at_least(&mut self, at: i64, difference: i64) {
        self.below.push(at, difference.saturating_neg());
        self.bounds += 1;
    }

    /// At the second's time `at`, a receive that had waited ended, and the second showed about `difference` more: the
    /// message was about `apart` on its way.
    pub(super) fn wait(&mut self, at: i64, difference: i64, apart: i64) {
        self.waits.push(at, difference, apart);
    }

    /// How far the difference is likely to be from the bound where there is one from one side only: receives that waited
    /// for their messages come at about the same distance from it. Infinite where none waited.
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
        self.meetings.absorb(&other.meetings);
    }

    /// The line through the middle of what is possible, or the likeliest where that is known better.
    pub(super) fn fit(&self) -> Fit {
        let certain = self.middle();
        let Some(likely) = self.meetings.likely() else { return certain };
        let better = self.likely_along(likely.drift).or_else(|| self.likely_along(certain.drift));
        better.filter(|fit| fit.margin < certain.margin).unwrap_or(certain)
    }

    /// The line through the middle of the bounds. A drift that no message proves is not assumed.
    fn middle(&self) -> Fit {
        let level = self.along(0.0);
        if level.margin >= 0.0 || !self.overlaps() {
            return Fit { margin: level.margin.abs(), ..level };
        }
        let (mut low, mut high) = (-MOST_DRIFT, MOST_DRIFT);
        // The margin is a concave function of the slope; each round takes a third away.
        for _ in 0..100 {
            let third = (high - low) / 3.0;
            if self.along(low + third).margin < self.along(high - third).margin {
                low += third;
            } else {
                high -= third;
            }
        }
        let best = self.along(f64::midpoint(low, high));
        Fit { margin: best.margin.abs(), ..best }
    }

    /// The line of a slope in the middle of its bounds, or at the only bound there is.
    fn along(&self, slope: f64) -> Fit {
        let (below, above) = self.room(slope);
        let offset = match (above.is_finite(), below.is_finite()) {
            (true, true) => above / 2.0 + below / 2.0,
            (true, false) => above,
            (false, true) => below,
            (false, false) => 0.0,
        };
        Fit { offset, drift: slope, margin: above / 2.0 - below / 2.0 }
    }

    /// Between which offsets a line of this slope lies.
    fn room(&self, slope: f64) -> (f64, f64) {
        (-self.below.room(-slope), self.above.room(slope))
    }

    /// The likeliest line of a slope that is possible; nothing where that contradicts itself.
    fn likely_along(&self, slope: f64) -> Option<Fit> {
        let (below, above) = self.room(slope);
        let likely = self.meetings.likely_along(slope)?;
        let low = below.max(likely.offset - likely.spread);
        let high = above.min(likely.offset + likely.spread);
        (low <= high).then(|| {
            let offset = likely.offset.clamp(low, high);
            Fit { offset, drift: slope, margin: (high - offset).max(offset - low) }
        })
    }

    /// A difference that no bound contradicts, or what meetings say where these do.
    pub(super) fn fit_unless(&self, offset: f64) -> Fit {
        let (below, above) = self.room(0.0);
        let margin = (above - offset).max(offset - below);
        let as_told = Fit { offset, drift: 0.0, margin };
        let bound = self.along(0.0);
        if bound.margin.is_infinite() && (bound.offset - offset).abs() > SHOWS * self.slack() {
            return bound;
        }
        let Some(likely) = self.meetings.likely() else { return as_told };
        let off = (likely.offset - offset).abs();
        if likely.drift == 0.0 && off <= likely.spread {
            return Fit { margin: margin.min(likely.spread + off), ..as_told };
        }
        self.likely_along(likely.drift).unwrap_or(as_told)
    }

    /// Whether there is a time of which both kinds of bounds tell; a slope between bounds of different times could
    /// be anything.
    fn overlaps(&self) -> bool {
        let (Some(above), Some(below)) = (self.above.span(), self.below.span()) else { return false };
        above.0.max(below.0) < above.1.min(below.1)
    }
}

#[cfg(test)]
mod tests {
    use super::Band;

    /// A clock that is `offset` ahead and runs `ppm` fast; messages take at least 10, every third 500 longer.
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

    /// Bounds that are 10 000 apart, and meetings at 300 give or take 20.
    fn met(difference: i64) -> Band {
        let mut band = Band::default();
        for number in 0..10 {
            let at = number * 1000;
            band.at_most(at, 400);
            band.at_least(at, -9_600);
            band.meetings.push(at, difference + number % 3, 20);
        }
        band
    }

    #[test]
    fn meetings_narrow_what_bounds_leave_open() {
        let fit = met(300).fit();
        assert_eq!((fit.offset, fit.drift, fit.margin), (301.0, 0.0, 20.0));
        let (at_the_bound, beyond) = (met(395).fit(), met(700).fit());
        assert_eq!((at_the_bound.offset, at_the_bound.margin), (396.0, 20.0));
        assert_eq!(
            (beyond.offset, beyond.margin),
            (-4_600.0, 5_000.0),
            "bounds are certain, meetings are not"
        );
    }

    #[test]
    fn a_difference_stays_unless_meetings_contradict_it() {
        let (near, far) = (met(300).fit_unless(310.0), met(300).fit_unless(0.0));
        assert_eq!((near.offset, near.margin), (310.0, 29.0));
        assert_eq!((far.offset, far.margin), (301.0, 20.0));
        let mut unmet = met(300);
        unmet.meetings = super::Meetings::default();
        assert_eq!((unmet.fit_unless(0.0).offset, unmet.fit_unless(0.0).margin), (0.0, 9_600.0));
    }
}
