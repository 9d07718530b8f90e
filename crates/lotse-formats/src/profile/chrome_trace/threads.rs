//! Events sorted by thread, and what each thread's events amount to.

use hashbrown::HashMap;
use lotse_model::id::{FrameId, StackId};
use lotse_model::profile::{Builder, Calls, EntryCalls, Frame};

use super::nesting::Slice;
use super::sampled::{Samples, StackFrames};
use crate::chrome_events::Event;
use crate::error::Flaw;
use crate::json::{Fill, Number, Tally, fill, fill_first};
use crate::profile::cpuprofile::{Recording, Sample, Ticks};
use crate::spans::Spans;

/// A process and a thread, as the file writes them.
pub(super) type Key = (String, String);

/// What was seen of all threads.
#[derive(Default)]
pub(super) struct Threads {
    rows: HashMap<Key, usize>,
    threads: Vec<Thread>,
    process_names: HashMap<String, String>,
    thread_names: HashMap<Key, String>,
    recordings: Vec<(Key, Recording)>,
    /// Recordings that come in pieces, by process and id.
    pieces: HashMap<(String, String), usize>,
    samples: Samples,
    frames: StackFrames,
}

struct Thread {
    key: Key,
    spans: Spans<FrameId>,
    /// Whether a sampler wrote a span where the stack of two samples differs, so that spans are no calls.
    sampled: bool,
}

/// Categories of samplers that write spans.
const SAMPLERS: [&str; 1] = ["py-spy"];

/// A part in the making.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) process: Option<u64>,
    pub(super) thread: Option<u64>,
    pub(super) selected: bool,
    pub(super) rows: Vec<Row>,
    pub(super) calls: Calls,
    pub(super) entries: EntryCalls,
    pub(super) ticks: Ticks,
}

/// A stack sample: samples, nanoseconds, weight.
pub(super) struct Row {
    pub(super) stack: Option<StackId>,
    pub(super) at: i64,
    pub(super) costs: [u64; 3],
}

impl Draft {
    pub(super) fn is_sampled(&self) -> bool {
        self.rows.iter().any(|row| row.costs[0] > 0)
    }

    /// Whether weights say more than that there was a sample.
    pub(super) fn is_weighted(&self) -> bool {
        self.rows.iter().any(|row| row.costs[0] != row.costs[2])
            && self.rows.iter().any(|row| row.costs[2] > 0)
    }
}

/// The arguments that matter here.
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
    /// The source file; that of py-spy only beside a line.
    fn file(&self) -> &str {
        let has_line = self.line != Number::Missing;
        if self.url.is_empty() && has_line { &self.filename } else { &self.url }
    }
}

impl Threads {
    /// Takes an event.
    pub(super) fn event(
        &mut self,
        event: &Event<'_>,
        builder: &mut Builder,
        tally: &mut Tally,
        order: usize,
    ) {
        match event.phase {
            b'B' | b'E' | b'X' => self.span(event, builder, tally, order),
            b'M' => self.metadata(event),
            _ if matches!(&*event.name, "Profile" | "ProfileChunk" | "CpuProfile") => {
                self.recording(event, tally, order);
            }
            _ => {}
        }
    }

    /// Takes another entry of the trace.
    pub(super) fn section(&mut self, key: &str, text: &str) -> Result<(), Flaw> {
        match key {
            "samples" => fill(text, &mut self.samples.rows),
            "stackFrames" => fill(text, &mut self.frames),
            // Whole, or the file ends in it.
            _ => fill(text, &mut Number::Missing),
        }
    }

