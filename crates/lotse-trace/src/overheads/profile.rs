//! The time of each region on each location, by class of overhead.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use super::WHOLE_RUN;
use crate::class::{Class, RegionClass};
use crate::metric::Parent;
use crate::region_graph::outermost;
use crate::store::{Paths, Trace};
use crate::waits::Waits;

/// The time of a location in a region, by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ClassTimes {
    pub(super) computing: Ticks,
    pub(super) data_movement: Ticks,
    pub(super) synchronisation: Ticks,
    pub(super) control: Ticks,
    pub(super) recorder: Ticks,
}

impl ClassTimes {
    pub(super) fn total(&self) -> Ticks {
        self.computing + self.data_movement + self.synchronisation + self.control + self.recorder
    }

    fn add(&mut self, other: &Self) {
        self.computing += other.computing;
        self.data_movement += other.data_movement;
        self.synchronisation += other.synchronisation;
        self.control += other.control;
        self.recorder += other.recorder;
    }

    /// Converts to ticks of another clock.
    fn rescaled(&self, from: u64, to: u64) -> Self {
        let scale = |ticks: Ticks| (u128::from(ticks) * u128::from(to) / u128::from(from)) as Ticks;
        Self {
            computing: scale(self.computing),
            data_movement: scale(self.data_movement),
            synchronisation: scale(self.synchronisation),
            control: scale(self.control),
            recorder: scale(self.recorder),
        }
    }
}

/// A region in a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Profile {
    pub(super) visits: u64,
    /// For each CPU location, including those that were never in the region.
    pub(super) by_location: Vec<ClassTimes>,
}

impl Profile {
    pub(super) fn total(&self) -> Ticks {
        self.sum(ClassTimes::total)
    }

    pub(super) fn longest(&self) -> Ticks {
        self.by_location.iter().map(ClassTimes::total).max().unwrap_or(0)
    }

    pub(super) fn sum(&self, time: impl Fn(&ClassTimes) -> Ticks) -> Ticks {
        self.by_location.iter().map(time).fold(0, Ticks::saturating_add)
    }
}

/// The regions of a run by name.
#[derive(Debug)]
pub(super) struct Profiles {
    pub(super) locations: usize,
    pub(super) regions: BTreeMap<String, Profile>,
}

/// The profiles of the program's own regions and of the whole run, in ticks of a clock with this resolution.
pub(super) fn profiles(trace: &Trace, waits: &Waits, resolution: u64) -> Profiles {
    let cpu: Vec<LocationId> = trace.cpu_locations().collect();
    let leaders: Vec<LocationId> = trace.processes().iter().map(|(_, threads)| threads[0]).collect();
    let is_outermost = outermost(&trace.paths, trace.definitions.regions.len());
    let waited = waited(waits);
    let mut regions: BTreeMap<String, Profile> = BTreeMap::new();
    for (number, &location) in cpu.iter().enumerate() {
        let times_by_path = by_path(trace, location, leaders.contains(&location), &waited);
        let visits = visits(trace, location);
        for path in trace.paths.ids().filter(|&path| is_listed(trace, path)) {
            if visits[path.index()] == 0 && times_by_path[path.index()].total() == 0 {
                continue;
            }
            let profile = regions.entry(name(trace, path)).or_default();
            profile.by_location.resize(cpu.len(), ClassTimes::default());
            profile.visits += visits[path.index()];
            if is_outermost[path.index()] {
                let own = trace.definitions.clock.resolution.max(1);
                profile.by_location[number].add(&times_by_path[path.index()].rescaled(own, resolution));
            }
        }
    }
    Profiles { locations: cpu.len(), regions }
}

fn is_listed(trace: &Trace, path: PathId) -> bool {
    path == Paths::ROOT || !trace.class_of(path).is_primitive()
}

fn name(trace: &Trace, path: PathId) -> String {
    if path == Paths::ROOT {
        return WHOLE_RUN.to_owned();
    }
    trace.region_name(trace.paths.region(path)).to_owned()
}

fn visits(trace: &Trace, location: LocationId) -> Vec<u64> {
    let mut visits = vec![0; trace.paths.len()];
    trace.uses[location.index()].iter().for_each(|used| visits[used.path.index()] += used.visits);
    visits
}

/// Time of waits by location and path; only metrics that are not part of another.
fn waited(waits: &Waits) -> HashMap<(LocationId, PathId), Ticks> {
    let mut sums = HashMap::new();
    for row in &waits.cube {
        if row.metric.is_wait && matches!(row.metric.parent, Parent::Class(_)) {
            *sums.entry((row.location, row.path)).or_insert(0) += row.ticks;
        }
    }
    sums
}

/// By path: the inclusive time of a location by class.
fn by_path(
    trace: &Trace,
    location: LocationId,
    is_first_of_process: bool,
    waited: &HashMap<(LocationId, PathId), Ticks>,
) -> Vec<ClassTimes> {
    let mut times_by_path = vec![ClassTimes::default(); trace.paths.len()];
    let is_idle = !is_first_of_process && has_teams(trace, location);
    for used in &trace.uses[location.index()] {
        let waited = waited.get(&(location, used.path)).copied().unwrap_or(0).min(used.exclusive);
        let times = &mut times_by_path[used.path.index()];
        times.synchronisation += waited;
        let rest = used.exclusive - waited;
        if used.path == Paths::ROOT {
            // A thread that works in teams is idle between them.
            times.computing += if is_idle { 0 } else { rest };
        } else {
            *class_time(times, &trace.classes[trace.paths.region(used.path).index()]) += rest;
        }
    }
    for path in (1..times_by_path.len()).rev() {
        let below = times_by_path[path];
        times_by_path[trace.paths.parent(PathId::from(path)).index()].add(&below);
    }
    times_by_path
}

fn has_teams(trace: &Trace, location: LocationId) -> bool {
    trace.timeline(location).ops.iter().any(|op| matches!(op.shape(), Event::TeamBegin { .. }))
}

/// The class of the time in a region's calls, apart from waits.
fn class_time<'a>(times: &'a mut ClassTimes, region: &RegionClass) -> &'a mut Ticks {
    match region.class {
        Class::Computation | Class::Sleep | Class::Outside => &mut times.computing,
        Class::Collective if region.name.ends_with("barrier") => &mut times.synchronisation,
        Class::Rma if region.name.starts_with("mpi_win_") => &mut times.synchronisation,
        Class::OpenMpBarrier | Class::ThreadBarrier | Class::Lock | Class::AcceleratorSync => {
            &mut times.synchronisation
        }
        Class::PointToPoint | Class::Collective | Class::Rma | Class::Io | Class::AcceleratorMemory => {
            &mut times.data_movement
        }
        Class::InitFinalize | Class::OtherMpi | Class::OpenMp | Class::Threading | Class::AcceleratorCall => {
            &mut times.control
        }
        Class::Recorder => &mut times.recorder,
    }
}
