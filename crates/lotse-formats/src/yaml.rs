//! YAML with the place of every value, within limits that a hostile document cannot pass.
//!
//! [`each_entry`] streams over a top-level list, so that entries before an error are kept and a big file never
//! lies in memory as a whole tree.

mod write;

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{Options, Spanned};

use crate::error::{Flaw, Place};
use crate::shape::Record;

pub(crate) use write::to_text;

/// A value and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) value: Tree,
    line: u32,
    column: u32,
}

/// A YAML value.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A key of a mapping and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) name: String,
    line: u32,
    column: u32,
}

impl Key {
    pub(crate) fn place(&self) -> Place {
        Place::At { line: self.line.into(), column: self.column.into() }
    }
}

impl Node {
    pub(crate) fn place(&self) -> Place {
        Place::At { line: self.line.into(), column: self.column.into() }
    }

    /// The entries, where it is a mapping.
    pub(crate) fn entries(&self) -> Option<&[(Key, Node)]> {
        if let Tree::Map(entries) = &self.value { Some(entries) } else { None }
    }

    /// The value of a key, where it is a mapping that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.entries()?.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    /// The elements, where it is a list.
    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let Tree::List(elements) = &self.value { Some(elements) } else { None }
    }

    /// The number, where it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value {
            Tree::Int(value) => Some(value as f64),
            Tree::Float(value) => Some(value),
            _ => None,
        }
    }

    /// The whole number, where it is one.
    pub(crate) fn int(&self) -> Option<i64> {
        if let Tree::Int(value) = self.value { Some(value) } else { None }
    }

    /// The text of a scalar, as close to what was written as the parser leaves it.
    pub(crate) fn text(&self) -> Option<String> {
        match &self.value {
            Tree::Text(text) => Some(text.clone()),
            Tree::Bool(value) => Some(value.to_string()),
            Tree::Int(value) => Some(value.to_string()),
            Tree::Float(value) => Some(value.to_string()),
            Tree::Null | Tree::List(_) | Tree::Map(_) => None,
        }
    }

    /// In a word, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Tree::Null => "nothing",
            Tree::Bool(_) => "a truth value",
            Tree::Int(_) | Tree::Float(_) => "a number",
            Tree::Text(_) => "a text",
            Tree::List(_) => "a list",
            Tree::Map(_) => "a mapping",
        }
    }

    /// The same as JSON; numbers JSON does not know become texts.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Tree::Null => serde_json::Value::Null,
            Tree::Bool(value) => (*value).into(),
            Tree::Int(value) => (*value).into(),
            Tree::Float(value) if value.is_finite() => (*value).into(),
            Tree::Float(value) => value.to_string().into(),
            Tree::Text(text) => text.clone().into(),
            Tree::List(elements) => elements.iter().map(Self::to_json).collect(),
            Tree::Map(entries) => {
                entries.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect()
            }
        }
    }
}

/// Calls back for every entry of the list that fills the text, until the end or the first error.
pub(crate) fn each_entry(text: &str, entry: &mut dyn FnMut(Node)) -> Result<(), Flaw> {
    run(text, Entries(entry))
}

/// The value that fills the text.
pub(crate) fn document(text: &str) -> Result<Node, Flaw> {
    serde_saphyr::from_str_with_options(text, options(text)).map_err(|error| flaw(&error))
}

/// Records what keys the text has as far as it can be parsed.
pub(crate) fn skim(text: &str, record: Record<'_>) {
    // A shape is taken from whatever came before an error, so that the error itself says nothing.
    drop(run(text, record));
}

fn run<S>(text: &str, seed: S) -> Result<(), Flaw>
where
    S: for<'de> DeserializeSeed<'de, Value = ()>,
{
    let drive = |deserializer: serde_saphyr::Deserializer<'_, '_>| seed.deserialize(deserializer);
    serde_saphyr::with_deserializer_from_str_with_options(text, options(text), drive)
        .map_err(|error| flaw(&error))
}

fn flaw(error: &serde_saphyr::Error) -> Flaw {
    let error = error.without_snippet();
    let place = error
        .location()
        .map_or(Place::Whole, |location| Place::At { line: location.line(), column: location.column() });
    let message = error.to_string();
    let first = message.lines().next().unwrap_or("");
    let problem = first.rsplit_once(" at line ").map_or(first, |(problem, _)| problem);
    Flaw::new(place, problem)
}

/// Limits that grow with the text, so that results of any honest size pass while aliases cannot blow it up.
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

struct Entries<'a>(&'a mut dyn FnMut(Node));

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
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

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Tree>::deserialize(deserializer)?;
        let (line, column) = narrow(&spanned.referenced);
        Ok(Self { value: spanned.value, line, column })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        let (line, column) = narrow(&spanned.referenced);
        Ok(Self { name: spanned.value, line, column })
    }
}

/// Lines beyond four thousand million are all called that.
fn narrow(location: &serde_saphyr::Location) -> (u32, u32) {
    let narrow = |wide: u64| u32::try_from(wide).unwrap_or(u32::MAX);
    (narrow(location.line()), narrow(location.column()))
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyTree)
    }
}

struct AnyTree;

impl<'de> Visitor<'de> for AnyTree {
    type Value = Tree;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a YAML value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(i64::try_from(value).map_or(Tree::Float(value as f64), Tree::Int))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Tree, E> {
        Ok(Tree::Float(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Tree, E> {
        Ok(Tree::Float(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut map = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            map.push(entry);
        }
        Ok(Tree::Map(map))
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
