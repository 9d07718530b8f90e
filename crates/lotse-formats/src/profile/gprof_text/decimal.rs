//! Exact decimal numbers as gprof prints them.

/// The number `digits / 10^places`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u64,
    /// The number of digits after the decimal point.
    pub(super) places: u8,
}

impl Decimal {
    /// The value of a column that gprof leaves blank.
    pub(super) const ZERO: Self = Self { digits: 0, places: 0 };

    /// Parses `12.34`. gprof prints at most 12 digits and 6 decimal places.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.')?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() > 12 || fraction.len() > 6 || !digits(whole) || !digits(fraction) {
            return None;
        }
        let digits = [whole, fraction].concat().parse().ok()?;
        Some(Self { digits, places: fraction.len() as u8 })
    }

    /// The number in units of `10^-places`, where `places` is at least its own.
    pub(super) fn scaled(self, places: u8) -> u64 {
        self.digits.saturating_mul(10_u64.saturating_pow(u32::from(places.saturating_sub(self.places))))
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn numbers_stay_exact() {
        let scaled = |text: &str, places| Decimal::parse(text).map(|number| number.scaled(places));
        assert_eq!(scaled("62353.83", 2), Some(6_235_383));
        assert_eq!(scaled("0.1", 6), Some(100_000));
        assert_eq!(scaled("999999999999.", 6), Some(999_999_999_999_000_000));
        assert_eq!(
            ["", "1", ".", "1.x", "-1.0", "1.2345678", "1234567890123.4"].map(Decimal::parse),
            [None; 7]
        );
    }
}
