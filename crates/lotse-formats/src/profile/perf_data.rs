//! perf.data as `perf record` writes it: into a file (old magic and new) or into a pipe, in either byte order.
//!
//! Every thread is a part. Addresses are mapped to an object, with the build id that perf recorded, and an offset
//! in it, and wait for symbols; those of the kernel become offsets from where it or its module began in memory. Of a return address, the byte before it is looked up: it belongs to the call.
//! Written by hand, since the crates there are for it trust lengths and counts in the file.
//! Stacks that `--call-graph dwarf` copied need the binaries: an [`Unwind`] finds their frames, and without one the
//! frames perf gives are all. Not done: traces in AUX areas.

mod attribute;
mod builds;
mod bytes;
mod file;
mod maps;
mod records;
mod sample;
mod session;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use self::attribute::Attribute;
use self::file::File;
use self::session::Session;
use crate::error::FormatError;
use crate::oddities::Oddities;
use crate::reading::Reading;
use crate::recognise::{Confidence, Format, Reader};
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

/// Reads a file with the frames of its copied stacks; `None` where there are no such stacks.
pub(crate) fn unwound(
    source: &dyn Source,
    unwinder: &mut dyn Unwind,
) -> Option<Result<Reading<Profile>, FormatError>> {
    copies_stacks(source).then(|| read_with(source, Some(unwinder)))
}

fn copies_stacks(source: &dyn Source) -> bool {
    // What is odd is told when the file is read.
    let mut ignored = Oddities::default();
    let Ok(mut file) = File::parse(source.bytes(), &mut ignored) else { return false };
    if file.attributes.is_empty() {
        // A pipe has its events among the records.
        records::all(&mut file, &[], &mut ignored);
    }
    file.attributes.iter().any(Attribute::copies_stacks)
}

fn read_with(
    source: &dyn Source,
    unwinder: Option<&mut dyn Unwind>,
) -> Result<Reading<Profile>, FormatError> {
    let mut oddities = Oddities::default();
    let mut file = File::parse(source.bytes(), &mut oddities).map_err(|flaw| flaw.of(source.name()))?;
    let packed = records::packed(&file, &mut oddities);
    let records = records::all(&mut file, &packed, &mut oddities);
    let mut session = Session::new(&file, source.bytes().len().max(packed.len()), unwinder);
    for record in &records {
        session.take(record, &mut oddities);
    }
    let value = session.finish(&mut oddities);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: oddities.into_diagnostics() })
}
