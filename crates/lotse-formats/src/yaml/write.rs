//! Writes YAML that readers of YAML 1.1 and 1.2 understand in the same way.
//!
//! PyYAML reads `1e-7` as a text and `yes` as a truth value. So floating point numbers always have a decimal point, and
//! every text that might be read as something else is quoted as in JSON.

use std::fmt::Write;

use serde_json::Value;

/// Words that some readers do not read as texts.
const RESERVED: &[&str] =
    &["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];

/// The YAML text of a value, in block style.
pub(crate) fn to_text(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Array(_) | Value::Object(_) if !is_inline(value) => block(value, 0, false, &mut out),
        _ => out.push_str(&inline(value)),
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Writes a list or mapping that is not empty; `inside` means that its first line is already indented.
fn block(value: &Value, indent: usize, inside: bool, out: &mut String) {
    let mut first = inside;
    let mut begin = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.extend(std::iter::repeat_n(' ', indent));
        }
    };
    match value {
        Value::Array(elements) => {
            for element in elements {
                begin(out);
                out.push_str("- ");
                if is_inline(element) {
                    line(element, out);
                } else {
                    block(element, indent + 2, true, out);
                }
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                begin(out);
                out.push_str(&text(key));
                out.push(':');
                if is_inline(value) {
                    out.push(' ');
                    line(value, out);
                } else {
                    out.push('\n');
                    // Lists are not indented below their key, as PyYAML writes them.
                    block(value, if value.is_array() { indent } else { indent + 2 }, false, out);
                }
            }
        }
        _ => line(value, out),
    }
}

/// Whether a value is written on the same line: a scalar, or an empty list or mapping.
fn is_inline(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => true,
    }
}

fn line(value: &Value, out: &mut String) {
    out.push_str(&inline(value));
    out.push('\n');
}

fn inline(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) if number.is_f64() => float(number.as_f64().unwrap_or(f64::NAN)),
        Value::Number(number) => number.to_string(),
        Value::String(value) => text(value),
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
    }
}

/// The shortest digits that are read back as the same number, with a decimal point and a signed exponent.
fn float(value: f64) -> String {
    let shortest = format!("{value:?}");
    match shortest.split_once('e') {
        None => shortest,
        Some((mantissa, exponent)) => {
            let point = if mantissa.contains('.') { "" } else { ".0" };
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            format!("{mantissa}{point}e{sign}{exponent}")
        }
    }
}

fn text(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::new();
    for character in Value::from(text).to_string().chars() {
        // YAML requires escapes for these characters, JSON does not.
        if matches!(
            character,
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        ) {
            write!(quoted, "\\u{:04x}", u32::from(character)).expect("a text takes everything");
        } else {
            quoted.push(character);
        }
    }
    quoted
}

fn is_plain(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' ' | '(' | ')');
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::document, float, to_text};

    #[test]
    fn what_is_written_is_what_pyyaml_would_read() {
        assert_eq!(float(1e-7), "1.0e-7");
        assert_eq!(float(1.5e300), "1.5e+300");
        assert_eq!(float(3.0), "3.0");
        let text = to_text(&json!([{"a": {"b": [1, 2.0], "c": []}, "yes": "no"}, [], "x: y"]));
        assert_eq!(
            text,
            "- a:\n    b:\n    - 1\n    - 2.0\n    c: []\n  \"yes\": \"no\"\n- []\n- \"x: y\"\n"
        );
    }

    #[test]
    fn everything_comes_back() {
        let value = json!([
            {"": "", "k": "multi\nline \u{85}\u{2028}\u{7f} end ", "-": "- a", "#": "a #b", "0x1": "1:30"},
            {"deep": [[["x"], {"y": [{"z": 1e-300}]}]], "n": null, "t": true, "i": -5, "s": "1e5", "~": "~"},
        ]);
        assert_eq!(document(&to_text(&value)).unwrap().to_json(), value);
    }
}
