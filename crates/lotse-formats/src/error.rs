//! Errors in the input, and where in the input they are.
//!
//! A [`FormatError`] means that nothing could be read. If something could be read, the losses are reported as
//! diagnostics (see [`crate::reading`]).

use std::fmt;

/// The reason why nothing could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No recogniser claims the bytes.
    #[error(
        "{name} is in none of the formats read here ({known}); name one with --format to see what is wrong"
    )]
    Unrecognised {
        name: String,
        /// Ids of the formats that were tried.
        known: String,
    },
    /// The output of a known tool in a format that cannot be read, although another output format of that tool can.
    #[error("{name} is {form}")]
    OtherForm {
        name: String,
        /// What the input is, and which other output format of the tool can be read.
        form: &'static str,
    },
    /// The bytes are in a known format that another command reads.
    #[error("{name} is a {found} ({id}): `{command}` reads it")]
    OtherKind {
        name: String,
        /// What the input holds, such as `profile`.
        found: &'static str,
        /// The id of the input's format.
        id: &'static str,
        command: &'static str,
    },
    /// Several recognisers claim the bytes with equal confidence.
    #[error("{name} could be any of {}: choose one with --format", claims.join(", "))]
    Ambiguous {
        name: String,
        /// Ids of the formats that claim it.
        claims: Vec<&'static str>,
    },
    /// The user asked for a format that does not exist.
    #[error("there is no format {id:?}; there are {known}")]
    UnknownFormat {
        id: String,
        /// Ids of all formats of the wanted kind.
        known: String,
    },
    /// The user asked for a format of another kind.
    #[error("{id} is a format for a {found}, but a {wanted} is needed here")]
    WrongKind { id: &'static str, found: &'static str, wanted: &'static str },
    /// The format is known, but not this version of it.
    #[error("{name} has the version {found}; this Lotse reads {known}")]
    Version {
        name: String,
        found: String,
        /// Versions that can be read.
        known: &'static str,
    },
    /// The bytes are not valid in the format, and nothing useful was read before the error.
    #[error("{name}: {place}: {problem}")]
    Damaged {
        name: String,
        place: Place,
        /// What was found and what was expected.
        problem: String,
    },
}

/// A place in the input, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Whole,
    /// Counted from 1.
    Line(u64),
    /// Line and column, counted from 1.
    At {
        line: u64,
        /// In characters.
        column: u64,
    },
    /// A path of keys and indices, where the line is not known any more.
    Path(String),
    /// The position of a byte in binary input, counted from 0.
    Byte(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => write!(out, "the whole input"),
            Self::Line(line) => write!(out, "line {line}"),
            Self::At { line, column } => write!(out, "line {line}, column {column}"),
            Self::Path(path) => write!(out, "{path}"),
            Self::Byte(byte) => write!(out, "byte {byte}"),
        }
    }
}
