//! Numbers that a program prints about itself, for the runner that parses the program's output.
//!
//! The whole output is one YAML (or JSON) mapping from names to numbers or lists of numbers, or a list of such
//! mappings, as temci defines it. Keys of nested mappings are joined with a dot: `gc: {pauses: 4}` is `gc.pauses` = 4.
//! Anything else, such as other text around the mapping, is an error.

use std::collections::BTreeMap;

use crate::error::{FormatError, Place};
use crate::reading::Diagnostic;
use crate::text;
use crate::yaml::{self, YamlNode, YamlValue};

/// The numbers of each name, in the order they were printed.
pub type PrintedNumbers = BTreeMap<String, Vec<f64>>;

const MAPPING: &str = "a mapping from names to numbers";

/// Parses the output of a program; errors call it `name`.
pub fn parse(name: &str, output: &[u8]) -> Result<PrintedNumbers, FormatError> {
    let (text, flaw) = text::decode(output);
    if let Some(flaw) = flaw {
        return Err(flaw.into_error(name));
    }
    let mut numbers = PrintedNumbers::new();
    let read = yaml::document(text).and_then(|node| match &node.value {
        YamlValue::List(mappings) => {
            mappings.iter().try_for_each(|mapping| add_mapping("", mapping, &mut numbers))
        }
        YamlValue::Null => Err(Diagnostic { place: Place::Whole, ..expected(MAPPING, &node) }),
        _ => add_mapping("", &node, &mut numbers),
    });
    read.map_err(|flaw| flaw.into_error(name))?;
    Ok(numbers)
}

fn add_mapping(prefix: &str, node: &YamlNode, numbers: &mut PrintedNumbers) -> Result<(), Diagnostic> {
    let Some(entries) = node.entries() else {
        return Err(expected(MAPPING, node));
    };
    entries.iter().try_for_each(|(key, value)| {
        let name = if prefix.is_empty() { key.name.clone() } else { format!("{prefix}.{}", key.name) };
        add(&name, value, numbers)
    })
}

/// Adds the numbers of a node: one, a list of them, or those of a mapping under joined names.
fn add(name: &str, node: &YamlNode, numbers: &mut PrintedNumbers) -> Result<(), Diagnostic> {
    match &node.value {
        YamlValue::Map(_) => add_mapping(name, node, numbers),
        YamlValue::List(elements) => {
            if elements.is_empty() {
                return Err(Diagnostic::loss(
                    node.place(),
                    "expected at least one number, found an empty list",
                ));
            }
            let values: Result<Vec<f64>, Diagnostic> = elements.iter().map(number).collect();
            numbers.entry(name.to_owned()).or_default().extend(values?);
            Ok(())
        }
        _ => {
            let value = number(node)?;
            numbers.entry(name.to_owned()).or_default().push(value);
            Ok(())
        }
    }
}

fn number(node: &YamlNode) -> Result<f64, Diagnostic> {
    match node.number() {
        Some(value) if value.is_finite() => Ok(value),
        Some(value) => {
            Err(Diagnostic::loss(node.place(), format!("expected a finite number, found {value}")))
        }
        None => Err(expected("a number", node)),
    }
}

fn expected(what: &str, node: &YamlNode) -> Diagnostic {
    Diagnostic::loss(node.place(), format!("expected {what}, found {}", node.kind()))
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn check(output: &str, expected: &[(&str, &[f64])]) {
        let numbers = parse("output", output.as_bytes()).unwrap();
        let found: Vec<(&str, &[f64])> =
            numbers.iter().map(|(name, values)| (name.as_str(), values.as_slice())).collect();
        assert_eq!(found, expected, "{output}");
    }

    fn check_error(output: &[u8], expected: &str) {
        assert_eq!(parse("output", output).unwrap_err().to_string(), expected);
    }

    #[test]
    fn yaml_and_json_mappings_give_numbers() {
        check("time: 1000.5\ncount: 3\n", &[("count", &[3.0]), ("time", &[1000.5])]);
        check(r#"{"a": [1, 2.5], "b": 1e-7}"#, &[("a", &[1.0, 2.5]), ("b", &[1e-7])]);
        check("- a: 1\n- a: 2\n  b: 3\n", &[("a", &[1.0, 2.0]), ("b", &[3.0])]);
        check("gc:\r\n  pauses: 4\r\n", &[("gc.pauses", &[4.0])]);
        check("{}", &[]);
        check("[]", &[]);
    }

    #[test]
    fn names_are_joined_and_their_numbers_kept_in_order() {
        check("a: {b: {c: 1, d: [2, 3]}}\n", &[("a.b.c", &[1.0]), ("a.b.d", &[2.0, 3.0])]);
        check("- a: {b: 1}\n- a.b: 2\n- a: {b: [3]}\n", &[("a.b", &[1.0, 2.0, 3.0])]);
        check("7: -0.5\ntrue: 0x10\n", &[("7", &[-0.5]), ("true", &[16.0])]);
        check(
            "a: 18446744073709551615\nb: -9223372036854775808\n",
            &[("a", &[18_446_744_073_709_551_615.0]), ("b", &[-9_223_372_036_854_775_808.0])],
        );
        check("--- # a header\n{\"größe\": 1}\n...\n", &[("größe", &[1.0])]);
    }

    #[test]
    fn anything_else_is_an_error_with_its_place() {
        check_error(b"", "output: the whole input: expected a mapping from names to numbers, found nothing");
        check_error(
            b"hello\n",
            "output: line 1, column 1: expected a mapping from names to numbers, found a text",
        );
        check_error(b"a: 1\nb: x\n", "output: line 2, column 4: expected a number, found a text");
        check_error(b"a: .inf\n", "output: line 1, column 4: expected a finite number, found inf");
        check_error(
            b"- a: 1\n- 2\n",
            "output: line 2, column 3: expected a mapping from names to numbers, found a number",
        );
        check_error(b"a: 1\nb: null\n", "output: line 2, column 4: expected a number, found nothing");
        check_error(
            b"a: 1\nb: []\n",
            "output: line 2, column 4: expected at least one number, found an empty list",
        );
        check_error(b"a: [1, [2]]\n", "output: line 1, column 8: expected a number, found a list");
        check_error(b"a: [1, {b: 2}]\n", "output: line 1, column 8: expected a number, found a mapping");
        check_error(b"a: true\n", "output: line 1, column 4: expected a number, found a truth value");
        check_error(b"a: \"1\"\n", "output: line 1, column 4: expected a number, found a text");
        check_error(b"a: -.inf\n", "output: line 1, column 4: expected a finite number, found -inf");
        check_error(
            b"a: 1\n\xff",
            "output: line 2, column 1: expected UTF-8 text, found other bytes; what follows is left out",
        );
    }
}
