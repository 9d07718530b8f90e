//! The formats that pprof read before its protocol buffer: binary CPU profiles, and texts about heaps, growth, contention,
//! threads and counts, from C++, Go and Java, with a memory map after them or symbols before them.
//!
//! Numbers are adjusted as in pprof: sampled heaps and contentions are scaled up, frames of the signal handler are
//! removed from CPU profiles, and return addresses are moved back into the call.

mod binary;
mod build;
mod maps;
mod symbols;
mod text;

use lotse_model::bytes::Source;
use lotse_model::profile::{EventType, readable};
use lotse_model::{Profile, Workers};

use self::maps::MapLine;
use self::symbols::Symbols;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "pprof-legacy",
    title: "pprof's formats before its protocol buffer",
    extensions: &["heap", "contention", "growth", "prof"],
    claim,
    reader: Reader::Profile(read),
};

/// A stack and its costs.
#[derive(Debug, Clone)]
struct LegacySample {
    values: Vec<i64>,
    /// The innermost first, as in the file.
    addresses: Vec<u64>,
}

/// The contents of a file of any of the formats.
#[derive(Debug, Default)]
struct LegacyProfile {
    events: Vec<EventType>,
    samples: Vec<LegacySample>,
    symbols: Symbols,
    maps: Vec<MapLine>,
    /// Whether addresses are numbers of frames instead of addresses in memory.
    numbered: bool,
    /// Whether the innermost address is the program counter, not a return address.
    innermost_is_pc: bool,
    /// Nanoseconds.
    duration: Option<i64>,
}

fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let head = readable(&bytes[..bytes.len().min(400)]);
    let known = binary::CpuProfileWords::recognise(bytes).is_some()
        || symbols::begin(&head)
        || text::kind(&head).is_some();
    if known { Confidence::Certain } else { Confidence::No }
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let mut diagnostics = Diagnostics::default();
    let legacy = parse(source.bytes(), &mut diagnostics).map_err(|flaw| flaw.into_error(source.name()))?;
    let value = build::build(&legacy);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

fn parse(bytes: &[u8], diagnostics: &mut Diagnostics) -> Result<LegacyProfile, Diagnostic> {
    let mut legacy = LegacyProfile::default();
    let rest = legacy.symbols.read_front(bytes);
    let at = (bytes.len() - rest.len()) as u64;
    if let Some(words) = binary::CpuProfileWords::recognise(rest) {
        binary::read(words, at, &mut legacy, diagnostics);
        return Ok(legacy);
    }
    let before = 1 + memchr::memchr_iter(b'\n', &bytes[..at as usize]).count() as u64;
    text::read(&readable(rest), before, &mut legacy, diagnostics)?;
    Ok(legacy)
}

/// The error for input of none of the formats.
fn unknown() -> Diagnostic {
    let problem = "expected a CPU profile or a line such as `heap profile:`, `--- contention` or `--- mutex`, found none";
    Diagnostic::loss(Place::Whole, problem)
}
