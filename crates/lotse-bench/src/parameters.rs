//! Parameter scans: one command with `{name}` in it becomes a program for every combination of values.

use std::collections::BTreeMap;

/// A name and the values it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name between braces in a command.
    pub name: String,
    /// Its values, in the order to run them.
    pub values: Vec<String>,
}

/// What is wrong with a scan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// A bound or a step is not a number.
    #[error("parameter {name}: '{value}' is not a number")]
    NotANumber {
        name: String,
        /// What was given.
        value: String,
    },
    /// The step does not lead from the first to the last value.
    #[error("parameter {name}: the step must be positive, and '{first}' not above '{last}'")]
    Empty { name: String, first: String, last: String },
    /// More than [`MOST_VALUES`] values.
    #[error("parameter {name}: {count} values are more than {MOST_VALUES}")]
    TooMany {
        name: String,
        /// How many there would be.
        count: u64,
    },
}

/// A scan of more values is assumed to be a mistake.
pub const MOST_VALUES: u64 = 100_000;

impl Parameter {
    /// All values from `first` to `last` (included) in steps; decimals as written, without binary rounding.
    pub fn scan(name: &str, first: &str, last: &str, step: Option<&str>) -> Result<Self, ScanError> {
        let parse = |value: &str| Decimal::parse(value).ok_or_else(|| not_a_number(name, value));
        let (low, high) = (parse(first)?, parse(last)?);
        let step = parse(step.unwrap_or("1"))?;
        let digits = low.digits.max(high.digits).max(step.digits);
        let at = |decimal: Decimal| decimal.scaled(digits);
        let (Some(low_units), Some(high_units), Some(step_units)) = (at(low), at(high), at(step)) else {
            return Err(not_a_number(name, last));
        };
        if step_units <= 0 || low_units > high_units {
            return Err(ScanError::Empty { name: name.into(), first: first.into(), last: last.into() });
        }
        let count = u64::try_from((high_units - low_units) / step_units + 1).unwrap_or(u64::MAX);
        if count > MOST_VALUES {
            return Err(ScanError::TooMany { name: name.into(), count });
        }
        let values =
            (0..count).map(|i| format_decimal(low_units + i128::from(i) * step_units, digits)).collect();
        Ok(Self { name: name.into(), values })
    }

    /// The values of a comma-separated list; `\,` is a comma inside a value.
    pub fn list(name: &str, values: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut chars = values.chars().peekable();
        while let Some(c) = chars.next() {
            let part = parts.last_mut().expect("there is always a part");
            match c {
                '\\' if chars.peek() == Some(&',') => part.extend(chars.next()),
                ',' => parts.push(String::new()),
                _ => part.push(c),
            }
        }
        Self { name: name.into(), values: parts }
    }
}

fn not_a_number(name: &str, value: &str) -> ScanError {
    ScanError::NotANumber { name: name.into(), value: value.into() }
}

/// A decimal number `units / 10^digits`: 0.25 has 25 units and 2 digits.
#[derive(Debug, Clone, Copy)]
struct Decimal {
    units: i128,
    digits: u32,
}

impl Decimal {
    fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let plain =
            fraction.bytes().all(|b| b.is_ascii_digit()) && text.len() <= 30 && !text.starts_with('+');
        let units = format!("{whole}{fraction}").parse().ok().filter(|_| plain && text != ".")?;
        Some(Self { units, digits: u32::try_from(fraction.len()).ok()? })
    }

    fn scaled(self, digits: u32) -> Option<i128> {
        self.units.checked_mul(10i128.checked_pow(digits - self.digits)?)
    }
}

