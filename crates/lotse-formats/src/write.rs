//! The list of formats that profiles can be written in.

use std::io;

use lotse_model::Profile;
use lotse_model::bytes::Sink;

use crate::profile::{callgrind, collapsed, pprof, speedscope};
use crate::reading::Diagnostic;

pub(crate) mod csv;

/// All formats that profiles can be written in. A new format is a file and a line here.
pub const WRITERS: &[Writer] =
    &[callgrind::WRITER, collapsed::WRITER, pprof::WRITER, speedscope::WRITER, csv::WRITER];

/// A format Lotse writes.
#[derive(Debug)]
pub struct Writer {
    /// The name for `--to`.
    pub id: &'static str,
    /// The name in messages and lists.
    pub title: &'static str,
    /// Of file names, without the dot.
    pub extension: &'static str,
    pub needs: Needs,
    pub names: Naming,
    /// Writes a profile. The diagnostics say what the format cannot hold.
    pub write: fn(&Profile, &mut dyn Sink) -> io::Result<Vec<Diagnostic>>,
}

/// Which names functions have in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// The names in the profile.
    AsRead,
    /// Readable names, different for each function, because readers of the format add up functions of one name.
    Distinct,
}

/// What a profile must have to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Self costs and calls of its parts. Costs inside functions are written if they are in memory.
    Totals,
    /// Stack samples.
    Stacks,
}
