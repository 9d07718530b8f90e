//! An exact decimal number: an integer and the number of its digits after the decimal point.

/// The largest number of decimal places that 64 bits have room for.
const DIGITS: i64 = 18;

/// The weight of a stack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DecimalWeight {
    pub(super) value: i128,
    pub(super) digits: u8,
}

impl DecimalWeight {
    /// Parses `12`, `-3`, `0.25` or `1e-05`; trailing zeros of a fraction do not count as decimal places.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = fraction.trim_end_matches('0');
        let all = whole.bytes().chain(fraction.bytes());
        if whole.len() + fraction.len() > 38 || number.is_empty() || number == "." {
            return None;
        }
        let value = all
            .clone()
            .all(|byte| byte.is_ascii_digit())
            .then(|| all.fold(0_i128, |value, byte| value * 10 + i128::from(byte - b'0')))?;
        let digits = fraction.len() as i64 - i64::from(exponent.parse::<i8>().ok()?);
        let value = if negative { -value } else { value };
        if value == 0 {
            return Some(Self::default());
        }
        if digits < 0 {
            let value = value.checked_mul(10_i128.checked_pow(digits.unsigned_abs() as u32)?)?;
            return Some(Self { value, digits: 0 });
        }
        (digits <= DIGITS).then_some(Self { value, digits: digits as u8 })
    }

    /// The value as a cost with `digits` decimal places; `None` where it does not fit into 64 bits.
    pub(super) fn in_digits(self, digits: u8, signed: bool) -> Option<u64> {
        let value = self.value.checked_mul(10_i128.pow(u32::from(digits - self.digits)))?;
        if signed { i64::try_from(value).ok().map(|value| value as u64) } else { u64::try_from(value).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::DecimalWeight;

    #[test]
    fn decimal_numbers_stay_exact() {
        let parsed =
            |text: &str| DecimalWeight::parse(text.as_bytes()).map(|weight| (weight.value, weight.digits));
        assert_eq!(parsed("12"), Some((12, 0)));
        assert_eq!(parsed("12."), Some((12, 0)));
        assert_eq!(parsed("-0.250"), Some((-25, 2)));
        assert_eq!(parsed("1.5e-05"), Some((15, 6)));
        assert_eq!(parsed("1.5e+3"), Some((1500, 0)));
        assert_eq!(parsed("0e-99"), Some((0, 0)));
        for bad in ["", ".", "x", "1x", "0x10", "1e", "1e-30", "--1", "+1", "1,5", "nan", "inf", "１"] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let weight = |text: &str| DecimalWeight::parse(text.as_bytes()).unwrap();
        assert_eq!(weight("0.5").in_digits(3, false), Some(500));
        assert_eq!(weight("18446744073709551615").in_digits(0, false), Some(u64::MAX));
        assert_eq!(weight("18446744073709551615").in_digits(0, true), None);
        assert_eq!(weight("18446744073709551615").in_digits(1, false), None);
        assert_eq!(weight("-1").in_digits(0, true), Some(u64::MAX));
        assert_eq!(weight("1e38").in_digits(18, false), None);
    }
}
