//! All metrics at all levels: program > machine > process > thread > region > primitive activity (IPS-2).
//!
//! A metric is a class of the time tree (from the exclusive times) or a kind of wait (from the severity cube). At each level
//! every amount is counted at exactly one item, so the items of any level sum to the program's total. A region is the
//! program's own code around a primitive activity; its time outside of primitive activities is the activity `(computation)`.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, MachineId, PathId, ProcessId, RegionId};
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::store::{Paths, Trace};
use crate::waits::Waits;

/// A level of the hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The whole program.
    Program,
    /// A node of the machine.
    Machine,
    /// A process on a machine.
    Process,
    /// A thread of a process.
    Thread,
    /// A region on a thread.
    Region,
    /// A primitive activity in a region on a thread.
    Activity,
}

impl Level {
    /// All, the widest first.
    pub const ALL: &'static [Self] =
        &[Self::Program, Self::Machine, Self::Process, Self::Thread, Self::Region, Self::Activity];
}

/// The amount of a metric at an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LevelRow {
    /// The item's name.
    pub item: String,
    /// The names of the items that contain it, from the program down, separated by ` > `; empty for the program.
    pub parent: String,
    /// The class of time, or the metric of waiting.
    pub metric: &'static str,
    /// The time in ticks.
    pub ticks: u64,
    /// The time in seconds.
    pub seconds: f64,
}

/// An item of some level; the fields of deeper levels are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct LevelItem {
    /// `Some(None)` is an unknown machine, which sorts before all others.
    machine: Option<Option<MachineId>>,
    process: Option<ProcessId>,
    thread: Option<LocationId>,
    region: Option<Option<RegionId>>,
    activity: Option<Option<RegionId>>,
}

