//! speedscope's JSON, read and written.
//!
//! Each profile of a file becomes a part. Samples are weighted as in the file, in its unit; times become nanoseconds;
//! numbers with a fraction that are not times are counted in millionths. Samples without weights are only counted. Open
//! and close events become stacks weighted by their self time; they are not calls, since samplers such as pyinstrument
//! write an event where the stacks of consecutive samples differ. The event type of the profile that the file shows
//! first (`activeProfileIndex`) is the default.
//!
//! Lotse writes a profile per part and event type and names both in it; such profiles are joined again when read.

mod file;
mod parts;
mod write;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json::fill;
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;
use crate::write::{Naming, Needs, Writer};

pub(crate) const FORMAT: Format = Format {
    id: "speedscope",
    title: "speedscope JSON",
    extensions: &["speedscope.json", "json"],
    claim,
    reader: Reader::Profile(read),
};

pub(crate) const WRITER: Writer = Writer {
    id: "speedscope",
    title: "speedscope JSON",
    extension: "speedscope.json",
    needs: Needs::Stacks,
    names: Naming::AsRead,
    write: write::write,
};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    let kind = shape.text("profiles[].type");
    let known = kind.is_some_and(|kind| kind == "sampled" || kind == "evented");
    if shape.text("$schema").is_some_and(|schema| schema == SCHEMA) || (known && shape.has("profiles[].unit"))
    {
        Confidence::Certain
    } else if shape.has("shared.frames") || known {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut file = file::SpeedscopeFile::default();
    let flaw = flaw.or(fill(text, &mut file).err());
    if file.profiles.is_empty() && file.frames.is_empty() {
        let missing = || Diagnostic::loss(Place::Whole, "expected `profiles` and `shared.frames`");
        return Err(flaw.unwrap_or_else(missing).into_error(source.name()));
    }
    let mut diagnostics = Diagnostics::starting_with(flaw);
    let value = parts::profile_of(&file, &mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}
