//! Compares two runs: call paths, processes, waits, the critical path, efficiencies.
//!
//! Each run is first reduced to a [`RunSums`], so that only one trace is in memory at a time. The two are joined by names:
//! call paths by their regions, processes by their names, or by their positions if no name occurs in both runs.

use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::efficiency::Efficiency;
use crate::focus::FocusAnswer;

mod side;
#[cfg(test)]
mod tests;

pub use side::RunSums;
use side::{PathSums, ProcessSums};

/// `lotse trace diff --json`. Times are in seconds; `change` is after minus before.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DiffAnswer {
    /// `lotse.trace.diff/1`.
    pub schema: &'static str,
    /// The first run.
    pub before: RunAnswer,
    /// The second run, which is compared with the first.
    pub after: RunAnswer,
    /// By call path: the greatest change of the mean over the locations, or of a single process, first.
    pub callpaths: Vec<CallPathDiff>,
    /// By kind of wait and call path: the greatest change of the mean over the locations first.
    pub waits: Vec<WaitDiff>,
    /// By process.
    pub processes: Vec<ProcessDiff>,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunAnswer {
    /// The name of the trace.
    pub name: String,
    /// Time from the first to the last event.
    pub runtime: f64,
    /// The length of the critical path.
    pub critical_path_length: f64,
    /// Number of processes.
    pub processes: usize,
    /// Number of locations on CPUs.
    pub locations: usize,
    /// Whether its clocks were corrected.
    pub corrected_clocks: bool,
    /// Of the whole run; null where nothing ran on a CPU.
    pub efficiency: Option<Efficiency>,
    /// The program's own part, or the requested region; null where that is the whole run. If a region was requested, the
    /// lists are about it.
    pub focus: Option<FocusAnswer>,
}

/// A value in both runs; null where the item does not occur in the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Pair {
    /// In the first run.
    pub before: Option<f64>,
    /// In the second run.
    pub after: Option<f64>,
    /// The difference `after - before`; a missing value counts as 0.
    pub change: f64,
}

impl Pair {
    fn new(before: Option<f64>, after: Option<f64>) -> Self {
        let (old, new) = (before.unwrap_or(0.0), after.unwrap_or(0.0));
        // Sums of the same times in another order differ in their last digits.
        let equal = (new - old).abs() <= 1e-12 * old.abs().max(new.abs());
        Self { before, after, change: if equal { 0.0 } else { new - old } }
    }
}

/// A call path in both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CallPathDiff {
    /// The regions, with `/` between them.
    pub callpath: String,
    /// Its exclusive time on all locations.
    pub seconds: Pair,
    /// Its exclusive time, mean over the run's locations.
    pub mean: Pair,
    /// How often it was entered.
    pub visits: Pair,
    /// Its time on the critical path.
    pub critical: Pair,
    /// Its exclusive time by process, where it has any.
    pub processes: Vec<ProcessTimeDiff>,
}

/// A call path's exclusive time in one process.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProcessTimeDiff {
    /// The process.
    pub process: String,
    /// The exclusive time in both runs.
    #[serde(flatten)]
    pub seconds: Pair,
}

/// One kind of wait at one call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WaitDiff {
    /// The metric of the wait.
    pub metric: &'static str,
    /// The call that waits.
    pub callpath: String,
    /// The time of all locations.
    pub seconds: Pair,
    /// The mean over the run's locations.
    pub mean: Pair,
}

/// A process in both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProcessDiff {
    /// Its label.
    pub process: String,
    /// Its computing time, of all of its threads.
    pub computing: Pair,
    /// The time that all of its threads sleep; absent where none does in either run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleeping: Option<Pair>,
    /// Its waiting time, of all of its threads.
    pub waiting: Pair,
}

/// Compares two runs.
pub fn diff(before: &RunSums, after: &RunSums) -> DiffAnswer {
    let names = ProcessNames::new(before, after);
    DiffAnswer {
        schema: "lotse.trace.diff/1",
        callpaths: callpaths(before, after, &names),
        waits: waits(before, after),
        processes: processes(before, after, &names),
        before: before.run.clone(),
        after: after.run.clone(),
    }
}

/// The processes of both runs: by their names if these are unique and some are in both runs, else by their positions.
struct ProcessNames {
    /// Those of the first run, then those that only the second one has.
    names: Vec<String>,
    /// By position in the second run: the position in `names`.
    of_after: Vec<usize>,
}

impl ProcessNames {
    fn new(before: &RunSums, after: &RunSums) -> Self {
        let positions = |side: &RunSums| -> BTreeMap<String, usize> {
            side.processes.iter().enumerate().map(|(position, it)| (it.name.clone(), position)).collect()
        };
        let (old, new) = (positions(before), positions(after));
        let unique = old.len() == before.processes.len() && new.len() == after.processes.len();
        if !unique || !new.keys().any(|name| old.contains_key(name)) {
            return Self::by_position(before.processes.len(), after.processes.len());
        }
        let mut names: Vec<String> = before.processes.iter().map(|it| it.name.clone()).collect();
        let of_after = after.processes.iter().map(|process| {
            old.get(&process.name).copied().unwrap_or_else(|| {
                names.push(process.name.clone());
                names.len() - 1
            })
        });
        let of_after = of_after.collect();
        Self { names, of_after }
    }

