//! Reads JSON so that everything before a syntax error is kept.
//!
//! [`parse`] runs a serde seed over the text. A seed that writes into a value outside of itself, such as [`Collect`],
//! leaves there what was read before an error. [`Fill`] does so for complete documents.

mod cursor;
mod fill;
mod number;

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};

use crate::error::Place;
use crate::reading::Diagnostic;

pub(crate) use cursor::Cursor;
pub(crate) use fill::{Fill, fill, fill_first};
pub(crate) use number::{Index, Number};

/// Runs a seed over the text, which must be one JSON value.
pub(crate) fn parse<'de, S: DeserializeSeed<'de>>(text: &'de str, seed: S) -> Result<S::Value, Diagnostic> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = seed.deserialize(&mut deserializer).map_err(flaw)?;
    deserializer.end().map_err(flaw)?;
    Ok(value)
}

/// The place and the message of a parser's error.
pub(crate) fn flaw(error: serde_json::Error) -> Diagnostic {
    // The parser counts the characters it has read, so its first column is 0.
    let place = Place::At { line: error.line() as u64, column: (error.column() as u64).max(1) };
    let message = error.to_string();
    // The parser's message ends with the place, which is separate here.
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    Diagnostic::loss(place, problem)
}

/// Appends the elements of an array to a list, which keeps them if an error follows.
pub(crate) struct Collect<'a, T>(pub(crate) &'a mut Vec<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Collect<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(ElementsVisitor(self.0, PhantomData))
    }
}

struct ElementsVisitor<'a, T>(&'a mut Vec<T>, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ElementsVisitor<'_, T> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element()? {
            self.0.push(element);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Collect, Place, parse};

    #[test]
    fn what_came_before_an_error_is_kept() {
        let mut kept: Vec<u32> = Vec::new();
        let flaw = parse("[1, 2,\n 3, x]", Collect(&mut kept)).unwrap_err();
        assert_eq!(kept, [1, 2, 3]);
        assert_eq!(flaw.place, Place::At { line: 2, column: 5 });
        assert_eq!(flaw.message, "expected value");
    }
}
