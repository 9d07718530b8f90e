//! The keys near the start of a JSON or YAML document, for recognising its format by content.
//!
//! Only the first [`HEAD`] bytes are parsed; after a syntax error the keys seen before it remain. All elements of a list
//! share the path `[]`: both elements of `[{"a": {"b": 1}}, {"a": {"b": 2}}]` have the key `[].a.b`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::outline::HEAD;
use crate::{text, yaml};

/// Deeper keys are left out.
const DEPTH: usize = 4;
/// How many paths are kept.
const PATHS: usize = 500;
/// Bytes of the longest key or text that is kept.
const KEY: usize = 100;

/// Paths of keys, with their values if these are strings or integers.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    paths: RefCell<BTreeMap<String, Option<String>>>,
}

impl Shape {
    /// The shape of a document, parsed as JSON, or as YAML if it is not JSON.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let (head, cut) = bytes.get(..HEAD).map_or((bytes, false), |head| (head, true));
        let (mut text, _) = text::decode(head);
        let shape = Self::default();
        let json = ShapeRecorder { shape: &shape, path: String::new(), depth: 0 };
        let done = json.deserialize(&mut serde_json::Deserializer::from_str(text)).is_ok();
        if !done && shape.paths.borrow().is_empty() {
            if cut {
                text = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or(text);
            }
            yaml::skim(text, ShapeRecorder { shape: &shape, path: String::new(), depth: 0 });
        }
        shape
    }

    /// Whether a key was seen.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.paths.borrow().contains_key(path)
    }

    /// The string or integer at a path.
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

/// Records the paths of keys below one value.
pub(crate) struct ShapeRecorder<'a> {
    shape: &'a Shape,
    path: String,
    depth: usize,
}

impl ShapeRecorder<'_> {
    fn below(&self, step: &str) -> ShapeRecorder<'_> {
        ShapeRecorder { shape: self.shape, path: format!("{}{step}", self.path), depth: self.depth + 1 }
    }

    fn scalar<E>(self, value: Option<String>) -> Result<(), E> {
        self.shape.record(&self.path, value);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for ShapeRecorder<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth > DEPTH {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ShapeRecorder<'_> {
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
            // Recorded before the value is read, so that the key is seen even if its value is cut off.
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
        let shape = Shape::from_bytes(br#"{"schema": "a/1", "results": [{"command": "x", "times": [1, 2"#);
        assert_eq!(shape.text("schema").as_deref(), Some("a/1"));
        assert!(shape.has("results[].command") && shape.has("results[].times[]"));
        assert!(!shape.has("results[].mean"));
    }

    #[test]
    fn yaml_has_a_shape_too() {
        let shape =
            Shape::from_bytes(b"- attributes: {description: a}\n  run_config:\n    run_cmd: ls\n- oops: [\n");
        assert!(shape.has("[].attributes.description") && shape.has("[].run_config.run_cmd"));
        assert!(Shape::from_bytes(b"just words").paths.borrow().is_empty());
    }
}
