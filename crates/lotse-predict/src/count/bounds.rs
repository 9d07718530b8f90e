//! The lower and upper bounds of one variable among the constraints of a domain.

use crate::algebra::gcd;
use crate::concrete::Linear;
use crate::nest::Symbol;

/// Constraints `factor * x + form >= 0`, sorted by the sign of the factor of one variable x.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// The factor is positive.
    pub(super) lower: Vec<Linear>,
    /// The factor is negative.
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

    /// An outer variable v that must be replaced by m v' + r before the bounds of `variable` are linear forms, and the number m
    /// of remainders; `None` if all bounds are linear forms already.
    pub(super) fn variable_to_split(&self, variable: Symbol) -> Option<(Symbol, i128)> {
        self.lower.iter().chain(&self.upper).find_map(|form| {
            let divisor = form.factor(variable).abs();
            let uneven = form.terms().find(|(_, factor)| factor % divisor != 0);
            uneven.map(|(other, factor)| (other, divisor / gcd(divisor, factor)))
        })
    }
}
