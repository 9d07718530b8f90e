//! The maximum error of a line, i.e. its largest distance from the true difference of two clocks, from the bounds only.
//!
//! Clocks are assumed to run evenly, and two of them to differ in speed by less than [`MOST_SLEW`]. Then the true difference
//! is one of the lines within the bounds. Two lines are farthest apart at one end of the recorded time, so it is enough to
//! find the highest and the lowest of these lines at both ends.
//!
//! ```text
//! difference   v     v         v   bounds from above
//!              ------------------  the chosen line
//!               ^        ^    ^    bounds from below
//!              ↕ the maximum error at the begin
//! ```

use super::{Band, ClockFit, MOST_DRIFT};

/// Linux slews a clock by at most 500 ppm, so two clocks differ by at most twice as much.
const MOST_SLEW: f64 = 0.001;
/// Clocks are read in whole ticks, so a bound from two readings may be wrong by almost one tick.
const TICK: f64 = 1.0;
/// Number of rounds of a search. Each removes at least a third of the interval: enough for full precision.
const ROUNDS: usize = 100;

/// A range of slopes, and how far the bounds are relaxed so that a line fits between them.
#[derive(Debug, Clone, Copy)]
struct Slopes {
    low: f64,
    high: f64,
    relaxed: f64,
}

impl Band {
    /// The maximum error of a line while either process was recorded; `first` and `second` are the lengths of their records.
    /// Infinite if it is bounded from one side only.
    pub(in super::super) fn reach(&self, fit: ClockFit, (first, second): (f64, f64)) -> f64 {
        let (below, above) = self.room(fit.drift);
        if below.is_infinite() || above.is_infinite() {
            return f64::INFINITY;
        }
        let slopes = self.slopes(fit.drift);
        // The times of the first process by the second's clock.
        let seen = |at: f64| (at + fit.offset) / (1.0 - fit.drift);
        let ends = [seen(0.0).min(0.0), seen(first).max(second)];
        ends.into_iter().map(|at| self.reach_at(fit, slopes, at)).fold(0.0, f64::max)
    }

    fn reach_at(&self, fit: ClockFit, slopes: Slopes, at: f64) -> f64 {
        let line = fit.offset + fit.drift * at;
        let (_, highest) = slopes.peak(|slope| self.room(slope).1 + slope * at);
        let (_, lowest) = slopes.peak(|slope| -(self.room(slope).0 + slope * at));
        (highest - line).max(line + lowest) + slopes.relaxed
    }

    /// The slopes of all lines within the bounds.
    fn slopes(&self, chosen: f64) -> Slopes {
        let within = |most: f64| Slopes { low: -most, high: most, relaxed: TICK };
        let usual = within(MOST_SLEW);
        let (best, gap) = usual.peak(|slope| self.gap(slope));
        if gap >= -2.0 * TICK && chosen.abs() <= MOST_SLEW {
            return self.between(usual, best);
        }
        let (best, gap) = within(MOST_DRIFT).peak(|slope| self.gap(slope));
        // The clocks do not run evenly: lines are wrong by at least half the gap. Twice that is assumed.
        self.between(Slopes { relaxed: TICK + (-gap).max(0.0), ..within(MOST_DRIFT) }, best)
    }

    fn between(&self, slopes: Slopes, best: f64) -> Slopes {
        let fits = |slope: f64| self.gap(slope) + 2.0 * slopes.relaxed >= 0.0;
        Slopes { low: last(best, slopes.low, fits), high: last(best, slopes.high, fits), ..slopes }
    }

    /// The distance between the upper and the lower bound of lines of a slope: a concave function of the slope.
    fn gap(&self, slope: f64) -> f64 {
        let (below, above) = self.room(slope);
        above - below
    }
}

impl Slopes {
    /// The maximum of a concave function: its slope and value.
    fn peak(self, height: impl Fn(f64) -> f64) -> (f64, f64) {
        let (mut low, mut high) = (self.low, self.high);
        for _ in 0..ROUNDS {
            let third = (high - low) / 3.0;
            if height(low + third) < height(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        let ends = [self.low, f64::midpoint(low, high), self.high].map(|slope| (slope, height(slope)));
        ends.into_iter().fold(ends[1], |best, end| if end.1 > best.1 { end } else { best })
    }
}

/// The last slope between `from`, which fits, and `to` that still fits.
fn last(from: f64, to: f64, fits: impl Fn(f64) -> bool) -> f64 {
    if fits(to) {
        return to;
    }
    let (mut good, mut bad) = (from, to);
    for _ in 0..ROUNDS {
        let middle = f64::midpoint(good, bad);
        *(if fits(middle) { &mut good } else { &mut bad }) = middle;
    }
    // The limit itself fits.
    bad
}

#[cfg(test)]
mod tests {
    use super::super::{Band, ClockFit};

    fn band(above: &[(i64, i64)], below: &[(i64, i64)]) -> Band {
        let mut band = Band::default();
        above.iter().for_each(|&(at, difference)| band.at_most(at, difference));
        below.iter().for_each(|&(at, difference)| band.at_least(at, difference));
        band
    }

    const LEVEL: ClockFit = ClockFit { offset: 40.0, drift: 0.0, margin: 0.0 };

    #[test]
    fn bounds_at_both_ends_determine_the_error() {
        let band = band(&[(0, 100), (1000, 100)], &[(0, 10), (1000, 10)]);
        let reach = band.reach(LEVEL, (0.0, 1000.0));
        assert!((reach - 61.0).abs() < 1e-6, "from 40 up to 100 at the beginning, and a tick: {reach}");
    }

    #[test]
    fn beyond_the_bounds_clocks_may_drift() {
        let band = band(&[(0, 50)], &[(0, 40)]);
        let reach = band.reach(LEVEL, (0.0, 100_000.0));
        assert!(
            (reach - 111.0).abs() < 1e-6,
            "10 at the beginning, a tick, and a thousandth of 100 000: {reach}"
        );
    }

    #[test]
    fn one_side_is_no_bound() {
        assert_eq!(band(&[(0, 50)], &[]).reach(LEVEL, (10.0, 10.0)), f64::INFINITY);
        assert_eq!(band(&[], &[(0, 50)]).reach(LEVEL, (10.0, 10.0)), f64::INFINITY);
    }

    #[test]
    fn contradictory_bounds_show_how_uneven_clocks_are() {
        let band = band(&[(0, 30), (1000, 30)], &[(0, 50), (1000, 50)]);
        let reach = band.reach(LEVEL, (0.0, 1000.0));
        assert!((reach - 11.0).abs() < 1.0, "{reach}");
    }
}
