//! Reads Chrome's Trace Event Format as a trace: `B`, `E` and `X` events become calls, flows become messages.
//!
//! Each thread of each process is a location; so are the streams of an accelerator, as PyTorch's Kineto writes them.
//! Flows (`s`, `t`, `f` with the same category and id) become sends and receives on a communicator named `flow`, whose
//! ranks are the locations. Each hop of a flow has its own tag, so that every send is matched with its receive.
//! Collective operations are read from the events that our own writer writes for them. Other events (asynchronous
//! events, counters, instants) are counted, and a note says how many of each kind are left out. Ticks are nanoseconds, computed from the decimal digits. Of two spans that
//! overlap without one containing the other, the later one is cut, with a note.

mod collectives;
mod flows;
mod regions;
mod threads;

use lotse_model::bytes::{Folder, Memory, Source};
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Clock, Communicator, Definitions};

use super::file::main_file;
use super::{EventStream, Repair, TraceInput, timeline};
use crate::chrome_events::{ChromeEvent, ChromeEvents, ChromeItem, LeftOut, nanos};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Format, Reader};
use crate::json::{Number, fill};
use crate::profile::chrome_trace;
use crate::reading::{Diagnostic, Weight};
use crate::text;
use crate::unpack::unpack;

use collectives::Collectives;
use flows::Flows;
use regions::Regions;
use threads::ThreadTable;

/// The id is also that of the profile reader for the same files.
pub(crate) const FORMAT: Format = Format {
    id: "chrome-trace",
    title: "Chrome trace events",
    extensions: &["json", "trace"],
    claim: chrome_trace::claim,
    reader: Reader::Trace(open),
};

/// Entries of the outermost object up to this length are kept as properties of the trace.
const LONGEST_PROPERTY: usize = 1000;

/// Opens a trace. In a folder without a main file, a file with a matching extension is used.
pub fn open(folder: &dyn Folder) -> Result<TraceInput<'static>, FormatError> {
    let main = main_file(folder, &[".json", ".json.gz", ".trace"])?;
    read(&Memory { name: folder.name(), bytes: folder.bytes(main).unwrap_or(&[]) })
}

/// Reads a trace from its bytes, compressed or not.
pub fn read(source: &dyn Source) -> Result<TraceInput<'static>, FormatError> {
    let (source, damage) = unpack(source)?;
    let (text, flaw) = text::decode(source.bytes());
    let mut reader = ChromeTraceReader::default();
    let mut diagnostics = damage;
    diagnostics.extend(flaw);
    let mut events = ChromeEvents::new(text);
    for item in events.by_ref() {
        if let Err(flaw) = item.and_then(|item| reader.take(item)) {
            diagnostics.push(flaw);
        }
    }
    if reader.seen == 0 {
        let nothing = Diagnostic::loss(Place::Whole, "expected a list of trace events");
        return Err(diagnostics.pop().unwrap_or(nothing).into_error(source.name()));
    }
    if events.unfinished() {
        diagnostics.push(Diagnostic::note(Place::Whole, "the closing bracket is missing"));
    }
    Ok(reader.finish(source.name(), diagnostics))
}

#[derive(Default)]
struct ChromeTraceReader {
    threads: ThreadTable,
    regions: Regions,
    flows: Flows,
    collectives: Collectives,
    diagnostics: Diagnostics,
    properties: Vec<(String, String)>,
    left_out: LeftOut,
    /// The number of elements of the event list so far.
    seen: usize,
    /// The latest time of all threads.
    last: Option<i64>,
}

impl ChromeTraceReader {
    fn take(&mut self, item: ChromeItem<'_>) -> Result<(), Diagnostic> {
        match item {
            ChromeItem::Event(event) => self.event(&event),
            ChromeItem::Section(key, text) => return self.section(&key, text),
            ChromeItem::Other => self.report_loss("expected an event, found something else"),
        }
        self.seen += 1;
        Ok(())
    }

    fn section(&mut self, key: &str, text: &str) -> Result<(), Diagnostic> {
        fill(text, &mut Number::Missing)
            .map_err(|flaw| Diagnostic::loss(Place::Path(key.to_owned()), flaw.message))?;
        if text.len() <= LONGEST_PROPERTY {
            self.properties.push((key.to_owned(), text.trim().trim_matches('"').to_owned()));
        }
        Ok(())
    }

