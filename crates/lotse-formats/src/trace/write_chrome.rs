//! Writes traces in Chrome's Trace Event Format, for Perfetto and chrome://tracing.
//!
//! Calls become begin and end events, messages become flows, collective operations become instant events with arguments.
//! Other events are not written, because the viewers cannot show them. Times are microseconds since the beginning of the
//! recording, with three decimal places. Locations may be written in any order and to separate buffers: whatever is
//! written between [`ChromeWriter::begin`] and [`ChromeWriter::end`] can be concatenated in any order. The reader
//! [`chrome`](super::chrome) reads back the same calls, messages and collective operations.

use std::io::{self, Write};

use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Paradigm, Ticks};

use super::ticks::nanos_since_begin;

pub(super) mod collectives;

/// A message with its sender and its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchedMessage {
    pub sender: LocationId,
    pub sent: Ticks,
    pub receiver: LocationId,
    pub received: Ticks,
    pub bytes: u64,
}

/// Writes a trace.
#[derive(Debug)]
pub struct ChromeWriter<'a> {
    definitions: &'a Definitions,
    /// For each region the JSON fields of its begin events.
    regions: Vec<String>,
}

impl<'a> ChromeWriter<'a> {
    /// A writer for a trace with these definitions.
    pub fn new(definitions: &'a Definitions) -> io::Result<Self> {
        let regions = definitions.regions.iter().map(region_fields).collect::<io::Result<_>>()?;
        Ok(Self { definitions, regions })
    }

    /// Writes the beginning of the file: the names of processes and locations, and the communicators.
    pub fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        // All other events are written with a comma before them, so a first event is needed.
        out.write_all(br#"{"ph":"M","name":"trace_writer","pid":0,"tid":0,"args":{"name":"lotse"}}"#)?;
        for (row, process) in self.definitions.processes.iter().enumerate() {
            let head = format!("\"pid\":{},\"tid\":0", row + 1);
            write_name(out, "process_name", &head, &process.name)?;
            write!(
                out,
                ",\n{{\"ph\":\"M\",\"name\":\"process_sort_index\",{head},\"args\":{{\"sort_index\":{row}}}}}"
            )?;
        }
        for (row, location) in self.definitions.locations.iter().enumerate() {
            let head = self.place(LocationId::from(row));
            write_name(out, "thread_name", &head, &location.name)?;
            write!(
                out,
                ",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",{head},\"args\":{{\"sort_index\":{row}}}}}"
            )?;
        }
        collectives::communicators(self.definitions, out)
    }

    /// A writer for the events of a location.
    pub fn location<W: Write>(&self, location: LocationId, out: W) -> ChromeLocationWriter<'_, W> {
        ChromeLocationWriter {
            writer: self,
            place: self.place(location),
            out,
            depth: 0,
            written: 0,
            failed: None,
        }
    }

    /// Writes messages with the ids `first`, `first + 1`, …; each message of the file needs its own id.
    pub fn messages(
        &self,
        messages: impl IntoIterator<Item = MatchedMessage>,
        first: u64,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for (id, message) in (first..).zip(messages) {
            let MatchedMessage { sender, sent, receiver, received, bytes } = message;
            let head = "\"cat\":\"message\",\"name\":\"message\"";
            let (place, at) = (self.place(sender), self.time(sent));
            write!(
                out,
                ",\n{{\"ph\":\"s\",{head},\"id\":{id},{place},\"ts\":{at},\"args\":{{\"bytes\":{bytes}}}}}"
            )?;
            let (place, at) = (self.place(receiver), self.time(received));
            write!(out, ",\n{{\"ph\":\"f\",\"bp\":\"e\",{head},\"id\":{id},{place},\"ts\":{at}}}")?;
        }
        Ok(())
    }

    /// Writes the end of the file.
    pub fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"\n]}\n")
    }

    /// The JSON fields with process and thread. Both count from 1, because viewers reserve 0 for the idle process.
    fn place(&self, location: LocationId) -> String {
        let process = self.definitions.process_of(location).map_or(0, |process| process.index() + 1);
        format!("\"pid\":{process},\"tid\":{}", location.index() + 1)
    }

    fn time(&self, at: Ticks) -> String {
        let nanos = nanos_since_begin(&self.definitions.clock, at);
        let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
        format!("{sign}{}.{:03}", nanos / 1000, nanos % 1000)
    }
}

