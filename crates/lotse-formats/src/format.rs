//! What a format is: an id, a claim made from content, and a reader.
//!
//! Readers use this module and the list of formats ([`crate::recognise`]) uses readers, so that neither depends on itself.

use lotse_model::bytes::{Folder, Source};
use lotse_model::{Profile, ResultSet, Suite, Workers};

use crate::error::FormatError;
use crate::history::History;
use crate::reading::Reading;
use crate::trace::TraceInput;

/// A format Lotse reads.
#[derive(Debug)]
pub struct Format {
    /// The name for `--format`.
    pub id: &'static str,
    /// The name in messages and lists.
    pub title: &'static str,
    /// Of file names, without the dot.
    pub extensions: &'static [&'static str],
    /// The confidence that a source is in this format, by its content.
    pub claim: fn(&dyn Source) -> Confidence,
    pub reader: Reader,
}

/// The function that reads a format; its type determines what the format holds.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Reader {
    Results(fn(&dyn Source) -> Result<Reading<ResultSet>, FormatError>),
    /// Programs to measure.
    Suite(fn(&dyn Source) -> Result<Reading<Suite>, FormatError>),
    /// A profile, decoded by several workers.
    Profile(ReadProfile),
    /// A trace whose events are decoded on demand.
    Trace(OpenTrace),
    /// The accesses of a program to its data structures, which are decoded on demand.
    History(ReadHistory),
}

/// Reads a profile.
pub type ReadProfile = fn(&dyn Source, &dyn Workers) -> Result<Reading<Profile>, FormatError>;

/// Opens a trace.
pub type OpenTrace = for<'a> fn(&'a dyn Folder) -> Result<TraceInput<'a>, FormatError>;

/// Reads the chunks of a history.
pub type ReadHistory = for<'a> fn(&'a dyn Source) -> Result<Reading<History<'a>>, FormatError>;

/// What a format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatKind {
    /// Measurements of programs.
    BenchResult,
    /// Programs to measure.
    Suite,
    /// Costs of functions, calls, lines, data structures.
    Profile,
    /// Events of a parallel program.
    Trace,
    /// Accesses of a program to its data structures.
    History,
}

impl FormatKind {
    /// The name for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::BenchResult => "benchmark result",
            Self::Suite => "benchmark suite",
            Self::Profile => "profile",
            Self::Trace => "trace",
            Self::History => "history of data structures",
        }
    }

    /// The command that reads files of this kind.
    pub fn command(self) -> &'static str {
        match self {
            Self::BenchResult => "lotse bench report",
            Self::Suite => "lotse bench --file",
            Self::Profile => "lotse profile top",
            Self::Trace => "lotse trace analyze",
            Self::History => "lotse spy analyze",
        }
    }
}

/// The confidence of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It is another format.
    No,
    /// Nothing contradicts it.
    Possible,
    /// Some properties of the format were found.
    Likely,
    /// The source states the format, or has keys that no other format has.
    Certain,
}

impl Format {
    /// What the format holds.
    pub fn kind(&self) -> FormatKind {
        match self.reader {
            Reader::Results(_) => FormatKind::BenchResult,
            Reader::Suite(_) => FormatKind::Suite,
            Reader::Profile(_) => FormatKind::Profile,
            Reader::Trace(_) => FormatKind::Trace,
            Reader::History(_) => FormatKind::History,
        }
    }

    /// Whether a file name ends as those of this format do.
    pub(crate) fn named_like(&self, name: &str) -> bool {
        self.extensions
            .iter()
            .any(|extension| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
    }
}
