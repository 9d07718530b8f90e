//! Reads the values of temci's keys. Values of the wrong type are reported with their place, unsupported keys once each.

use crate::reading::Diagnostic;
use crate::yaml::{YamlKey, YamlNode, YamlValue};

/// Messages about a file, collected while it is read.
#[derive(Debug, Default)]
pub(super) struct Notes<'s> {
    /// The text of the file, for texts that look like numbers or truth values.
    source: &'s str,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Sentences about settings that Lotse knows but does not support, each once.
    pub(super) ignored: Vec<String>,
}

impl<'s> Notes<'s> {
    /// Notes on a file with this text.
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, ..Self::default() }
    }

    /// A text as it was written; `None` for null.
    pub(super) fn text(&mut self, node: &YamlNode) -> Option<String> {
        let text = node.text_in(self.source);
        if text.is_none() && !matches!(node.value, YamlValue::Null) {
            self.complain(node, "expected a text");
        }
        text
    }

    /// A text that is not empty; `None` for null.
    pub(super) fn non_empty_text(&mut self, node: &YamlNode) -> Option<String> {
        self.text(node).filter(|text| !text.is_empty())
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, node: &YamlNode) -> Vec<String> {
        let single = std::slice::from_ref(node);
        let elements = if let YamlValue::Null = node.value { &[] } else { node.list().unwrap_or(single) };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            match element.text_in(self.source) {
                Some(text) => texts.push(text),
                None => self.complain(element, "expected a text"),
            }
        }
        texts
    }

    /// The value of an attribute. `y` and `n` are texts, as they are for temci, although YAML 1.1 has them as truth values.
    pub(super) fn attribute(&self, node: &YamlNode) -> serde_json::Value {
        let letter = node.text_in(self.source).filter(|text| ["y", "n", "Y", "N"].contains(&text.as_str()));
        letter.map_or_else(|| node.to_json(), serde_json::Value::from)
    }

    /// The entries of a mapping; none for null.
    pub(super) fn mapping<'n>(&mut self, node: &'n YamlNode, expected: &str) -> &'n [(YamlKey, YamlNode)] {
        if node.entries().is_none() && !matches!(node.value, YamlValue::Null) {
            self.complain(node, expected);
        }
        node.entries().unwrap_or(&[])
    }

    /// A number of things; `None` for null and for -1, which is temci's value for "not set".
    pub(super) fn count(&mut self, node: &YamlNode, what: &str) -> Option<u32> {
        let count = node.int().and_then(|count| u32::try_from(count).ok());
        if count.is_none() && node.int() != Some(-1) && !matches!(node.value, YamlValue::Null) {
            self.complain(node, &format!("expected a number of {what}"));
        }
        count
    }

    /// A truth value; `None` for null.
    pub(super) fn flag(&mut self, node: &YamlNode) -> Option<bool> {
        match node.value {
            YamlValue::Bool(flag) => Some(flag),
            YamlValue::Null => None,
            _ => {
                self.complain(node, "expected true or false");
                None
            }
        }
    }

    /// Adds the sentence that Lotse does not support something yet.
    pub(super) fn not_supported(&mut self, what: &str) {
        self.remark(format!("Lotse does not do this yet: {what}."));
    }

    /// Adds a sentence unless it is there already.
    pub(super) fn remark(&mut self, sentence: String) {
        if !self.ignored.contains(&sentence) {
            self.ignored.push(sentence);
        }
    }

    /// Reports a key that temci does not have.
    pub(super) fn unknown_key(&mut self, key: &YamlKey, owner: &str) {
        let message = format!("{:?} is no key of {owner}: ignored", key.name);
        self.diagnostics.push(Diagnostic::note(key.place(), message));
    }

    /// Reports a value of the wrong type.
    pub(super) fn complain(&mut self, node: &YamlNode, expected: &str) {
        let message = format!("{expected}, found {}: left out", node.kind());
        self.diagnostics.push(Diagnostic::loss(node.place(), message));
    }
}

/// Whether a value switches nothing on, like most of temci's defaults: null, false, -1 or empty.
pub(super) fn is_off(node: &YamlNode) -> bool {
    match &node.value {
        YamlValue::Null | YamlValue::Bool(false) | YamlValue::Int(-1) => true,
        YamlValue::List(elements) => elements.is_empty(),
        YamlValue::Map(entries) => entries.is_empty(),
        _ => node.text().is_some_and(|text| text.is_empty()),
    }
}
