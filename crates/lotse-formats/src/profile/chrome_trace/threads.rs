//! Collects events by thread and turns the events of each thread into a part.

use hashbrown::HashMap;
use lotse_model::id::{FrameId, StackId};
use lotse_model::profile::{Builder, Calls, EntryCalls, Frame};

use super::nesting::StackSlice;
use super::sampled::{StackFrames, StackSamples};
use crate::chrome_events::{ChromeEvent, LeftOut, nanos};
use crate::diagnostics::Diagnostics;
use crate::json::{Fill, Number, fill, fill_first};
use crate::profile::cpuprofile::{NodeSample, SamplesByLine, V8Recording};
use crate::reading::Diagnostic;
use crate::spans::SpanMarks;

/// A process and a thread, as the file writes them.
pub(super) type ThreadKey = (String, String);

/// The events of all threads read so far.
#[derive(Default)]
pub(super) struct TraceThreads {
    rows: HashMap<ThreadKey, usize>,
    threads: Vec<TraceThread>,
    process_names: HashMap<String, String>,
    thread_names: HashMap<ThreadKey, String>,
    recordings: Vec<(ThreadKey, V8Recording)>,
    /// The rows of recordings that come in chunks, by process and id.
    chunks: HashMap<(String, String), usize>,
    samples: StackSamples,
    frames: StackFrames,
    /// Events that are no part of a stack.
    pub(super) left_out: LeftOut,
    /// The latest time of all threads.
    last: Option<i64>,
}

struct TraceThread {
    key: ThreadKey,
    spans: SpanMarks<FrameId>,
    /// Whether a sampler wrote the spans, from the difference of consecutive stacks; then they are not calls.
    sampled: bool,
}

/// Categories of samplers that write spans.
const SAMPLERS: [&str; 1] = ["py-spy"];

/// A part before the event types of the profile are known.
#[derive(Default)]
pub(super) struct ThreadDraft {
    pub(super) name: String,
    pub(super) process: Option<u64>,
    pub(super) thread: Option<u64>,
    pub(super) selected: bool,
    pub(super) rows: Vec<TraceSample>,
    pub(super) calls: Calls,
    pub(super) entries: EntryCalls,
    pub(super) by_line: SamplesByLine,
}

/// A stack with its costs: number of samples, nanoseconds, weight.
pub(super) struct TraceSample {
    pub(super) stack: Option<StackId>,
    pub(super) at: i64,
    pub(super) costs: [u64; 3],
}

impl ThreadDraft {
    pub(super) fn is_sampled(&self) -> bool {
        self.rows.iter().any(|row| row.costs[0] > 0)
    }

    /// Whether some sample has a weight other than 1.
    pub(super) fn is_weighted(&self) -> bool {
        self.rows.iter().any(|row| row.costs[0] != row.costs[2])
            && self.rows.iter().any(|row| row.costs[2] > 0)
    }
}

/// The arguments of an event that are read.
#[derive(Debug, Default)]
struct Arguments {
    name: String,
    url: String,
    filename: String,
    line: Number,
    definition: (Number, Number),
}

impl Fill for Arguments {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "url" => Some(&mut self.url),
            "filename" => Some(&mut self.filename),
            "line" => Some(&mut self.line),
            "funcLine" => Some(&mut self.definition.0),
            "funcColumn" => Some(&mut self.definition.1),
            _ => None,
        }
    }
}

impl Arguments {
    /// The source file. The `filename` of py-spy is the source file only if there is a line too.
    fn file(&self) -> &str {
        let has_line = self.line != Number::Missing;
        if self.url.is_empty() && has_line { &self.filename } else { &self.url }
    }
}

