//! Massif out file: a part per snapshot. Snapshots show the same memory at different times and cannot be summed, so only
//! the peak is selected.
//!
//! A detailed snapshot has its tree as stacks and as data structures, any other a sample without a stack. The root of
//! a tree stands for the allocating functions and is not a frame. Allocating functions that were too small to be
//! written are `below massif's threshold`. Where the callers of a function were too small, its stacks end there, and a
//! note says how many bytes lack callers. Times in instructions or bytes are only in the names of the parts.

pub(in crate::profile) mod frame;
mod tree;

use std::borrow::Cow;

use lotse_model::bytes::Source;
use lotse_model::id::{NameId, PartId};
use lotse_model::profile::{Builder, Costs, EventType, Part, readable};
use lotse_model::{Profile, Unit, Workers};

use self::tree::SnapshotTree;
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format =
    Format { id: "massif", title: "Massif out file", extensions: &[], claim, reader: Reader::Profile(read) };

/// Bytes requested, bytes for administration and alignment, bytes on stacks.
const NAMES: [&str; 3] = ["mem_heap_B", "mem_heap_extra_B", "mem_stacks_B"];

fn claim(source: &dyn Source) -> Confidence {
    let bytes = source.bytes();
    let head = &bytes[..bytes.len().min(64 << 10)];
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    if !head.starts_with(b"desc:") || !has(b"\ntime_unit: ") {
        return Confidence::No;
    }
    if has(b"\nsnapshot=") { Confidence::Certain } else { Confidence::Likely }
}

/// Reads line by line; a line that cannot be read is reported and left out.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let mut snapshots = Snapshots { builder: Builder::new(), ..Snapshots::default() };
    let mut diagnostics = Diagnostics::default();
    let mut lines = 0;
    for line in source.bytes().split(|&byte| byte == b'\n') {
        lines += 1;
        let line = readable(line.strip_suffix(b"\r").unwrap_or(line));
        if let Err(problem) = snapshots.line(&line) {
            diagnostics.loss(Place::Line(lines), problem);
        }
    }
    snapshots.end();
    if snapshots.parts.is_empty() {
        return Err(
            Diagnostic::loss(Place::Line(lines), "expected snapshots, found none").into_error(source.name())
        );
    }
    if !snapshots.complete || !source.bytes().ends_with(b"\n") {
        diagnostics.loss(Place::Line(lines), "the file ends within a snapshot");
    }
    if let Some(note) = snapshots.note() {
        diagnostics.note(Place::Whole, note);
    }
    Ok(Reading { value: snapshots.profile(), format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// The snapshots read so far.
#[derive(Default)]
struct Snapshots {
    builder: Builder,
    unit: String,
    parts: Vec<Part>,
    /// By part: the bytes whose outer callers were not written.
    without_callers: Vec<u64>,
    current: Option<Snapshot>,
    /// Whether the last snapshot was read to its end.
    complete: bool,
}

/// A snapshot being read.
#[derive(Default)]
struct Snapshot {
    number: u64,
    time: u64,
    costs: [u64; 3],
    kind: String,
    tree: SnapshotTree,
}

impl Snapshots {
    /// Reads a line: of the header, of the current snapshot or of its tree.
    fn line(&mut self, line: &str) -> Result<(), Cow<'static, str>> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let number = |text: &str| text.parse().map_err(|_| format!("expected a number, found {text:?}"));
        if let Some(text) = line.strip_prefix("snapshot=") {
            self.end();
            self.current = Some(Snapshot { number: number(text)?, ..Snapshot::default() });
            return Ok(());
        }
        let Some(current) = &mut self.current else { return self.header(line) };
        match line.split_once('=') {
            Some(("time", text)) => current.time = number(text)?,
            Some(("heap_tree", kind)) => kind.clone_into(&mut current.kind),
            Some((name, text)) if NAMES.contains(&name) => {
                let column = NAMES.iter().position(|&it| it == name).unwrap_or(0);
                current.costs[column] = number(text)?;
            }
            _ => current.tree.line(line, &mut self.builder)?,
        }
        Ok(())
    }

    fn header(&mut self, line: &str) -> Result<(), Cow<'static, str>> {
        match line.split_once(": ") {
            Some(("cmd", command)) => self.builder.profile.command = Some(command.to_owned()),
            Some(("time_unit", unit)) => unit.clone_into(&mut self.unit),
            _ if line.starts_with("desc:") => {}
            _ => return Err("expected a header or a snapshot".into()),
        }
        Ok(())
    }

    /// Ends the current snapshot.
    fn end(&mut self) {
        let Some(mut snapshot) = self.current.take() else { return };
        snapshot.tree.close(0, &mut self.builder);
        let tree = matches!(snapshot.kind.as_str(), "peak" | "detailed") && snapshot.tree.read;
        self.complete = (snapshot.kind == "empty" || tree) && !snapshot.tree.cut;
        self.without_callers.push(snapshot.tree.without_callers);
        let part = snapshot.part(&self.unit);
        self.parts.push(part);
    }

    /// A note for the user where inclusive costs at the peak are too small.
    fn note(&self) -> Option<String> {
        let peak = peak(&self.parts);
        let bytes = self.without_callers.get(peak).copied().filter(|&bytes| bytes > 0)?;
        let all = self.parts.get(peak)?.samples.costs.total(0);
        let share = 100.0 * bytes as f64 / all as f64;
        Some(format!(
            "{bytes} of {all} bytes ({share:.1} %) lack their outer callers, whose inclusive costs are lower bounds: they \
             are below massif's threshold; `valgrind --tool=massif --threshold=0` records them"
        ))
    }

    fn profile(self) -> Profile {
        let Self { mut builder, mut parts, .. } = self;
        builder.profile.events = NAMES.map(|name| EventType::new(name, Unit::Bytes, 0)).into();
        builder.profile.creator = Some("massif".to_owned());
        let peak = peak(&parts);
        for (at, part) in parts.iter_mut().enumerate() {
            part.selected = at == peak;
        }
        builder.profile.data.costs = Costs::new(NAMES.len(), false);
        for (at, part) in parts.iter().enumerate() {
            data_structures(&mut builder, part, PartId::from(at));
        }
        builder.profile.parts = parts;
        builder.finish()
    }
}

