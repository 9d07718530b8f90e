//! The history of a recorded program: the memory accesses and allocations of its threads, in order.
//!
//! A file is a header and chunks. Each chunk states its type, its length and a checksum. So a truncated file can be read
//! up to the cut, and the chunk headers are enough to find everything in the file. A segment (at most
//! [`lotse_wire::SEGMENT_EVENTS`] events of one thread) is a chunk and can be decoded alone.
//!
//! ```text
//! header      "LTSHIST1", version
//! start       how the program was recorded (JSON)
//! process     a process: its id and its memory map
//! executable  which file a process ran, with size and time of change to recognise it (JSON)
//! names       names of the code of an executable, at the end of the recording
//! stacks      call stacks and far program counters of a ring buffer, before the segments that use them
//! segment     events of one thread
//! samples     samples of another run of the program without recording
//! end         how recording ended (JSON); missing if the file was truncated
//! ```
//!
//! The recorder writes into ring buffers ("rings"), one per thread. An event holds its program counter relative to the
//! base address of the executable in 32 bits; a *far* program counter does not fit and is stored once under a number.

mod body;
mod chunk;
mod code;
mod events;
mod names;
mod packed;
mod prediction;
mod read;
mod samples;
mod segment;

pub use chunk::{end_chunk, executable_chunk, file_header, process_chunk, start_chunk};
pub use events::{EventDetail, HistoryEvent, SegmentEvents};
pub use names::{CarriedVariable, StoredFlow, StoredNames, TailPath, names_chunk};
pub use read::{History, HistoryProcess, RingStacks, SegmentRef, complete_length};
pub use samples::{StoredSamples, StoredStack, samples_chunk};
pub use segment::{SegmentHead, Splitter};

use serde::{Deserialize, Serialize};

use crate::format::{Confidence, Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "lotse-history",
    title: "Lotse's history of data structures",
    extensions: &["lotse-history"],
    claim: |source| if History::claims(source.bytes()) { Confidence::Certain } else { Confidence::No },
    reader: Reader::History(|source| History::read(source.name(), source.bytes())),
};

/// How a program was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingStart {
    /// The version of Lotse.
    pub lotse: String,
    /// Which recorder wrote the records.
    pub recorder: String,
    pub command: Vec<String>,
    /// The working directory of the command.
    pub directory: String,
    /// The compiler's name and version.
    pub compiler: Option<String>,
    /// Names of the data structures that the user is interested in; all if empty.
    #[serde(default)]
    pub structures: Vec<String>,
    /// The smallest size in bytes of structures that the user is interested in.
    #[serde(default)]
    pub min_bytes: u64,
}

/// A crate that was compiled with instrumentation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCrate {
    /// The compiler's name of the crate.
    pub name: String,
    /// Whether it belongs to the user's own sources.
    pub own: bool,
    /// The optimisation level: 0 to 3, s, z.
    pub level: String,
}

/// The executable file of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    pub process: u32,
    /// The number of the process's memory map that contains it; a process has several after `exec`.
    pub image: u32,
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When the file was last changed, in nanoseconds since 1970.
    pub modified: u64,
}

/// How recording ended. A later chunk of this type replaces an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingEnd {
    /// The exit status of the command; `None` if a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended the command.
    pub signal: Option<i32>,
    /// Wall time in seconds while recording.
    pub seconds: f64,
    /// Wall time in seconds of the same command without recording, if it was measured.
    pub unrecorded_seconds: Option<f64>,
    /// Crates that were compiled with instrumentation.
    #[serde(default)]
    pub crates: Vec<RecordedCrate>,
    /// Why something is missing, as clauses: `the collector was ended by signal 9`.
    #[serde(default)]
    pub incomplete: Vec<String>,
    /// Lost records that no segment counts.
    #[serde(default)]
    pub lost: u64,
}