    fn by_position(before: usize, after: usize) -> Self {
        let names = (0..before.max(after)).map(|position| format!("process {position}"));
        Self { names: names.collect(), of_after: (0..after).collect() }
    }
}

/// Outer join: all keys of two tables, with the value of each.
fn joined<'a, K: Ord, V>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = (&'a K, Option<&'a V>, Option<&'a V>)> {
    let keys: BTreeSet<&K> = before.keys().chain(after.keys()).collect();
    keys.into_iter().map(|key| (key, before.get(key), after.get(key)))
}

fn callpaths(before: &RunSums, after: &RunSums, names: &ProcessNames) -> Vec<CallPathDiff> {
    let mut rows: Vec<CallPathDiff> = joined(&before.paths, &after.paths)
        .map(|(path, old, new)| {
            let pair = |value: fn(&PathSums) -> f64| Pair::new(old.map(value), new.map(value));
            CallPathDiff {
                callpath: path.clone(),
                seconds: pair(|it| it.seconds),
                mean: Pair::new(old.map(|it| before.mean(it.seconds)), new.map(|it| after.mean(it.seconds))),
                visits: pair(|it| it.visits as f64),
                critical: pair(|it| it.critical),
                processes: by_process(old, new, names),
            }
        })
        .collect();
    let locations = before.run.locations.max(after.run.locations).max(1) as f64;
    rows.sort_by(|a, b| b.weight(locations).total_cmp(&a.weight(locations)));
    rows
}

impl CallPathDiff {
    /// Whether its time is the same in all processes and on the critical path.
    pub fn is_unchanged(&self) -> bool {
        self.weight(1.0) == 0.0 && self.critical.change == 0.0
    }

    /// The change of the mean, or the greatest change of a single process divided by the number of locations: work that
    /// moves from one process to another does not change the mean.
    fn weight(&self, locations: f64) -> f64 {
        let processes = self.processes.iter().map(|it| it.seconds.change.abs() / locations);
        processes.fold(self.mean.change.abs(), f64::max)
    }
}

fn by_process(old: Option<&PathSums>, new: Option<&PathSums>, names: &ProcessNames) -> Vec<ProcessTimeDiff> {
    let old = old.map_or_else(BTreeMap::new, |sums| sums.by_process.clone());
    let new = new.into_iter().flat_map(|sums| &sums.by_process);
    let new = new.map(|(&position, &seconds)| (names.of_after[position], seconds)).collect();
    let row = |(position, old, new): (&usize, Option<&f64>, Option<&f64>)| ProcessTimeDiff {
        process: names.names[*position].clone(),
        seconds: Pair::new(old.copied(), new.copied()),
    };
    joined(&old, &new).map(row).collect()
}

fn waits(before: &RunSums, after: &RunSums) -> Vec<WaitDiff> {
    let mut rows: Vec<WaitDiff> = joined(&before.waits, &after.waits)
        .map(|((metric, callpath), old, new)| WaitDiff {
            metric,
            callpath: callpath.clone(),
            seconds: Pair::new(old.copied(), new.copied()),
            mean: Pair::new(old.map(|it| before.mean(*it)), new.map(|it| after.mean(*it))),
        })
        .collect();
    rows.sort_by(|a, b| b.mean.change.abs().total_cmp(&a.mean.change.abs()));
    rows
}

/// The time that a process sleeps in each run.
fn sleeping(old: Option<&ProcessSums>, new: Option<&ProcessSums>) -> Option<Pair> {
    let seconds = |it: Option<&ProcessSums>| it.map(|it| it.sleeping);
    let sleeps = [old, new].into_iter().filter_map(seconds).any(|seconds| seconds > 0.0);
    sleeps.then(|| Pair::new(seconds(old), seconds(new)))
}

fn processes(before: &RunSums, after: &RunSums, names: &ProcessNames) -> Vec<ProcessDiff> {
    let old: BTreeMap<usize, &ProcessSums> = before.processes.iter().enumerate().collect();
    let new: BTreeMap<usize, &ProcessSums> = names.of_after.iter().copied().zip(&after.processes).collect();
    joined(&old, &new)
        .map(|(&position, old, new)| ProcessDiff {
            process: names.names[position].clone(),
            computing: Pair::new(old.map(|it| it.computing), new.map(|it| it.computing)),
            sleeping: sleeping(old.copied(), new.copied()),
            waiting: Pair::new(old.map(|it| it.waiting), new.map(|it| it.waiting)),
        })
        .collect()
}
