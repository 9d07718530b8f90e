//! Factors by which times are multiplied.

use lotse_model::trace::Ticks;

/// A factor in millionths. Integer arithmetic makes simulations identical on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Factor(u32);

/// A factor outside the supported range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a factor of {0} is out of range: it must lie between 0 and {most}", most = Factor::MOST)]
pub struct FactorOutOfRange(pub f64);

impl Factor {
    /// The time vanishes.
    pub const ZERO: Self = Self(0);
    /// The time stays as it is.
    pub const ONE: Self = Self(Self::MILLION);
    /// The largest factor, rounded down to a whole number.
    pub const MOST: u32 = u32::MAX / Self::MILLION;

    const MILLION: u32 = 1_000_000;

    /// The factor `part / whole`, rounded down; one where `whole` is zero.
    pub fn ratio(part: Ticks, whole: Ticks) -> Self {
        match u128::from(part) * u128::from(Self::MILLION) {
            _ if whole == 0 => Self::ONE,
            scaled => Self(u32::try_from(scaled / u128::from(whole)).unwrap_or(u32::MAX)),
        }
    }

    /// The time multiplied.
    #[inline]
    pub fn apply(self, ticks: Ticks) -> Ticks {
        match self {
            Self::ZERO => 0,
            Self::ONE => ticks,
            Self(factor) => (u128::from(ticks) * u128::from(factor) / u128::from(Self::MILLION)) as Ticks,
        }
    }

    /// The factor as a number.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::MILLION)
    }
}

impl TryFrom<f64> for Factor {
    type Error = FactorOutOfRange;

    fn try_from(factor: f64) -> Result<Self, FactorOutOfRange> {
        let scaled = (factor * f64::from(Self::MILLION)).round();
        if (0.0..=f64::from(u32::MAX)).contains(&scaled) {
            Ok(Self(scaled as u32))
        } else {
            Err(FactorOutOfRange(factor))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Factor;

    #[test]
    fn times_are_multiplied_exactly() {
        let half = Factor::try_from(0.5).unwrap();
        assert_eq!(half.apply(1001), 500, "rounded down");
        assert_eq!(Factor::ONE.apply(u64::MAX), u64::MAX);
        assert_eq!(Factor::ZERO.apply(u64::MAX), 0);
        assert_eq!(Factor::try_from(2.5).unwrap().apply(1 << 40), 5 << 39);
    }

    #[test]
    fn ratios_of_times() {
        assert_eq!(Factor::ratio(1, 4).as_f64(), 0.25);
        assert_eq!(Factor::ratio(7, 0), Factor::ONE);
        assert_eq!(Factor::ratio(u64::MAX, 1).apply(1), u64::from(Factor::MOST));
    }

    #[test]
    fn factors_out_of_range_are_rejected() {
        for factor in [-0.1, f64::NAN, f64::INFINITY, 5000.0] {
            assert!(Factor::try_from(factor).is_err(), "{factor}");
        }
    }
}
