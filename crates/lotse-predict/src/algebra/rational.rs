//! Fractions in lowest terms with a positive denominator.

use std::fmt;

use super::Overflow;

/// A fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

impl Rational {
    /// 0.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// 1.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// `numerator / denominator`; a denominator of 0 is reported as an overflow.
    pub fn new(numerator: i128, denominator: i128) -> Result<Self, Overflow> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return Err(Overflow);
        }
        let divisor = gcd(numerator, denominator).max(1) * denominator.signum();
        Ok(Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The fraction `value / 1`.
    pub const fn integer(value: i128) -> Self {
        Self { numerator: value, denominator: 1 }
    }

    /// The numerator in lowest terms.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// The denominator in lowest terms, always positive.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// The value, if it is an integer.
    pub fn to_integer(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The nearest floating-point number.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(super) fn add(self, other: Self) -> Result<Self, Overflow> {
        let left = self.numerator.checked_mul(other.denominator).ok_or(Overflow)?;
        let right = other.numerator.checked_mul(self.denominator).ok_or(Overflow)?;
        let denominator = self.denominator.checked_mul(other.denominator).ok_or(Overflow)?;
        Self::new(left.checked_add(right).ok_or(Overflow)?, denominator)
    }

    /// `self * other`. Common factors are divided out first, so the product overflows only if its lowest terms do.
    pub(super) fn mul(self, other: Self) -> Result<Self, Overflow> {
        let first = gcd(self.numerator, other.denominator).max(1);
        let second = gcd(other.numerator, self.denominator).max(1);
        let numerator = (self.numerator / first).checked_mul(other.numerator / second);
        let denominator = (self.denominator / second).checked_mul(other.denominator / first);
        Self::new(numerator.ok_or(Overflow)?, denominator.ok_or(Overflow)?)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(out, "{}", self.numerator),
            denominator => write!(out, "{}/{denominator}", self.numerator),
        }
    }
}

/// The greatest common divisor, not negative; 0 only for two zeros.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Overflow, Rational, gcd};

    #[test]
    fn lowest_terms_with_a_positive_denominator() {
        let half = Rational::new(-2, -4).unwrap();
        assert_eq!((half.numerator(), half.denominator()), (1, 2));
        assert_eq!(half.add(half).unwrap(), Rational::ONE);
        assert_eq!(half.mul(Rational::integer(4)).unwrap().to_integer(), Some(2));
        assert_eq!(half.to_string(), "1/2");
    }

    #[test]
    fn overflow_is_an_error() {
        let big = Rational::integer(i128::MAX);
        assert_eq!(big.add(Rational::ONE), Err(Overflow));
        assert_eq!(big.mul(big), Err(Overflow));
        assert_eq!(Rational::new(1, 0), Err(Overflow));
    }

    #[test]
    fn divisors() {
        assert_eq!([gcd(12, -18), gcd(0, 5), gcd(0, 0)], [6, 5, 0]);
    }
}
