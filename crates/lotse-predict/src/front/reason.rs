//! The reason why a part of a source cannot be expressed in a nest.

/// Why an expression is not affine or a loop is not a counting loop, as a phrase that could follow "because". It is plain text,
/// because it quotes expressions of the source; no code depends on its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Reason(String);

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.0
    }
}
