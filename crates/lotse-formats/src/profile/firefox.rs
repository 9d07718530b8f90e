//! The Firefox Profiler's processed profiles, which samply and others write too; all versions.
//!
//! Tables are objects of columns. They are in each thread or, since version 55, some are under `shared`; a table that a
//! thread lacks is the shared one. Each thread becomes a part. Functions without a symbol, named by their address, are
//! [`Unresolved`](lotse_model::profile::Unresolved). Markers and counters are not read.

mod convert;
mod file;
pub(crate) mod parts;

use lotse_model::bytes::Source;
use lotse_model::profile::Builder;
use lotse_model::{Profile, Workers};
use memchr::memmem;

use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json::fill;
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

pub(crate) use file::{Lib, Meta};

pub(crate) const FORMAT: Format = Format {
    id: "firefox",
    title: "Firefox Profiler, processed profile",
    extensions: &["json"],
    claim,
    reader: Reader::Profile(read),
};

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    if shape.has("meta.preprocessedProfileVersion") || shape.has("threads[].funcTable") {
        return Confidence::Certain;
    }
    // A long list can hide the distinguishing keys from the shape; then the bytes are searched.
    let family = ["meta.interval", "meta.product", "libs[].debugName", "threads[].samples"];
    let processed = || {
        let distinguishing = ["\"preprocessedProfileVersion\"", "\"funcTable\""];
        distinguishing.iter().any(|key| memmem::find(source.bytes(), key.as_bytes()).is_some())
    };
    if family.iter().any(|key| shape.has(key)) && processed() { Confidence::Certain } else { Confidence::No }
}

/// Reads the file as far as it is valid; without threads it is an error.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut file = file::FirefoxFile::default();
    let flaw = flaw.or(fill(text, &mut file).err());
    if file.threads.is_empty() {
        let missing = || Diagnostic::loss(Place::Whole, "expected a list of threads under `threads`");
        return Err(flaw.unwrap_or_else(missing).into_error(source.name()));
    }
    let mut diagnostics = Diagnostics::starting_with(flaw);
    let mut builder = Builder::new();
    let threads = convert::threads(&file, &mut builder, &mut diagnostics);
    builder.profile.creator = (!file.meta.product.is_empty()).then(|| file.meta.product.clone());
    builder.profile.recorded = file.meta.recorded();
    let value = parts::assemble(builder, threads, file.meta.cpu_event(), &mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}
