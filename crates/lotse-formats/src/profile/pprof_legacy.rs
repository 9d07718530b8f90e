//! What pprof read before it had a protocol buffer: CPU profiles of binary words, and texts about heaps, growth,
//! contention, threads and counts, of C++, Go and Java, with a memory map or names behind or before them.
//!
//! Numbers are adjusted as pprof does: sampled heaps and contentions are scaled to what they stand for, frames of
//! the signal handler are taken out of CPU profiles, and return addresses are moved back into the call.

mod binary;
mod build;
mod maps;
mod symbols;
mod text;

use lotse_model::bytes::Source;
use lotse_model::profile::{EventType, readable};
use lotse_model::{Profile, Workers};

use self::maps::Map;
use self::symbols::Symbols;
use crate::error::{Flaw, FormatError, Place};
use crate::oddities::Oddities;
use crate::reading::Reading;
use crate::recognise::{Confidence, Format, Reader};

pub(crate) const FORMAT: Format = Format {
    id: "pprof-legacy",
    title: "pprof's formats before its protocol buffer",
    extensions: &["heap", "contention", "growth", "prof"],
    claim,
    reader: Reader::Profile(read),
};

/// A stack and what it weighs.
#[derive(Debug, Clone)]
struct Sample {
    values: Vec<i64>,
    /// The innermost first, as in the file.
    addresses: Vec<u64>,
}

/// A file of any of the kinds.
#[derive(Debug, Default)]
struct Legacy {
    events: Vec<EventType>,
    samples: Vec<Sample>,
    symbols: Symbols,
    maps: Vec<Map>,
    /// Whether addresses are numbers of frames, not places in memory.
    numbered: bool,
    /// Whether the innermost address is where the processor was, not where a call returns to.
    running: bool,
    /// Nanoseconds.
    lasted: Option<i64>,
}

fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let head = readable(&bytes[..bytes.len().min(400)]);
    let known =
        binary::Words::recognise(bytes).is_some() || symbols::begin(&head) || text::kind(&head).is_some();
    if known { Confidence::Certain } else { Confidence::No }
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let mut oddities = Oddities::default();
    let legacy = parse(source.bytes(), &mut oddities).map_err(|flaw| flaw.of(source.name()))?;
    let value = build::build(&legacy);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: oddities.into_diagnostics() })
}

fn parse(bytes: &[u8], oddities: &mut Oddities) -> Result<Legacy, Flaw> {
    let mut legacy = Legacy::default();
    let rest = legacy.symbols.take_front(bytes);
    let at = (bytes.len() - rest.len()) as u64;
    if let Some(words) = binary::Words::recognise(rest) {
        binary::read(words, at, &mut legacy, oddities);
        return Ok(legacy);
    }
    let before = 1 + memchr::memchr_iter(b'\n', &bytes[..at as usize]).count() as u64;
    text::read(&readable(rest), before, &mut legacy, oddities)?;
    Ok(legacy)
}

/// That the input is none of the kinds.
fn unknown() -> Flaw {
    let problem = "expected a CPU profile or a line such as `heap profile:`, `--- contention` or `--- mutex`, found none";
    Flaw::new(Place::Whole, problem)
}
