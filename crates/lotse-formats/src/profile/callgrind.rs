//! Callgrind out file, and the dialects of it that cachegrind and xdebug write.
//!
//! Reading sums up self costs by function and calls by pair of caller and callee. Costs by line, call sites and jumps
//! stay in the file: reading only records where the lines of each function are, and `expand` reads those of one
//! function on demand.
//!
//! ```text
//! bytes ─ header ─▶ parts ─ split ─▶ chunks ─ decode (parallel) ─▶ sums per chunk ─ identity, join ─▶ profile
//! ```
//!
//! A chunk is decoded without knowledge of the chunks before it. Names whose numbers an earlier chunk defines, and
//! relative positions that count from there, are resolved when chunks are joined. Where a file is split does not change
//! the profile.

mod call_rows;
mod chunk;
mod claim;
mod decode;
mod ending;
mod expand;
mod faults;
mod header;
mod identity;
mod join;
mod lookup;
mod masks;
mod names;
mod plain;
mod read;
mod scan;
mod siblings;
mod slow;
mod split;
mod tokens;
mod units;
mod write;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

pub(crate) use self::claim::{Writer, claim};
pub(crate) use self::expand::expand;
use self::read::CallgrindInput;
pub use self::siblings::DumpRun;
pub use self::write::WRITER;
use crate::error::FormatError;
use crate::format::{Confidence, Format, Reader};
use crate::reading::{Diagnostic, Reading};

pub(crate) const FORMAT: Format = Format {
    id: "callgrind",
    title: "Callgrind out file",
    extensions: &["callgrind"],
    claim: |source| match siblings::is_replaced_by_siblings(source) {
        true => Confidence::Certain,
        false => claim(source.bytes(), Writer::Callgrind),
    },
    reader: Reader::Profile(read),
};

const DIALECT: Dialect = Dialect { id: FORMAT.id, signed: false };

/// How a writer of this syntax differs from callgrind.
#[derive(Debug)]
pub(crate) struct Dialect {
    pub(crate) id: &'static str,
    /// Whether `-5` is a negative cost.
    pub(crate) signed: bool,
}

fn read(source: &dyn Source, workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    read_in_chunks(source, workers, split::CHUNK_SIZE)
}

/// Reads a source together with the other dumps of the same run (its siblings), in chunks of about `size` bytes.
///
/// All files are read as one profile, in the order of their part numbers. An empty source is left out where siblings
/// take its place.
fn read_in_chunks(
    source: &dyn Source,
    workers: &dyn Workers,
    size: usize,
) -> Result<Reading<Profile>, FormatError> {
    let mut sibling_notes = Vec::new();
    let siblings = siblings::gather(source, &mut sibling_notes);
    let name = siblings::file_name(source.name());
    let several = !siblings.is_empty();
    let mut inputs =
        vec![CallgrindInput { name: several.then_some(name), ..CallgrindInput::alone(source.bytes()) }];
    inputs.extend(siblings.iter().map(|it| CallgrindInput {
        bytes: &it.bytes,
        beside: Some(&it.name),
        name: Some(&it.name),
        counted: it.counted,
    }));
    if several && source.bytes().is_empty() {
        inputs.remove(0);
    }
    inputs.sort_by_key(|input| siblings::rank(input.bytes));
    let (value, mut diagnostics) = read::profile(&inputs, source.name(), &DIALECT, workers, size)?;
    diagnostics.append(&mut sibling_notes);
    Ok(Reading { value, format_id: DIALECT.id, diagnostics })
}

/// Reads a single source, without siblings, in another dialect.
pub(crate) fn read_alone(
    source: &dyn Source,
    dialect: &Dialect,
    workers: &dyn Workers,
) -> Result<Reading<Profile>, FormatError> {
    let input = CallgrindInput::alone(source.bytes());
    let (value, diagnostics): (Profile, Vec<Diagnostic>) =
        read::profile(&[input], source.name(), dialect, workers, split::CHUNK_SIZE)?;
    Ok(Reading { value, format_id: dialect.id, diagnostics })
}

#[cfg(test)]
mod tests;
