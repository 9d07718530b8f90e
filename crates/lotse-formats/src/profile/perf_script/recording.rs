//! Collects samples by thread; makes a part for each thread and an event type for each event.

use hashbrown::HashMap;
use lotse_model::id::StackId;
use lotse_model::profile::{Costs, EventType, Part};
use lotse_model::{Profile, Unit};

use crate::diagnostics::Diagnostics;
use crate::error::Place;

/// The number of event columns that is always allowed; more only if the input is long enough.
const COLUMNS: usize = 64;

/// A sample of a thread.
#[derive(Debug)]
pub(in crate::profile) struct ThreadSample<'a> {
    pub(in crate::profile) process: Option<u64>,
    pub(in crate::profile) thread: Option<u64>,
    /// The name of the thread at that time.
    pub(in crate::profile) name: &'a str,
    pub(in crate::profile) event: Option<&'a str>,
    /// `None` where the input does not state it; it then counts as 1.
    pub(in crate::profile) weight: Option<u64>,
    /// Nanoseconds.
    pub(in crate::profile) time: Option<i64>,
    pub(in crate::profile) stack: Option<StackId>,
}

/// The samples read so far.
#[derive(Debug, Default)]
pub(in crate::profile) struct PerfRecording {
    events: Vec<RecordedEvent>,
    event_rows: HashMap<String, usize>,
    threads: Vec<RecordedThread>,
    thread_rows: HashMap<(Option<u64>, Option<u64>), usize>,
    samples: usize,
    /// How many events were known before the first sample. They are in the order in which the user requested them.
    listed: usize,
    /// The event to show by default, where it does not follow from the order of events.
    default: Option<usize>,
}

#[derive(Debug)]
struct RecordedEvent {
    name: String,
    weighed: bool,
}

#[derive(Debug)]
struct RecordedThread {
    process: Option<u64>,
    thread: Option<u64>,
    name: String,
    stacks: Vec<Option<StackId>>,
    times: Vec<i64>,
    weights: Vec<(Option<usize>, u64)>,
}

impl PerfRecording {
    /// Whether there is no sample.
    pub(in crate::profile) fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// The row of an event, which is added even if no sample has it.
    pub(in crate::profile) fn event(&mut self, name: &str) -> usize {
        let next = self.events.len();
        let row = *self.event_rows.entry_ref(name).or_insert(next);
        if row == next {
            self.events.push(RecordedEvent { name: name.to_owned(), weighed: true });
        }
        row
    }

    /// Chooses the default event of a recording that does not list its events: one that perf records by default, else the
    /// one with the most samples.
    pub(in crate::profile) fn guess_default(&mut self) {
        if self.listed > 0 {
            return;
        }
        let mut samples = vec![0_usize; self.events.len()];
        let weights = self.threads.iter().flat_map(|thread| &thread.weights);
        weights.filter_map(|(event, _)| *event).for_each(|event| samples[event] += 1);
        let key = |row: &usize| (self.events[*row].is_default(), samples[*row], std::cmp::Reverse(*row));
        self.default = (0..self.events.len()).max_by_key(key);
    }

    /// Adds a sample.
    pub(in crate::profile) fn add(&mut self, sample: &ThreadSample<'_>) {
        if self.samples == 0 {
            self.listed = self.events.len();
        }
        let event = sample.event.map(|name| self.event(name));
        if let Some(row) = event {
            self.events[row].weighed &= sample.weight.is_some();
        }
        let thread = self.thread(sample);
        if thread.name != sample.name {
            sample.name.clone_into(&mut thread.name);
        }
        thread.stacks.push(sample.stack);
        thread.times.extend(sample.time);
        thread.weights.push((event, sample.weight.unwrap_or(1)));
        self.samples += 1;
    }

    fn thread(&mut self, sample: &ThreadSample<'_>) -> &mut RecordedThread {
        let (process, thread) = (sample.process, sample.thread);
        let threads = &mut self.threads;
        let row = *self.thread_rows.entry((process, thread)).or_insert_with(|| {
            let (name, stacks, times, weights) = (String::new(), Vec::new(), Vec::new(), Vec::new());
            threads.push(RecordedThread { process, thread, name, stacks, times, weights });
            threads.len() - 1
        });
        &mut self.threads[row]
    }

    /// The first event with samples; an event that the machine does not support has none.
    fn first_weighed(&self, columns: usize) -> Option<usize> {
        let weights = self.threads.iter().flat_map(|thread| &thread.weights);
        weights
            .filter(|(_, weight)| *weight > 0)
            .filter_map(|(event, _)| *event)
            .filter(|it| *it < columns)
            .min()
    }

    /// Fills event types and parts. The number of columns is bounded by the length of the input.
    pub(in crate::profile) fn finish(
        self,
        input: usize,
        profile: &mut Profile,
        diagnostics: &mut Diagnostics,
    ) {
        let columns = COLUMNS.max(4 * input / self.samples.max(1)).min(self.events.len());
        if columns < self.events.len() {
            let message =
                format!("{} events; all but {columns} are counted as samples only", self.events.len());
            diagnostics.loss(Place::Whole, message);
        }
        let title = (columns > 1).then(|| "Samples of all event types together".to_owned());
        profile.events.push(EventType { title, ..EventType::count("samples") });
        profile.events.extend(self.events[..columns].iter().map(RecordedEvent::column));
        let guessed = self.default.filter(|event| *event < columns);
        profile.default_event = guessed.or_else(|| self.first_weighed(columns)).map(|event| event + 1);
        for thread in self.threads {
            let untimed = thread.stacks.len() - thread.times.len();
            if untimed > 0 && !thread.times.is_empty() {
                let message =
                    format!("{untimed} samples of {} have no time; its times are left out", thread.name);
                diagnostics.note(Place::Whole, message);
            }
            profile.parts.push(thread.part(columns));
        }
    }
}

impl RecordedEvent {
    /// Whether perf records it by default.
    fn is_default(&self) -> bool {
        matches!(
            self.name.split([':', '/']).next(),
            Some("cycles" | "cpu-cycles" | "cpu-clock" | "task-clock")
        ) || self.name.contains("/cycles")
            || self.name.contains("/cpu-cycles")
    }

    /// The event type. The period of a clock is in nanoseconds, if it is printed.
    fn column(&self) -> EventType {
        let clock = matches!(self.name.split(':').next(), Some("cpu-clock" | "task-clock"));
        if clock && self.weighed {
            EventType::new(&self.name, Unit::Seconds, -9)
        } else {
            EventType::count(&self.name)
        }
    }
}

impl RecordedThread {
    /// The part of a thread, with a column for samples and one per event. Times are kept only if every sample has one.
    fn part(self, columns: usize) -> Part {
        let mut costs = Costs::new(columns + 1, false);
        let mut row = vec![0; columns + 1];
        for (event, weight) in self.weights {
            row.fill(0);
            row[0] = 1;
            if let Some(cell) = event.and_then(|event| row.get_mut(event + 1)) {
                *cell = weight;
            }
            costs.push(&row);
        }
        let mut part = Part::new(&self.name, columns + 1, false);
        (part.process, part.thread) = (self.process, self.thread);
        if self.times.len() == self.stacks.len() {
            part.time = self.times.iter().min().copied().zip(self.times.iter().max().copied());
            part.samples.time = self.times;
        }
        part.samples.stack = self.stacks;
        part.samples.costs = costs;
        part
    }
}
