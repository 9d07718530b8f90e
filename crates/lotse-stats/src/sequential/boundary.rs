//! The probability that a Brownian motion, observed at chosen times, crosses a boundary.
//!
//! The sum of n independent measurements, observed at some values of n, behaves
//! like a Brownian motion observed at those times (the *information*).
//! [`Survivors`] is the distribution of that motion over the paths that have not
//! crossed a boundary yet; numerical integration carries it from look to look
//! (Armitage, McPherson and Rowe 1969). Boundaries are symmetric, so only the
//! upper half is stored; the integrals use Gauss-Legendre points, dense enough
//! for the width of the last step.
//!
//! ```text
//!  z │        x crossed: part of alpha
//!    │ ──┐  /
//!    │   └─/─┐            boundary z at each look
//!    │ /\_/  └──┐
//!    │/      ...└──       survivors: paths below the boundary so far
//!    └───┬───┬──┬───  information
//!      look 1 2  3
//! ```
//!
//! This module does not know error rates or data: `spending` chooses the boundaries.

use std::f64::consts::PI;

use crate::distribution::normal_sf;

/// Boundaries beyond this many standard deviations are practically never crossed; the grid ends there.
const FAR: f64 = 8.0;
/// For smaller crossing probabilities the boundary is infinite.
const NOTHING: f64 = 1e-15;
const LEAST_POINTS: usize = 96;
const MOST_POINTS: usize = 512;

/// The distribution of the paths that have not crossed a boundary yet.
#[derive(Debug, Clone)]
pub struct Survivors {
    information: f64,
    /// Positions (not negative) and the probability mass at each; the negative positions have the same mass.
    points: Vec<(f64, f64)>,
}

impl Default for Survivors {
    /// All paths, before the first look: they start at zero with no information.
    fn default() -> Self {
        Self { information: 0.0, points: vec![(0.0, 0.5)] }
    }
}

impl Survivors {
    /// The probability of surviving so far and then being at least `z` standard
    /// deviations from zero at `information`, which must be after the last look.
    pub fn exit(&self, information: f64, z: f64) -> f64 {
        let (limit, width) = (z * information.sqrt(), (information - self.information).sqrt());
        let above = |&(x, mass): &(f64, f64)| {
            mass * (normal_sf((limit - x) / width) + normal_sf((limit + x) / width))
        };
        2.0 * self.points.iter().map(above).sum::<f64>()
    }

    /// The boundary that is crossed at `information` with the given probability, by bisection:
    /// infinite for probability zero, zero if fewer paths than that survive.
    pub fn bound(&self, information: f64, probability: f64) -> f64 {
        if probability < NOTHING {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, 2.0 * FAR);
        // 2 FAR / 2^44 is below 1e-12.
        for _ in 0..44 {
            let middle = 0.5 * (low + high);
            if self.exit(information, middle) > probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// The paths that also survive the boundary `z` at `information`.
    pub fn advance(&self, information: f64, z: f64) -> Self {
        let width = (information - self.information).sqrt();
        let limit = z.min(FAR) * information.sqrt();
        let point = |(node, weight): (f64, f64)| {
            let x = node * limit;
            (x, weight * limit * self.density(x, width))
        };
        let points = gauss_legendre(points_needed(limit, width)).into_iter().map(point).collect();
        Self { information, points }
    }

    /// The density of the survivors at `x`, one step of standard deviation `width` later.
    fn density(&self, x: f64, width: f64) -> f64 {
        let part =
            |&(from, mass): &(f64, f64)| mass * (density((x - from) / width) + density((x + from) / width));
        self.points.iter().map(part).sum::<f64>() / width
    }
}

/// The density of the standard normal distribution.
fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// For each boundary `z`, in the order of `information`, the probability that it is the first one to be crossed.
pub fn crossing(information: &[f64], z: &[f64]) -> Vec<f64> {
    let mut survivors = Survivors::default();
    let step = |(&information, &z): (&f64, &f64)| {
        let exit = survivors.exit(information, z);
        survivors = survivors.advance(information, z);
        exit
    };
    information.iter().zip(z).map(step).collect()
}

/// The number of points: at least two per standard deviation of the last step.
fn points_needed(limit: f64, width: f64) -> usize {
    ((PI * limit / width).ceil() as usize).clamp(LEAST_POINTS, MOST_POINTS)
}

/// Gauss-Legendre nodes and weights on 0..1, exact for polynomials up to degree 2n - 1.
fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let node = |i: usize| {
        let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        // Newton's method doubles the number of correct digits each time; the start has at least three.
        for _ in 0..5 {
            let (value, derivative) = legendre(n, x);
            slope = derivative;
            x -= value / derivative;
        }
        (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}

/// The Legendre polynomial of degree `n` and its derivative at `x`.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constant c for which boundaries c·shape(k) at `looks` equal steps are crossed with 5 %.
    fn constant(looks: usize, shape: impl Fn(f64) -> f64) -> f64 {
        let information: Vec<f64> = (1..=looks).map(|k| k as f64).collect();
        let (mut low, mut high) = (1.0, 5.0);
        while high - low > 1e-9 {
            let middle = 0.5 * (low + high);
            let z: Vec<f64> = information.iter().map(|&k| middle * shape(k / looks as f64)).collect();
            if crossing(&information, &z).iter().sum::<f64>() > 0.05 {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    #[test]
    fn classical_constants() {
        // Jennison and Turnbull, Group Sequential Methods, tables 2.1 and 2.3, alpha 0.05.
        for (looks, pocock, obrien_fleming) in
            [(1, 1.960, 1.960), (2, 2.178, 1.977), (5, 2.413, 2.040), (10, 2.555, 2.087), (20, 2.672, 2.126)]
        {
            assert!((constant(looks, |_| 1.0) - pocock).abs() < 6e-4, "Pocock, {looks} looks");
            let found = constant(looks, |t| t.sqrt().recip());
            assert!((found - obrien_fleming).abs() < 6e-4, "O'Brien-Fleming, {looks} looks: {found}");
        }
    }

    #[test]
    fn integrates_polynomials() {
        let sum: f64 = gauss_legendre(96).iter().map(|(x, w)| w * x.powi(41)).sum();
        assert!((sum - 1.0 / 42.0).abs() < 1e-14, "{sum}");
    }

    #[test]
    fn nothing_is_lost_between_looks() {
        let information: Vec<f64> = (40..=400).map(f64::from).collect();
        let mut survivors = Survivors::default();
        let mut crossed = 0.0;
        for &i in &information {
            crossed += survivors.exit(i, 3.0);
            survivors = survivors.advance(i, 3.0);
        }
        let left = 2.0 * survivors.points.iter().map(|p| p.1).sum::<f64>();
        assert!((crossed + left - 1.0).abs() < 1e-6, "{crossed} + {left}");
    }
}
