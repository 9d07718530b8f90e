//! Values as people read them: a few digits, a unit that fits, the doubtful digits marked.
//!
//! Nothing here fails: values that are no numbers are written as `NaN`, `∞` and `-∞`.

mod align;
mod scale;
mod uncertain;

pub use align::align_decimals;
pub use scale::{Scale, TimeUnit};
pub use uncertain::{Uncertain, with_uncertainty};

use lotse_model::Unit;

/// Digits shown of a value whose spread is not known.
const SIGNIFICANT: usize = 4;

/// A duration in the unit that fits it: `12.34 ms`.
pub fn format_seconds(seconds: f64) -> String {
    format_value(seconds, Unit::Seconds)
}

/// A size in the binary unit that fits it: `1.500 KiB`, whole bytes below that.
pub fn format_bytes(bytes: f64) -> String {
    format_value(bytes, Unit::Bytes)
}

/// A value in the size of its unit that fits; counts are written out with separators.
pub fn format_value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count => format_count(value),
        _ => Scale::fitting(unit, value).format(value),
    }
}

/// A mean with its standard deviation, in the size of its unit that fits: `12.34(56) ms`. Counts that never
/// varied are written out, for every digit of them is certain.
pub fn format_measured(mean: f64, sd: f64, unit: Unit, options: Uncertain) -> String {
    if unit == Unit::Count && sd == 0.0 {
        return format_count(mean);
    }
    let magnitude = if mean == 0.0 { sd } else { mean };
    Scale::fitting(unit, magnitude).with_uncertainty(mean, sd, options)
}

/// A number of things, with separators: `1,234,567`. Broken counts (a mean) keep one decimal.
pub fn format_count(count: f64) -> String {
    if !count.is_finite() {
        return not_finite(count).to_owned();
    }
    let decimals = if count.fract() == 0.0 || count.abs() >= 1000.0 { 0 } else { 1 };
    separated(&format!("{:.decimals$}", unsigned_zero(count)))
}

/// A share as a percentage: `percent(0.0312, 1)` is `3.1 %`.
pub fn format_percent(share: f64, decimals: usize) -> String {
    if share.is_finite() {
        format!("{:.decimals$} %", unsigned_zero_at(share * 100.0, decimals))
    } else {
        format!("{} %", not_finite(share))
    }
}

/// A signed change as a percentage: `format_change(1.031, 1)`, a ratio, is `+3.1 %`.
pub fn format_change(ratio: f64, decimals: usize) -> String {
    let text = format_percent(ratio - 1.0, decimals);
    if text.starts_with('-') || text.starts_with('N') { text } else { format!("+{text}") }
}

/// A ratio: three decimals near one (`1.031`), three significant digits elsewhere (`12.3`, `0.0200`).
pub fn format_ratio(ratio: f64) -> String {
    if (0.1..10.0).contains(&ratio.abs()) { format!("{ratio:.3}") } else { significant(ratio, 3) }
}

/// The value with so many significant digits; the integer part is always whole.
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

/// The decimal exponent of the value once it is rounded to so many digits: 0.0999 rounds to 0.10, so -1 at two.
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

fn unsigned_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// What rounds to zero loses its sign, so that no `-0.0 %` is shown.
fn unsigned_zero_at(value: f64, decimals: usize) -> f64 {
    if value.abs() < 0.5 * 10f64.powi(-(decimals as i32)) { 0.0 } else { value }
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
        Uncertain, Unit, format_bytes, format_change, format_count, format_measured, format_percent,
        format_ratio, format_seconds, significant,
    };

    #[test]
    fn seconds_find_their_unit() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (1.5e-9, "1.500 ns"),
            (2.5e-6, "2.500 µs"),
            (0.012_34, "12.34 ms"),
            (-0.012_34, "-12.34 ms"),
            (0.999_96, "1000 ms"),
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
    fn rounding_up_does_not_add_a_digit() {
        assert_eq!(significant(9.999_99, 4), "10.00");
        assert_eq!(significant(0.099_99, 2), "0.10");
        assert_eq!(significant(1e300, 4), "1.000e300");
        assert_eq!(significant(1e-300, 4), "1.000e-300");
    }
}
