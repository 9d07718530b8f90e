//! The result of a reader: the value, and what was wrong with the input.

use crate::error::{FormatError, Place};

/// A value that was read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<T> {
    /// All that could be read; something is missing if [`complete`](Self::complete) is false.
    pub value: T,
    pub format_id: &'static str,
    /// In the order of the input.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Reading<T> {
    /// Whether every cost of the input was read.
    pub fn complete(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.weight == Weight::Note)
    }
}

/// Something wrong or unusual in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub place: Place,
    /// What was found, what was expected, and what the reader did.
    pub message: String,
    pub weight: Weight,
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

/// How serious a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Every cost was read and belongs to the right function, but something else is unusual: a name or the time of a
    /// sample is missing, or entries had to be sorted.
    Note,
    /// A cost or a number of calls is missing, belongs to no function or to the wrong function.
    Loss,
}

impl Diagnostic {
    pub(crate) fn note(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), weight: Weight::Note }
    }

    pub(crate) fn loss(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), weight: Weight::Loss }
    }

    /// The error that nothing could be read from the input called `name`.
    pub(crate) fn into_error(self, name: &str) -> FormatError {
        FormatError::Damaged { name: name.to_owned(), place: self.place, problem: self.message }
    }
}