impl Snapshot {
    /// The part of a snapshot: the stacks of its tree, and a sample without a stack for the rest of its costs.
    fn part(self, unit: &str) -> Part {
        let Self { number, time, costs, kind, tree } = self;
        let name = format!("snapshot {number} at {time} {unit}");
        let mut part = Part::new(name.trim_end(), NAMES.len(), false);
        part.number = Some(number);
        part.trigger = (kind != "empty" && !kind.is_empty()).then_some(kind);
        let nanoseconds = i64::try_from(time).ok().and_then(|time| time.checked_mul(1_000_000));
        part.time = nanoseconds.filter(|_| unit == "ms").map(|time| (time, time));
        let mut rest = costs;
        for (stack, bytes) in tree.found {
            part.samples.stack.push(stack);
            part.samples.costs.push(&[bytes]);
            rest[0] = rest[0].saturating_sub(bytes);
        }
        if rest != [0; 3] || part.samples.is_empty() {
            part.samples.stack.push(None);
            part.samples.costs.push(&rest);
        }
        part
    }
}

/// The snapshot marked as the peak, else the first of the largest.
fn peak(parts: &[Part]) -> usize {
    let marked = parts.iter().rposition(|part| part.trigger.as_deref() == Some("peak"));
    marked.unwrap_or_else(|| {
        let size = |part: &Part| (0..NAMES.len()).map(|event| part.samples.costs.total(event)).sum::<i128>();
        let largest = parts.iter().map(size).max();
        parts.iter().position(|part| Some(size(part)) == largest).unwrap_or(0)
    })
}

/// Adds a data structure for each stack of a snapshot.
fn data_structures(builder: &mut Builder, part: &Part, id: PartId) {
    let data = &mut builder.profile.data;
    for (row, stack) in part.samples.stack.iter().enumerate().filter(|(_, stack)| stack.is_some()) {
        data.name.push(NameId(0));
        data.stack.push(*stack);
        data.part.push(id);
        data.costs.push(part.samples.costs.row(row));
        data.accesses.push(Vec::new());
    }
}

#[cfg(test)]
mod tests;
