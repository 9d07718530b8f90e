//! What can be wrong with bytes, and where.
//!
//! A [`FormatError`] means that nothing could be read. Where something could, the rest is told as diagnostics
//! (see [`crate::reading`]).

use std::fmt;

/// Why nothing could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No recogniser claims the bytes.
    #[error(
        "{name} is in none of the formats read here ({known}); name one with --format to see what is wrong"
    )]
    Unrecognised {
        /// The source.
        name: String,
        /// Ids of the formats that were tried.
        known: String,
    },
    /// A tool that is known wrote a form that is not read.
    #[error("{name} is {form}")]
    OtherForm {
        /// The source.
        name: String,
        /// What it is, and which form is read.
        form: &'static str,
    },
    /// The bytes are in a format that is known, but another command reads it.
    #[error("{name} is a {found} ({id}): `{command}` reads it")]
    OtherKind {
        /// The source.
        name: String,
        /// What it holds.
        found: &'static str,
        /// The id of its format.
        id: &'static str,
        /// The command that reads it.
        command: &'static str,
    },
    /// Several recognisers claim the bytes with equal confidence.
    #[error("{name} could be any of {}: choose one with --format", claims.join(", "))]
    Ambiguous {
        /// The source.
        name: String,
        /// Ids of the formats that claim it.
        claims: Vec<&'static str>,
    },
    /// The user asked for a format that does not exist.
    #[error("there is no format {id:?}; there are {known}")]
    UnknownFormat {
        /// What was asked for.
        id: String,
        /// Ids of all formats of the wanted kind.
        known: String,
    },
    /// The user asked for a format of another kind.
    #[error("{id} is a format for a {found}, but a {wanted} is needed here")]
    WrongKind {
        /// What was asked for.
        id: &'static str,
        /// Its kind.
        found: &'static str,
        /// The kind needed.
        wanted: &'static str,
    },
    /// The format is known, its version is not.
    #[error("{name} has the version {found}; this Lotse reads {known}")]
    Version {
        /// The source.
        name: String,
        /// The version found.
        found: String,
        /// Versions that are read.
        known: &'static str,
    },
    /// The bytes break the rules of the format before anything useful was read.
    #[error("{name}: {place}: {problem}")]
    Damaged {
        /// The source.
        name: String,
        /// Where.
        place: Place,
        /// What was found and what was expected.
        problem: String,
    },
}

/// A place in a piece of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Whole,
    /// A line, from 1.
    Line(u64),
    /// A line and a column, both from 1.
    At {
        /// The line.
        line: u64,
        /// The column, in characters.
        column: u64,
    },
    /// A path of keys and indices, where the parser forgot the line.
    Path(String),
    /// A byte of binary input, from 0.
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

/// A syntax error before it is known whose input it was.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) place: Place,
    pub(crate) problem: String,
}

impl Flaw {
    pub(crate) fn new(place: Place, problem: impl Into<String>) -> Self {
        Self { place, problem: problem.into() }
    }

    /// The error that nothing could be read of `name`.
    pub(crate) fn of(self, name: &str) -> FormatError {
        FormatError::Damaged { name: name.to_owned(), place: self.place, problem: self.problem }
    }
}
