//! stackprof, the sampling profiler of Ruby: its dumps in Ruby's Marshal format (`StackProf.run(out: FILE)`) and as JSON
//! (`stackprof --json`, `JSON.generate(StackProf.results)`), versions 1.0 to 1.2.
//!
//! With `raw: true` the dump has every stack. Without, it states for each frame its samples, the samples with it anywhere
//! on the stack, and the samples by callee (`edges`), which become self costs, inclusive costs and calls; numbers of calls
//! are unknown. An edge counts each occurrence on a stack, so that recursion makes it larger than the inclusive cost.
//!
//! Event types are `samples` and, where the dump states the interval, what the samples stand for: `wall` or `cpu` time, or
//! `allocations`. With an interval of 1 every allocation was recorded, and there are no `samples`. Times are numbers of
//! samples times the interval, also where the kernel's timer ticks less often, which the dump does not tell.

mod build;
mod dump;
mod events;
mod marshal;

use lotse_model::bytes::Source;
use lotse_model::{Profile, Workers};

use self::build::profile_of;
use self::dump::StackprofDump;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json::{self, Number};
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

pub(crate) const FORMAT: Format = Format {
    id: "stackprof",
    title: "stackprof dump or JSON (Ruby)",
    extensions: &["dump"],
    claim,
    reader: Reader::Profile(read),
};

/// How far into a Marshal dump the keys before `metadata` are looked for.
const HEAD: usize = 256;

/// The frame under which stackprof puts samples during garbage collection since version 1.2.
const GARBAGE_COLLECTION: &str = "(garbage collection)";

fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    if let Some(rest) = bytes.strip_prefix(&marshal::SIGNATURE) {
        let head = &rest[..rest.len().min(HEAD)];
        let has = |key: &[u8]| memchr::memmem::find(head, key).is_some();
        let all = head.first() == Some(&b'{') && has(b":\x09mode:") && has(b":\x0dinterval");
        return if all { Confidence::Certain } else { Confidence::No };
    }
    let shape = Shape::from_bytes(bytes);
    if !shape.has("frames") || !shape.has("mode") {
        Confidence::No
    } else if shape.has("missed_samples") || shape.has("gc_samples") {
        Confidence::Certain
    } else if shape.has("raw") || shape.has("interval") {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

/// Reads the dump up to where it breaks, and refuses unknown versions.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let bytes = source.bytes();
    let mut dump = StackprofDump::default();
    let flaw = if bytes.starts_with(&marshal::SIGNATURE) {
        marshal::fill(bytes, &mut dump).err()
    } else {
        let (text, undecodable) = text::decode(bytes);
        undecodable.or(json::fill(text, &mut dump).err())
    };
    if let Some(found) = unknown_version(dump.version) {
        let name = source.name().to_owned();
        return Err(FormatError::Version { name, found, known: "versions 1.0 to 1.2 of stackprof's dumps" });
    }
    if !dump.has_frames {
        let missing = || Diagnostic::loss(Place::Whole, "expected `frames` of stackprof");
        return Err(flaw.unwrap_or_else(missing).into_error(source.name()));
    }
    let damaged = flaw.is_some();
    let mut diagnostics = Diagnostics::starting_with(flaw);
    let value = profile_of(&dump, damaged, &mut diagnostics);
    note_samples(&dump, damaged, &mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// The version of a dump that states one outside of 1.x.
fn unknown_version(version: Number) -> Option<String> {
    let found = match version {
        Number::Missing => return None,
        Number::Whole(number) => number as f64,
        Number::Large(number) => number as f64,
        Number::Real(number) => number,
    };
    (!(1.0..2.0).contains(&found)).then(|| found.to_string())
}

/// Notes about samples that have no stack of the program: missed ones, those during garbage collection, and empty ones.
fn note_samples(dump: &StackprofDump, damaged: bool, diagnostics: &mut Diagnostics) {
    let stated = dump.samples.id().unwrap_or(0);
    let missed = dump.missed.id().unwrap_or(0);
    if missed > 0 {
        let all = u128::from(stated) + u128::from(missed);
        // Of allocations, stackprof counts those between two samples as missed.
        let message = match dump.mode.as_str() {
            "object" => format!("stackprof recorded {stated} of {all} allocations"),
            _ => format!("stackprof missed {missed} of {all} samples while recording"),
        };
        diagnostics.note(Place::Whole, message);
    }
    let collecting = dump.gc_samples.id().unwrap_or(0);
    if collecting > 0 {
        let listed = dump.frames.0.iter().any(|(_, frame)| frame.name == GARBAGE_COLLECTION);
        let message = if listed {
            format!(
                "{collecting} of {stated} samples fell into garbage collection: see `{GARBAGE_COLLECTION}`"
            )
        } else {
            format!(
                "{collecting} samples fell into garbage collection; the dump has no frame for them, so they are left out"
            )
        };
        diagnostics.note(Place::Whole, message);
    }
    let empty = stated.saturating_sub(dump.own_samples());
    if empty > 0 && !damaged && !dump.frames.0.is_empty() {
        let message = format!("{empty} of {stated} samples have no frame; shares are those of the others");
        diagnostics.note(Place::Whole, message);
    }
}

#[cfg(test)]
mod tests;
