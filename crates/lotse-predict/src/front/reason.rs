//! Why a part of a source is not expressed in a nest.

/// Why an expression is not affine or a loop does not count, as a phrase that follows "because". It is text, because it names
/// expressions of the source; nothing decides by it.
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
