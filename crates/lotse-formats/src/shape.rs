//! What keys a document has near its start, for recognising it by content.
//!
//! Only the first [`HEAD`] bytes are looked at and errors in them do not matter: whatever was seen before the
//! error counts. Elements of all lists share the path `[]`, so `[].attributes.tags` is a key two levels down.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::outline::HEAD;
use crate::{text, yaml};

const DEPTH: usize = 4;
const PATHS: usize = 500;
const KEY: usize = 100;

/// Paths of keys, with the value where it is a text or a whole number.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    paths: RefCell<BTreeMap<String, Option<String>>>,
}

impl Shape {
    /// The shape of a JSON or YAML document.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (head, cut) = bytes.get(..HEAD).map_or((bytes, false), |head| (head, true));
        let (mut text, _) = text::decode(head);
        let shape = Self::default();
        let json = Record { shape: &shape, path: String::new(), depth: 0 };
        let done = json.deserialize(&mut serde_json::Deserializer::from_str(text)).is_ok();
        if !done && shape.paths.borrow().is_empty() {
            if cut {
                text = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or(text);
            }
            yaml::skim(text, Record { shape: &shape, path: String::new(), depth: 0 });
        }
        shape
    }

    /// Whether a key was seen.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.paths.borrow().contains_key(path)
    }

    /// The text or whole number a key had.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.paths.borrow().get(path).cloned().flatten()
    }

    fn record(&self, path: &str, value: Option<String>) {
        let mut paths = self.paths.borrow_mut();
        if path.is_empty() || (paths.len() >= PATHS && !paths.contains_key(path)) {
            return;
        }
        let seen = paths.entry(path.to_owned()).or_default();
        if seen.is_none() {
            *seen = value;
        }
    }
}

/// Records the paths below one value.
pub(crate) struct Record<'a> {
    shape: &'a Shape,
    path: String,
    depth: usize,
}

impl Record<'_> {
    fn below(&self, step: &str) -> Record<'_> {
        Record { shape: self.shape, path: format!("{}{step}", self.path), depth: self.depth + 1 }
    }

    fn scalar<E>(self, value: Option<String>) -> Result<(), E> {
        self.shape.record(&self.path, value);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Record<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth > DEPTH {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Record<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.scalar(None)
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.scalar(Some(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.scalar(Some(value.to_string()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.scalar(None)
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.scalar((value.len() <= KEY).then(|| value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.scalar(None)
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.scalar(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        self.shape.record(&self.path, None);
        while elements.next_element_seed(self.below("[]"))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.shape.record(&self.path, None);
        while let Some(key) = entries.next_key::<String>()? {
            let step = if self.path.is_empty() { key } else { format!(".{key}") };
            if step.len() > KEY {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let below = self.below(&step);
            // Before the value is read, so that the key counts even where its value is cut off.
            below.shape.record(&below.path, None);
            entries.next_value_seed(below)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn keys_before_an_error_count() {
        let shape = Shape::of(br#"{"schema": "a/1", "results": [{"command": "x", "times": [1, 2"#);
        assert_eq!(shape.text("schema").as_deref(), Some("a/1"));
        assert!(shape.has("results[].command") && shape.has("results[].times[]"));
        assert!(!shape.has("results[].mean"));
    }

    #[test]
    fn yaml_has_a_shape_too() {
        let shape = Shape::of(b"- attributes: {description: a}\n  run_config:\n    run_cmd: ls\n- oops: [\n");
        assert!(shape.has("[].attributes.description") && shape.has("[].run_config.run_cmd"));
        assert!(Shape::of(b"just words").paths.borrow().is_empty());
    }
}
