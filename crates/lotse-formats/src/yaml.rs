//! Reads YAML with the place of every value, within limits that protect against hostile documents.
//!
//! [`each_entry`] gives the entries of a top-level list one by one, so that the entries before an error are kept and a
//! big file is never in memory as a whole.

mod write;

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Options, Spanned};

use crate::error::Place;
use crate::reading::Diagnostic;
use crate::shape::ShapeRecorder;

pub(crate) use write::to_text;

/// A value with the place of its first character.
#[derive(Debug, Clone)]
pub(crate) struct YamlNode {
    pub(crate) value: YamlValue,
    line: u32,
    column: u32,
    /// First byte and number of bytes in the text.
    span: (u32, u32),
}

/// A YAML value.
#[derive(Debug, Clone)]
pub(crate) enum YamlValue {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<YamlNode>),
    Map(Vec<(YamlKey, YamlNode)>),
}

/// A key of a mapping with its place.
#[derive(Debug, Clone)]
pub(crate) struct YamlKey {
    pub(crate) name: String,
    line: u32,
    column: u32,
}

impl YamlKey {
    pub(crate) fn place(&self) -> Place {
        Place::At { line: self.line.into(), column: self.column.into() }
    }
}

impl YamlNode {
    pub(crate) fn place(&self) -> Place {
        Place::At { line: self.line.into(), column: self.column.into() }
    }

    /// The entries of a mapping.
    pub(crate) fn entries(&self) -> Option<&[(YamlKey, YamlNode)]> {
        if let YamlValue::Map(entries) = &self.value { Some(entries) } else { None }
    }

    /// The value of a key of a mapping.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.entries()?.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    /// The elements of a list.
    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let YamlValue::List(elements) = &self.value { Some(elements) } else { None }
    }

    /// The number in a node.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value {
            YamlValue::Int(value) => Some(value as f64),
            YamlValue::Float(value) => Some(value),
            _ => None,
        }
    }

    /// The integer in a node.
    pub(crate) fn int(&self) -> Option<i64> {
        if let YamlValue::Int(value) = self.value { Some(value) } else { None }
    }

    /// The text of a scalar. Numbers and truth values are formatted again, as the parser does not keep their text.
    pub(crate) fn text(&self) -> Option<String> {
        match &self.value {
            YamlValue::Text(text) => Some(text.clone()),
            YamlValue::Bool(value) => Some(value.to_string()),
            YamlValue::Int(value) => Some(value.to_string()),
            YamlValue::Float(value) => Some(value.to_string()),
            YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) => None,
        }
    }

    /// The text of a scalar as it stands in `source`, which the node was read from: `1.10` stays `1.10`, and `y` stays `y`
    /// although YAML 1.1 reads it as a truth value.
    pub(crate) fn text_in(&self, source: &str) -> Option<String> {
        self.written(source).map_or_else(|| self.text(), |written| Some(written.to_owned()))
    }

    /// What stands in the source for a number or a truth value; `None` for all others.
    fn written<'s>(&self, source: &'s str) -> Option<&'s str> {
        let (start, length) = (self.span.0 as usize, self.span.1 as usize);
        let written = source.get(start..start.checked_add(length)?)?.trim();
        let is_this_value = match self.value {
            YamlValue::Bool(_) => {
                !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_alphabetic())
            }
            YamlValue::Int(value) => {
                written.parse() == Ok(value) || written.trim_start_matches(['+', '-']).starts_with('0')
            }
            YamlValue::Float(value) => written.parse() == Ok(value),
            _ => false,
        };
        is_this_value.then_some(written)
    }

    /// The type of the value in words, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            YamlValue::Null => "nothing",
            YamlValue::Bool(_) => "a truth value",
            YamlValue::Int(_) | YamlValue::Float(_) => "a number",
            YamlValue::Text(_) => "a text",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a mapping",
        }
    }

    /// The value as JSON; numbers that JSON does not have, such as infinity, become texts.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            YamlValue::Null => serde_json::Value::Null,
            YamlValue::Bool(value) => (*value).into(),
            YamlValue::Int(value) => (*value).into(),
            YamlValue::Float(value) if value.is_finite() => (*value).into(),
            YamlValue::Float(value) => value.to_string().into(),
            YamlValue::Text(text) => text.clone().into(),
            YamlValue::List(elements) => elements.iter().map(Self::to_json).collect(),
            YamlValue::Map(entries) => {
                entries.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect()
            }
        }
    }
}

/// Calls `entry` for each entry of the list that the text is, up to the first error.
pub(crate) fn each_entry(text: &str, entry: &mut dyn FnMut(YamlNode)) -> Result<(), Diagnostic> {
    deserialize(text, EntriesVisitor(entry))
}

/// The value of the whole text.
pub(crate) fn document(text: &str) -> Result<YamlNode, Diagnostic> {
    serde_saphyr::from_str_with_options(text, options(text)).map_err(|error| flaw(&error))
}

/// Records the keys of the text, up to the first error.
pub(crate) fn skim(text: &str, record: ShapeRecorder<'_>) {
    // The recorder has kept the keys before the error, and the error itself does not matter.
    drop(deserialize(text, record));
}

