//! A mean with as many digits as its standard deviation justifies, the uncertain ones in parentheses.
//!
//! The standard deviation sd is rounded to `digits` significant digits (two by default). The mean is rounded to the
//! decimal place of the last digit of sd, and all its digits from the place of the *first* digit of sd on are put in
//! parentheses:
//!
//! ```text
//! mean 12.3456   sd 0.0051  ->  12.34(56)
//!                sd 5.1     ->  1(2.3)
//!                sd 51      ->  (12)
//! ```
//!
//! The parentheses contain digits of the mean, as in temci; they are not the deviation of the last digits, as in
//! metrology.
//!
//! Without a deviation (zero, NaN, infinite or negative) no digits are marked, and the mean is written with four
//! significant digits.

use super::{SIGNIFICANT, exponent, not_finite, significant, unsigned_zero};

/// How a mean with a deviation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uncertain {
    /// The number of significant digits of the deviation, at least one, and thus of uncertain digits.
    pub digits: usize,
    /// The least number of decimals, even if the deviation does not justify them.
    pub min_decimals: usize,
    /// Whether the uncertain digits are put in parentheses.
    pub parentheses: bool,
}

impl Default for Uncertain {
    fn default() -> Self {
        Self { digits: 2, min_decimals: 0, parentheses: true }
    }
}

/// The number of significant digits of a double.
const MOST_DIGITS: i32 = 15;

/// Formats a mean as this module describes. Beyond 10^15 and below 10^-15 with an exponent: `1.2(34)e20`.
pub fn with_uncertainty(mean: f64, sd: f64, options: Uncertain) -> String {
    if !mean.is_finite() {
        return not_finite(mean).to_owned();
    }
    if !sd.is_finite() || sd <= 0.0 {
        return at_least(significant(mean, SIGNIFICANT), mean, options.min_decimals);
    }
    let magnitude = exponent(mean.abs().max(sd), 1);
    if (-MOST_DIGITS..MOST_DIGITS).contains(&magnitude) {
        return fixed(mean, sd, magnitude, options);
    }
    // In two steps, since a power of ten beyond 10^308 overflows.
    let shrink = |value: f64| value / 10f64.powi(magnitude / 2) / 10f64.powi(magnitude - magnitude / 2);
    format!("{}e{magnitude}", fixed(shrink(mean), shrink(sd).max(f64::MIN_POSITIVE), 0, options))
}

fn at_least(text: String, mean: f64, min_decimals: usize) -> String {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    if decimals >= min_decimals || text.contains('e') { text } else { format!("{mean:.min_decimals$}") }
}

fn fixed(mean: f64, sd: f64, magnitude: i32, options: Uncertain) -> String {
    let digits = options.digits.max(1);
    let first_uncertain = exponent(sd, digits);
    let last = (first_uncertain + 1 - digits as i32).max(magnitude + 1 - MOST_DIGITS);
    let decimals = usize::try_from(-last).unwrap_or(0).max(options.min_decimals);
    let text = rounded(mean, last, decimals);
    if options.parentheses { parenthesised(&text, first_uncertain) } else { text }
}

/// Rounds to a multiple of 10^last; `last` may be positive.
fn rounded(mean: f64, last: i32, decimals: usize) -> String {
    if last <= 0 {
        return unsigned_zero(format!("{mean:.decimals$}"));
    }
    let step = 10f64.powi(last);
    unsigned_zero(format!("{:.decimals$}", (mean / step).round() * step))
}

/// Puts the digits from that of 10^first to the end into parentheses.
fn parenthesised(text: &str, first: i32) -> String {
    let point = text.find('.').unwrap_or(text.len());
    let start = usize::from(text.starts_with('-'));
    let split = if first >= 0 {
        point.saturating_sub(first as usize + 1).max(start)
    } else {
        // The digit of 10^-1 is the first one after the decimal point.
        point.saturating_add(first.unsigned_abs() as usize)
    };
    match text.get(split..) {
        Some(uncertain) if !uncertain.is_empty() => format!("{}({uncertain})", &text[..split]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Uncertain, with_uncertainty};
    use proptest::prelude::*;

    #[test]
    fn digits_follow_the_deviation() {
        for (mean, sd, text) in [
            (12.345_6, 0.005_1, "12.34(56)"),
            (12.345_6, 0.5, "12.(35)"),
            (12.345_6, 5.1, "1(2.3)"),
            (12.345_6, 51.0, "(12)"),
            (12_345.0, 560.0, "12(350)"),
            (-12.345_6, 0.005_1, "-12.34(56)"),
            (-0.004, 0.51, "0.(00)"),
            (0.3, 5.6, "(0.3)"),
            (1.0, 0.099_9, "1.(00)"),
            (0.0, 0.01, "0.0(00)"),
            (12.345_6, 0.0, "12.35"),
            (123_456_789.0, 0.0, "123456789"),
            (12.345_6, f64::NAN, "12.35"),
            (f64::NAN, 1.0, "NaN"),
            (1.234e20, 1e18, "1.2(34)e20"),
            (1e300, 1e-300, "1.00000000000000e300"),
        ] {
            assert_eq!(with_uncertainty(mean, sd, Uncertain::default()), text, "{mean} {sd}");
        }
    }

    #[test]
    fn options_change_the_digits() {
        let one = Uncertain { digits: 1, ..Uncertain::default() };
        assert_eq!(with_uncertainty(12.345_6, 0.005_1, one), "12.34(6)");
        let bare = Uncertain { parentheses: false, ..Uncertain::default() };
        assert_eq!(with_uncertainty(12.345_6, 0.005_1, bare), "12.3456");
        let least = Uncertain { min_decimals: 3, ..Uncertain::default() };
        assert_eq!(with_uncertainty(12.345_6, 0.5, least), "12.(346)");
        assert_eq!(with_uncertainty(12.0, 0.0, Uncertain { min_decimals: 5, ..least }), "12.00000");
    }

    proptest! {
        #[test]
        fn reading_it_back_is_off_by_half_a_last_digit_at_most(
            mean in -1e6..1e6f64, exponent in -6..8i32, mantissa in 1.0..10.0f64, digits in 1..4usize,
        ) {
            let sd = mantissa * 10f64.powi(exponent);
            let text = with_uncertainty(mean, sd, Uncertain { digits, ..Uncertain::default() });
            let back: f64 = text.replace(['(', ')'], "").parse().unwrap();
            let last = 10f64.powi(super::exponent(sd, digits) + 1 - digits as i32);
            // The mean itself is known only to a few of its own last bits.
            let slack = 0.5 * last * 1e-6 + mean.abs() * 2.0 * f64::EPSILON;
            prop_assert!((back - mean).abs() <= 0.5 * last + slack, "{mean} {sd} {text}");
        }

        /// At most fifteen digits are shown, for any deviation.
        #[test]
        fn means_of_any_size_can_be_read_back(
            mantissa in 1.0..9.9f64, power in -290..290i32, finer in -18..18i32, digits in 1..4usize,
        ) {
            let mean = mantissa * 10f64.powi(power);
            let sd = mean * 10f64.powi(-finer);
            let text = with_uncertainty(mean, sd, Uncertain { digits, ..Uncertain::default() });
            prop_assert_eq!(text.matches('(').count(), text.matches(')').count(), "{}", &text);
            let back: f64 = text.replace(['(', ')'], "").parse().unwrap();
            let last = 10f64.powi(super::exponent(sd * (1.0 + 1e-9), digits) + 1 - digits as i32);
            prop_assert!((back - mean).abs() <= 0.501 * last + mean * 1e-13, "{mean} {sd} {text}");
        }
    }
}
