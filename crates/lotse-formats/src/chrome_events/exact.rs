//! Converts decimal microseconds to integer nanoseconds, digit by digit: an `f64` cannot hold the microseconds since 1970
//! together with a fraction.

/// The nanoseconds of a JSON number of microseconds, rounded to the nearest, half away from zero; `None` if the text is
/// not a number or the result does not fit.
pub(crate) fn nanos(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let nanos = i64::try_from(magnitude(mantissa, exponent.checked_add(3)?)?).ok()?;
    Some(if negative { -nanos } else { nanos })
}

/// A mantissa times a power of ten, rounded. The exponent moves the decimal point:
///
/// ```text
/// 12.3456 * 10^3  =  12345.6   take the first 2 + 3 digits, the next digit (6) rounds up: 12346
/// 12.3 * 10^3     =  12300     take the 3 digits there are, then append 2 zeros
/// 12.3 * 10^-2    =  0.123     take 2 - 2 = 0 digits, the next digit (1) rounds down: 0
/// ```
fn magnitude(mantissa: &str, exponent: i32) -> Option<u64> {
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = || whole.bytes().chain(fraction.bytes()).map(|byte| u64::from(byte - b'0'));
    // The number of digits before the moved point; below zero for a number less than 0.1.
    let before_point = i64::try_from(whole.len()).ok()? + i64::from(exponent);
    let taken = usize::try_from(before_point.max(0)).ok()?;
    let append = |number: u64, digit: u64| number.checked_mul(10)?.checked_add(digit);
    let mut number = digits().take(taken).try_fold(0_u64, append)?;
    for _ in digits().count()..taken {
        if number == 0 {
            break;
        }
        number = append(number, 0)?;
    }
    let round_up = before_point >= 0 && digits().nth(taken).is_some_and(|digit| digit >= 5);
    number.checked_add(u64::from(round_up))
}

#[cfg(test)]
mod tests {
    use super::nanos;

    #[test]
    fn every_digit_counts() {
        for (text, expected) in [
            ("0", Some(0)),
            ("7", Some(7_000)),
            ("1661203462598738.123", Some(1_661_203_462_598_738_123)),
            ("1661203462598738", Some(1_661_203_462_598_738_000)),
            ("0.0005", Some(1)),
            ("0.00049", Some(0)),
            ("0.00005", Some(0)),
            ("-2.5", Some(-2_500)),
            ("1.5e3", Some(1_500_000)),
            ("15E-1", Some(1_500)),
            ("5e-4", Some(1)),
            ("5e-5", Some(0)),
            ("0e2000000000", Some(0)),
            ("1e20", None),
            ("1e2147483647", None),
            ("99999999999999999999", None),
            ("", None),
            ("-", None),
            (".5", None),
            ("NaN", None),
            ("1.2.3", None),
        ] {
            assert_eq!(nanos(text), expected, "{text}");
        }
    }
}
