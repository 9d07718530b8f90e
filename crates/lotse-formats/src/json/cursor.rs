//! A cursor in a JSON text, for callers that step through brackets and commas themselves and parse single values.
//!
//! For lists too long to hold in memory, objects nested too deep to recurse into, and texts that end early.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::flaw;
use crate::error::Place;
use crate::reading::Diagnostic;

/// A position in a JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of the text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte that is not white space; it is not taken.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the byte if it comes next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes the byte, which must come next.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), Diagnostic> {
        if self.eat(byte) { Ok(()) } else { Err(self.flaw(format!("expected `{}`", char::from(byte)))) }
    }

    /// Parses and takes a value.
    pub(crate) fn value<T: Deserialize<'a>>(&mut self) -> Result<T, Diagnostic> {
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => Err(self.shifted(flaw(error))),
            None => Err(self.flaw("expected a value, found the end")),
        }
    }

    /// Takes a value as text.
    pub(crate) fn raw(&mut self) -> Result<&'a str, Diagnostic> {
        self.peek();
        let start = self.at;
        self.value::<IgnoredAny>()?;
        Ok(&self.text[start..self.at])
    }

    /// The text that was not taken yet.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes the rest of the text.
    pub(crate) fn finish(&mut self) {
        self.at = self.text.len();
    }

    /// An error at the cursor.
    pub(crate) fn flaw(&self, problem: impl Into<String>) -> Diagnostic {
        Diagnostic::loss(self.shift(1, 1), problem)
    }

    /// An error found by parsing [`rest`](Self::rest), with its place in the whole text.
    pub(crate) fn shifted(&self, flaw: Diagnostic) -> Diagnostic {
        match flaw.place {
            Place::At { line, column } => Diagnostic { place: self.shift(line, column), ..flaw },
            _ => flaw,
        }
    }

    /// The place in the whole text of a line and column counted from the cursor.
    fn shift(&self, line: u64, column: u64) -> Place {
        let before = &self.text[..self.at];
        let lines = memchr::memchr_iter(b'\n', before.as_bytes()).count() as u64;
        let last = before.rsplit('\n').next().map_or(0, str::len) as u64;
        Place::At { line: lines + line, column: if line == 1 { last + column } else { column } }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Place};

    #[test]
    fn values_are_taken_one_by_one() {
        let mut cursor = Cursor::new(" [1, {\"a\": [2]} ,\n\"x\"");
        assert!(cursor.eat(b'['));
        assert_eq!(cursor.value::<u32>().unwrap(), 1);
        cursor.expect(b',').unwrap();
        assert_eq!(cursor.raw().unwrap(), "{\"a\": [2]}");
        assert!(cursor.eat(b',') && !cursor.eat(b','));
        let flaw = cursor.value::<u32>().unwrap_err();
        assert!(matches!(flaw.place, Place::At { line: 2, .. }), "{flaw:?}");
        assert_eq!(cursor.value::<String>().unwrap(), "x");
        assert_eq!(cursor.expect(b']').unwrap_err().place, Place::At { line: 2, column: 4 });
        assert_eq!((cursor.peek(), cursor.rest()), (None, ""));
    }
}
