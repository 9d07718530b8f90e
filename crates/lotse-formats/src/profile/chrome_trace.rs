//! Chrome's Trace Event Format as a profile: spans of each thread, sampled stacks, V8's recordings.
//!
//! Each thread of each process is a part. Spans (`B`, `E`, `X`) become stacks weighted by their self time, see
//! `nesting`; each span counts as a call, also at top level, unless a sampler wrote it. `samples` with `stackFrames`, and
//! the CPU profiles that V8 puts into traces, are parts of their own; the spans of a thread that has such a part cover
//! the same time again and are not selected. Times are nanoseconds. Other events (asynchronous ones, counters, flows)
//! have no stack: a note says how many of each kind are left out.

pub(crate) mod nesting;
mod sampled;
mod threads;

use lotse_model::bytes::Source;
use lotse_model::profile::{Builder, Costs, Detail, Details, EventType, LineCosts, Part};
use lotse_model::{Profile, Unit, Workers};

use crate::chrome_events::{ChromeEvents, ChromeItem};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

use threads::{ThreadDraft, TraceThreads};

pub(crate) const FORMAT: Format = Format {
    id: "chrome-trace",
    title: "Chrome trace events",
    extensions: &["json", "trace"],
    claim,
    reader: Reader::Profile(read),
};

pub(crate) fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    let event = |list: &str| {
        let has = |key: &str| shape.has(&format!("{list}[].{key}"));
        has("ph") && (has("ts") || has("pid") || has("tid"))
    };
    if event("") || event("traceEvents") || shape.has("traceEvents") {
        Confidence::Certain
    } else if shape.has("stackFrames") || shape.has("displayTimeUnit") || shape.has("[].ph") {
        Confidence::Likely
    } else {
        Confidence::No
    }
}

/// Reads all events, then builds a part per thread. A file in which no event can be found is an error.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let builder = Builder::new();
    let mut reader = TraceReader { builder, flaws: flaw.into_iter().collect(), ..TraceReader::default() };
    let mut events = ChromeEvents::new(text);
    for item in events.by_ref() {
        reader.add(item);
    }
    if reader.seen == 0 {
        let nothing = Diagnostic::loss(Place::Whole, "expected a list of trace events");
        return Err(reader.flaws.pop().unwrap_or(nothing).into_error(source.name()));
    }
    let mut diagnostics: Vec<Diagnostic> = std::mem::take(&mut reader.flaws);
    if events.unfinished() {
        diagnostics.push(Diagnostic::note(Place::Whole, "the closing bracket is missing"));
    }
    diagnostics.extend(reader.threads.left_out.note());
    let drafts = reader.threads.drafts(&mut reader.builder, &mut reader.diagnostics);
    let value = assemble(reader.builder, drafts);
    diagnostics.extend(reader.diagnostics.into_vec());
    Ok(Reading { value, format_id: FORMAT.id, diagnostics })
}

#[derive(Default)]
struct TraceReader {
    builder: Builder,
    threads: TraceThreads,
    diagnostics: Diagnostics,
    flaws: Vec<Diagnostic>,
    /// The number of events and sections read.
    seen: usize,
}

impl TraceReader {
    /// Passes an event or section to the threads; what is neither is counted or reported.
    fn add(&mut self, item: Result<ChromeItem<'_>, Diagnostic>) {
        match item {
            Ok(ChromeItem::Event(event)) => {
                let order = self.seen;
                self.seen += 1;
                self.threads.event(&event, &mut self.builder, &mut self.diagnostics, order);
            }
            Ok(ChromeItem::Section(key, text)) => {
                if let Err(flaw) = self.threads.section(&key, text) {
                    self.flaws.push(Diagnostic::loss(Place::Path(key.to_string()), flaw.message));
                }
                self.seen += usize::from(matches!(&*key, "samples" | "stackFrames"));
            }
            Ok(ChromeItem::Other) => {
                let order = self.seen;
                self.seen += 1;
                self.diagnostics
                    .loss_kind("expected an event, found something else", || format!("event {order}"));
            }
            Err(flaw) => self.flaws.push(flaw),
        }
    }
}

/// Makes parts of the drafts. The event types `samples` and `weight` exist only where a draft needs them.
fn assemble(mut builder: Builder, drafts: Vec<ThreadDraft>) -> Profile {
    let sampled = drafts.iter().any(|draft| draft.is_sampled());
    let weighted = drafts.iter().any(|draft| draft.is_weighted());
    let events = [
        (sampled, EventType::count("samples")),
        (true, EventType::new("time", Unit::Seconds, -9)),
        (weighted, EventType::count("weight")),
    ];
    let chosen = [sampled, true, weighted];
    builder.profile.events = events.into_iter().filter(|(there, _)| *there).map(|(_, event)| event).collect();
    let width = builder.profile.events.len();
    let mut lines = LineCosts { costs: Costs::new(width, false), ..LineCosts::default() };
    for (number, draft) in drafts.into_iter().enumerate() {
        draft.by_line.append(&mut lines, number);
        builder.profile.parts.push(part(draft, &chosen, width));
    }
    builder.profile.details = Details::Loaded(Box::new(Detail { lines, ..Detail::default() }));
    builder.finish()
}

fn part(draft: ThreadDraft, chosen: &[bool; 3], width: usize) -> Part {
    let mut part = Part::new(&draft.name, width, false);
    (part.process, part.thread, part.selected) = (draft.process, draft.thread, draft.selected);
    for row in &draft.rows {
        let costs: Vec<u64> =
            row.costs.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(cost, _)| *cost).collect();
        part.samples.stack.push(row.stack);
        part.samples.time.push(row.at);
        part.samples.costs.push(&costs);
    }
    part.calls.caller = draft.calls.caller;
    part.calls.callee = draft.calls.callee;
    part.calls.count = draft.calls.count;
    part.entries = draft.entries;
    part
}
