//! Names without line ends, each spelled out once.

use std::borrow::Cow;
use std::io::{self, Write as _};

/// Text with blanks in place of line ends.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ").into() } else { text.into() }
}

/// Text as one word: with `_` in place of blanks.
pub(super) fn word(text: &str) -> String {
    let word: Vec<&str> = text.split_whitespace().collect();
    if word.is_empty() { "cost".to_owned() } else { word.join("_") }
}

/// The names of one kind (objects, files or functions) that a part has spelled out already.
#[derive(Debug)]
pub(super) struct SpelledNames {
    spelled: Vec<bool>,
}

impl SpelledNames {
    /// For `count` names, none of which is spelled out.
    pub(super) fn new(count: usize) -> Self {
        Self { spelled: vec![false; count] }
    }

    /// Writes `key=(number)`, the first time with the name.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, key: &str, id: usize, name: &str) -> io::Result<()> {
        let number = id + 1;
        if std::mem::replace(&mut self.spelled[id], true) {
            return writeln!(out, "{key}=({number})");
        }
        let name = one_line(name);
        let name = if name.trim().is_empty() { "???".into() } else { name };
        writeln!(out, "{key}=({number}) {name}")
    }
}
