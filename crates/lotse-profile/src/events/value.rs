//! Arithmetic of expressions: exact decimal numbers as long as they fit into 128 bits, floating point otherwise.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Cost;

/// A value in an expression. A `Real` is finite, or NaN if there is no value.
#[derive(Debug, Clone, Copy)]
pub(super) enum ExpressionValue {
    /// `mantissa` / 10^`scale`.
    Decimal {
        mantissa: i128,
        scale: u8,
    },
    Real(f64),
}

impl ExpressionValue {
    pub(super) const ABSENT: Self = Self::Real(f64::NAN);

    pub(super) fn exact(mantissa: i128) -> Self {
        Self::Decimal { mantissa, scale: 0 }
    }

    /// Parses digits with at most one point, and an optional power of ten such as `e6`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let real = || text.parse().ok().filter(|real: &f64| real.is_finite()).map(Self::Real);
        let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let (Ok(mantissa), Ok(power)) = (format!("{whole}{fraction}").parse(), power.parse::<i16>()) else {
            return real();
        };
        let scale = i16::try_from(fraction.len()).ok().and_then(|places| places.checked_sub(power));
        match scale.map(|scale| (u8::try_from(scale), scale)) {
            Some((Ok(scale), _)) => Some(Self::Decimal { mantissa, scale }),
            Some((Err(_), ..0)) => {
                let raised = scale.and_then(|scale| 10_i128.checked_pow(scale.unsigned_abs().into()));
                raised.and_then(|raised| raised.checked_mul(mantissa)).map(Self::exact).or_else(real)
            }
            _ => real(),
        }
    }

    /// 10^`power`.
    pub(super) fn power_of_ten(power: u32) -> Self {
        10_i128.checked_pow(power).map_or_else(|| Self::real(10_f64.powf(f64::from(power))), Self::exact)
    }

    pub(super) fn is_zero(self) -> bool {
        matches!(self, Self::Decimal { mantissa: 0, .. })
    }

    pub(super) fn cost(self) -> Cost {
        match self {
            Self::Decimal { mantissa, scale: 0 } => Cost::Exact(mantissa),
            Self::Decimal { mantissa, scale } => match 10_i128.checked_pow(u32::from(scale)) {
                Some(whole) if mantissa % whole == 0 => Cost::Exact(mantissa / whole),
                _ => Cost::Real(self.as_f64()),
            },
            Self::Real(real) => Cost::Real(real),
        }
    }

    pub(super) fn negate(self) -> Self {
        match self {
            Self::Decimal { mantissa, scale } => match mantissa.checked_neg() {
                Some(mantissa) => Self::Decimal { mantissa, scale },
                None => Self::Real(-self.as_f64()),
            },
            Self::Real(real) => Self::Real(-real),
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        let exact = self.aligned(other).and_then(|(one, two, scale)| Some((one.checked_add(two)?, scale)));
        Self::from_exact(exact).unwrap_or_else(|| Self::real(self.as_f64() + other.as_f64()))
    }

    pub(super) fn subtract(self, other: Self) -> Self {
        let exact = self.aligned(other).and_then(|(one, two, scale)| Some((one.checked_sub(two)?, scale)));
        Self::from_exact(exact).unwrap_or_else(|| Self::real(self.as_f64() - other.as_f64()))
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        let exact = match (self, other) {
            (Self::Decimal { mantissa: one, scale: a }, Self::Decimal { mantissa: two, scale: b }) => {
                one.checked_mul(two).zip(a.checked_add(b))
            }
            _ => None,
        };
        Self::from_exact(exact).unwrap_or_else(|| Self::real(self.as_f64() * other.as_f64()))
    }

    /// Absent if the divisor is 0.
    pub(super) fn divide(self, other: Self) -> Self {
        Self::real(self.as_f64() / other.as_f64())
    }

    pub(super) fn min(self, other: Self) -> Self {
        self.chosen(other, Ordering::Less)
    }

    pub(super) fn max(self, other: Self) -> Self {
        self.chosen(other, Ordering::Greater)
    }

    fn chosen(self, other: Self, wanted: Ordering) -> Self {
        let order = match self.aligned(other) {
            Some((one, two, _)) => Some(one.cmp(&two)),
            None => self.as_f64().partial_cmp(&other.as_f64()),
        };
        match order {
            None => Self::ABSENT,
            Some(order) if order == wanted => self,
            Some(_) => other,
        }
    }

    fn from_exact(exact: Option<(i128, u8)>) -> Option<Self> {
        exact.map(|(mantissa, scale)| Self::Decimal { mantissa, scale })
    }

    fn real(real: f64) -> Self {
        if real.is_finite() { Self::Real(real) } else { Self::ABSENT }
    }

    fn as_f64(self) -> f64 {
        match self {
            Self::Decimal { mantissa, scale: 0 } => mantissa as f64,
            Self::Decimal { mantissa, scale } => mantissa as f64 / 10_f64.powi(i32::from(scale)),
            Self::Real(real) => real,
        }
    }

    /// Both mantissas with a common scale, if they fit.
    fn aligned(self, other: Self) -> Option<(i128, i128, u8)> {
        let (Self::Decimal { mantissa: one, scale: a }, Self::Decimal { mantissa: two, scale: b }) =
            (self, other)
        else {
            return None;
        };
        let scale = a.max(b);
        let raised = |mantissa: i128, from: u8| {
            10_i128.checked_pow(u32::from(scale - from)).and_then(|factor| mantissa.checked_mul(factor))
        };
        Some((raised(one, a)?, raised(two, b)?, scale))
    }

    fn key(self) -> (i128, Option<u8>) {
        match self {
            Self::Decimal { mantissa, scale } => (mantissa, Some(scale)),
            Self::Real(real) => (i128::from(real.to_bits()), None),
        }
    }
}

// Equality is by representation, not by value: programs share nodes of identical values.
impl PartialEq for ExpressionValue {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for ExpressionValue {}

impl Hash for ExpressionValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, ExpressionValue};

    fn number(text: &str) -> ExpressionValue {
        ExpressionValue::parse(text).unwrap()
    }

    #[test]
    fn decimals_add_up_exactly() {
        let tenths = (0..10).fold(ExpressionValue::exact(0), |sum, _| sum.add(number("0.1")));
        assert!(matches!(tenths.cost(), Cost::Exact(1)), "{tenths:?}");
        assert!(matches!(number("2.50").multiply(number("4")).cost(), Cost::Exact(10)));
        assert!(matches!(number("0.5").cost(), Cost::Real(0.5)));
        assert!(matches!(number("1").max(number("0.99")).cost(), Cost::Exact(1)));
    }

    #[test]
    fn what_does_not_fit_becomes_real() {
        let large = ExpressionValue::exact(i128::MAX);
        for sum in [large.add(large), large.multiply(large), large.negate().subtract(large)] {
            assert!(matches!(sum, ExpressionValue::Real(real) if real.abs() > 1e38), "{sum:?}");
        }
        assert!(
            matches!(ExpressionValue::exact(i128::MIN).negate(), ExpressionValue::Real(real) if real > 1e38)
        );
        assert!(matches!(number(&"9".repeat(60)), ExpressionValue::Real(_)));
        assert_eq!(ExpressionValue::parse(&"9".repeat(400)), None);
    }

    #[test]
    fn what_is_absent_stays_absent() {
        let absent = ExpressionValue::exact(1).divide(ExpressionValue::exact(0));
        let one = ExpressionValue::exact(1);
        for value in [absent, absent.add(one), one.min(absent), absent.max(one), one.divide(absent)] {
            assert!(value.cost().is_absent(), "{value:?}");
        }
    }
}
