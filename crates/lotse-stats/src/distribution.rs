//! The distribution functions that tests and intervals need.
//!
//! Thin wrappers around statrs (whose error function is accurate to 1e-10), with both tails computed without cancellation
//! and a quantile of Student's t that is refined by Newton steps.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use statrs::function::beta::beta_reg;
use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::gamma::ln_gamma;

/// P(Z <= z) of the standard normal distribution.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z * FRAC_1_SQRT_2)
}

/// P(Z > z) of the standard normal distribution.
pub fn normal_sf(z: f64) -> f64 {
    normal_cdf(-z)
}

/// P(|Z| >= |z|) of the standard normal distribution.
pub fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() * FRAC_1_SQRT_2)
}

/// The z with P(Z <= z) = p; infinite at p = 0 and p = 1.
pub fn normal_quantile(p: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * p)
}

/// P(|T| >= |t|) of Student's t distribution.
pub fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    beta_reg(df / 2.0, 0.5, df / (df + t * t))
}

/// P(T <= t) of Student's t distribution.
pub fn t_cdf(t: f64, df: f64) -> f64 {
    let tail = 0.5 * t_two_sided(t, df);
    if t <= 0.0 { tail } else { 1.0 - tail }
}

/// The t with P(T <= t) = p for p strictly between zero and one: Newton's method on the two-sided tail, with bisection
/// as the fallback.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    if p == 0.5 {
        return 0.0;
    }
    let target = 2.0 * p.min(1.0 - p);
    let (mut low, mut high) = (0.0, 1.0);
    while t_two_sided(high, df) > target {
        low = high;
        high *= 2.0;
    }
    let mut t = 0.5 * (low + high);
    for _ in 0..100 {
        let excess = t_two_sided(t, df) - target;
        if excess > 0.0 {
            low = t
        } else {
            high = t
        }
        let newton = t + excess / (2.0 * t_density(t, df));
        // A Newton step that leaves the bracket is replaced by halving it.
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let done = (next - t).abs() <= 1e-15 * next;
        t = next;
        if done {
            break;
        }
    }
    if p < 0.5 { -t } else { t }
}

fn t_density(t: f64, df: f64) -> f64 {
    let log_scale = ln_gamma((df + 1.0) / 2.0) - ln_gamma(df / 2.0) - 0.5 * (df * PI).ln();
    (log_scale - (df + 1.0) / 2.0 * (t * t / df).ln_1p()).exp()
}

/// P(K > x) of Kolmogorov's limit distribution.
pub fn kolmogorov_sf(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if x < 1.0 {
        // The alternating series converges slowly here; its theta-function dual does not.
        let term = |k: i32| (-(f64::from(2 * k - 1) * PI).powi(2) / (8.0 * x * x)).exp();
        return 1.0 - (2.0 * PI).sqrt() / x * (1..=6).map(term).sum::<f64>();
    }
    let term = |k: i32| (if k % 2 == 1 { 2.0 } else { -2.0 }) * (-2.0 * f64::from(k * k) * x * x).exp();
    (1..=10).map(term).sum()
}
