//! Formatting of numbers for people: a few digits, a suitable unit, uncertain digits marked.
//!
//! Nothing here fails: values that are not finite are written as `NaN`, `∞` and `-∞`.

mod align;
mod scale;
mod uncertain;

pub use align::align_decimals;
pub use scale::{TimeUnit, UnitScale};
pub use uncertain::{Uncertain, with_uncertainty};

use lotse_model::Unit;

/// The number of digits of a value without a known deviation.
const SIGNIFICANT: usize = 4;

/// A duration in a suitable unit: `12.34 ms`.
pub fn format_seconds(seconds: f64) -> String {
    format_value(seconds, Unit::Seconds)
}

/// A size in a suitable binary unit: `1.500 KiB`, and whole bytes below 1 KiB.
pub fn format_bytes(bytes: f64) -> String {
    format_value(bytes, Unit::Bytes)
}

/// Half of the last of four digits, relative to the value: 999.95 is written as 1000.
const HALF_A_DIGIT: f64 = 0.000_05;

/// A value in a suitable size of its unit; counts are written in full, with separators.
pub fn format_value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count => format_count(value),
        // 999.97 µs would be written as 1000 µs with four digits; 1.000 ms is better.
        Unit::Seconds => UnitScale::fitting(unit, value * (1.0 + HALF_A_DIGIT)).format(value),
        _ => UnitScale::fitting(unit, value).format(value),
    }
}

/// A mean with its standard deviation, in a suitable size of its unit: `12.34(56) ms`. Counts without deviation are
/// written in full, since all their digits are certain.
pub fn format_measured(mean: f64, sd: f64, unit: Unit, options: Uncertain) -> String {
    if unit == Unit::Count && sd == 0.0 {
        return format_count(mean);
    }
    let magnitude = if mean == 0.0 { sd } else { mean };
    UnitScale::fitting(unit, magnitude).with_uncertainty(mean, sd, options)
}

/// A count with separators: `1,234,567`. A fractional count (a mean) below 1000 has one decimal.
pub fn format_count(count: f64) -> String {
    if !count.is_finite() {
        return not_finite(count).to_owned();
    }
    let decimals = if count.fract() == 0.0 || count.abs() >= 1000.0 { 0 } else { 1 };
    separated(&unsigned_zero(format!("{count:.decimals$}")))
}

/// A share as a percentage: `percent(0.0312, 1)` is `3.1 %`.
pub fn format_percent(share: f64, decimals: usize) -> String {
    // The percentage of a very large share overflows.
    let percent = share * 100.0;
    if percent.is_finite() {
        format!("{} %", unsigned_zero(format!("{percent:.decimals$}")))
    } else {
        format!("{} %", not_finite(percent))
    }
}

/// A part of a whole as a percentage, as [`format_percent`], except that a share below 1 is never rounded up to 100 %:
/// `format_share(0.9997, 1)` is `99.9 %`.
pub fn format_share(share: f64, decimals: usize) -> String {
    let steps = 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX)) * 100.0;
    let below_all = (steps - 1.0) / steps;
    format_percent(if share < 1.0 { share.min(below_all) } else { share }, decimals)
}

/// A signed change as a percentage: `format_change(1.031, 1)`, a ratio, is `+3.1 %`.
pub fn format_change(ratio: f64, decimals: usize) -> String {
    let text = format_percent(ratio - 1.0, decimals);
    if text.starts_with('-') || text.starts_with('N') { text } else { format!("+{text}") }
}

/// An end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalEnd {
    Low,
    High,
}

impl IntervalEnd {
    /// The value of an end with few decimals, so that the printed interval contains the exact one: the lower end is rounded
    /// down, the upper end up.
    pub fn rounded(self, value: f64, decimals: usize) -> f64 {
        self.outward(value, &format!("{value:.decimals$}"), 0.1_f64.powi(decimals as i32))
    }

    /// The same with significant digits, as text.
    pub fn significant(self, value: f64, digits: usize) -> String {
        let text = format!("{value:.*e}", digits.saturating_sub(1));
        let step = 10_f64.powi(exponent(value, digits) + 1 - digits as i32);
        significant(self.outward(value, &text, step), digits)
    }

    /// The nearest value that the text shows, or the next one if that lies inside the interval. An error in the last binary
    /// digits does not count.
    fn outward(self, value: f64, text: &str, step: f64) -> f64 {
        let nearest: f64 = text.parse().unwrap_or(value);
        let noise = step * 1e-6;
        match self {
            Self::Low if nearest > value + noise => nearest - step,
            Self::High if nearest < value - noise => nearest + step,
            _ => nearest,
        }
    }
}

