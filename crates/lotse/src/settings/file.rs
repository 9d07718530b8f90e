//! Reading one `lotse.toml` into `key = value` pairs, each checked against the list of settings.

use toml::de::{DeTable, DeValue};

use super::SETTINGS;
use crate::rules;

/// Dotted keys (`bench.delta`) and their values as text; or an error with its line.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    let document = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        format!("line {line}: {}", error.message())
    })?;
    let mut pairs = Vec::new();
    collect(text, "", document.get_ref(), &mut pairs)?;
    Ok(pairs)
}

/// Adds the keys of a table and of the tables inside it, each with the dotted `prefix` of its table.
fn collect(
    text: &str,
    prefix: &str,
    table: &DeTable<'_>,
    pairs: &mut Vec<(String, String)>,
) -> Result<(), String> {
    for (key, value) in table {
        let dotted =
            if prefix.is_empty() { key.get_ref().to_string() } else { format!("{prefix}.{}", key.get_ref()) };
        let at = |problem: String| format!("line {}: {problem}", line_of(text, key.span().start));
        match value.get_ref() {
            DeValue::Table(inner) => collect(text, &dotted, inner, pairs)?,
            scalar => pairs.push((dotted.clone(), checked(&dotted, scalar).map_err(at)?)),
        }
    }
    Ok(())
}

/// The value as text, if there is such a setting and the value can be one of it.
fn checked(key: &str, value: &DeValue<'_>) -> Result<String, String> {
    let text = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        _ => return Err(format!("{key} takes one value")),
    };
    let is_threshold =
        rules::thresholds().any(|(rule, threshold)| rules::threshold_key(rule, threshold) == key);
    if is_threshold && text.parse::<f64>().is_err() {
        return Err(format!("{key} takes a number, not '{text}'"));
    }
    if is_threshold || SETTINGS.iter().any(|setting| setting.key == key) {
        Ok(text)
    } else {
        Err(format!("there is no setting {key}; 'lotse config' lists them"))
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn settings_and_thresholds_are_read() {
        let pairs =
            parse("[bench]\ndelta = \"0.5%\"\nmin-runs = 20\n\n[rules.bench-drift]\nshare = 0.1\n").unwrap();
        let expected =
            [("bench.delta", "0.5%"), ("bench.min-runs", "20"), ("rules.bench-drift.share", "0.1")];
        assert_eq!(pairs, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let cases = [
            ("[bench]\ndelat = 1\n", "line 2: there is no setting bench.delat; 'lotse config' lists them"),
            (
                "[rules.bench-drift]\nshare = \"x\"\n",
                "line 2: rules.bench-drift.share takes a number, not 'x'",
            ),
            ("[bench]\ndelta = [1]\n", "line 2: bench.delta takes one value"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap_err(), expected);
        }
        assert!(parse("[bench\n").unwrap_err().starts_with("line 1: "));
    }
}
