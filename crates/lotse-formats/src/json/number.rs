//! A JSON number as it is written in the file: integers stay exact, fractions are scaled and rounded once.

use super::Fill;

/// A number, if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Number {
    /// There is no value, or it is not a number.
    #[default]
    Missing,
    Whole(i64),
    /// An integer above `i64::MAX`.
    Large(u64),
    /// A number with a fraction, or an integer beyond 64 bits.
    Real(f64),
}

impl Number {
    /// The number times `10^digits`, rounded to an integer: microseconds with 3 digits become nanoseconds. `None` if there
    /// is no number, or the result does not fit.
    pub(crate) fn scaled(self, digits: u32) -> Option<i128> {
        let factor = 10_i128.pow(digits);
        match self {
            Self::Missing => None,
            Self::Whole(number) => i128::from(number).checked_mul(factor),
            Self::Large(number) => i128::from(number).checked_mul(factor),
            Self::Real(number) => {
                let scaled = (number * factor as f64).round();
                (scaled.abs() < 1e38).then_some(scaled as i128)
            }
        }
    }

    /// [`scaled`](Self::scaled) within 64 bits; `digits` is the number of decimal places between the unit and nanoseconds.
    pub(crate) fn nanos(self, digits: u32) -> Option<i64> {
        self.scaled(digits).and_then(|number| i64::try_from(number).ok())
    }

    /// The number as an index or id, if it is an integer from 0.
    pub(crate) fn id(self) -> Option<u64> {
        match self {
            Self::Whole(number) => u64::try_from(number).ok(),
            Self::Large(number) => Some(number),
            Self::Missing | Self::Real(_) => None,
        }
    }

    /// The number as a source line; 0 if it cannot be one.
    pub(crate) fn line(self) -> u32 {
        self.id().and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
    }

    /// Whether the number has a fraction.
    pub(crate) fn has_fraction(self) -> bool {
        matches!(self, Self::Real(number) if number.fract() != 0.0)
    }

    /// The number in a string, as some programs write it.
    pub(crate) fn from_text(text: &str) -> Self {
        let whole = text.parse().map(Self::Whole).or_else(|_| text.parse().map(Self::Large));
        whole.or_else(|_| text.parse().map(Self::Real)).unwrap_or(Self::Missing)
    }
}

impl Fill for Number {
    fn number(&mut self, number: Number) {
        *self = number;
    }

    fn text(&mut self, text: &str) {
        *self = Self::from_text(text);
    }
}

/// An optional index into a table, in four bytes for long columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Index(u32);

impl Default for Index {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Index {
    /// The index.
    pub(crate) fn get(self) -> Option<usize> {
        (self.0 != u32::MAX).then_some(self.0 as usize)
    }
}

impl Fill for Index {
    fn number(&mut self, number: Number) {
        *self = match number {
            Number::Missing => Self::default(),
            // Several formats write -1 for no index.
            Number::Whole(..=-1) => Self::default(),
            // A number that cannot be an index becomes one beyond every table, so that the lookup reports it.
            _ => {
                Self(number.id().and_then(|id| u32::try_from(id).ok()).unwrap_or(u32::MAX).min(u32::MAX - 1))
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    #[test]
    fn whole_numbers_stay_exact_and_fractions_are_rounded_once() {
        assert_eq!(Number::Large(u64::MAX).scaled(3), Some(i128::from(u64::MAX) * 1000));
        assert_eq!(Number::Real(324_347.532_151_375).scaled(6), Some(324_347_532_151));
        assert_eq!(Number::Real(-0.5).scaled(0), Some(-1));
        assert_eq!((Number::Real(f64::INFINITY).scaled(0), Number::Real(1e300).scaled(9)), (None, None));
        assert_eq!(Number::Whole(i64::MAX).nanos(1), None);
    }

    #[test]
    fn ids_are_whole_and_not_negative() {
        let ids = [Number::Whole(3), Number::Whole(-1), Number::Real(3.0), Number::Missing].map(Number::id);
        assert_eq!(ids, [Some(3), None, None, None]);
        assert_eq!(Number::Whole(1 << 40).line(), 0);
    }

    #[test]
    fn text_may_hold_a_number() {
        assert_eq!(Number::from_text("11550183666"), Number::Whole(11_550_183_666));
        assert_eq!(Number::from_text("18446744073709551615"), Number::Large(u64::MAX));
        assert_eq!((Number::from_text("1.5"), Number::from_text("x")), (Number::Real(1.5), Number::Missing));
        assert!(Number::from_text("1.5").has_fraction() && !Number::Real(2.0).has_fraction());
    }
}
