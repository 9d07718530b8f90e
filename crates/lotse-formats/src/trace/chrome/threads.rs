//! Processes and threads of a file become processes and locations, in the order of their first events.

use std::ops::{Index, IndexMut};

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, ProcessId, RegionId};
use lotse_model::trace::{Definitions, Location, LocationKind, Process, ProcessKind, Region};

use crate::chrome_events::ChromeEvent;
use crate::diagnostics::Diagnostics;
use crate::json::{Fill, fill_first};
use crate::spans::SpanMarks;
use crate::trace::timeline::{self, PointEvent, TimedEvent};

/// All threads of a trace with their events.
#[derive(Default)]
pub(super) struct ThreadTable {
    /// The processes by pid, and their threads by tid.
    rows: HashMap<String, (ProcessId, HashMap<String, LocationId>)>,
    threads: Vec<TracedThread>,
    process_names: HashMap<String, String>,
    process_labels: HashMap<String, String>,
    thread_names: HashMap<(String, String), String>,
}

/// A thread with its events.
pub(super) struct TracedThread {
    pid: String,
    tid: String,
    process: ProcessId,
    /// Whether it is a stream of an accelerator, with kernels and copies.
    accelerator: bool,
    /// Whether it has Kineto's span over the whole recording.
    annotation: bool,
    /// Whether it has calls or flows.
    active: bool,
    pub(super) spans: SpanMarks<RegionId>,
    /// The times of counter events.
    pub(super) counters: Vec<i64>,
    /// The times of other events.
    pub(super) others: Vec<i64>,
}

/// The arguments of metadata events with names.
#[derive(Default)]
struct NameArguments {
    name: String,
    labels: String,
}

impl Fill for NameArguments {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "labels" => Some(&mut self.labels),
            _ => None,
        }
    }
}

impl ThreadTable {
    /// Takes a name from a metadata event.
    pub(super) fn metadata(&mut self, event: &ChromeEvent<'_>) {
        let mut names = NameArguments::default();
        // Arguments can be any JSON. If they are nested too deep, the values before that are enough.
        drop(fill_first(event.args, &mut names));
        let pid = event.pid.to_string();
        match &*event.name {
            "process_name" => drop(self.process_names.insert(pid, names.name)),
            "process_labels" => drop(self.process_labels.insert(pid, names.labels)),
            "thread_name" => drop(self.thread_names.insert((pid, event.tid.to_string()), names.name)),
            _ => {}
        }
    }

    /// The location of an event.
    pub(super) fn location(&mut self, event: &ChromeEvent<'_>) -> LocationId {
        let known = self.rows.get(&*event.pid).and_then(|(_, tids)| tids.get(&*event.tid)).copied();
        let location = known.unwrap_or_else(|| self.add(event));
        let thread = &mut self[location];
        thread.active |= matches!(event.phase, b'B' | b'E' | b'X' | b's' | b't' | b'f');
        thread.accelerator |= on_accelerator(&event.category);
        thread.annotation |= event.category == KINETO_SPAN;
        location
    }

    fn add(&mut self, event: &ChromeEvent<'_>) -> LocationId {
        let (processes, location) = (self.rows.len(), LocationId::from(self.threads.len()));
        let (pid, tid) = (event.pid.to_string(), event.tid.to_string());
        let row =
            self.rows.entry(pid.clone()).or_insert_with(|| (ProcessId::from(processes), HashMap::new()));
        row.1.insert(tid.clone(), location);
        self.threads.push(TracedThread::new(pid, tid, row.0));
        location
    }

    /// The locations by thread number; of several threads with one number the first.
    pub(super) fn by_number(&self) -> HashMap<u64, LocationId> {
        let mut numbers = HashMap::new();
        for (row, thread) in self.threads.iter().enumerate() {
            if let Ok(number) = thread.tid.parse() {
                numbers.entry(number).or_insert(LocationId::from(row));
            }
        }
        numbers
    }

    /// The earliest time.
    pub(super) fn first(&self) -> Option<i64> {
        self.threads.iter().filter_map(TracedThread::first).min()
    }

