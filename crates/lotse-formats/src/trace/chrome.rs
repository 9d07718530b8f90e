//! Chrome's Trace Event Format as a trace: what `B`, `E` and `X` events say becomes calls, flows become messages.
//!
//! A process and thread of the file is a location; the streams of an accelerator, as PyTorch's Kineto writes them,
//! are locations of their own. Flows (`s`, `t`, `f` of one category and id) are sends and receives on a communicator
//! named `flow` whose ranks are the locations, each hop with a tag of its own, so that who waits for whom is known.
//! Collectives are read where our own writer told them.
//! Other events (asynchronous ones, counters, instants) are counted. Ticks are nanoseconds, from the digits as written.
//! Spans that overlap without one containing the other are cut, and that is told.

mod collectives;
mod flows;
mod regions;
mod threads;

use lotse_model::bytes::{Folder, Memory, Source};
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Clock, Communicator, Definitions};

use super::file::main_file;
use super::{Repair, Stream, TraceInput, timeline};
use crate::chrome_events::{Event, Events, Item, nanos};
use crate::error::{Flaw, FormatError, Place};
use crate::json::{Number, Tally, fill};
use crate::profile::chrome_trace;
use crate::reading::{Diagnostic, Weight};
use crate::recognise::{Format, Reader};
use crate::text;
use crate::unpack::unpack;

use collectives::Collectives;
use flows::Flows;
use regions::Regions;
use threads::Threads;

/// The profile reader of the same files has the same name.
pub(crate) const FORMAT: Format = Format {
    id: "chrome-trace",
    title: "Chrome trace events",
    extensions: &["json", "trace"],
    claim: chrome_trace::claim,
    reader: Reader::Trace(open),
};

/// Sections of the outermost object that are no longer than this are kept as properties.
const MOST_OF_A_PROPERTY: usize = 1000;

/// Opens a trace. A folder without a main file is searched for one that ends like JSON.
pub fn open(folder: &dyn Folder) -> Result<TraceInput<'static>, FormatError> {
    let main = main_file(folder, &[".json", ".json.gz", ".trace"])?;
    read(&Memory { name: folder.name(), bytes: folder.bytes(main).unwrap_or(&[]) })
}

/// Reads a trace from its bytes, compressed or not.
pub fn read(source: &dyn Source) -> Result<TraceInput<'static>, FormatError> {
    let (source, damage) = unpack(source)?;
    let (text, flaw) = text::decode(source.bytes());
    let mut reader = TraceReader::default();
    let mut diagnostics = damage;
    diagnostics.extend(flaw.map(Diagnostic::from));
    let mut events = Events::new(text);
    for item in events.by_ref() {
        if let Err(flaw) = item.and_then(|item| reader.take(item)) {
            diagnostics.push(flaw.into());
        }
    }
    if reader.seen == 0 {
        let flaw = Flaw::new(Place::Whole, "expected a list of trace events");
        return Err(match diagnostics.pop() {
            Some(first) => Flaw::new(first.place, first.message).of(source.name()),
            None => flaw.of(source.name()),
        });
    }
    if events.unfinished() {
        diagnostics.push(Diagnostic::note(Place::Whole, "the closing bracket is missing"));
    }
    Ok(reader.finish(source.name(), diagnostics))
}

#[derive(Default)]
struct TraceReader {
    threads: Threads,
    regions: Regions,
    flows: Flows,
    collectives: Collectives,
    tally: Tally,
    properties: Vec<(String, String)>,
    /// Elements of the list of events.
    seen: usize,
}

impl TraceReader {
    fn take(&mut self, item: Item<'_>) -> Result<(), Flaw> {
        match item {
            Item::Event(event) => self.event(&event),
            Item::Section(key, text) => return self.section(&key, text),
            Item::Other => self.lost("expected an event, found something else"),
        }
        self.seen += 1;
        Ok(())
    }