/// All metrics at a level, in the order of items and then of metrics.
pub fn at_level(trace: &Trace, waits: &Waits, level: Level) -> Vec<LevelRow> {
    let enclosing_regions = enclosing_regions(trace);
    let mut sums: BTreeMap<(LevelItem, usize), (&'static str, Ticks)> = BTreeMap::new();
    let mut add = |location: LocationId, path: PathId, (number, id): (usize, &'static str), ticks: Ticks| {
        if ticks > 0 {
            let item = item(trace, &enclosing_regions, level, location, path);
            let sum = &mut sums.entry((item, number)).or_insert((id, 0)).1;
            *sum = sum.saturating_add(ticks);
        }
    };
    for (location, uses) in trace.uses.iter().enumerate() {
        for used in uses {
            let class = trace.class_of(used.path);
            add(LocationId::from(location), used.path, (class as usize, class.id()), used.exclusive);
        }
    }
    let metrics = numbered(waits);
    for row in &waits.cube {
        add(row.location, row.path, (Class::ALL.len() + metrics[row.metric.id], row.metric.id), row.ticks);
    }
    let row = |((item, _), (metric, ticks)): ((LevelItem, usize), (&'static str, Ticks))| {
        let mut names = names(trace, &item);
        let last = names.pop().unwrap_or_else(|| PROGRAM.to_owned());
        LevelRow { item: last, parent: names.join(" > "), metric, ticks, seconds: trace.seconds(ticks) }
    };
    sums.into_iter().map(row).collect()
}

/// Numbers the metrics in the order in which the cube has them.
fn numbered(waits: &Waits) -> BTreeMap<&'static str, usize> {
    let mut numbers = BTreeMap::new();
    for row in &waits.cube {
        let next = numbers.len();
        numbers.entry(row.metric.id).or_insert(next);
    }
    numbers
}

/// By path: the innermost region of the program's own code around it; none outside of all regions.
fn enclosing_regions(trace: &Trace) -> Vec<Option<RegionId>> {
    let mut enclosing_regions = vec![None; trace.paths.len()];
    for path in trace.paths.ids().skip(1) {
        enclosing_regions[path.index()] = if trace.class_of(path).is_primitive() {
            enclosing_regions[trace.paths.parent(path).index()]
        } else {
            Some(trace.paths.region(path))
        };
    }
    enclosing_regions
}

fn item(
    trace: &Trace,
    enclosing_regions: &[Option<RegionId>],
    level: Level,
    location: LocationId,
    path: PathId,
) -> LevelItem {
    let process = trace.location(location).process;
    let machine = trace.definitions.processes.get(process.index()).and_then(|it| it.machine);
    let activity =
        (path != Paths::ROOT && trace.class_of(path).is_primitive()).then(|| trace.paths.region(path));
    LevelItem {
        machine: (level >= Level::Machine).then_some(machine),
        process: (level >= Level::Process).then_some(process),
        thread: (level >= Level::Thread).then_some(location),
        region: (level >= Level::Region).then_some(enclosing_regions[path.index()]),
        activity: (level >= Level::Activity).then_some(activity),
    }
}

const PROGRAM: &str = "(program)";

/// The names of the items that contain an item, the program first, and its own name last.
fn names(trace: &Trace, item: &LevelItem) -> Vec<String> {
    let region = |region: Option<RegionId>, none: &str| {
        region.map_or(none, |region| trace.region_name(region)).to_owned()
    };
    let machine = |machine: Option<MachineId>| {
        let known = machine.and_then(|it| trace.definitions.machines.get(it.index()));
        known.map_or("(unknown machine)", |it| it.name.as_str()).to_owned()
    };
    let process = |process: ProcessId| {
        let known = trace.definitions.processes.get(process.index());
        known.map_or_else(|| format!("process {}", process.0), |it| it.name.clone())
    };
    let parts = [
        Some(PROGRAM.to_owned()),
        item.machine.map(machine),
        item.process.map(process),
        item.thread.map(|thread| trace.location(thread).name.clone()),
        item.region.map(|it| region(it, "(outside)")),
        item.activity.map(|it| region(it, "(computation)")),
    ];
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lotse_model::id::MachineId;
    use lotse_model::rule::Thresholds;
    use lotse_model::trace::Machine;
    use lotse_model::work::Sequential;

    use super::{Level, LevelRow, at_level};
    use crate::fixture::Script;

    fn script() -> Script {
        let mut script = Script::processes(3);
        let machine = |name: &str| Machine { name: name.to_owned(), class: "node".to_owned(), parent: None };
        script.definitions.machines = vec![machine("n1"), machine("n2")];
        for (rank, node) in [(0, 0), (1, 0), (2, 1)] {
            script.definitions.processes[rank].machine = Some(MachineId(node));
        }
        script.enter(0, 0, "main").send(0, 500, 510, 1, 0).leave(0, 1000, "main");
        script.enter(1, 0, "main").enter(1, 50, "halo").recv(1, 100, 520, 0, 0).leave(1, 600, "halo");
        script.leave(1, 1000, "main");
        script.enter(2, 10, "main").leave(2, 900, "main");
        script
    }

    fn rows(level: Level) -> Vec<LevelRow> {
        let trace = script().trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        at_level(&trace, &waits, level)
    }

    fn totals(level: Level) -> BTreeMap<&'static str, u64> {
        let mut totals = BTreeMap::new();
        rows(level).iter().for_each(|row| *totals.entry(row.metric).or_insert(0) += row.ticks);
        totals
    }

    #[test]
    fn every_level_sums_to_the_program() {
        let program = totals(Level::Program);
        assert_eq!(program["computation"], 990 + 580 + 890);
        assert_eq!((program["mpi_point_to_point"], program["late_sender"]), (10 + 420, 400));
        assert!(Level::ALL.iter().all(|&level| totals(level) == program));
    }

    fn rows_of_metric(level: Level, metric: &str) -> Vec<(String, String, u64)> {
        let rows = rows(level).into_iter().filter(|row| row.metric == metric);
        rows.map(|row| (row.parent, row.item, row.ticks)).collect()
    }

    #[test]
    fn items_know_what_they_are_part_of() {
        let text = |parent: &str, item: &str, ticks| (parent.to_owned(), item.to_owned(), ticks);
        let machines = rows_of_metric(Level::Machine, "computation");
        assert_eq!(machines, [text("(program)", "n1", 1570), text("(program)", "n2", 890)]);
        let parent = "(program) > n1 > rank 1 > location 1";
        assert_eq!(rows_of_metric(Level::Region, "late_sender"), [text(parent, "halo", 400)]);
        let parent = "(program) > n1 > rank 1 > location 1 > halo";
        assert_eq!(rows_of_metric(Level::Activity, "late_sender"), [text(parent, "MPI_Recv", 400)]);
        assert!(rows_of_metric(Level::Activity, "computation").contains(&text(parent, "(computation)", 130)));
    }
}
