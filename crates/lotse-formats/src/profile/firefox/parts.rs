//! Makes parts of the samples of threads, for both formats of the Firefox Profiler.

use lotse_model::id::{FrameId, StackId};
use lotse_model::profile::{Builder, EventType, Part};
use lotse_model::{Profile, Unit};

use crate::diagnostics::Diagnostics;
use crate::json::Number;

/// The samples of one thread. Columns may be shorter than `stacks`; the remaining values are missing.
#[derive(Debug, Default)]
pub(crate) struct ThreadSamples {
    pub(crate) name: String,
    pub(crate) process: Option<u64>,
    pub(crate) thread: Option<u64>,
    pub(crate) stacks: Vec<Option<StackId>>,
    /// Nanoseconds.
    pub(crate) times: Vec<i64>,
    pub(crate) weights: Vec<Number>,
    /// The kind of weights, as in the file: `samples`, `tracing-ms`, `bytes`.
    pub(crate) weight_type: String,
    /// CPU time since the previous sample.
    pub(crate) cpu: Vec<Number>,
}

impl ThreadSamples {
    /// The event type of the weights, and by how many decimal digits they are scaled.
    fn weight(&self) -> Option<(EventType, u32)> {
        if self.weights.iter().all(|weight| *weight == Number::Missing) {
            return None;
        }
        Some(match self.weight_type.as_str() {
            "tracing-ms" => (EventType::new("tracing-ms", Unit::Seconds, -9), 6),
            "bytes" => (EventType::new("bytes", Unit::Bytes, 0), 0),
            _ => (EventType::count("weight"), 0),
        })
    }

    /// Whether a weight is a number of samples.
    fn weighs_samples(&self) -> bool {
        matches!(self.weight_type.as_str(), "" | "samples")
    }

    fn has_cpu(&self) -> bool {
        self.cpu.iter().any(|cpu| *cpu != Number::Missing)
    }
}

/// The stack of each row of a table of (outer stack, innermost frame). The outer stack is an earlier row.
pub(crate) fn stacks_of_table(
    rows: impl Iterator<Item = (Option<usize>, Option<usize>)>,
    frames: &[FrameId],
    builder: &mut Builder,
    diagnostics: &mut Diagnostics,
    path: &str,
) -> Vec<Option<StackId>> {
    let mut stacks: Vec<Option<StackId>> = Vec::new();
    for (row, (prefix, frame)) in rows.enumerate() {
        let place = || format!("{path}.stackTable[{row}]");
        if prefix.is_some_and(|prefix| prefix >= row) {
            diagnostics
                .loss_kind("the parent of a stack is not an earlier one; it counts as outermost", place);
        }
        let below = prefix.and_then(|prefix| stacks.get(prefix).copied().flatten());
        let frame = frame.and_then(|frame| frames.get(frame));
        if frame.is_none() {
            diagnostics.loss_kind("the frame of a stack is missing; the stack below is taken", place);
        }
        stacks.push(frame.map_or(below, |&frame| Some(builder.stack(below, frame))));
    }
    stacks
}

/// Makes a part of each thread, with event types for samples, weights and CPU time.
pub(crate) fn assemble(
    mut builder: Builder,
    threads: Vec<ThreadSamples>,
    cpu: EventType,
    diagnostics: &mut Diagnostics,
) -> Profile {
    let mut events = vec![EventType::count("samples")];
    for (event, _) in threads.iter().filter_map(ThreadSamples::weight) {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    if threads.iter().any(ThreadSamples::has_cpu) {
        events.push(cpu.clone());
    }
    let negative = |number: &Number| number.scaled(0).is_some_and(|number| number < 0);
    let signed = threads.iter().any(|thread| thread.weights.iter().chain(&thread.cpu).any(negative));
    let columns = EventColumns { events: &events, cpu: &cpu, signed };
    builder.profile.parts = threads.into_iter().map(|thread| columns.part(thread, diagnostics)).collect();
    builder.profile.events = events;
    builder.profile.signed = signed;
    builder.finish()
}

struct EventColumns<'a> {
    events: &'a [EventType],
    cpu: &'a EventType,
    signed: bool,
}

impl EventColumns<'_> {
    /// The part of a thread: a row per sample, with 1 for the sample, its weight and its CPU time.
    fn part(&self, thread: ThreadSamples, diagnostics: &mut Diagnostics) -> Part {
        let mut part = Part::new(&thread.name, self.events.len(), self.signed);
        (part.process, part.thread) = (thread.process, thread.thread);
        let weight = thread.weight();
        // If other threads have weights, a sample of a thread without weights weighs 1.
        let unit = thread.weighs_samples().then_some(&Number::Whole(1));
        let differs = |length: usize| length != 0 && length != thread.stacks.len();
        if differs(thread.weights.len()) || differs(thread.cpu.len()) {
            diagnostics.loss_kind("columns of samples differ in length", || thread.name.clone());
        }
        if differs(thread.times.len()) {
            diagnostics.note_kind("there are not as many times as samples", || thread.name.clone());
        }
        for row in 0..thread.stacks.len() {
            let mut costs = vec![0; self.events.len()];
            costs[0] = 1;
            match &weight {
                Some((event, digits)) => {
                    self.set(&mut costs, event, thread.weights.get(row), *digits, diagnostics)
                }
                None => self.set(&mut costs, &EventType::count("weight"), unit, 0, diagnostics),
            }
            self.set(&mut costs, self.cpu, thread.cpu.get(row), 0, diagnostics);
            part.samples.costs.push(&costs);
        }
        if !thread.times.is_empty() {
            let last = thread.times.last().copied().unwrap_or(0);
            part.samples.time = thread.times;
            part.samples.time.resize(thread.stacks.len(), last);
        }
        part.samples.stack = thread.stacks;
        part
    }

    /// Stores a value in the column of its event type, scaled by `digits`. A missing value leaves 0.
    fn set(
        &self,
        costs: &mut [u64],
        event: &EventType,
        value: Option<&Number>,
        digits: u32,
        diagnostics: &mut Diagnostics,
    ) {
        let column = self.events.iter().position(|known| known == event);
        let value = value.filter(|value| **value != Number::Missing);
        let (Some(column), Some(value)) = (column, value) else { return };
        let exact = value.scaled(digits);
        let cell = if self.signed {
            exact.and_then(|exact| i64::try_from(exact).ok()).map(|exact| exact as u64)
        } else {
            exact.and_then(|exact| u64::try_from(exact).ok())
        };
        match cell {
            Some(cell) => costs[column] = cell,
            None => {
                diagnostics.loss_kind("a number is too large; it counts as nothing", || event.name.clone())
            }
        }
    }
}