/// An interval of ratios as signed changes, rounded outwards: `+5.6 % to +36.4 %` of 1.0562 and 1.3635.
pub fn format_change_interval(low: f64, high: f64, decimals: usize) -> String {
    let change = |end: IntervalEnd, ratio: f64| {
        format_change(1.0 + end.rounded(100.0 * (ratio - 1.0), decimals) / 100.0, decimals)
    };
    format!("{} to {}", change(IntervalEnd::Low, low), change(IntervalEnd::High, high))
}

/// A ratio: three decimals near one (`1.031`), three significant digits elsewhere (`12.3`, `0.0200`).
pub fn format_ratio(ratio: f64) -> String {
    if (0.1..10.0).contains(&ratio.abs()) { format!("{ratio:.3}") } else { significant(ratio, 3) }
}

/// The value with this many significant digits; digits of the integer part are never rounded away.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return not_finite(value).to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = exponent(value, digits);
    if !(-9..15).contains(&exponent) {
        return format!("{value:.*e}", digits.saturating_sub(1));
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// The decimal exponent of the value after rounding to this many digits: -1 for 0.0999 with two digits, which is 0.10.
fn exponent(value: f64, digits: usize) -> i32 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

fn not_finite(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "∞",
        f64::NEG_INFINITY => "-∞",
        _ => "NaN",
    }
}

