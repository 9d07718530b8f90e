//! Alignment of a column of numbers at their decimal points and units.

use unicode_width::UnicodeWidthStr;

/// Pads texts such as `1.5 ms` and `12.34 ms` to one width, with decimal points and units aligned. Texts that do not start
/// like a number are aligned to the right. `pad` is the padding character.
pub fn align_decimals(texts: &[&str], pad: char) -> Vec<String> {
    let parts: Vec<NumberParts> = texts.iter().map(|text| NumberParts::split(text)).collect();
    // The widths of the integer parts, of the fractions with their point, and of the units.
    let widest = |width: fn(&NumberParts) -> usize| parts.iter().map(width).max().unwrap_or(0);
    let widths = [
        widest(|part| part.whole.width()),
        widest(|part| part.fraction.width()),
        widest(|part| part.unit.width()),
    ];
    let number_width: usize = widths.iter().sum();
    let full = texts.iter().zip(&parts).filter(|(_, parts)| parts.is_text()).map(|(text, _)| text.width());
    let full = full.max().unwrap_or(0).max(number_width);
    texts.iter().zip(&parts).map(|(text, parts)| fill(text, parts, widths, full, pad)).collect()
}

fn fill(text: &str, parts: &NumberParts, widths: [usize; 3], full: usize, pad: char) -> String {
    let blanks = |count: usize| pad.to_string().repeat(count);
    if parts.is_text() {
        return blanks(full - text.width()) + text;
    }
    let lead = full - widths.iter().sum::<usize>() + widths[0] - parts.whole.width();
    let middle = widths[1] - parts.fraction.width();
    let trail = widths[2] - parts.unit.width();
    [&blanks(lead), parts.whole, parts.fraction, &blanks(middle), parts.unit, &blanks(trail)].concat()
}

/// A text split at the decimal point and at the space before the unit; all parts are empty for a text that is no number.
struct NumberParts<'a> {
    whole: &'a str,
    fraction: &'a str,
    unit: &'a str,
}

impl<'a> NumberParts<'a> {
    fn split(text: &'a str) -> Self {
        let first = text.trim_start_matches(['-', '+', '(', '±', '≈', '<', '>']).chars().next();
        if !first.is_some_and(|first| first.is_ascii_digit() || first == '∞') {
            return Self { whole: "", fraction: "", unit: "" };
        }
        let (number, unit) = text.split_at(text.find(' ').unwrap_or(text.len()));
        let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
        Self { whole, fraction, unit }
    }

    fn is_text(&self) -> bool {
        self.whole.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::align_decimals;
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn points_and_units_stand_below_each_other() {
        let texts = ["1.5 ms", "12.34(56) ms", "100 µs", "n/a", "∞", "a long word indeed"];
        let aligned = align_decimals(&texts, '.');
        assert_eq!(
            aligned,
            [
                ".......1.5..... ms",
                "......12.34(56) ms",
                ".....100....... µs",
                "...............n/a",
                ".......∞..........",
                "a long word indeed",
            ]
        );
        assert!(align_decimals(&[], ' ').is_empty());
    }

    proptest! {
        #[test]
        fn whatever_stands_in_a_column_gets_one_width(
            texts in proptest::collection::vec("[-+(±<]?[0-9∞]{0,4}(\\.[0-9()]{1,4})?( [µa-zA-Z宽%]{1,3})?", 1..6)
        ) {
            let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
            let aligned = align_decimals(&borrowed, '_');
            for (text, padded) in texts.iter().zip(&aligned) {
                prop_assert_eq!(padded.width(), aligned[0].width(), "{:?}", &aligned);
                prop_assert_eq!(&padded.replace('_', ""), text);
            }
        }
    }
}