    /// Fills the tables of processes and locations.
    pub(super) fn define(&self, definitions: &mut Definitions) {
        let mut processes: Vec<Option<Process>> = vec![None; self.rows.len()];
        for thread in &self.threads {
            let process = processes[thread.process.index()].get_or_insert_with(|| self.process(&thread.pid));
            if !thread.accelerator {
                process.kind = ProcessKind::System;
            }
        }
        definitions.processes = processes.into_iter().flatten().collect();
        let mut numbers = HashSet::new();
        let distinct = self.threads.iter().all(|it| it.tid.parse().is_ok_and(|tid: u64| numbers.insert(tid)));
        definitions.locations =
            self.threads.iter().enumerate().map(|(row, it)| self.describe(row, it, distinct)).collect();
    }

    fn process(&self, pid: &str) -> Process {
        let label = self.process_labels.get(pid).filter(|label| !label.is_empty());
        let name = match (self.process_names.get(pid).filter(|name| !name.is_empty()), label) {
            (Some(name), Some(label)) => format!("{name} ({label})"),
            (Some(name), None) => name.clone(),
            (None, Some(label)) => format!("process {pid} ({label})"),
            (None, None) => format!("process {pid}"),
        };
        Process { name, machine: None, kind: ProcessKind::Accelerator { creator: None } }
    }

    fn describe(&self, row: usize, thread: &TracedThread, distinct: bool) -> Location {
        let given = self.thread_names.get(&(thread.pid.clone(), thread.tid.clone()));
        let name = given.map(|name| name.trim()).filter(|name| !name.is_empty());
        // If threads of several processes have the same number, all locations are numbered by position instead.
        let number = thread.tid.parse().ok().filter(|_| distinct);
        Location {
            number: number.unwrap_or(row as u64),
            name: name.map_or_else(|| format!("thread {}", thread.tid), str::to_owned),
            kind: thread.kind(),
            process: thread.process,
        }
    }
}

impl TracedThread {
    fn new(pid: String, tid: String, process: ProcessId) -> Self {
        Self {
            pid,
            tid,
            process,
            accelerator: false,
            annotation: false,
            active: false,
            spans: SpanMarks::default(),
            counters: Vec::new(),
            others: Vec::new(),
        }
    }

    fn first(&self) -> Option<i64> {
        self.counters.iter().chain(&self.others).copied().chain(self.spans.first()).min()
    }

    fn kind(&self) -> LocationKind {
        match self {
            Self { accelerator: true, .. } => LocationKind::Accelerator,
            Self { annotation: true, .. } => LocationKind::Annotation,
            Self { active: true, .. } => LocationKind::Cpu,
            _ if !self.counters.is_empty() => LocationKind::Metric,
            _ => LocationKind::Unknown,
        }
    }

    /// All events of the thread in the order of time, together with `points`.
    pub(super) fn into_events(
        self,
        mut points: Vec<PointEvent>,
        shift: u64,
        regions: &[Region],
        (diagnostics, path): (&mut Diagnostics, &str),
    ) -> Vec<TimedEvent> {
        points.extend(self.counters.into_iter().chain(self.others).map(PointEvent::other));
        let spans = self.spans.into_spans(diagnostics, path);
        timeline::timed_events(spans, points, shift, regions, (diagnostics, path))
    }
}

impl Index<LocationId> for ThreadTable {
    type Output = TracedThread;

    fn index(&self, location: LocationId) -> &TracedThread {
        &self.threads[location.index()]
    }
}

impl IndexMut<LocationId> for ThreadTable {
    fn index_mut(&mut self, location: LocationId) -> &mut TracedThread {
        &mut self.threads[location.index()]
    }
}

impl IntoIterator for ThreadTable {
    type Item = TracedThread;
    type IntoIter = std::vec::IntoIter<TracedThread>;

    fn into_iter(self) -> Self::IntoIter {
        self.threads.into_iter()
    }
}

/// The category of Kineto's span over the whole recording, which is on a separate thread.
const KINETO_SPAN: &str = "Trace";

/// Whether a category is one of Kineto's categories of accelerator activities.
fn on_accelerator(category: &str) -> bool {
    ["kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "memcpy", "memset"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(category))
}