/// Removes the sign of a number that was rounded to zero, so that no `-0.0 %` is shown.
fn unsigned_zero(text: String) -> String {
    let zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

fn separated(digits: &str) -> String {
    let (number, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let mut grouped = sign.to_owned();
    for (i, digit) in number.chars().enumerate() {
        if i > 0 && (number.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::{
        IntervalEnd, Uncertain, Unit, format_bytes, format_change, format_change_interval, format_count,
        format_measured, format_percent, format_ratio, format_seconds, significant,
    };
    use proptest::prelude::*;

    #[test]
    fn intervals_are_rounded_outwards() {
        assert_eq!(format_change_interval(1.0562, 1.3635, 1), "+5.6 % to +36.4 %");
        assert_eq!(format_change_interval(0.9871, 1.03, 1), "-1.3 % to +3.0 %");
        assert_eq!(IntervalEnd::Low.rounded(1.0562, 1), 1.0);
        assert_eq!(IntervalEnd::Low.significant(0.1299, 2), "0.12");
        assert_eq!(IntervalEnd::High.significant(99.2, 2), "100");
        assert_eq!(IntervalEnd::High.significant(12.0, 2), "12");
    }

    #[test]
    fn seconds_find_their_unit() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (1.5e-9, "1.500 ns"),
            (2.5e-6, "2.500 µs"),
            (0.012_34, "12.34 ms"),
            (-0.012_34, "-12.34 ms"),
            (0.999_94, "999.9 ms"),
            (0.999_96, "1.000 s"),
            (1.0, "1.000 s"),
            (123.456, "123.5 s"),
            (86_400.0, "86400 s"),
            (1e-12, "0.001000 ns"),
            (f64::NAN, "NaN s"),
            (f64::INFINITY, "∞ s"),
        ] {
            assert_eq!(format_seconds(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn bytes_find_their_unit() {
        for (bytes, text) in [
            (0.0, "0 B"),
            (548.0, "548 B"),
            (548.0 * 1024.0, "548.0 KiB"),
            (1536.0, "1.500 KiB"),
            (3.0 * 1024.0 * 1024.0, "3.000 MiB"),
            (5.5 * 1024f64.powi(3), "5.500 GiB"),
        ] {
            assert_eq!(format_bytes(bytes), text);
        }
    }

    #[test]
    fn counts_are_separated() {
        for (count, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (-1_234_567.0, "-1,234,567"),
            (12.25, "12.2"),
            (f64::NEG_INFINITY, "-∞"),
        ] {
            assert_eq!(format_count(count), text);
        }
    }

    #[test]
    fn measured_values_show_what_is_doubtful() {
        let shown = |mean, sd, unit| format_measured(mean, sd, unit, Uncertain::default());
        assert_eq!(shown(0.012_345_6, 5.1e-6, Unit::Seconds), "12.34(56) ms");
        assert_eq!(shown(0.0, 5.1e-6, Unit::Seconds), "(0.0) µs");
        assert_eq!(shown(123_456_789.0, 0.0, Unit::Count), "123,456,789");
        assert_eq!(shown(123_456_789.0, 1200.0, Unit::Count), "123.45(68) M");
        assert_eq!(shown(2048.0, 0.0, Unit::Bytes), "2.000 KiB");
    }

    #[test]
    fn shares_and_ratios() {
        assert_eq!(format_percent(0.031_2, 1), "3.1 %");
        assert_eq!(format_percent(-0.000_1, 1), "0.0 %");
        assert_eq!(format_percent(f64::NAN, 1), "NaN %");
        assert_eq!(format_change(1.031, 1), "+3.1 %");
        assert_eq!(format_change(0.9, 0), "-10 %");
        assert_eq!(format_ratio(1.031_234), "1.031");
        assert_eq!(format_ratio(0.939), "0.939");
        assert_eq!(format_ratio(123.456), "123");
        assert_eq!(format_ratio(0.02), "0.0200");
        assert_eq!(format_ratio(f64::INFINITY), "∞");
    }

    #[test]
    fn the_ends_of_the_scale_are_still_numbers() {
        for (shown, text) in [
            (format_seconds(5e-324), "4.941e-315 ns"),
            (format_seconds(f64::MAX), "1.798e308 s"),
            (format_seconds(-0.0), "0 s"),
            (format_seconds(f64::NEG_INFINITY), "-∞ s"),
            (format_bytes(1023.0), "1023 B"),
            (format_bytes(-1536.0), "-1.500 KiB"),
            (format_bytes(0.5), "0.5000 B"),
            (format_bytes(2f64.powi(60)), "1048576 TiB"),
            (format_count(-0.04), "0.0"),
            (format_count(-0.06), "-0.1"),
            (format_count(999.96), "1,000.0"),
            (format_count(1e15), "1,000,000,000,000,000"),
            (format_percent(-0.005, 0), "0 %"),
            (format_percent(1e308, 1), "∞ %"),
            (format_change(1.0, 1), "+0.0 %"),
            (format_change(0.999_999, 1), "+0.0 %"),
            (format_change(f64::INFINITY, 1), "+∞ %"),
            (format_change(f64::NAN, 1), "NaN %"),
            (format_ratio(0.0), "0"),
            (format_ratio(9.999_96), "10.000"),
            (format_ratio(5e-324), "4.94e-324"),
            (format_measured(f64::NAN, 1.0, Unit::Seconds, Uncertain::default()), "NaN s"),
            (format_measured(0.0, 0.0, Unit::Bytes, Uncertain::default()), "0 B"),
            (format_measured(1.5, f64::INFINITY, Unit::Number, Uncertain::default()), "1.500"),
        ] {
            assert_eq!(shown, text);
        }
    }

    proptest! {
        /// A value is shown to half of its last digit, in a unit in which it has one to three digits before the
        /// point (four where it rounds up, or where the next unit is 1024 of this one).
        #[test]
        fn a_shown_value_can_be_read_back(mantissa in 1.0..10.0f64, power in -9..3i32, negative: bool) {
            let value = if negative { -mantissa } else { mantissa } * 10f64.powi(power);
            let text = format_seconds(value);
            let (number, symbol) = text.split_once(' ').unwrap();
            let number: f64 = number.parse().unwrap();
            let factor = match symbol { "ns" => 1e-9, "µs" => 1e-6, "ms" => 1e-3, _ => 1.0 };
            prop_assert!((number * factor - value).abs() <= value.abs() * 5.01e-4, "{value} {text}");
            prop_assert!((1.0..=1000.0).contains(&number.abs()), "{value} {text}");
        }

        #[test]
        fn significant_digits_are_as_many_as_asked_for(
            mantissa in 1.0..10.0f64, power in -300..300i32, digits in 1..9usize,
        ) {
            let value = mantissa * 10f64.powi(power);
            let text = significant(value, digits);
            let back: f64 = text.parse().unwrap();
            prop_assert!((back - value).abs() <= value.abs() * 0.51 * 10f64.powi(1 - digits as i32), "{value} {text}");
        }

        #[test]
        fn separators_do_not_change_a_count(count in -1e14..1e14f64) {
            let text = format_count(count);
            let back: f64 = text.replace(',', "").parse().unwrap();
            prop_assert!((back - count).abs() <= 0.5, "{count} {text}");
            let whole = text.trim_start_matches('-').split('.').next().unwrap();
            let mut groups = whole.split(',');
            prop_assert!(groups.next().is_some_and(|first| (1..=3).contains(&first.len())), "{text}");
            prop_assert!(groups.all(|group| group.len() == 3), "{text}");
        }
    }

    #[test]
    fn rounding_up_does_not_add_a_digit() {
        assert_eq!(significant(9.999_99, 4), "10.00");
        assert_eq!(significant(0.099_99, 2), "0.10");
        assert_eq!(significant(1e300, 4), "1.000e300");
        assert_eq!(significant(1e-300, 4), "1.000e-300");
    }
}
