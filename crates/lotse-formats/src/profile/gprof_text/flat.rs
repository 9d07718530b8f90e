//! Inclusive times from the flat profile, which states them per call and rounded.

use super::decimal::Decimal;

/// The power of ten of seconds in a title such as `ms/call`.
pub(super) fn per_call(title: &str) -> Option<i8> {
    Some(match title.strip_suffix("s/call")? {
        "" => 0,
        "m" => -3,
        "u" => -6,
        "n" => -9,
        "p" => -12,
        // gprof writes prefixes for large times where all times are 0.
        "K" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        _ => return None,
    })
}

/// The time of all calls in units of `10^-places` seconds, where a printed digit is `digit` units.
///
/// `None` where the rounding error of one call, multiplied by the number of calls, could exceed both half a printed
/// digit and a hundredth of the time.
///
/// 4 calls of 12.34 ms are 49.36 ms, 5 hundredths of a second; a million calls of 0.01 ms are anything between 5 and 15 s.
pub(super) fn inclusive(calls: u64, per_call: Decimal, scale: i8, (places, digit): (u8, u64)) -> Option<u64> {
    let unit = 10_f64.powi(i32::from(scale) + i32::from(places));
    let time = calls as f64 * per_call.scaled(per_call.places) as f64
        / 10_f64.powi(i32::from(per_call.places))
        * unit;
    let error = calls as f64 * 0.5 / 10_f64.powi(i32::from(per_call.places)) * unit;
    (error <= (0.5 * digit as f64).max(0.01 * time) && time < 1e18).then_some(time.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::super::decimal::Decimal;
    use super::{inclusive, per_call};

    #[test]
    fn times_of_all_calls_are_stated_where_rounding_permits() {
        let hundredths = |calls, text| inclusive(calls, Decimal::parse(text).unwrap(), -3, (2, 1));
        assert_eq!(hundredths(4, "12.34"), Some(5));
        assert_eq!(hundredths(1, "980.00"), Some(98));
        assert_eq!(hundredths(200, "5.00"), Some(100));
        assert_eq!(hundredths(1_000_000, "0.01"), None);
        assert_eq!(hundredths(u64::MAX, "9999999999.99"), None);
    }

    #[test]
    fn prefixes_of_seconds() {
        let exponents =
            ["s/call", "ms/call", "us/call", "ns/call", "Ts/call", "K/call", "calls"].map(per_call);
        assert_eq!(exponents, [Some(0), Some(-3), Some(-6), Some(-9), Some(12), None, None]);
    }
}
