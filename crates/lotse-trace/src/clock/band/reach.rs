//! How far a line may be from the true difference of two clocks, by what the bounds allow and nothing else.
//!
//! Clocks run evenly here, and two of them differ in speed by less than [`MOST_SLEW`]. Then the true difference is one of
//! the lines that no bound contradicts. Two lines are farthest apart at one end of the time in question, so it is enough
//! to look there for the highest and the lowest of these lines.
//!
//! ```text
//! difference   v     v         v   bounds from above
//!              ------------------  the line that was chosen
//!               ^        ^    ^    bounds from below
//!              ↕ what they leave open at the beginning
//! ```

use super::{Band, Fit, MOST_DRIFT};

/// Linux slews a clock by at most 500 millionths, so that two differ by at most twice as much.
const MOST_SLEW: f64 = 0.001;
/// Clocks are read in whole ticks, so that a bound from two readings may be wrong by nearly one.
const TICK: f64 = 1.0;
/// Each round of a search takes at least a third away: enough for all digits.
const ROUNDS: usize = 100;

/// Slopes of lines, and how far bounds are moved apart because no line lies between them.
#[derive(Debug, Clone, Copy)]
struct Slopes {
    low: f64,
    high: f64,
    relaxed: f64,
}

impl Band {
    /// How far off a line may be while either process was recorded, whose lengths are given; infinite where it is bounded
    /// from one side.
    pub(in super::super) fn reach(&self, fit: Fit, (first, second): (f64, f64)) -> f64 {
        let (below, above) = self.room(fit.drift);
        if below.is_infinite() || above.is_infinite() {
            return f64::INFINITY;
        }
        let slopes = self.slopes(fit.drift);
        // The first's times by the second's clock.
        let seen = |at: f64| (at + fit.offset) / (1.0 - fit.drift);
        let ends = [seen(0.0).min(0.0), seen(first).max(second)];
        ends.into_iter().map(|at| self.reach_at(fit, slopes, at)).fold(0.0, f64::max)
    }

    fn reach_at(&self, fit: Fit, slopes: Slopes, at: f64) -> f64 {
        let line = fit.offset + fit.drift * at;
        let (_, highest) = slopes.peak(|slope| self.room(slope).1 + slope * at);
        let (_, lowest) = slopes.peak(|slope| -(self.room(slope).0 + slope * at));
        (highest - line).max(line + lowest) + slopes.relaxed
    }

    /// The slopes of all lines between the bounds.
    fn slopes(&self, chosen: f64) -> Slopes {
        let within = |most: f64| Slopes { low: -most, high: most, relaxed: TICK };
        let usual = within(MOST_SLEW);
        let (best, gap) = usual.peak(|slope| self.gap(slope));
        if gap >= -2.0 * TICK && chosen.abs() <= MOST_SLEW {
            return self.between(usual, best);
        }
        let (best, gap) = within(MOST_DRIFT).peak(|slope| self.gap(slope));
        // Clocks that do not run evenly: lines are off by half the gap at least, and taken to be by twice as much.
        self.between(Slopes { relaxed: TICK + (-gap).max(0.0), ..within(MOST_DRIFT) }, best)
    }

    fn between(&self, slopes: Slopes, best: f64) -> Slopes {
        let fits = |slope: f64| self.gap(slope) + 2.0 * slopes.relaxed >= 0.0;
        Slopes { low: last(best, slopes.low, fits), high: last(best, slopes.high, fits), ..slopes }
    }

    /// How far the bounds of lines of a slope are apart: a concave function.
    fn gap(&self, slope: f64) -> f64 {
        let (below, above) = self.room(slope);
        above - below
    }
}

impl Slopes {
    /// Where a concave function is highest, and how high.
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

/// The last slope that fits on the way from one that does.
fn last(from: f64, to: f64, fits: impl Fn(f64) -> bool) -> f64 {
    if fits(to) {
        return to;
    }
    let (mut good, mut bad) = (from, to);
    for _ in 0..ROUNDS {
        let middle = f64::midpoint(good, bad);
        *(if fits(middle) { &mut good } else { &mut bad }) = middle;
    }
    // The border itself belongs to the lines.
    bad
}

#[cfg(test)]
mod tests {
    use super::super::{Band, Fit};

    fn band(above: &[(i64, i64)], below: &[(i64, i64)]) -> Band {
        let mut band = Band::default();
        above.iter().for_each(|&(at, difference)| band.at_most(at, difference));
        below.iter().for_each(|&(at, difference)| band.at_least(at, difference));
        band
    }

    const LEVEL: Fit = Fit { offset: 40.0, drift: 0.0, margin: 0.0 };

    #[test]
    fn bounds_at_both_ends_leave_what_they_leave() {
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
    fn bounds_that_contradict_each_other_tell_how_uneven_clocks_are() {
        let band = band(&[(0, 30), (1000, 30)], &[(0, 50), (1000, 50)]);
        let reach = band.reach(LEVEL, (0.0, 1000.0));
        assert!((reach - 11.0).abs() < 1.0, "{reach}");
    }
}
