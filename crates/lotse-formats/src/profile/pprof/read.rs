//! Reads the samples of a pprof file and resolves what they refer to.

use hashbrown::HashMap;
use lotse_model::bytes::Source;
use lotse_model::id::StackId;
use lotse_model::profile::{Builder, Costs, EventType, Part, Period};
use lotse_model::{Profile, Unit, Workers};

use super::FORMAT;
use super::message::{Messages, PprofSample};
use super::place::{PprofLocations, StringTable};
use super::thread::LabelledThread;
use super::wire::MessageBytes;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::reading::Diagnostic;
use crate::reading::Reading;

/// The number of frames allowed per byte of the file. A location takes a byte or two in a sample and rarely has ten lines.
const FRAMES_PER_BYTE: usize = 16;

pub(super) fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let mut diagnostics = Diagnostics::default();
    let messages = Messages::collect(source.bytes(), &mut diagnostics);
    if messages.sample_types.is_empty() {
        let problem = "expected the types of samples, found none";
        return Err(Diagnostic::loss(Place::Whole, problem).into_error(source.name()));
    }
    let texts = StringTable(&messages.strings);
    let mut builder = Builder::new();
    types(&messages, &texts, &mut builder, &mut diagnostics);
    builder.profile.period = period(&messages, &texts);
    let places = PprofLocations::new(&messages, &mut builder, &mut diagnostics);
    let frames_left = 1024 + source.bytes().len().saturating_mul(FRAMES_PER_BYTE);
    let mut samples = SamplesByThread::new(&texts, &places, messages.sample_types.len(), frames_left);
    samples.read_all(&messages.samples, &mut builder, &mut diagnostics);
    samples.finish(&messages, &mut builder, &mut diagnostics);
    report_notes(&messages, &texts, &mut diagnostics);
    Ok(Reading { value: builder.finish(), format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// Fills the event types in the order of the file. Without a stated default it is the last one, as in pprof.
fn types(
    messages: &Messages<'_>,
    texts: &StringTable<'_>,
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
) {
    let mut types: Vec<[u64; 2]> = Vec::new();
    for encoded in &messages.sample_types {
        types.push(encoded.scalars().unwrap_or_else(|flaw| {
            diagnostics.note(flaw.place, format!("{}; the event type has no name", flaw.message));
            [0; 2]
        }));
    }
    let stated = messages.default_type;
    let default = types.iter().position(|&[name, _]| stated != 0 && name == stated);
    builder.profile.default_event = default.or(types.len().checked_sub(1));
    builder.profile.events =
        types.iter().map(|&[name, unit]| event(&texts.get(name), &texts.get(unit))).collect();
}

/// The sampling period, if its type can be read.
fn period(messages: &Messages<'_>, texts: &StringTable<'_>) -> Option<Period> {
    let [name, unit] = messages.period_type?.scalars().ok()?;
    let event = event(&texts.get(name), &texts.get(unit));
    (!event.name.is_empty()).then_some(Period { event, length: messages.period })
}

fn event(name: &str, unit: &str) -> EventType {
    let (unit, exponent) = match unit {
        "nanoseconds" | "ns" => (Unit::Seconds, -9),
        "microseconds" | "us" => (Unit::Seconds, -6),
        "milliseconds" | "ms" => (Unit::Seconds, -3),
        "seconds" | "s" => (Unit::Seconds, 0),
        "bytes" | "byte" | "B" => (Unit::Bytes, 0),
        "count" => (Unit::Count, 0),
        _ => (Unit::Number, 0),
    };
    EventType::new(name, unit, exponent)
}

/// Reports comments, and a rule for hiding frames, which is not applied.
fn report_notes(messages: &Messages<'_>, texts: &StringTable<'_>, diagnostics: &mut Diagnostics) {
    for &comment in messages.comments.iter().take(10) {
        diagnostics.note(Place::Whole, format!("comment: {}", texts.get(comment)));
    }
    if messages.drop_frames != 0 {
        let rule = texts.get(messages.drop_frames);
        diagnostics
            .note(Place::Whole, format!("the file asks to hide frames that match {rule}; all are kept"));
    }
}

/// Samples by thread.
struct SamplesByThread<'a> {
    texts: &'a StringTable<'a>,
    places: &'a PprofLocations,
    width: usize,
    /// How many frames may still be put on stacks.
    frames_left: usize,
    threads: HashMap<LabelledThread, usize>,
    /// Parts with their cells, which are stored in the part when it is known whether they are signed.
    parts: Vec<(Part, Vec<u64>)>,
    other_labels: u64,
}

impl<'a> SamplesByThread<'a> {
    fn new(texts: &'a StringTable<'a>, places: &'a PprofLocations, width: usize, frames_left: usize) -> Self {
        let (threads, parts) = (HashMap::new(), Vec::new());
        Self { texts, places, width, frames_left, threads, parts, other_labels: 0 }
    }

    /// Adds all samples; one that cannot be read is left out and reported.
    fn read_all(
        &mut self,
        samples: &[MessageBytes<'_>],
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) {
        let mut sample = PprofSample::default();
        for &encoded in samples {
            let (found, wanted) = match sample.read(encoded) {
                Ok(()) => (sample.values.len(), self.width),
                Err(flaw) => {
                    diagnostics.loss(flaw.place, format!("{}; the sample is left out", flaw.message));
                    continue;
                }
            };
            if found == wanted {
                self.add(&sample, encoded.at, builder, diagnostics);
            } else {
                let message = format!("expected {wanted} values, found {found}; the sample is left out");
                diagnostics.loss(Place::Byte(encoded.at), message);
            }
        }
    }

    fn add(
        &mut self,
        sample: &PprofSample<'_>,
        at: u64,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) {
        let stack = self.stack(&sample.locations, at, builder, diagnostics);
        let thread = self.thread(sample);
        let parts = &mut self.parts;
        let row = *self.threads.entry(thread).or_insert_with_key(|thread| {
            parts.push((thread.part(), Vec::new()));
            parts.len() - 1
        });
        let (part, cells) = &mut parts[row];
        part.samples.stack.push(stack);
        cells.extend_from_slice(&sample.values);
    }

    /// The stack of locations, which are given with the innermost first. Unknown locations are left out.
    fn stack(
        &mut self,
        locations: &[u64],
        at: u64,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) -> Option<StackId> {
        let mut stack = None;
        for &location in locations.iter().rev() {
            let Some(frames) = self.places.frames(location) else {
                diagnostics.loss(Place::Byte(at), format!("there is no location {location}"));
                continue;
            };
            let Some(left) = self.frames_left.checked_sub(frames.len()) else {
                diagnostics.loss(
                    Place::Byte(at),
                    "the stacks are too large for this file; the inner frames are lost",
                );
                return stack;
            };
            self.frames_left = left;
            stack = frames.iter().fold(stack, |below, &frame| Some(builder.stack(below, frame)));
        }
        stack
    }

    fn thread(&mut self, sample: &PprofSample<'_>) -> LabelledThread {
        let mut thread = LabelledThread::default();
        for label in &sample.labels {
            let [key, text, number] = label.scalars().unwrap_or([0; 3]);
            if !thread.set_label(&self.texts.get(key), &self.texts.get(text), number) {
                self.other_labels += 1;
            }
        }
        thread
    }

    fn finish(self, messages: &Messages<'_>, builder: &mut Builder, diagnostics: &mut Diagnostics) {
        let profile = &mut builder.profile;
        profile.recorded = (messages.time > 0).then_some(messages.time);
        profile.signed = self.parts.iter().flat_map(|(_, cells)| cells).any(|&cell| (cell as i64) < 0);
        let time = (messages.time != 0 || messages.duration != 0)
            .then(|| (messages.time, messages.time.saturating_add(messages.duration)));
        for (part, cells) in self.parts {
            let (width, signed) = (self.width, profile.signed);
            let mut filled = Part { time, ..Part::new(&part.name, width, signed) };
            (filled.process, filled.thread) = (part.process, part.thread);
            filled.samples.stack = part.samples.stack;
            filled.samples.costs = Costs::from_cells(width, signed, cells);
            profile.parts.push(filled);
        }
        if self.other_labels > 0 {
            let message = format!("{} labels that name no thread are left out", self.other_labels);
            diagnostics.note(Place::Whole, message);
        }
    }
}
