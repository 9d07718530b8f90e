//! Rules for spending alpha over looks and for correlated blocks: Lotse's rule, its predecessor and others that were tried.

use lotse_stats::Interval;
use lotse_stats::distribution::normal_quantile;
use lotse_stats::paired::PairedEstimate;
use lotse_stats::sequential::SpendingFunction;

/// How the correlation of successive blocks is taken into account.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Allowance {
    /// As in Lotse.
    Tool,
    /// The observed correlation from 40 blocks on; before, the smaller of it and its mean with 120 blocks of 0.15.
    Former,
    /// Not at all.
    None,
    /// A constant correlation.
    Constant(f64),
    /// The mean of the observed correlation and a prior one, with the weight of the prior in blocks.
    Weighed(f64, f64),
}

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// A short name.
    pub name: &'static str,
    /// How alpha is spent over the looks.
    pub spending: SpendingFunction,
    allowance: Allowance,
}

const fn rule(name: &'static str, spending: SpendingFunction, allowance: Allowance) -> Rule {
    Rule { name, spending, allowance }
}

const SQUARE: SpendingFunction = SpendingFunction::Power(2.0);
const CUBE: SpendingFunction = SpendingFunction::Power(3.0);

/// The tool's rule first.
pub const RULES: [Rule; 8] = [
    rule("tool", SpendingFunction::ByLength, Allowance::Tool),
    rule("former", SQUARE, Allowance::Former),
    rule("t³ former", CUBE, Allowance::Former),
    rule("t³ none", CUBE, Allowance::None),
    rule("t³ 0 of 60", CUBE, Allowance::Weighed(0.0, 60.0)),
    rule("t³ 0.10 of 60", CUBE, Allowance::Weighed(0.10, 60.0)),
    rule("t³ always 0.125", CUBE, Allowance::Constant(0.125)),
    rule("O'Brien-Fleming", SpendingFunction::ObrienFleming, Allowance::Tool),
];

impl Rule {
    /// The interval of the log ratio at the two-sided probability `p`.
    pub fn interval(&self, estimate: &PairedEstimate, p: f64) -> Interval {
        let n = estimate.blocks() as f64;
        let z = normal_quantile(0.5 * p);
        let distance = (z * z - 1.0).max(0.0) / n.max(100.0);
        let seen = estimate.lag_one() + 1.0 / n;
        let correlation = match self.allowance {
            Allowance::Tool => return estimate.interval(p),
            Allowance::Former => {
                let weighed = (n * seen + 120.0 * 0.15) / (n + 120.0);
                (if n < 40.0 { seen.min(weighed) } else { seen }) + distance
            }
            Allowance::None => 0.0,
            Allowance::Constant(correlation) => correlation,
            Allowance::Weighed(usual, blocks) => (n * (seen + distance) + blocks * usual) / (n + blocks),
        };
        let correlation = correlation.clamp(0.0, 0.9);
        let order = if estimate.order.is_some() { (n - 1.0) / (n - 2.0) } else { 1.0 };
        estimate.inflated_interval(p, order * (1.0 + correlation) / (1.0 - correlation))
    }
}