fn deserialize<S>(text: &str, seed: S) -> Result<(), Diagnostic>
where
    S: for<'de> DeserializeSeed<'de, Value = ()>,
{
    let drive = |deserializer: serde_saphyr::Deserializer<'_, '_>| seed.deserialize(deserializer);
    serde_saphyr::with_deserializer_from_str_with_options(text, options(text), drive)
        .map_err(|error| flaw(&error))
}

fn flaw(error: &serde_saphyr::Error) -> Diagnostic {
    let error = error.without_snippet();
    let place = error
        .location()
        .map_or(Place::Whole, |location| Place::At { line: location.line(), column: location.column() });
    let message = error.to_string();
    let first = message.lines().next().unwrap_or("");
    let problem = first.rsplit_once(" at line ").map_or(first, |(problem, _)| problem);
    Diagnostic::loss(place, problem)
}

/// Limits that grow with the text: any honest document passes, but aliases cannot expand it without bound.
fn options(text: &str) -> Options {
    let size = text.len() + 1000;
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: size.saturating_mul(2),
            max_nodes: size,
            max_total_scalar_bytes: size.saturating_mul(2),
            max_depth: 40,
            flow_nesting_limit: 40,
            max_aliases: 1000,
            max_anchors: 1000,
            max_merge_keys: 1000,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: size, },
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

struct EntriesVisitor<'a>(&'a mut dyn FnMut(YamlNode));

impl<'de> DeserializeSeed<'de> for EntriesVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntriesVisitor<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of blocks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(entry) = entries.next_element()? {
            (self.0)(entry);
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<YamlValue>::deserialize(deserializer)?;
        let (line, column) = narrow(&spanned.referenced);
        // An alias has the text of its anchor.
        let span = spanned.defined.span();
        let narrow = |wide: Option<u64>| wide.and_then(|wide| u32::try_from(wide).ok());
        let span = narrow(span.byte_offset()).zip(narrow(span.byte_len())).unwrap_or((0, 0));
        Ok(Self { value: spanned.value, line, column, span })
    }
}

impl<'de> Deserialize<'de> for YamlKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        let (line, column) = narrow(&spanned.referenced);
        Ok(Self { name: spanned.value, line, column })
    }
}

/// Line and column in 32 bits; larger numbers become the largest one.
fn narrow(location: &serde_saphyr::Location) -> (u32, u32) {
    let narrow = |wide: u64| u32::try_from(wide).unwrap_or(u32::MAX);
    (narrow(location.line()), narrow(location.column()))
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlValueVisitor)
    }
}

struct YamlValueVisitor;

impl<'de> Visitor<'de> for YamlValueVisitor {
    type Value = YamlValue;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a YAML value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(i64::try_from(value).map_or(YamlValue::Float(value as f64), YamlValue::Int))
    }

    fn visit_i128<E>(self, value: i128) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<YamlValue, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(YamlValue::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, document, each_entry};

    #[test]
    fn entries_before_an_error_are_kept_with_their_places() {
        let mut kept = Vec::new();
        let text = "- a: 1\n- b:\n    c: .nan\n- [unclosed\n";
        let flaw = each_entry(text, &mut |node| kept.push(node)).unwrap_err();
        assert_eq!(kept.len(), 2);
        let c = kept[1].get("b").unwrap();
        assert_eq!(c.place(), Place::At { line: 3, column: 5 });
        assert_eq!(c.entries().unwrap()[0].0.place(), Place::At { line: 3, column: 5 });
        assert!(c.get("c").unwrap().number().unwrap().is_nan());
        assert!(matches!(flaw.place, Place::At { line: 4.., .. }), "{flaw:?}");
    }

    #[test]
    fn scalars_keep_the_text_that_was_written() {
        let words = ["y", "N", "on", "1.10", "1.0", "010", "0x1F", "-0.50", "1e3", "true", "7", "é", "1.5.0"];
        let text = format!("# é\n[{}]\n", words.join(" , "));
        let node = document(&text).unwrap();
        let read: Vec<String> = node.list().unwrap().iter().map(|it| it.text_in(&text).unwrap()).collect();
        assert_eq!(read, words);
        let text = "- &version 1.10 # the newest\n- *version\n- '2.0'\n- \"n\"\n- 3.10\n";
        let node = document(text).unwrap();
        let read: Vec<String> = node.list().unwrap().iter().map(|it| it.text_in(text).unwrap()).collect();
        assert_eq!(read, ["1.10", "1.10", "2.0", "n", "3.10"]);
        // Another text than the one that was read gives the formatted value.
        assert_eq!(node.list().unwrap()[0].text_in("short").unwrap(), "1.1");
    }

    #[test]
    fn bombs_are_refused() {
        let deep = "[".repeat(100_000);
        assert!(document(&deep).is_err());
        assert!(document(&"- ".repeat(10_000)).is_err());
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
            bomb.push_str(
                &["a", &level.to_string(), ": &a", &level.to_string(), " [", &aliases, "]\n"].concat(),
            );
        }
        assert!(document(&bomb).is_err());
    }
}
