//! The bounds that constraints put on one variable.

use crate::algebra::gcd;
use crate::concrete::Linear;
use crate::nest::Symbol;

/// Constraints sorted by what they say about one variable. Every bound is `factor * x + form >= 0`.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Factor above 0.
    pub(super) lower: Vec<Linear>,
    /// Factor below 0.
    pub(super) upper: Vec<Linear>,
    /// The variable does not occur.
    pub(super) others: Vec<Linear>,
}

impl Bounds {
    pub(super) fn new(constraints: &[Linear], variable: Symbol) -> Self {
        let mut bounds = Self::default();
        for form in constraints {
            let list = match form.factor(variable).signum() {
                1 => &mut bounds.lower,
                -1 => &mut bounds.upper,
                _ => &mut bounds.others,
            };
            list.push(form.clone());
        }
        bounds
    }

    /// Whether the variable has a bound on both sides.
    pub(super) fn are_complete(&self) -> bool {
        !self.lower.is_empty() && !self.upper.is_empty()
    }

    /// A variable that must be split by remainders before the bounds of `variable` are linear forms, and into how many.
    pub(super) fn split(&self, variable: Symbol) -> Option<(Symbol, i128)> {
        self.lower.iter().chain(&self.upper).find_map(|form| {
            let divisor = form.factor(variable).abs();
            let uneven = form.terms().find(|(_, factor)| factor % divisor != 0);
            uneven.map(|(other, factor)| (other, divisor / gcd(divisor, factor)))
        })
    }
}
