//! Reading the values behind temci's keys: what has the wrong kind is named with its place, what is not done is said once.

use crate::reading::Diagnostic;
use crate::yaml::{Key, Node, Tree};

/// What there is to say about a file while it is read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Things that are understood and not done, each said once.
    pub(super) ignored: Vec<String>,
}

impl Notes {
    /// A text; null stands for none.
    pub(super) fn text(&mut self, node: &Node) -> Option<String> {
        let text = node.text();
        if text.is_none() && !matches!(node.value, Tree::Null) {
            self.complain(node, "expected a text");
        }
        text
    }

    /// A text that says something: neither null nor empty.
    pub(super) fn word(&mut self, node: &Node) -> Option<String> {
        self.text(node).filter(|text| !text.is_empty())
    }

    /// A text, or a list of texts.
    pub(super) fn texts(&mut self, node: &Node) -> Vec<String> {
        let single = std::slice::from_ref(node);
        let elements = if let Tree::Null = node.value { &[] } else { node.list().unwrap_or(single) };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            match element.text() {
                Some(text) => texts.push(text),
                None => self.complain(element, "expected a text"),
            }
        }
        texts
    }

    /// The entries of a mapping; null stands for none.
    pub(super) fn mapping<'n>(&mut self, node: &'n Node, expected: &str) -> &'n [(Key, Node)] {
        if node.entries().is_none() && !matches!(node.value, Tree::Null) {
            self.complain(node, expected);
        }
        node.entries().unwrap_or(&[])
    }

    /// A number of things; temci says -1 where it means nothing.
    pub(super) fn count(&mut self, node: &Node, of: &str) -> Option<u32> {
        let count = node.int().and_then(|count| u32::try_from(count).ok());
        if count.is_none() && node.int() != Some(-1) && !matches!(node.value, Tree::Null) {
            self.complain(node, &format!("expected a number of {of}"));
        }
        count
    }

    /// A yes or a no; null stands for neither.
    pub(super) fn flag(&mut self, node: &Node) -> Option<bool> {
        match node.value {
            Tree::Bool(flag) => Some(flag),
            Tree::Null => None,
            _ => {
                self.complain(node, "expected true or false");
                None
            }
        }
    }

    pub(super) fn ignore(&mut self, what: &str) {
        self.remark(format!("Lotse does not do this yet: {what}."));
    }

    /// Says a sentence, once.
    pub(super) fn remark(&mut self, sentence: String) {
        if !self.ignored.contains(&sentence) {
            self.ignored.push(sentence);
        }
    }

    pub(super) fn unknown(&mut self, key: &Key, owner: &str) {
        let message = format!("{:?} is no key of {owner}: ignored", key.name);
        self.diagnostics.push(Diagnostic::note(key.place(), message));
    }

    pub(super) fn complain(&mut self, node: &Node, expected: &str) {
        let message = format!("{expected}, found {}: left out", node.kind());
        self.diagnostics.push(Diagnostic::loss(node.place(), message));
    }
}

/// Whether a value asks for nothing, as temci's defaults do.
pub(super) fn is_off(node: &Node) -> bool {
    match &node.value {
        Tree::Null | Tree::Bool(false) | Tree::Int(-1) => true,
        Tree::List(elements) => elements.is_empty(),
        Tree::Map(entries) => entries.is_empty(),
        _ => node.text().is_some_and(|text| text.is_empty()),
    }
}
