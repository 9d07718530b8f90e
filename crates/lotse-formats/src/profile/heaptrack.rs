//! heaptrack data, versions 0 to 3, interpreted (with names) or raw (with addresses only).
//!
//! Every trace that allocates becomes one stack sample and one data structure with the same costs. In a raw file a
//! function stands for an address of a module until symbols give its name. `operator new` stays on stacks, as in the
//! file; suppressions, which heaptrack itself subtracts from leaks, are not applied.

mod fields;
mod ledger;
mod traces;

use lotse_model::bytes::Source;
use lotse_model::id::{NameId, PartId};
use lotse_model::profile::{Builder, Costs, EventType, Part};
use lotse_model::{Profile, Unit, Workers};

use self::fields::Fields;
use self::ledger::{AllocationInfo, AllocationLedger};
use self::traces::Traces;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "heaptrack",
    title: "heaptrack data",
    extensions: &[],
    claim,
    reader: Reader::Profile(read),
};

/// The event types. `leaked` are the bytes held at the end, `peak` those held when the whole program held the most.
const NAMES: [&str; 6] = ["allocations", "allocated_bytes", "deallocations", "temporary", "leaked", "peak"];

/// The version of the file, from its first record.
fn version(line: &[u8]) -> Option<u64> {
    let mut fields = Fields(line.strip_prefix(b"v ")?);
    let program = fields.number()?;
    // Before 1.0.0 the file format had no version of its own.
    fields.number().or_else(|| (program == 0x1_0200).then_some(1))
}

fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let head = &bytes[..bytes.len().min(64)];
    let mut lines = head.split(|&byte| byte == b'\n');
    let versioned = lines.next().is_some_and(|line| version(line).is_some());
    match lines.next() {
        Some([b'X' | b'x' | b'I' | b'A' | b'#', b' ', ..]) if versioned => Confidence::Certain,
        _ if versioned => Confidence::Likely,
        _ => Confidence::No,
    }
}

