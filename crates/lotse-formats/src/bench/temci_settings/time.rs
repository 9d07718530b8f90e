//! Durations as temci writes them: `90`, `'1h 20min'`, `-1` for none.

use std::time::Duration;

use crate::bench::temci_keys::Notes;
use crate::yaml::YamlNode;

/// The longest duration that makes sense: a hundred years, in seconds.
const MOST: f64 = 100.0 * 365.0 * 86_400.0;

/// A duration; `None` if there is none, or it cannot be read.
pub(super) fn duration(node: &YamlNode, notes: &mut Notes<'_>) -> Option<Duration> {
    let text = notes.non_empty_text(node)?;
    if text.trim() == "-1" {
        return None;
    }
    let seconds = seconds(&text).filter(|seconds| *seconds > 0.0 && *seconds <= MOST);
    if seconds.is_none() {
        notes.complain(node, "expected a span of time, such as '1h 20min'");
    }
    seconds.map(Duration::from_secs_f64)
}

/// The sum of numbers with units, in seconds; a number without a unit is in seconds.
fn seconds(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        total += number.parse::<f64>().ok()? * factor(unit)?;
        rest = next.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    Some(total)
}

fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        "w" | "week" | "weeks" => 604_800.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn spans_are_sums_of_numbers_with_units() {
        for (text, expected) in [
            ("90", Some(90.0)),
            ("1h 20min", Some(4800.0)),
            ("1.5 m", Some(90.0)),
            ("2d, 3 hours, 4s", Some(183_604.0)),
            ("soon", None),
            ("5 parsecs", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
