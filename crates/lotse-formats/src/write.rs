//! Which formats profiles can be written in: one list.

use std::io;

use lotse_model::Profile;
use lotse_model::bytes::Sink;

use crate::profile::{callgrind, collapsed, pprof, speedscope};
use crate::reading::Diagnostic;

pub(crate) mod csv;

/// All formats that profiles are written in. A new one is a file and a line here.
pub const WRITERS: &[Writer] =
    &[callgrind::WRITER, collapsed::WRITER, pprof::WRITER, speedscope::WRITER, csv::WRITER];

/// A format Lotse writes.
#[derive(Debug)]
pub struct Writer {
    /// What `--to` calls it.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// How names of such files end, without the dot.
    pub extension: &'static str,
    /// What the profile must have.
    pub needs: Needs,
    /// What functions are called.
    pub names: Naming,
    /// Writes it; gives back what the format cannot hold.
    pub write: fn(&Profile, &mut dyn Sink) -> io::Result<Vec<Diagnostic>>,
}

/// What functions are called in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// As the profile has them.
    AsRead,
    /// As people read them, and two functions never alike: readers of the format add up functions of one name.
    Distinct,
}

/// What a profile must have to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Self costs and calls of its parts; costs inside functions are written where they are whole.
    Totals,
    /// Stack samples.
    Stacks,
}
