//! Readers and writers of file formats: bytes to the model and back, one file per format, one list of recognisers.
//!
//! Guarantees: no access to files, processes, sockets or clocks (a reader sees only a
//! [`Source`](lotse_model::bytes::Source)); no panic on any input; memory bounded by a multiple of the input size; an
//! error names the place in the input and what was expected there. What was read before an error is kept, and what
//! was lost is reported as [`Diagnostic`]s.
//!
//! A format is added as one file below `bench/`, `profile/` or `trace/` and one line in
//! [`recognise::FORMATS`].

mod assemble;
pub mod bench;
mod chrome_events;
mod detail;
mod diagnostics;
mod error;
pub mod format;
mod frame_pointers;
pub mod history;
pub mod index;
mod json;
mod kindred;
pub mod numbers;
mod outline;
pub mod profile;
mod reading;
pub mod recognise;
mod shape;
mod spans;
mod text;
pub mod trace;
mod unpack;
pub mod unwind;
pub mod write;
mod yaml;

pub use detail::detail;
pub use error::{FormatError, Place};
pub use reading::{Diagnostic, Reading, Weight};
pub use recognise::{claims, read_history, read_profile, read_results, read_suite};
pub use unpack::{Unpacked, unpack};
