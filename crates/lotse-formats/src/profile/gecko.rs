//! Profiles as Firefox itself writes them, before they are processed by the Firefox Profiler.
//!
//! Tables are lists of rows with a schema that names the columns. Other processes are nested profiles, as objects or, in
//! old versions, as JSON in a string; so are threads. The developer tools of Firefox 50 to 80 wrapped everything in
//! `profile`. Times of other processes are converted to the clock of the first.

mod file;
pub(crate) mod location;
mod threads;

use lotse_model::bytes::Source;
use lotse_model::profile::Builder;
use lotse_model::{Profile, Workers};
use memchr::memmem;

use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json::fill;
use crate::profile::firefox::parts;
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

pub(crate) const FORMAT: Format = Format {
    id: "gecko",
    title: "Firefox (Gecko) profile, unprocessed",
    extensions: &["json"],
    claim,
    reader: Reader::Profile(read),
};

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    let family = ["meta.interval", "meta.product", "libs[].breakpadId", "threads[].samples"];
    let wrapped = |key: &&str| shape.has(key) || shape.has(&format!("profile.{key}"));
    if !family.iter().any(wrapped) {
        return Confidence::No;
    }
    let has = |key: &str| memmem::find(source.bytes(), key.as_bytes()).is_some();
    let processed = has("\"preprocessedProfileVersion\"") || has("\"funcTable\"");
    // Without quotes: inside a string they are escaped.
    let rows = has("stackTable") && has("schema") || shape.has("threads[].samples.schema");
    if rows && !processed { Confidence::Certain } else { Confidence::No }
}

/// Reads the file as far as it is valid, and all processes in it; without threads it is an error.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut diagnostics = Diagnostics::default();
    let mut file = file::GeckoProcess::default();
    let flaw = flaw.or(fill(text, &mut file).err());
    let processes = file.unpack(&mut diagnostics);
    let threads: usize = processes.iter().map(|process| process.threads.len()).sum();
    if threads == 0 {
        let missing = || Diagnostic::loss(Place::Whole, "expected a list of threads under `threads`");
        return Err(flaw.unwrap_or_else(missing).into_error(source.name()));
    }
    let mut builder = Builder::new();
    let meta = &processes[0].meta;
    let (product, cpu) = (meta.product.clone(), meta.cpu_event());
    builder.profile.recorded = meta.recorded();
    builder.profile.creator = (!product.is_empty()).then_some(product);
    let threads = threads::samples(&processes, &mut builder, &mut diagnostics);
    let value = parts::assemble(builder, threads, cpu, &mut diagnostics);
    let diagnostics = flaw.into_iter().chain(diagnostics.into_vec()).collect();
    Ok(Reading { value, format_id: FORMAT.id, diagnostics })
}