fn format_decimal(units: i128, digits: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let width = digits as usize + 1;
    let text = format!("{:0>width$}", units.unsigned_abs());
    let (whole, fraction) = text.split_at(text.len() - digits as usize);
    if digits == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Every combination of values, the first parameter changing fastest (as hyperfine orders them).
pub fn combinations(parameters: &[Parameter]) -> Vec<BTreeMap<String, String>> {
    parameters.iter().fold(vec![BTreeMap::new()], |combined, parameter| {
        let with = |value: &String| {
            let add = |so_far: &BTreeMap<String, String>| {
                let mut all = so_far.clone();
                all.insert(parameter.name.clone(), value.clone());
                all
            };
            combined.iter().map(add).collect::<Vec<_>>()
        };
        parameter.values.iter().flat_map(with).collect()
    })
}

/// Whether a text contains the `{name}` of one of the values.
pub fn is_pattern(text: &str, values: &BTreeMap<String, String>) -> bool {
    values.keys().any(|name| text.contains(&format!("{{{name}}}")))
}

/// The text with every `{name}` replaced. One pass: a value that looks like a parameter is left alone.
pub fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        filled.push_str(before);
        let value = from.find('}').and_then(|close| Some((values.get(&from[1..close])?, close)));
        rest = match value {
            Some((value, close)) => {
                filled.push_str(value);
                &from[close + 1..]
            }
            None => {
                filled.push('{');
                &from[1..]
            }
        };
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Parameter, ScanError, combinations, fill};

    #[test]
    fn scans_are_exact_in_decimals() {
        let cases: &[(&str, &str, Option<&str>, &[&str])] = &[
            ("1", "4", None, &["1", "2", "3", "4"]),
            ("0.3", "0.7", Some("0.2"), &["0.3", "0.5", "0.7"]),
            ("0", "0.3", Some("0.1"), &["0.0", "0.1", "0.2", "0.3"]),
            ("-1", "1", None, &["-1", "0", "1"]),
            ("-0.1", "0.1", Some("0.1"), &["-0.1", "0.0", "0.1"]),
            ("1", "2", Some("5"), &["1"]),
        ];
        for (first, last, step, expected) in cases {
            assert_eq!(
                Parameter::scan("n", first, last, *step).unwrap().values,
                *expected,
                "{first}..{last}"
            );
        }
    }

    #[test]
    fn impossible_scans_say_why() {
        let error = |first, last, step| Parameter::scan("n", first, last, step).unwrap_err();
        assert!(matches!(error("1", "x", None), ScanError::NotANumber { .. }));
        assert!(matches!(error("2", "1", None), ScanError::Empty { .. }));
        assert!(matches!(error("1", "2", Some("0")), ScanError::Empty { .. }));
        assert!(matches!(error("1", "99999999", None), ScanError::TooMany { .. }));
        assert_eq!(error("1", "x", None).to_string(), "parameter n: 'x' is not a number");
    }

    #[test]
    fn lists_and_combinations() {
        let list = Parameter::list("c", r"gcc,clang\,x");
        assert_eq!(list.values, ["gcc", "clang,x"]);
        let all = combinations(&[list, Parameter::scan("n", "1", "2", None).unwrap()]);
        let filled: Vec<String> = all.iter().map(|values| fill("{c} -O{n} {other} {", values)).collect();
        let expected =
            ["gcc -O1 {other} {", "clang,x -O1 {other} {", "gcc -O2 {other} {", "clang,x -O2 {other} {"];
        assert_eq!(filled, expected);
    }

    #[test]
    fn a_value_in_braces_is_not_filled_again() {
        let values = [("a".to_owned(), "{b}".to_owned()), ("b".to_owned(), "x".to_owned())].into();
        assert_eq!(fill("{a}{b}", &values), "{b}x");
    }

    #[test]
    fn numbers_are_taken_as_they_are_commonly_written() {
        for (written, first) in
            [(".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("-0.50", "-0.50"), ("007", "7")]
        {
            assert_eq!(Parameter::scan("n", written, "9", None).unwrap().values[0], first, "{written}");
        }
        for strange in ["", "-", ".", "+1", "1e3", "0x10", " 1", "1.-5", "1,5", "--1", "1.2.3", "NaN", "٣"] {
            let error = Parameter::scan("n", strange, "9", None).unwrap_err();
            assert!(matches!(error, ScanError::NotANumber { .. }), "{strange}: {error}");
        }
        let far = "1".repeat(30);
        assert!(matches!(Parameter::scan("n", "0", &far, None), Err(ScanError::TooMany { .. })));
        let both = Parameter::scan("n", &format!("0.{}", "1".repeat(28)), &far, None);
        assert!(both.is_err(), "no such number can be held exactly");
    }

    /// A number of thousandths, written with three digits.
    fn thousandths(units: i64) -> String {
        let sign = if units < 0 { "-" } else { "" };
        format!("{sign}{}.{:03}", units.abs() / 1000, units.abs() % 1000)
    }

    proptest! {
        #[test]
        fn a_scan_goes_by_equal_steps_and_ends_before_the_next_would_be_too_far(
            first in -5_000_i64..5_000, span in 0_i64..9_000, step in 7_i64..3_000,
        ) {
            let (low, high) = (thousandths(first), thousandths(first + span));
            let scan = Parameter::scan("n", &low, &high, Some(&thousandths(step))).unwrap();
            let expected: Vec<String> = (0..=span / step).map(|i| thousandths(first + i * step)).collect();
            prop_assert_eq!(scan.values, expected);
        }

        #[test]
        fn escaped_lists_are_read_back(values in prop::collection::vec("[a-z,= {}]{0,6}", 1..5)) {
            let written: Vec<String> = values.iter().map(|value| value.replace(',', "\\,")).collect();
            prop_assert_eq!(Parameter::list("n", &written.join(",")).values, values);
        }

        #[test]
        fn every_combination_comes_once(sizes in prop::collection::vec(1_usize..4, 0..4)) {
            let parameter = |(i, &size): (usize, &usize)| Parameter {
                name: format!("p{i}"),
                values: (0..size).map(|value| value.to_string()).collect(),
            };
            let parameters: Vec<Parameter> = sizes.iter().enumerate().map(parameter).collect();
            let all = combinations(&parameters);
            prop_assert_eq!(all.len(), sizes.iter().product::<usize>());
            prop_assert!(all.iter().all(|values| values.len() == sizes.len()));
            let distinct: std::collections::BTreeSet<_> = all.iter().collect();
            prop_assert_eq!(distinct.len(), all.len());
        }

        #[test]
        fn filling_replaces_the_names_and_nothing_else(
            pieces in prop::collection::vec(("[^{}]{0,6}", prop::bool::ANY), 0..6), value in "[^{}]{0,4}",
        ) {
            let values = [("x".to_owned(), value.clone())].into();
            let (mut text, mut expected) = (String::new(), String::new());
            for (plain, named) in &pieces {
                text.push_str(plain);
                expected.push_str(plain);
                if *named {
                    text.push_str("{x}");
                    expected.push_str(&value);
                }
            }
            let filled = fill(&text, &values);
            prop_assert_eq!(&filled, &expected);
            prop_assert_eq!(fill(&filled, &values), expected);
        }
    }
}
