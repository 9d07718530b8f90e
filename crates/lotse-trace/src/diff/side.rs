//! The sums of one run that are compared.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId, ProcessId};
use lotse_model::trace::Ticks;

use super::RunAnswer;
use crate::analyze::{RunEfficiency, Subject, efficiency_of};
use crate::answer::PathNames;
use crate::class::Class;
use crate::critical::critical_path;
use crate::store::{PathTimes, Trace};

/// A run, reduced to sums.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSums {
    pub(super) run: RunAnswer,
    pub(super) paths: BTreeMap<String, PathSums>,
    /// By metric and call path; only outermost metrics, which contain their parts.
    pub(super) waits: BTreeMap<(&'static str, String), f64>,
    /// In the order of their first threads.
    pub(super) processes: Vec<ProcessSums>,
}

/// A call path.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PathSums {
    pub(super) seconds: f64,
    pub(super) visits: u64,
    pub(super) critical: f64,
    /// By position of the process.
    pub(super) by_process: BTreeMap<usize, f64>,
}

/// A process.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ProcessSums {
    pub(super) name: String,
    pub(super) computing: f64,
    pub(super) waiting: f64,
    /// Without the sleep between two tests for a message, which is waiting.
    pub(super) sleeping: f64,
}

impl RunSums {
    /// Sums up a run; `name` is the name of its trace.
    pub fn new(name: &str, subject: &Subject) -> Self {
        let trace = &subject.trace;
        let path = critical_path(trace, &subject.waits);
        let processes = trace.processes();
        let (efficiency, focus) = match efficiency_of(subject) {
            Some(RunEfficiency { run, focus }) => (Some(run), focus),
            None => (None, None),
        };
        let part = subject.part.as_ref();
        let run = RunAnswer {
            name: name.to_owned(),
            runtime: part.map_or_else(|| trace.seconds(trace.runtime()), |part| part.run.runtime),
            critical_path_length: trace.seconds(path.length),
            processes: processes.len(),
            locations: trace.cpu_locations().count(),
            corrected_clocks: subject.correction.is_some(),
            efficiency,
            focus,
        };
        let positions: HashMap<ProcessId, usize> =
            processes.iter().enumerate().map(|(position, (process, _))| (*process, position)).collect();
        let named = processes.iter().map(|(process, _)| ProcessSums {
            name: trace.process_label(*process),
            ..ProcessSums::default()
        });
        let mut sums =
            Self { run, paths: BTreeMap::new(), waits: BTreeMap::new(), processes: named.collect() };
        sums.add_times(subject, &positions);
        sums.add_waits(subject, &positions);
        let mut names = PathNames::new(trace);
        for row in &path.rows {
            sums.paths.entry(names.get(row.path)).or_default().critical += trace.seconds(row.ticks);
        }
        sums
    }

    /// The mean over all locations of a sum over them.
    pub(super) fn mean(&self, seconds: f64) -> f64 {
        seconds / self.run.locations.max(1) as f64
    }

    fn add_times(&mut self, subject: &Subject, positions: &HashMap<ProcessId, usize>) {
        let trace = &subject.trace;
        let mut names = PathNames::new(trace);
        for location in trace.cpu_locations() {
            let Some(&position) = positions.get(&trace.location(location).process) else { continue };
            for used in &trace.uses[location.index()] {
                let seconds = trace.seconds(used.exclusive);
                let of_path = self.paths.entry(names.get(used.path)).or_default();
                of_path.seconds += seconds;
                of_path.visits += used.visits;
                *of_path.by_process.entry(position).or_default() += seconds;
                if trace.class_of(used.path) == Class::Computation {
                    self.processes[position].computing += seconds;
                } else if trace.sleeps(used.path) {
                    self.processes[position].sleeping += seconds;
                }
            }
        }
    }

    fn add_waits(&mut self, subject: &Subject, positions: &HashMap<ProcessId, usize>) {
        let trace = &subject.trace;
        let mut names = PathNames::new(trace);
        let outermost = subject.waits.cube.iter().filter(|row| row.metric == row.metric.outermost());
        for row in outermost.filter(|row| row.ticks > 0) {
            let seconds = trace.seconds(row.ticks);
            *self.waits.entry((row.metric.id, names.get(row.path))).or_default() += seconds;
        }
        for (location, waits) in trace.locations().zip(&subject.waits.by_location) {
            let Some(&position) = positions.get(&trace.location(location).process) else { continue };
            let spans = waits.iter().filter(|wait| wait.metric.is_some()).map(|it| (it.begin, it.end));
            let waiting = united(spans.collect());
            let of_process = &mut self.processes[position];
            of_process.waiting += trace.seconds(waiting.iter().map(|(begin, end)| end - begin).sum());
            of_process.sleeping -= trace.seconds(asleep_within(trace, location, &waiting));
        }
    }
}

/// The union of intervals, in the order of time.
fn united(mut spans: Vec<(Ticks, Ticks)>) -> Vec<(Ticks, Ticks)> {
    spans.sort_unstable();
    spans.dedup_by(|next, known| {
        let touches = next.0 <= known.1;
        if touches {
            known.1 = known.1.max(next.1);
        }
        touches
    });
    spans.retain(|(begin, end)| begin < end);
    spans
}

/// How long a location sleeps within intervals.
fn asleep_within(trace: &Trace, location: LocationId, spans: &[(Ticks, Ticks)]) -> Ticks {
    let sleeps = |path: PathId| trace.sleeps(path);
    if !trace.uses[location.index()].iter().any(|used| sleeps(used.path)) {
        return 0;
    }
    let mut times = PathTimes::new(trace.paths.len());
    spans.iter().for_each(|&(begin, end)| trace.timeline(location).sum(begin, end, &mut times));
    times.touched().filter(|&path| sleeps(path)).map(|path| times.get(path)).sum()
}
