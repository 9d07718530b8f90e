//! Samples of threads as they come, then a part for each thread and a column for each event.

use hashbrown::HashMap;
use lotse_model::id::StackId;
use lotse_model::profile::{Costs, EventType, Part};
use lotse_model::{Profile, Unit};

use crate::error::Place;
use crate::oddities::Oddities;

/// Columns there may be in any case; more only where the input is long enough for them.
const COLUMNS: usize = 64;

/// A sample of a thread.
#[derive(Debug)]
pub(in crate::profile) struct Sample<'a> {
    pub(in crate::profile) process: Option<u64>,
    pub(in crate::profile) thread: Option<u64>,
    /// What the thread is called at that time.
    pub(in crate::profile) name: &'a str,
    pub(in crate::profile) event: Option<&'a str>,
    /// `None` where the input does not tell it; it then counts as 1.
    pub(in crate::profile) weight: Option<u64>,
    /// Nanoseconds.
    pub(in crate::profile) time: Option<i64>,
    pub(in crate::profile) stack: Option<StackId>,
}

/// Samples in the order they come.
#[derive(Debug, Default)]
pub(in crate::profile) struct Recording {
    events: Vec<Event>,
    event_rows: HashMap<String, usize>,
    threads: Vec<Thread>,
    thread_rows: HashMap<(Option<u64>, Option<u64>), usize>,
    samples: usize,
    /// How many events were known before the first sample: their order is the one they were asked for in.
    listed: usize,
    /// The event that is shown unless another is chosen, where the order of events does not tell it.
    default: Option<usize>,
}

#[derive(Debug)]
struct Event {
    name: String,
    weighed: bool,
}

#[derive(Debug)]
struct Thread {
    process: Option<u64>,
    thread: Option<u64>,
    name: String,
    stacks: Vec<Option<StackId>>,
    times: Vec<i64>,
    weights: Vec<(Option<usize>, u64)>,
}

impl Recording {
    /// Whether there is no sample.
    pub(in crate::profile) fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// Makes sure that an event has a column, even if no sample has it.
    pub(in crate::profile) fn event(&mut self, name: &str) -> usize {
        let next = self.events.len();
        let row = *self.event_rows.entry_ref(name).or_insert(next);
        if row == next {
            self.events.push(Event { name: name.to_owned(), weighed: true });
        }
        row
    }

    /// Chooses the default event of a recording that does not list its events: the one that perf records unless others
    /// are asked for, else the one with the most samples.
    pub(in crate::profile) fn guess_default(&mut self) {
        if self.listed > 0 {
            return;
        }
        let mut samples = vec![0_usize; self.events.len()];
        let weights = self.threads.iter().flat_map(|thread| &thread.weights);
        weights.filter_map(|(event, _)| *event).for_each(|event| samples[event] += 1);
        let key = |row: &usize| (self.events[*row].is_usual(), samples[*row], std::cmp::Reverse(*row));
        self.default = (0..self.events.len()).max_by_key(key);
    }

    /// Takes a sample.
    pub(in crate::profile) fn add(&mut self, sample: &Sample<'_>) {
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

    fn thread(&mut self, sample: &Sample<'_>) -> &mut Thread {
        let (process, thread) = (sample.process, sample.thread);
        let threads = &mut self.threads;
        let row = *self.thread_rows.entry((process, thread)).or_insert_with(|| {
            let (name, stacks, times, weights) = (String::new(), Vec::new(), Vec::new(), Vec::new());
            threads.push(Thread { process, thread, name, stacks, times, weights });
            threads.len() - 1
        });
        &mut self.threads[row]
    }

    /// The first event that was sampled; one that the machine does not have comes without samples.
    fn first_weighed(&self, columns: usize) -> Option<usize> {
        let weights = self.threads.iter().flat_map(|thread| &thread.weights);
        weights
            .filter(|(_, weight)| *weight > 0)
            .filter_map(|(event, _)| *event)
            .filter(|it| *it < columns)
            .min()
    }

    /// Fills event types and parts. Columns are bounded by the length of the input.
    pub(in crate::profile) fn finish(self, input: usize, profile: &mut Profile, oddities: &mut Oddities) {
        let columns = COLUMNS.max(4 * input / self.samples.max(1)).min(self.events.len());
        if columns < self.events.len() {
            let message =
                format!("{} events; all but {columns} are counted as samples only", self.events.len());
            oddities.loss(Place::Whole, message);
        }
        let title = (columns > 1).then(|| "Samples of all event types together".to_owned());
        profile.events.push(EventType { title, ..EventType::count("samples") });
        profile.events.extend(self.events[..columns].iter().map(Event::column));
        let guessed = self.default.filter(|event| *event < columns);
        profile.default_event = guessed.or_else(|| self.first_weighed(columns)).map(|event| event + 1);
        for thread in self.threads {
            let untimed = thread.stacks.len() - thread.times.len();
            if untimed > 0 && !thread.times.is_empty() {
                let message =
                    format!("{untimed} samples of {} have no time; its times are left out", thread.name);
                oddities.note(Place::Whole, message);
            }
            profile.parts.push(thread.part(columns));
        }
    }
}

impl Event {
    /// Whether perf records it where no event is asked for.
    fn is_usual(&self) -> bool {
        matches!(
            self.name.split([':', '/']).next(),
            Some("cycles" | "cpu-cycles" | "cpu-clock" | "task-clock")
        ) || self.name.contains("/cycles")
            || self.name.contains("/cpu-cycles")
    }

    /// The period of a clock is nanoseconds, if it is told.
    fn column(&self) -> EventType {
        let clock = matches!(self.name.split(':').next(), Some("cpu-clock" | "task-clock"));
        if clock && self.weighed {
            EventType::new(&self.name, Unit::Seconds, -9)
        } else {
            EventType::count(&self.name)
        }
    }
}

impl Thread {
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