    fn span(&mut self, event: &Event<'_>, builder: &mut Builder, tally: &mut Tally, order: usize) {
        let place = || format!("event {order}");
        let Some(at) = event.ts.nanos(3) else {
            return tally.loss("an event has no time; it was left out", place);
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
                // What has no duration on the wall has perhaps one on the thread's own clock.
                let stated = if event.dur == Number::Missing { event.tdur } else { event.dur };
                let duration = stated.nanos(3).filter(|nanos| *nanos >= 0);
                if duration.is_none() && stated != Number::Missing {
                    tally.loss("an event has a negative or too long duration; it counts as none", place);
                }
                spans.whole(at, at.saturating_add(duration.unwrap_or(0)), frame);
            }
        }
    }

    fn thread(&mut self, event: &Event<'_>) -> &mut Thread {
        let threads = &mut self.threads;
        let row = *self.rows.entry(key(event)).or_insert_with_key(|key| {
            threads.push(Thread { key: key.clone(), spans: Spans::default(), sampled: false });
            threads.len() - 1
        });
        &mut self.threads[row]
    }

    fn metadata(&mut self, event: &Event<'_>) {
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

    fn recording(&mut self, event: &Event<'_>, tally: &mut Tally, order: usize) {
        let mut piece = Recording::default();
        if fill_first(event.args, &mut piece).is_err() {
            return tally
                .loss("the arguments of a CPU profile are nested too deep", || format!("event {order}"));
        }
        if event.name == "CpuProfile" {
            return self.recordings.push((key(event), piece));
        }
        let recordings = &mut self.recordings;
        let row = *self.pieces.entry((event.pid.to_string(), event.id.to_string())).or_insert_with(|| {
            recordings.push((key(event), Recording::default()));
            recordings.len() - 1
        });
        // The pieces come from the thread that samples; the event that starts them from the one that is sampled.
        if event.name == "Profile" {
            self.recordings[row].0 = key(event);
        }
        self.recordings[row].1.append(piece);
    }

    /// All parts: sampled ones first.
    pub(super) fn drafts(mut self, builder: &mut Builder, tally: &mut Tally) -> Vec<Draft> {
        let mut drafts = Vec::new();
        let mut sampled = Vec::new();
        for (key, recording) in std::mem::take(&mut self.recordings) {
            let name = format!("{} (CPU profile)", self.name(&key));
            let taken = recording.samples(builder, tally, &name);
            let row = |sample: &Sample| Row {
                stack: sample.stack,
                at: sample.at,
                costs: [sample.count, sample.nanos, sample.count],
            };
            let rows = taken.samples.iter().map(row).collect();
            drafts.push(Draft { name, rows, ticks: taken.ticks, ..draft(&key) });
            sampled.push(key);
        }
        let stacks = self.frames.stacks(builder, tally);
        for (key, rows) in self.samples.by_thread(&self.frames, &stacks, tally) {
            drafts.push(Draft { name: format!("{} (samples)", self.name(&key)), rows, ..draft(&key) });
            sampled.push(key);
        }
        for thread in std::mem::take(&mut self.threads) {
            let name = self.name(&thread.key);
            let nested = thread.spans.nest(builder, tally, &name);
            let row =
                |slice: &Slice| Row { stack: Some(slice.stack), at: slice.at, costs: [0, slice.length, 0] };
            let rows = nested.slices.iter().map(row).collect();
            let selected = !sampled.contains(&thread.key);
            let (calls, entries) =
                if thread.sampled { Default::default() } else { (nested.calls, nested.entries) };
            drafts.push(Draft { name, rows, calls, entries, selected, ..draft(&thread.key) });
        }
        drafts
    }

    fn name(&self, key: &Key) -> String {
        let thread = self.thread_names.get(key).cloned().unwrap_or_else(|| format!("thread {}", key.1));
        let process = self.process_names.get(&key.0).cloned();
        format!("{}: {thread}", process.unwrap_or_else(|| format!("process {}", key.0)))
    }
}

fn draft(key: &Key) -> Draft {
    Draft { process: key.0.parse().ok(), thread: key.1.parse().ok(), selected: true, ..Draft::default() }
}

fn key(event: &Event<'_>) -> Key {
    (event.pid.to_string(), event.tid.to_string())
}

fn arguments(event: &Event<'_>) -> Arguments {
    let mut arguments = Arguments::default();
    // Arguments are free in form; where they are nested too deep, what came before that is enough.
    drop(fill_first(event.args, &mut arguments));
    arguments
}

/// Where the code of a span is. Hermes, the engine of React Native, writes the place of the function's definition;
/// py-spy writes the file and the line that was executed. A file without a line may be anything, such as a file
/// that the span reads, so it says nothing about the code.
fn place(event: &Event<'_>) -> Arguments {
    let has = |key: &str| event.args.contains(key);
    if has("\"funcLine\"") || (has("\"filename\"") && has("\"line\"")) {
        arguments(event)
    } else {
        Arguments::default()
    }
}

fn frame(event: &Event<'_>, builder: &mut Builder) -> FrameId {
    let name = if event.name.is_empty() { "(unnamed)" } else { &event.name };
    let arguments = place(event);
    let (object, file) = (builder.object(""), builder.file(arguments.file()));
    let (line, column) = arguments.definition;
    let function = builder.function_at(name, object, file, (line.line(), column.line()));
    builder.frame(Frame { function, file, line: arguments.line.line(), address: 0, inlined: false })
}