    fn section(&mut self, key: &str, text: &str) -> Result<(), Flaw> {
        fill(text, &mut Number::Missing)
            .map_err(|flaw| Flaw::new(Place::Path(key.to_owned()), flaw.problem))?;
        if text.len() <= MOST_OF_A_PROPERTY {
            self.properties.push((key.to_owned(), text.trim().trim_matches('"').to_owned()));
        }
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>) {
        if Collectives::defines(event) {
            return self.collectives.define(event);
        }
        if event.phase == b'M' {
            return self.threads.metadata(event);
        }
        let Some(at) = nanos(&event.ts_text) else {
            return self.lost("an event has no time; it was left out");
        };
        let location = self.threads.location(event);
        match event.phase {
            b'B' | b'E' | b'X' => self.span(event, location, at),
            b's' | b't' | b'f' => self.flows.end(event, location, at),
            b'C' => self.threads[location].counters.push(at),
            b'i' if self.collectives.take(event, location, at) => {}
            _ => self.threads[location].others.push(at),
        }
    }

    fn span(&mut self, event: &Event<'_>, location: LocationId, at: i64) {
        if event.phase == b'E' {
            let label = (!event.name.is_empty()).then(|| self.regions.label(event));
            return self.threads[location].spans.end(at, label);
        }
        let (label, region) = self.regions.of(event);
        if event.phase == b'B' {
            return self.threads[location].spans.begin(at, label, region);
        }
        let end = at.saturating_add(self.duration(event));
        self.threads[location].spans.whole(at, end, region);
    }

    fn duration(&mut self, event: &Event<'_>) -> i64 {
        match nanos(&event.dur_text).or(event.tdur.nanos(3)) {
            Some(duration) if duration >= 0 => duration,
            Some(_) => {
                self.lost("an event has a negative duration; it counts as none");
                0
            }
            None => {
                self.lost("an event has no duration that fits; it counts as none");
                0
            }
        }
    }

    fn lost(&mut self, message: &'static str) {
        let order = self.seen;
        self.tally.loss(message, || format!("event {order}"));
    }

    fn finish(mut self, file: &str, mut diagnostics: Vec<Diagnostic>) -> TraceInput<'static> {
        let shift = self.shift();
        let mut definitions =
            Definitions { properties: self.properties, ..Definitions::new(Clock::default()) };
        definitions.regions = self.regions.into_table();
        self.threads.define(&mut definitions);
        let (communicators, parts) = self.collectives.resolved(&self.threads.by_number());
        definitions.communicators.extend(communicators);
        let communicator = CommunicatorId::from(definitions.communicators.len());
        let hops = self.flows.matched(communicator, &mut self.tally);
        if !hops.is_empty() {
            definitions.communicators.push(everyone(definitions.locations.len()));
        }
        diagnostics.extend(self.tally.into_diagnostics());
        let mut repairs: Vec<Repair> = diagnostics.into_iter().map(|it| repair(it, file, None)).collect();
        let points = hops.into_iter().chain(parts).collect();
        let mut points = timeline::points(points, definitions.locations.len());
        let mut streams = Vec::with_capacity(definitions.locations.len());
        for (row, thread) in self.threads.into_iter().enumerate() {
            let (mut tally, id) = (Tally::default(), LocationId::from(row));
            let name = &definitions.locations[row].name;
            streams.push(Stream::Listed(thread.listed(
                std::mem::take(&mut points[row]),
                shift,
                &definitions.regions,
                (&mut tally, name),
            )));
            repairs.extend(tally.into_diagnostics().map(|it| repair(it, file, Some(id))));
        }
        TraceInput { definitions, streams, format_id: FORMAT.id, repairs }
    }

    /// What makes all times count from 0 or later.
    fn shift(&mut self) -> u64 {
        let firsts = [self.threads.first(), self.flows.first(), self.collectives.first()];
        let first = firsts.into_iter().flatten().min().unwrap_or(0);
        if first < 0 {
            self.tally.note("times below 0; all were moved so that the first is 0", || "ts".to_owned());
        }
        first.min(0).unsigned_abs()
    }
}

fn everyone(locations: usize) -> Communicator {
    let members = (0..locations).map(|row| Some(LocationId::from(row))).collect();
    Communicator { name: "flow".to_owned(), members, ..Communicator::default() }
}

fn repair(diagnostic: Diagnostic, file: &str, location: Option<LocationId>) -> Repair {
    let Diagnostic { place, message, weight } = diagnostic;
    Repair { location, file: file.to_owned(), place, message, loss: weight == Weight::Loss }
}