/// Writes the events of one location.
#[derive(Debug)]
pub struct ChromeLocationWriter<'a, W: Write> {
    writer: &'a ChromeWriter<'a>,
    place: String,
    out: W,
    /// The number of open calls.
    depth: usize,
    written: u64,
    failed: Option<io::Error>,
}

impl<W: Write> ChromeLocationWriter<'_, W> {
    /// The number of events written, or the first error.
    pub fn finish(mut self) -> io::Result<u64> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.written),
        }
    }

    /// Writes an event as JSON. A leave without an open call is not written.
    fn write(&mut self, at: Ticks, event: Event) -> io::Result<()> {
        let (place, time) = (&self.place, self.writer.time(at));
        match event {
            Event::Enter { region } => {
                let unknown = self.writer.regions.first();
                let region = self.writer.regions.get(region.index()).or(unknown).map_or("", String::as_str);
                self.depth += 1;
                write!(self.out, ",\n{{\"ph\":\"B\",{place},\"ts\":{time}{region}}}")?;
            }
            Event::Leave { .. } if self.depth > 0 => {
                self.depth -= 1;
                write!(self.out, ",\n{{\"ph\":\"E\",{place},\"ts\":{time}}}")?;
            }
            _ => {
                let Some(fields) = collectives::event_fields(self.writer.definitions, event)? else {
                    return Ok(());
                };
                let category = collectives::CATEGORY;
                write!(
                    self.out,
                    ",\n{{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"{category}\",{place},\"ts\":{time},{fields}}}"
                )?;
            }
        }
        self.written += 1;
        Ok(())
    }
}

impl<W: Write> EventSink for ChromeLocationWriter<'_, W> {
    fn event(&mut self, at: Ticks, _kind: EventKind, event: Event) {
        if self.failed.is_none() {
            self.failed = self.write(at, event).err();
        }
    }
}

fn write_name(out: &mut dyn Write, what: &str, head: &str, name: &str) -> io::Result<()> {
    let name = quoted(name)?;
    write!(out, ",\n{{\"ph\":\"M\",\"name\":\"{what}\",{head},\"args\":{{\"name\":{name}}}}}")
}

fn quoted(text: &str) -> io::Result<String> {
    serde_json::to_string(text).map_err(io::Error::from)
}

/// The JSON fields of a region's begin events: name, category and source position.
fn region_fields(region: &lotse_model::trace::Region) -> io::Result<String> {
    let (name, category) = (quoted(&region.name)?, category(region.paradigm));
    if region.file.is_empty() {
        return Ok(format!(",\"name\":{name},\"cat\":\"{category}\""));
    }
    let (file, line) = (quoted(&region.file)?, region.begin_line);
    Ok(format!(",\"name\":{name},\"cat\":\"{category}\",\"args\":{{\"file\":{file},\"line\":{line}}}"))
}

/// The category of a paradigm, which the reader recognises.
fn category(paradigm: Paradigm) -> &'static str {
    match paradigm {
        Paradigm::Mpi => "mpi",
        Paradigm::OpenMp => "openmp",
        Paradigm::OneSided => "one-sided",
        Paradigm::Threads => "threads",
        Paradigm::Accelerator => "accelerator",
        Paradigm::Measurement => "measurement",
        Paradigm::Io => "io",
        Paradigm::Compiler | Paradigm::Sampling | Paradigm::User => "user",
        Paradigm::Unknown | Paradigm::Other => "other",
    }
}
