//! `samples` and `stackFrames`: stacks that a sampler put into a trace.

use hashbrown::HashMap;
use lotse_model::id::{FrameId, StackId};
use lotse_model::profile::{Builder, Frame};

use super::threads::{ThreadKey, TraceSample};
use crate::chrome_events::{ChromeEvents, ChromeItem, nanos};
use crate::diagnostics::Diagnostics;
use crate::json::{Fill, Number, fill};
use crate::profile::cpuprofile::stacks_of_tree;
use crate::profile::gecko::location;
use crate::reading::Diagnostic;

/// Samples of all threads.
#[derive(Debug, Default)]
pub(super) struct StackSamples {
    pub(super) rows: Vec<StackSample>,
}

#[derive(Debug, Default)]
pub(super) struct StackSample {
    at: Number,
    /// `at` in nanoseconds, from the decimal digits.
    nanos: Option<i64>,
    process: String,
    thread: String,
    weight: Number,
    frame: String,
}

impl Fill for StackSample {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "ts" => Some(&mut self.at),
            "pid" => Some(&mut self.process),
            "tid" => Some(&mut self.thread),
            "weight" => Some(&mut self.weight),
            "sf" => Some(&mut self.frame),
            _ => None,
        }
    }
}

/// Frames by id, each with its caller.
#[derive(Debug, Default)]
pub(super) struct StackFrames {
    ids: HashMap<String, usize>,
    frames: Vec<StackFrame>,
}

#[derive(Debug, Default)]
struct StackFrame {
    name: String,
    parent: String,
    /// The line inside the function; Hermes writes it.
    line: Number,
    /// Line and column of the definition; newer versions of Hermes write them.
    definition: (Number, Number),
}

impl Fill for StackFrames {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        self.ids.insert(key.to_owned(), self.frames.len());
        self.frames.push(StackFrame::default());
        self.frames.last_mut().map(|last| -> &mut dyn Fill { last })
    }
}

impl Fill for StackFrame {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "parent" => Some(&mut self.parent),
            "line" => Some(&mut self.line),
            "funcLine" => Some(&mut self.definition.0),
            "funcColumn" => Some(&mut self.definition.1),
            _ => None,
        }
    }
}

impl StackFrames {
    /// For each frame, the stack whose innermost frame it is.
    pub(super) fn stacks(
        &self,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Option<StackId>> {
        let frames: Vec<FrameId> = self.frames.iter().map(|row| frame(row, builder)).collect();
        let mut parents = Vec::with_capacity(frames.len());
        for row in &self.frames {
            let parent = self.ids.get(&row.parent).copied();
            if parent.is_none() && !row.parent.is_empty() {
                diagnostics
                    .loss_kind("the parent of a frame is missing", || format!("stackFrames, {:?}", row.name));
            }
            parents.push(parent);
        }
        stacks_of_tree(&parents, &frames, builder, diagnostics, "stackFrames")
    }
}

/// The frame of a row. Its name ends in a place. This place is the definition of the function, and part of its identity,
/// unless the row has fields for the line inside the function or for the definition.
fn frame(row: &StackFrame, builder: &mut Builder) -> FrameId {
    let place = location::parse(&row.name);
    let (object, file) = (builder.object(""), builder.file(place.file));
    let definition = match row.definition {
        (Number::Missing, _) if row.line == Number::Missing => (place.line, place.column),
        (Number::Missing, _) => (0, 0),
        (line, column) => (line.line(), column.line()),
    };
    let function = builder.function_at(place.name, object, file, definition);
    builder.frame(Frame { function, file, line: place.line, address: 0, inlined: false })
}

impl StackSamples {
    /// Reads the list of samples; what comes before an error is kept.
    pub(super) fn read(&mut self, text: &str) -> Result<(), Diagnostic> {
        let known = self.rows.len();
        let read = fill(text, &mut self.rows);
        // The JSON parser rounds times with a fraction to an `f64`, so their digits are read here, as those of events are.
        for (row, item) in self.rows[known..].iter_mut().zip(ChromeEvents::new(text)) {
            if let Ok(ChromeItem::Event(sample)) = item {
                row.nanos = nanos(&sample.ts);
            }
        }
        read
    }

    /// The samples of each thread in the order of time; each lasts until the next one.
    pub(super) fn by_thread(
        &self,
        frames: &StackFrames,
        stacks: &[Option<StackId>],
        diagnostics: &mut Diagnostics,
    ) -> Vec<(ThreadKey, Vec<TraceSample>)> {
        let mut order: HashMap<ThreadKey, usize> = HashMap::new();
        let mut threads: Vec<(ThreadKey, Vec<TraceSample>)> = Vec::new();
        for (number, sample) in self.rows.iter().enumerate() {
            let key = (sample.process.clone(), sample.thread.clone());
            let thread = *order.entry(key).or_insert_with_key(|key| {
                threads.push((key.clone(), Vec::new()));
                threads.len() - 1
            });
            threads[thread].1.push(row(number, sample, frames, stacks, diagnostics));
        }
        threads.iter_mut().for_each(|(_, rows)| set_durations(rows));
        threads
    }
}

fn row(
    number: usize,
    sample: &StackSample,
    frames: &StackFrames,
    stacks: &[Option<StackId>],
    diagnostics: &mut Diagnostics,
) -> TraceSample {
    let place = || format!("samples[{number}]");
    let frame = frames.ids.get(&sample.frame);
    if frame.is_none() {
        diagnostics.loss_kind("a sample names no frame; it counts without a stack", place);
    }
    let at = sample.nanos.or(sample.at.nanos(3)).unwrap_or_else(|| {
        diagnostics.loss_kind("a sample has no time", place);
        0
    });
    let weight = sample.weight.id().unwrap_or(1);
    TraceSample { stack: frame.and_then(|&frame| stacks[frame]), at, costs: [1, 0, weight] }
}

/// Sorts by time and gives each sample the time until the next one.
fn set_durations(rows: &mut [TraceSample]) {
    rows.sort_by_key(|row| row.at);
    let mut after = rows.last().map_or(0, |row| row.at);
    for row in rows.iter_mut().rev() {
        row.costs[1] = u64::try_from(i128::from(after) - i128::from(row.at)).unwrap_or(0);
        after = row.at;
    }
}
