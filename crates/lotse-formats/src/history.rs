//! The history of a recorded program: what its threads did to memory, in the order in which they did it.
//!
//! A file is a header and chunks. Each chunk states its kind, its length and a checksum, so a file that was cut is readable
//! up to the cut, and reading the heads of the chunks is enough to know what lies where. A segment (at most
//! [`lotse_wire::SEGMENT_EVENTS`] events of one thread) is a chunk of its own and can be decoded alone.
//!
//! ```text
//! header   "LTSHIST1", version
//! start    how the program was recorded (JSON)
//! process  a process: its number and the list of what it had mapped
//! executable  which file a process ran, to know it again (JSON)
//! names    names of the code of an executable, at the end of the recording
//! stacks   call stacks and far program counters of a ring, before the segments that use them
//! segment  events of one thread
//! samples  where the program was when it ran once more without recording
//! end      how recording ended (JSON); missing where it was cut off
//! ```

mod body;
mod chunk;
mod code;
mod events;
mod names;
mod packed;
mod read;
mod samples;
mod segment;

pub use chunk::{end, executable, header, process, start};
pub use events::{Detail, Event, Events};
pub use names::{CarriedVariable, StoredFlow, StoredNames, names};
pub use read::{History, Process, SegmentRef, Stacks, whole_length};
pub use samples::{StoredSamples, StoredStack, samples};
pub use segment::{SegmentHead, Splitter};

use serde::{Deserialize, Serialize};

use crate::recognise::{Confidence, Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "lotse-history",
    title: "Lotse's history of data structures",
    extensions: &["lotse-history"],
    claim: |source| if History::claims(source.bytes()) { Confidence::Certain } else { Confidence::No },
    reader: Reader::History(|source| History::read(source.name(), source.bytes())),
};

/// How a program was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The version of Lotse.
    pub lotse: String,
    /// Which recorder wrote the records.
    pub recorder: String,
    /// The command that was recorded.
    pub command: Vec<String>,
    /// The directory it was started in.
    pub directory: String,
    /// The compiler, as it names itself.
    pub compiler: Option<String>,
    /// Structures that the user wants to know about, by name; all if empty.
    #[serde(default)]
    pub structures: Vec<String>,
    /// Their size in bytes, at least.
    #[serde(default)]
    pub min_bytes: u64,
}

/// A crate that was compiled with callbacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCrate {
    /// The crate's name as the compiler knows it.
    pub name: String,
    /// Whether it belongs to the user's own sources.
    pub own: bool,
    /// The level of optimisation: 0 to 3, s, z.
    pub level: String,
}

/// The file that a process ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// The process.
    pub process: u32,
    /// Which of its maps names it.
    pub image: u32,
    /// Where the file was.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: u64,
}

/// How recording ended. A later chunk of this kind replaces an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// The exit status of the command, or nothing if a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Seconds of wall time while recording.
    pub seconds: f64,
    /// Seconds of wall time of the same command without recording, where it was measured.
    pub unrecorded_seconds: Option<f64>,
    /// Crates that were compiled with callbacks.
    #[serde(default)]
    pub crates: Vec<RecordedCrate>,
    /// Why something is missing, as clauses: `the collector was ended by signal 9`.
    #[serde(default)]
    pub incomplete: Vec<String>,
    /// Records that were lost and that no segment mentions.
    #[serde(default)]
    pub lost: u64,
}
