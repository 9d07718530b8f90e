//! perf.data as `perf record` writes it: to a file (old and new magic) or to a pipe, in either byte order.
//!
//! Every thread is a part. Addresses are mapped to an object, with the build id that perf recorded, and an offset in
//! it, to be resolved by symbols later; those of the kernel become offsets from the start of the kernel or module in
//! memory. For a return address, the byte before it is looked up, since that byte belongs to the call.
//! This is written by hand because the existing crates trust lengths and counts in the file.
//!
//! Unwinding the stacks that `--call-graph dwarf` copies requires the binaries: an [`Unwind`] finds their frames;
//! without one, only the frames in perf's call chains are used. It also tells where chains that the kernel recorded by
//! frame pointers lack callers. Traces in AUX areas are not read.

mod attribute;
mod builds;
mod bytes;
mod chain;
mod file;
mod maps;
mod records;
mod sample;
mod session;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use self::file::PerfDataFile;
use self::session::PerfSession;
use crate::diagnostics::Diagnostics;
use crate::error::FormatError;
use crate::format::{Confidence, Format, Reader};
use crate::reading::Reading;
use crate::unwind::Unwind;

pub(crate) const FORMAT: Format = Format {
    id: "perf-data",
    title: "perf.data",
    extensions: &["data"],
    claim,
    reader: Reader::Profile(read),
};

fn claim(source: &dyn Source) -> Confidence {
    if file::big_endian(source.bytes()).is_some() { Confidence::Certain } else { Confidence::No }
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    read_with(source, None)
}

/// Reads a file with the callers that only an unwinder finds or refutes; `None` where it has nothing to do.
pub(crate) fn unwound(
    source: &dyn Source,
    unwinder: &mut dyn Unwind,
) -> Option<Result<Reading<Profile>, FormatError>> {
    has_user_stacks(source).then(|| read_with(source, Some(unwinder)))
}

fn has_user_stacks(source: &dyn Source) -> bool {
    // Problems are reported when the file is read.
    let mut ignored = Diagnostics::default();
    let Ok(mut file) = PerfDataFile::parse(source.bytes(), &mut ignored) else { return false };
    if file.attributes.is_empty() {
        // A file from a pipe has its events among the records.
        records::all(&mut file, &[], &mut ignored);
    }
    file.attributes.iter().any(|event| event.copies_stacks() || event.has_user_chains())
}

fn read_with(
    source: &dyn Source,
    unwinder: Option<&mut dyn Unwind>,
) -> Result<Reading<Profile>, FormatError> {
    let mut diagnostics = Diagnostics::default();
    let mut file = PerfDataFile::parse(source.bytes(), &mut diagnostics)
        .map_err(|flaw| flaw.into_error(source.name()))?;
    let decompressed = records::decompressed(&file, &mut diagnostics);
    let records = records::all(&mut file, &decompressed, &mut diagnostics);
    let mut session = PerfSession::new(&file, source.bytes().len().max(decompressed.len()), unwinder);
    for record in &records {
        session.add(record, &mut diagnostics);
    }
    let value = session.finish(&mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}