/// Reads record by record, one per line. A record that cannot be read is reported and left out.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let bytes = source.bytes();
    let mut reader = HeaptrackReader::new(bytes.len());
    let mut diagnostics = Diagnostics::default();
    let (mut rest, mut number) = (bytes, 0);
    while let Some(end) = memchr::memchr(b'\n', rest) {
        number += 1;
        if let Err(problem) = reader.record(&rest[..end]) {
            if problem == NEWER {
                let found = reader.version.to_string();
                let name = source.name().to_owned();
                return Err(FormatError::Version { name, found, known: "versions 0 to 3" });
            }
            match rest.first() {
                // Without a time or the name of a module no cost is lost.
                Some(b'c' | b'x' | b'm') => diagnostics.note(Place::Line(number), problem),
                _ => diagnostics.loss(Place::Line(number), problem),
            }
        }
        rest = &rest[end + 1..];
    }
    if !matches!(rest, [] | [b'#', ..]) {
        diagnostics.loss(Place::Line(number + 1), "the file ends within a record; it is left out");
    }
    if reader.records == 0 {
        return Err(Diagnostic::loss(Place::Line(1), "expected heaptrack records, found none")
            .into_error(source.name()));
    }
    Ok(Reading { value: reader.profile(), format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

const NEWER: &str = "the version is not known";

/// The state after the records read so far.
struct HeaptrackReader {
    builder: Builder,
    traces: Traces,
    ledger: AllocationLedger,
    version: u64,
    /// Whether the file has addresses instead of names; known by records that only raw files have.
    raw: bool,
    program: String,
    milliseconds: Option<u64>,
    records: u64,
}

impl HeaptrackReader {
    fn new(size: usize) -> Self {
        Self {
            builder: Builder::new(),
            traces: Traces::new(size),
            ledger: AllocationLedger::default(),
            version: 0,
            raw: false,
            program: String::new(),
            milliseconds: None,
            records: 0,
        }
    }

    /// Reads a record; its first byte is its kind.
    fn record(&mut self, line: &[u8]) -> Result<(), &'static str> {
        let Some((&kind, rest)) = line.split_first() else { return Ok(()) };
        let fields = Fields(rest);
        match kind {
            b'+' => self.allocate(fields),
            b'-' => self.free(fields),
            b'a' => self.declare(fields),
            b't' if self.raw => self.traces.raw_trace(fields, &mut self.builder),
            b't' => self.traces.trace(fields, &mut self.builder),
            b'i' => self.traces.pointer(fields, &mut self.builder),
            b's' => self.traces.string({ fields }.text(self.version >= 3).map(Into::into)),
            b'm' => self.module(fields),
            b'c' => self.clock(fields),
            b'v' => return self.header(line),
            b'X' => return self.command(fields),
            b'x' => return self.executable(fields),
            // Resident memory, system, comments, attached to a running process, suppressions.
            b'R' | b'I' | b'#' | b'A' | b'S' => return Ok(()),
            _ => return Err("expected a record of heaptrack, found something else"),
        }?;
        self.records += 1;
        Ok(())
    }

    fn header(&mut self, line: &[u8]) -> Result<(), &'static str> {
        self.version = version(line).ok_or("expected the versions of heaptrack and of the file")?;
        let program = Fields(&line[1..]).number().unwrap_or(0);
        let [major, minor, patch] = [program >> 16, program >> 8 & 0xff, program & 0xff];
        self.builder.profile.creator = Some(format!("heaptrack {major}.{minor}.{patch}"));
        self.records += 1;
        if self.version > 3 { Err(NEWER) } else { Ok(()) }
    }

    fn command(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        let command = fields.text(false).filter(|command| !command.is_empty());
        self.builder.profile.command = command.map(Into::into);
        Ok(())
    }

    fn executable(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        self.raw = true;
        let path = fields.text(self.version >= 3).ok_or("expected a path of the stated length")?;
        self.program = path.into();
        Ok(())
    }

    fn module(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        self.raw = true;
        let sized = self.version >= 3;
        let path = if sized { fields.text(true) } else { fields.word() };
        match path.as_deref().ok_or("expected the path of a module")? {
            "-" => self.traces.forget_modules(),
            "x" => return self.traces.module(&self.program, &mut fields, &mut self.builder),
            path => return self.traces.module(path, &mut fields, &mut self.builder),
        }
        Ok(())
    }

    fn clock(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        let now = fields.number().ok_or("expected milliseconds")?;
        self.milliseconds = self.milliseconds.max(Some(now));
        Ok(())
    }

    fn declare(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        let info = self.info(fields.number(), fields.number());
        self.ledger.declare(info.unwrap_or(AllocationInfo { size: 0, trace: 0 }))?;
        info.map(|_| ())
    }

    /// Checks the size and the trace of an allocation.
    fn info(&self, size: Option<u64>, trace: Option<u64>) -> Result<AllocationInfo, &'static str> {
        let (Some(size), Some(trace)) = (size, trace) else { return Err("expected a size and a trace") };
        self.traces.stack(trace)?;
        let trace = u32::try_from(trace).map_err(|_| "more than four thousand million traces")?;
        Ok(AllocationInfo { size, trace })
    }

    fn allocate(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        let first = fields.number().ok_or("expected an allocation")?;
        if !self.raw && self.version > 0 {
            return self.ledger.allocate(first);
        }
        let info = self.info(Some(first), fields.number())?;
        self.ledger.allocate_at(info, fields.number().ok_or("expected a pointer")?)
    }

    fn free(&mut self, mut fields: Fields<'_>) -> Result<(), &'static str> {
        let first = fields.number().ok_or("expected what is freed")?;
        if self.raw || self.version == 0 { self.ledger.free_at(first) } else { self.ledger.free(first) }
    }

    /// Makes the profile: for each trace that allocates one sample and one data structure.
    fn profile(self) -> Profile {
        let Self { mut builder, traces, ledger, milliseconds, .. } = self;
        builder.profile.events = NAMES.iter().enumerate().map(|(column, name)| event(column, name)).collect();
        // heaptrack's own GUI sorts by it; the first columns only count calls.
        builder.profile.default_event = Some(ledger::PEAK);
        let mut part = Part::new("1", NAMES.len(), false);
        let nanoseconds = milliseconds.and_then(|it| i64::try_from(it).ok()?.checked_mul(1_000_000));
        part.time = nanoseconds.map(|end| (0, end));
        let data = &mut builder.profile.data;
        data.costs = Costs::new(NAMES.len(), false);
        for (trace, costs) in ledger.into_costs().iter().enumerate() {
            if costs[ledger::ALLOCATIONS] == 0 {
                continue;
            }
            // Allocations refer only to earlier traces, so this does not fail.
            let Ok(stack) = traces.stack(trace as u64) else { continue };
            part.samples.stack.push(stack);
            part.samples.costs.push(costs);
            data.name.push(NameId(0));
            data.stack.push(stack);
            data.part.push(PartId(0));
            data.costs.push(costs);
            data.accesses.push(Vec::new());
        }
        builder.profile.parts.push(part);
        builder.finish()
    }
}

fn event(column: usize, name: &str) -> EventType {
    let bytes = [ledger::ALLOCATED, ledger::LEAKED, ledger::PEAK].contains(&column);
    EventType::new(name, if bytes { Unit::Bytes } else { Unit::Count }, 0)
}

#[cfg(test)]
mod tests;
