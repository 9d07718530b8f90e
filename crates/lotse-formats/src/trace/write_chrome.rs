//! Writes traces in Chrome's Trace Event Format, for Perfetto and chrome://tracing.
//!
//! Calls become begins and ends, messages become flows, collectives become instants with what they are in their
//! arguments; other events are not written, for the viewers have no place for them. Times are microseconds since the recorder's begin with three digits behind the point. Locations may be
//! written in any order and into buffers of their own: what is between [`Writer::begin`] and [`Writer::end`] can be
//! put together as it comes. Reading it back with [`chrome`](super::chrome) gives the same calls, messages and collectives.

use std::io::{self, Write};

use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Paradigm, Ticks};

use super::ticks::nanos_since_begin;

pub(super) mod collectives;

/// A message whose both ends are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Who sent it.
    pub sender: LocationId,
    /// When.
    pub sent: Ticks,
    /// Who received it.
    pub receiver: LocationId,
    /// When.
    pub received: Ticks,
    /// How long it was.
    pub bytes: u64,
}

/// Writes one trace.
#[derive(Debug)]
pub struct Writer<'a> {
    definitions: &'a Definitions,
    /// What a begin says of each region.
    regions: Vec<String>,
}

impl<'a> Writer<'a> {
    /// For a trace with these definitions.
    pub fn new(definitions: &'a Definitions) -> io::Result<Self> {
        let regions = definitions.regions.iter().map(described).collect::<io::Result<_>>()?;
        Ok(Self { definitions, regions })
    }

    /// What comes first: the names of processes and locations.
    pub fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        // Everything else begins with a comma, so something must come before.
        out.write_all(br#"{"ph":"M","name":"trace_writer","pid":0,"tid":0,"args":{"name":"lotse"}}"#)?;
        for (row, process) in self.definitions.processes.iter().enumerate() {
            let head = format!("\"pid\":{},\"tid\":0", row + 1);
            named(out, "process_name", &head, &process.name)?;
            write!(
                out,
                ",\n{{\"ph\":\"M\",\"name\":\"process_sort_index\",{head},\"args\":{{\"sort_index\":{row}}}}}"
            )?;
        }
        for (row, location) in self.definitions.locations.iter().enumerate() {
            let head = self.place(LocationId::from(row));
            named(out, "thread_name", &head, &location.name)?;
            write!(
                out,
                ",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",{head},\"args\":{{\"sort_index\":{row}}}}}"
            )?;
        }
        collectives::communicators(self.definitions, out)
    }

    /// Takes the events of a location.
    pub fn location<W: Write>(&self, location: LocationId, out: W) -> LocationWriter<'_, W> {
        LocationWriter { writer: self, place: self.place(location), out, depth: 0, written: 0, failed: None }
    }

    /// Writes messages; `first` is the number of the first one, each needs one of its own.
    pub fn messages(
        &self,
        messages: impl IntoIterator<Item = Message>,
        first: u64,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for (id, message) in (first..).zip(messages) {
            let Message { sender, sent, receiver, received, bytes } = message;
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

    /// What comes last.
    pub fn end(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"\n]}\n")
    }

    /// Viewers keep the number 0 for the idle process.
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
pub struct LocationWriter<'a, W: Write> {
    writer: &'a Writer<'a>,
    place: String,
    out: W,
    /// Calls that are open.
    depth: usize,
    written: u64,
    failed: Option<io::Error>,
}

impl<W: Write> LocationWriter<'_, W> {
    /// How many events were written, or why not all could be.
    pub fn finish(mut self) -> io::Result<u64> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.written),
        }
    }

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
                let Some(said) = collectives::described(self.writer.definitions, event)? else {
                    return Ok(());
                };
                let category = collectives::CATEGORY;
                write!(
                    self.out,
                    ",\n{{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"{category}\",{place},\"ts\":{time},{said}}}"
                )?;
            }
        }
        self.written += 1;
        Ok(())
    }
}

impl<W: Write> EventSink for LocationWriter<'_, W> {
    fn event(&mut self, at: Ticks, _kind: EventKind, event: Event) {
        if self.failed.is_none() {
            self.failed = self.write(at, event).err();
        }
    }
}

fn named(out: &mut dyn Write, what: &str, head: &str, name: &str) -> io::Result<()> {
    let name = quoted(name)?;
    write!(out, ",\n{{\"ph\":\"M\",\"name\":\"{what}\",{head},\"args\":{{\"name\":{name}}}}}")
}

fn quoted(text: &str) -> io::Result<String> {
    serde_json::to_string(text).map_err(io::Error::from)
}

fn described(region: &lotse_model::trace::Region) -> io::Result<String> {
    let (name, category) = (quoted(&region.name)?, category(region.paradigm));
    if region.file.is_empty() {
        return Ok(format!(",\"name\":{name},\"cat\":\"{category}\""));
    }
    let (file, line) = (quoted(&region.file)?, region.begin_line);
    Ok(format!(",\"name\":{name},\"cat\":\"{category}\",\"args\":{{\"file\":{file},\"line\":{line}}}"))
}

/// The reader knows these words.
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
