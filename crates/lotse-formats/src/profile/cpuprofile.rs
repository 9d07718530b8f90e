//! V8's `.cpuprofile`: nodes of a call tree, and samples that name a node.
//!
//! `timeDeltas[i]` is the time between samples i - 1 and i; the first one that between the start and sample 0. A sample
//! stands for the time until the next one, as in the flame chart of Chrome's DevTools. The last one lasts until
//! `endTime`, and the time before the first one is not attributed. The old form, a tree below `head`, has time stamps
//! instead of deltas. Without samples, the hits of the nodes are counted. Heap profiles have such a tree too, see
//! `heap`.

mod head;
mod heap;
mod recording;
mod tree;

use lotse_model::bytes::Source;
use lotse_model::profile::{Builder, Details, EventType, Part};
use lotse_model::{Profile, Unit, Workers};

use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json::{Cursor, Fill, fill_first};
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

pub(crate) use recording::V8Recording;
pub(crate) use tree::{NodeSample, SamplesByLine, stacks_of_tree};

pub(crate) const FORMAT: Format = Format {
    id: "cpuprofile",
    title: "V8 CPU or heap profile",
    extensions: &["cpuprofile", "heapprofile"],
    claim,
    reader: Reader::Profile(read),
};

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    let old = shape.has("head.functionName") && shape.has("head.children");
    let heap = shape.has("head.callFrame") && shape.has("head.selfSize");
    if shape.has("nodes[].callFrame") || old || heap {
        Confidence::Certain
    } else if shape.has("samples") && (shape.has("timeDeltas") || shape.has("timestamps")) {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut recording = V8Recording::default();
    let flaw = flaw.or(fill_recording(text, &mut recording).err());
    if recording.nodes.is_empty() {
        let missing = || Diagnostic::loss(Place::Whole, "expected a call tree under `nodes` or `head`");
        return Err(flaw.unwrap_or_else(missing).into_error(source.name()));
    }
    let mut diagnostics = Diagnostics::starting_with(flaw);
    let make = if recording.is_heap() { heap::profile_of } else { profile_of };
    let profile = make(&recording, &mut diagnostics);
    Ok(Reading { value: profile, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// Reads the outermost object key by key, since the tree below `head` may be nested deeper than the parser allows.
fn fill_recording(text: &str, recording: &mut V8Recording) -> Result<(), Diagnostic> {
    let mut cursor = Cursor::new(text);
    cursor.expect(b'{')?;
    while !cursor.eat(b'}') {
        let key: String = cursor.value()?;
        cursor.expect(b':')?;
        if key == "head" {
            head::read(&mut cursor, &mut recording.nodes)?;
        } else {
            fill_field(&mut cursor, &key, recording)?;
        }
        if !cursor.eat(b',') {
            cursor.expect(b'}')?;
            break;
        }
    }
    if cursor.peek().is_some() { Err(cursor.flaw("expected the end")) } else { Ok(()) }
}

fn fill_field(cursor: &mut Cursor<'_>, key: &str, recording: &mut V8Recording) -> Result<(), Diagnostic> {
    let start = cursor.clone();
    if let Some(place) = recording.field(key) {
        fill_first(start.rest(), place).map_err(|flaw| start.shifted(flaw))?;
    }
    cursor.raw().map(drop)
}

/// The profile of a recording of CPU samples: samples and, where they have times, nanoseconds.
fn profile_of(recording: &V8Recording, diagnostics: &mut Diagnostics) -> Profile {
    let mut builder = Builder::new();
    let read = recording.samples(&mut builder, diagnostics, "samples");
    builder.profile.events = vec![EventType::count("samples")];
    if recording.is_timed() {
        builder.profile.events.push(EventType::new("time", Unit::Seconds, -9));
    }
    let width = builder.profile.events.len();
    let mut part = Part::new("main", width, false);
    part.time = recording.span();
    for sample in &read.samples {
        part.samples.stack.push(sample.stack);
        part.samples.costs.push(&[sample.count, sample.nanos][..width]);
        if recording.is_timed() {
            part.samples.time.push(sample.at);
        }
    }
    builder.profile.parts.push(part);
    let lines = read.by_line.lines(width, 0);
    builder.profile.details = Details::Loaded(Box::new(lines));
    builder.finish()
}