impl TraceThreads {
    /// Adds an event; `order` is its number in the file.
    pub(super) fn event(
        &mut self,
        event: &ChromeEvent<'_>,
        builder: &mut Builder,
        diagnostics: &mut Diagnostics,
        order: usize,
    ) {
        if event.phase == b'M' {
            return self.metadata(event);
        }
        let at = nanos(&event.ts);
        self.last = self.last.max(at);
        match event.phase {
            b'B' | b'E' | b'X' => self.span(event, at, builder, (diagnostics, order)),
            _ if matches!(&*event.name, "Profile" | "ProfileChunk" | "CpuProfile") => {
                self.recording(event, diagnostics, order);
            }
            phase => self.left_out.count(phase),
        }
    }

    /// Reads a section of the trace other than its list of events.
    pub(super) fn section(&mut self, key: &str, text: &str) -> Result<(), Diagnostic> {
        match key {
            "samples" => self.samples.read(text),
            "stackFrames" => fill(text, &mut self.frames),
            // Only checked: a section that is not complete is an error.
            _ => fill(text, &mut Number::Missing),
        }
    }

    /// Adds a begin, an end or a complete span to its thread. Times in the file are microseconds.
    fn span(
        &mut self,
        event: &ChromeEvent<'_>,
        at: Option<i64>,
        builder: &mut Builder,
        (diagnostics, order): (&mut Diagnostics, usize),
    ) {
        let place = || format!("event {order}");
        let Some(at) = at else {
            return diagnostics.loss_kind("an event has no time; it was left out", place);
        };
        let label = builder.name(&event.name).0;
        let frame = if event.phase == b'E' { FrameId(0) } else { frame(event, builder) };
        let thread = self.thread(event);
        thread.sampled |= SAMPLERS.contains(&&*event.category);
        let spans = &mut thread.spans;
        match event.phase {
            b'B' => spans.begin(at, label, frame),
            b'E' => spans.end(at, (!event.name.is_empty()).then_some(label)),
            _ => {
                // Without a wall-clock duration, that of the thread clock is used.
                let stated = if event.dur.is_empty() { &event.tdur } else { &event.dur };
                let duration = nanos(stated).filter(|nanos| *nanos >= 0);
                if duration.is_none() && !stated.is_empty() {
                    diagnostics
                        .loss_kind("an event has a negative or too long duration; it counts as none", place);
                }
                let end = at.saturating_add(duration.unwrap_or(0));
                spans.complete(at, end, frame);
                self.last = self.last.max(Some(end));
            }
        }
    }

    fn thread(&mut self, event: &ChromeEvent<'_>) -> &mut TraceThread {
        let threads = &mut self.threads;
        let row = *self.rows.entry(key(event)).or_insert_with_key(|key| {
            threads.push(TraceThread { key: key.clone(), spans: SpanMarks::default(), sampled: false });
            threads.len() - 1
        });
        &mut self.threads[row]
    }

    fn metadata(&mut self, event: &ChromeEvent<'_>) {
        let name = arguments(event).name;
        if name.is_empty() {
            return;
        }
        match &*event.name {
            "process_name" => drop(self.process_names.insert(event.pid.to_string(), name)),
            "thread_name" => drop(self.thread_names.insert(key(event), name)),
            _ => {}
        }
    }

    /// Adds a CPU profile of V8, whole (`CpuProfile`) or in chunks (`Profile`, then `ProfileChunk`s of the same id).
    fn recording(&mut self, event: &ChromeEvent<'_>, diagnostics: &mut Diagnostics, order: usize) {
        let mut chunk = V8Recording::default();
        if fill_first(event.args, &mut chunk).is_err() {
            return diagnostics.loss_kind("the arguments of a CPU profile are nested too deep", || {
                format!("event {order}")
            });
        }
        if event.name == "CpuProfile" {
            return self.recordings.push((key(event), chunk));
        }
        let recordings = &mut self.recordings;
        let row = *self.chunks.entry((event.pid.to_string(), event.id.to_string())).or_insert_with(|| {
            recordings.push((key(event), V8Recording::default()));
            recordings.len() - 1
        });
        // Chunks are written by the sampling thread; the event `Profile` belongs to the sampled thread.
        if event.name == "Profile" {
            self.recordings[row].0 = key(event);
        }
        self.recordings[row].1.append(chunk);
    }