    /// Gives an event to what it belongs to, by the letter of its type; what is no call is counted.
    fn event(&mut self, event: &ChromeEvent<'_>) {
        if Collectives::defines(event) {
            return self.collectives.define(event);
        }
        if event.phase == b'M' {
            return self.threads.metadata(event);
        }
        let Some(at) = nanos(&event.ts) else {
            return self.report_loss("an event has no time; it was left out");
        };
        self.last = self.last.max(Some(at));
        let location = self.threads.location(event);
        match event.phase {
            b'B' | b'E' | b'X' => self.span(event, location, at),
            b's' | b't' | b'f' => self.flows.add(event, location, at),
            b'i' if self.collectives.take(event, location, at) => {}
            phase => {
                self.left_out.count(phase);
                let thread = &mut self.threads[location];
                if phase == b'C' { thread.counters.push(at) } else { thread.others.push(at) }
            }
        }
    }

    fn span(&mut self, event: &ChromeEvent<'_>, location: LocationId, at: i64) {
        if event.phase == b'E' {
            let label = (!event.name.is_empty()).then(|| self.regions.label(event));
            return self.threads[location].spans.end(at, label);
        }
        let (label, region) = self.regions.label_and_region(event);
        if event.phase == b'B' {
            return self.threads[location].spans.begin(at, label, region);
        }
        let end = at.saturating_add(self.duration(event));
        self.last = self.last.max(Some(end));
        self.threads[location].spans.complete(at, end, region);
    }

    fn duration(&mut self, event: &ChromeEvent<'_>) -> i64 {
        match nanos(&event.dur).or_else(|| nanos(&event.tdur)) {
            Some(duration) if duration >= 0 => duration,
            Some(_) => {
                self.report_loss("an event has a negative duration; it counts as none");
                0
            }
            None => {
                self.report_loss("an event has no duration that fits; it counts as none");
                0
            }
        }
    }

    fn report_loss(&mut self, message: &'static str) {
        let order = self.seen;
        self.diagnostics.loss_kind(message, || format!("event {order}"));
    }

    /// Builds the tables of definitions, then the event list of each location: its calls from spans, its messages from
    /// flows, and its collectives.
    fn finish(mut self, file: &str, mut diagnostics: Vec<Diagnostic>) -> TraceInput<'static> {
        let shift = self.shift();
        let mut definitions =
            Definitions { properties: self.properties, ..Definitions::new(Clock::default()) };
        definitions.regions = self.regions.into_table();
        self.threads.define(&mut definitions);
        let (communicators, parts) = self.collectives.resolved(&self.threads.by_number());
        definitions.communicators.extend(communicators);
        let communicator = CommunicatorId::from(definitions.communicators.len());
        let hops = self.flows.hop_events(communicator, &mut self.diagnostics);
        if !hops.is_empty() {
            definitions.communicators.push(flow_communicator(definitions.locations.len()));
        }
        diagnostics.extend(self.left_out.note());
        diagnostics.extend(self.diagnostics.into_vec());
        let mut repairs: Vec<Repair> = diagnostics.into_iter().map(|it| repair(it, file, None)).collect();
        let points = hops.into_iter().chain(parts).collect();
        let mut points = timeline::points_by_location(points, definitions.locations.len());
        let mut streams = Vec::with_capacity(definitions.locations.len());
        for (row, mut thread) in self.threads.into_iter().enumerate() {
            if let Some(last) = self.last {
                thread.spans.extend_to(last);
            }
            let (mut diagnostics, id) = (Diagnostics::default(), LocationId::from(row));
            let name = &definitions.locations[row].name;
            streams.push(EventStream::Listed(thread.into_events(
                std::mem::take(&mut points[row]),
                shift,
                &definitions.regions,
                (&mut diagnostics, name),
            )));
            repairs.extend(diagnostics.into_vec().into_iter().map(|it| repair(it, file, Some(id))));
        }
        TraceInput { definitions, streams, format_id: FORMAT.id, repairs }
    }

    /// What has to be added to all times so that none is negative.
    fn shift(&mut self) -> u64 {
        let firsts = [self.threads.first(), self.flows.first(), self.collectives.first()];
        let first = firsts.into_iter().flatten().min().unwrap_or(0);
        if first < 0 {
            self.diagnostics
                .note_kind("times below 0; all were moved so that the first is 0", || "ts".to_owned());
        }
        first.min(0).unsigned_abs()
    }
}

/// The communicator of flows: its ranks are the locations.
fn flow_communicator(locations: usize) -> Communicator {
    let members = (0..locations).map(|row| Some(LocationId::from(row))).collect();
    Communicator { name: "flow".to_owned(), members, ..Communicator::default() }
}

fn repair(diagnostic: Diagnostic, file: &str, location: Option<LocationId>) -> Repair {
    let Diagnostic { place, message, weight } = diagnostic;
    Repair { location, file: file.to_owned(), place, message, loss: weight == Weight::Loss }
}
