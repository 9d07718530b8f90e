//! A violation that a check found: a location and a message.

use std::fmt;

/// A violation that a check found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complaint {
    place: String,
    message: String,
}

impl Complaint {
    /// A complaint about a whole file, crate or table.
    pub(crate) fn about(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// A complaint about one line (counted from 1) of a file.
    pub(crate) fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self::about(format!("{path}:{line}"), message)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::Complaint;

    #[test]
    fn reads_like_a_compiler_message() {
        assert_eq!(Complaint::at("a/b.rs", 7, "too long").to_string(), "a/b.rs:7: too long");
    }
}
