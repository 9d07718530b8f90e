//! Processes and threads of a file become processes and locations, in the order in which they first do something.

use std::ops::{Index, IndexMut};

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{LocationId, ProcessId, RegionId};
use lotse_model::trace::{Definitions, Location, LocationKind, Process, ProcessKind, Region};

use crate::chrome_events::Event;
use crate::json::{Fill, Tally, fill_first};
use crate::spans::Spans;
use crate::trace::timeline::{self, Listed, Point};

/// What was seen of all threads.
#[derive(Default)]
pub(super) struct Threads {
    rows: HashMap<String, (ProcessId, HashMap<String, LocationId>)>,
    threads: Vec<Thread>,
    process_names: HashMap<String, String>,
    process_labels: HashMap<String, String>,
    thread_names: HashMap<(String, String), String>,
}

/// What was seen of a thread.
pub(super) struct Thread {
    pid: String,
    tid: String,
    process: ProcessId,
    /// Whether kernels and copies of an accelerator ran here.
    accelerator: bool,
    /// Whether Kineto told here how long it recorded.
    annotation: bool,
    /// Whether calls or flows were seen.
    active: bool,
    pub(super) spans: Spans<RegionId>,
    pub(super) counters: Vec<i64>,
    pub(super) others: Vec<i64>,
}

/// The arguments of events that give names.
#[derive(Default)]
struct Names {
    name: String,
    labels: String,
}

impl Fill for Names {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "labels" => Some(&mut self.labels),
            _ => None,
        }
    }
}

impl Threads {
    /// Takes an event that gives a name.
    pub(super) fn metadata(&mut self, event: &Event<'_>) {
        let mut names = Names::default();
        // Arguments are free in form; where they are nested too deep, what came before that is enough.
        drop(fill_first(event.args, &mut names));
        let pid = event.pid.to_string();
        match &*event.name {
            "process_name" => drop(self.process_names.insert(pid, names.name)),
            "process_labels" => drop(self.process_labels.insert(pid, names.labels)),
            "thread_name" => drop(self.thread_names.insert((pid, event.tid.to_string()), names.name)),
            _ => {}
        }
    }

    /// Where an event happened.
    pub(super) fn location(&mut self, event: &Event<'_>) -> LocationId {
        let known = self.rows.get(&*event.pid).and_then(|(_, tids)| tids.get(&*event.tid)).copied();
        let location = known.unwrap_or_else(|| self.add(event));
        let thread = &mut self[location];
        thread.active |= matches!(event.phase, b'B' | b'E' | b'X' | b's' | b't' | b'f');
        thread.accelerator |= on_accelerator(&event.category);
        thread.annotation |= event.category == KINETO_SPAN;
        location
    }

    fn add(&mut self, event: &Event<'_>) -> LocationId {
        let (processes, location) = (self.rows.len(), LocationId::from(self.threads.len()));
        let (pid, tid) = (event.pid.to_string(), event.tid.to_string());
        let row =
            self.rows.entry(pid.clone()).or_insert_with(|| (ProcessId::from(processes), HashMap::new()));
        row.1.insert(tid.clone(), location);
        self.threads.push(Thread::new(pid, tid, row.0));
        location
    }

    /// Locations by the numbers of their threads, the first of each.
    pub(super) fn by_number(&self) -> HashMap<u64, LocationId> {
        let mut numbers = HashMap::new();
        for (row, thread) in self.threads.iter().enumerate() {
            if let Ok(number) = thread.tid.parse() {
                numbers.entry(number).or_insert(LocationId::from(row));
            }
        }
        numbers
    }

    /// The first time of all.
    pub(super) fn first(&self) -> Option<i64> {
        self.threads.iter().filter_map(Thread::first).min()
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

    fn describe(&self, row: usize, thread: &Thread, distinct: bool) -> Location {
        let given = self.thread_names.get(&(thread.pid.clone(), thread.tid.clone()));
        let name = given.map(|name| name.trim()).filter(|name| !name.is_empty());
        // Threads of several processes may share a number; then none of them keeps its own.
        let number = thread.tid.parse().ok().filter(|_| distinct);
        Location {
            number: number.unwrap_or(row as u64),
            name: name.map_or_else(|| format!("thread {}", thread.tid), str::to_owned),
            kind: thread.kind(),
            process: thread.process,
        }
    }
}

impl Thread {
    fn new(pid: String, tid: String, process: ProcessId) -> Self {
        Self {
            pid,
            tid,
            process,
            accelerator: false,
            annotation: false,
            active: false,
            spans: Spans::default(),
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

    /// All events of the thread in the order of time.
    pub(super) fn listed(
        self,
        mut points: Vec<Point>,
        shift: u64,
        regions: &[Region],
        (tally, path): (&mut Tally, &str),
    ) -> Vec<Listed> {
        points.extend(self.counters.into_iter().chain(self.others).map(Point::other));
        let spans = self.spans.paired(tally, path);
        timeline::listed(spans, points, shift, regions, (tally, path))
    }
}

impl Index<LocationId> for Threads {
    type Output = Thread;

    fn index(&self, location: LocationId) -> &Thread {
        &self.threads[location.index()]
    }
}

impl IndexMut<LocationId> for Threads {
    fn index_mut(&mut self, location: LocationId) -> &mut Thread {
        &mut self.threads[location.index()]
    }
}

impl IntoIterator for Threads {
    type Item = Thread;
    type IntoIter = std::vec::IntoIter<Thread>;

    fn into_iter(self) -> Self::IntoIter {
        self.threads.into_iter()
    }
}

/// The category of Kineto's span over the whole recording, which is on a thread of its own.
const KINETO_SPAN: &str = "Trace";

/// Whether a category is one that Kineto gives to what an accelerator does.
fn on_accelerator(category: &str) -> bool {
    ["kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "memcpy", "memset"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(category))
}
