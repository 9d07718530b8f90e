//! What a reader gives back: the value, and what was odd about the input.

use crate::error::{Flaw, Place};

/// A value read from foreign bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<T> {
    /// What was read. Where [`complete`](Self::complete) is false, what was good of it.
    pub value: T,
    /// The format it was in.
    pub format_id: &'static str,
    /// What was odd, in the order of the input.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Reading<T> {
    /// Whether no cost of the input was lost.
    pub fn complete(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.weight == Weight::Note)
    }
}

/// Something odd about the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub place: Place,
    /// What was found, what was expected, what was done.
    pub message: String,
    /// Whether something was lost.
    pub weight: Weight,
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Worth knowing, but every cost is there and stands where it belongs: a name or the time of a sample is missing,
    /// something was put in order.
    Note,
    /// A cost or a number of calls is missing, or stands at no function or at the wrong one.
    Loss,
}

impl Diagnostic {
    pub(crate) fn note(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), weight: Weight::Note }
    }

    pub(crate) fn loss(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), weight: Weight::Loss }
    }
}

impl From<Flaw> for Diagnostic {
    fn from(flaw: Flaw) -> Self {
        Self::loss(flaw.place, flaw.problem)
    }
}