    /// All parts, sampled ones first. Spans of a thread with samples are not selected.
    pub(super) fn drafts(mut self, builder: &mut Builder, diagnostics: &mut Diagnostics) -> Vec<ThreadDraft> {
        let mut drafts = Vec::new();
        let mut sampled = Vec::new();
        for (key, recording) in std::mem::take(&mut self.recordings) {
            let name = format!("{} (CPU profile)", self.name(&key));
            let read = recording.samples(builder, diagnostics, &name);
            let row = |sample: &NodeSample| TraceSample {
                stack: sample.stack,
                at: sample.at,
                costs: [sample.count, sample.nanos, sample.count],
            };
            let rows = read.samples.iter().map(row).collect();
            drafts.push(ThreadDraft { name, rows, by_line: read.by_line, ..draft(&key) });
            sampled.push(key);
        }
        let stacks = self.frames.stacks(builder, diagnostics);
        for (key, rows) in self.samples.by_thread(&self.frames, &stacks, diagnostics) {
            drafts.push(ThreadDraft { name: format!("{} (samples)", self.name(&key)), rows, ..draft(&key) });
            sampled.push(key);
        }
        for mut thread in std::mem::take(&mut self.threads) {
            if let Some(last) = self.last {
                thread.spans.extend_to(last);
            }
            let name = self.name(&thread.key);
            let nested = thread.spans.nest(builder, diagnostics, &name);
            let row = |slice: &StackSlice| TraceSample {
                stack: Some(slice.stack),
                at: slice.at,
                costs: [0, slice.length, 0],
            };
            let rows = nested.slices.iter().map(row).collect();
            let selected = !sampled.contains(&thread.key);
            let (calls, entries) =
                if thread.sampled { Default::default() } else { (nested.calls, nested.entries) };
            drafts.push(ThreadDraft { name, rows, calls, entries, selected, ..draft(&thread.key) });
        }
        drafts
    }

    fn name(&self, key: &ThreadKey) -> String {
        let thread = self.thread_names.get(key).cloned().unwrap_or_else(|| format!("thread {}", key.1));
        let process = self.process_names.get(&key.0).cloned();
        format!("{}: {thread}", process.unwrap_or_else(|| format!("process {}", key.0)))
    }
}

fn draft(key: &ThreadKey) -> ThreadDraft {
    ThreadDraft {
        process: key.0.parse().ok(),
        thread: key.1.parse().ok(),
        selected: true,
        ..ThreadDraft::default()
    }
}

fn key(event: &ChromeEvent<'_>) -> ThreadKey {
    (event.pid.to_string(), event.tid.to_string())
}

fn arguments(event: &ChromeEvent<'_>) -> Arguments {
    let mut arguments = Arguments::default();
    // Arguments have any form; where they are nested too deep, the fields read before that suffice.
    drop(fill_first(event.args, &mut arguments));
    arguments
}

/// The place of the code of a span. Hermes, the engine of React Native, writes the place of the function's definition;
/// py-spy writes the file and the line that was executed. A file without a line may be anything, such as a file
/// that the span reads, so it says nothing about the code.
fn place(event: &ChromeEvent<'_>) -> Arguments {
    let has = |key: &str| event.args.contains(key);
    if has("\"funcLine\"") || (has("\"filename\"") && has("\"line\"")) {
        arguments(event)
    } else {
        Arguments::default()
    }
}

fn frame(event: &ChromeEvent<'_>, builder: &mut Builder) -> FrameId {
    let name = if event.name.is_empty() { "(unnamed)" } else { &event.name };
    let arguments = place(event);
    let (object, file) = (builder.object(""), builder.file(arguments.file()));
    let (line, column) = arguments.definition;
    let function = builder.function_at(name, object, file, (line.line(), column.line()));
    builder.frame(Frame { function, file, line: arguments.line.line(), address: 0, inlined: false })
}
