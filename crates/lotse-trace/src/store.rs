//! The indexed event store, which every analysis reads.
//!
//! A [`Trace`] holds the definitions, the tree of call paths, one [`Timeline`] per location, and the links between records
//! ([`Links`]). It does not depend on the number of threads that read the trace. Timelines are self-contained, and links
//! between them are indices ([`OpRef`]), so that locations could be distributed over several ranks.

use std::sync::OnceLock;

use hashbrown::HashMap;
use lotse_formats::trace::Repair;
use lotse_model::id::{LocationId, PathId, ProcessId, RegionId};
use lotse_model::trace::{Definitions, Event, Location, LocationKind, Paradigm, Region, RegionRole, Ticks};

use crate::class::{Class, RegionClass};
use crate::matching::Links;

mod accelerators;
mod forked_paths;
mod labels;
mod load;
mod location_names;
mod naming;
mod ops;
mod paths;
mod replay;
mod silent;
mod sums;
mod team_ends;
mod timeline;

pub(crate) use accelerators::{Accelerators, Activity, Stream};
pub use load::load;
pub use naming::{OUTSIDE, is_called, path_parts, short_name};
pub use ops::{NO_CALL, Op, Ops, Records};
pub use paths::{MOST_PATHS, Paths};
pub use replay::ReplayIssues;
pub use sums::PathTimes;
pub use timeline::{Call, Kinds, Timeline};

/// Maximum number of regions in the name of a call path: full names of deep recursion would take more memory than the trace.
const MOST_NAMES: usize = 64;

/// The region for the time of a process before its record begins.
pub(crate) const START_UP: &str = "(start-up)";

/// The region of a thread between the end of its part of a parallel region and the join.
const TEAM_END: &str = "(end of parallel region)";

/// A trace in memory.
#[derive(Debug)]
pub struct Trace {
    /// Definitions of the trace. The last four regions are those of the store itself (`GapRegions`).
    pub definitions: Definitions,
    /// By region.
    pub classes: Vec<RegionClass>,
    pub paths: Paths,
    /// By location.
    pub timelines: Vec<Timeline>,
    /// By location: time and visits by call path, in ascending order of paths. The exclusive times of a location sum to
    /// the length of its timeline.
    pub uses: Vec<Vec<PathUse>>,
    pub links: Links,
    /// The depth of the deepest call stack.
    pub max_depth: u32,
    /// The format of the trace file.
    pub format_id: &'static str,
    /// Problems of the trace file, and how they were handled.
    pub repairs: Vec<Repair>,
    /// Locations that lost events.
    pub incomplete: Vec<LocationId>,
    /// Threads of which only the begin and the end is known, in ascending order: they count nowhere.
    pub(crate) silent: Vec<LocationId>,
    /// Streams of accelerators, computed on first use.
    pub(crate) streams: OnceLock<Accelerators>,
}

/// The use of a call path by a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathUse {
    pub path: PathId,
    /// How often it was entered.
    pub visits: u64,
    /// Time in the path itself, without its callees.
    pub exclusive: Ticks,
}

/// Artificial regions of the store for times without records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GapRegions {
    pub(crate) flush: RegionId,
    pub(crate) off: RegionId,
    pub(crate) team_end: RegionId,
    pub(crate) start_up: RegionId,
    /// Whether the recorder seems not to record barriers at the ends of parallel regions, judging from the definitions.
    infers_team_ends: bool,
}

impl GapRegions {
    /// Adds the regions to the definitions.
    fn define(definitions: &mut Definitions) -> Self {
        let infers_team_ends = !definitions.regions.iter().any(is_barrier_at_team_end);
        let mut add = |name: &str, role, paradigm| {
            definitions.regions.push(Region { role, paradigm, ..Region::named(name) });
            RegionId::from(definitions.regions.len() - 1)
        };
        let (role, paradigm) = (RegionRole::Artificial, Paradigm::Measurement);
        Self {
            flush: add("(trace buffer flush)", role, paradigm),
            off: add("(recording off)", role, paradigm),
            team_end: add(TEAM_END, RegionRole::ImplicitBarrier, Paradigm::OpenMp),
            start_up: add(START_UP, role, paradigm),
            infers_team_ends,
        }
    }
}

/// Whether a region is a recorded barrier at the end of a parallel region. A recorder that defines such a region records all
/// of these barriers. Eztrace defines a barrier in every trace, but by its name only, which is not matched here.
fn is_barrier_at_team_end(region: &Region) -> bool {
    region.role == RegionRole::ImplicitBarrier && region.name != TEAM_END
        || region.name.starts_with("!$omp implicit barrier")
}

/// A record of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpRef {
    pub location: LocationId,
    /// Its index in [`Timeline::ops`].
    pub op: u32,
}

/// A primitive call of a location: a call into a library such as MPI or pthreads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallRef {
    pub location: LocationId,
    /// Its index in [`Timeline::calls`].
    pub call: u32,
}

impl Trace {
    /// All locations.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> + use<> {
        (0..self.timelines.len()).map(LocationId::from)
    }

    /// A location's definition.
    pub fn location(&self, location: LocationId) -> &Location {
        &self.definitions.locations[location.index()]
    }

    /// The timeline of a location.
    #[inline]
    pub fn timeline(&self, location: LocationId) -> &Timeline {
        &self.timelines[location.index()]
    }

    /// CPU threads with events, without metric and accelerator locations, and without silent threads.
    pub fn cpu_locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        let heard = self.locations().filter(|it| !self.is_silent(*it));
        heard.filter(|&it| match self.location(it).kind {
            LocationKind::Cpu => !self.timeline(it).at.is_empty(),
            // An undefined location is a thread if it has calls.
            LocationKind::Unknown => self.timeline(it).at.len() > 1,
            LocationKind::Accelerator | LocationKind::Metric | LocationKind::Annotation => false,
        })
    }

    /// Whether a location is a CPU thread according to the definitions.
    pub fn is_thread(&self, location: LocationId) -> bool {
        matches!(self.location(location).kind, LocationKind::Cpu | LocationKind::Unknown)
    }

    /// The streams of accelerators.
    pub(crate) fn accelerators(&self) -> &Accelerators {
        self.streams.get_or_init(|| Accelerators::new(self))
    }

    /// The CPU threads of each process, in the order of the first threads.
    pub fn processes(&self) -> Vec<(ProcessId, Vec<LocationId>)> {
        let mut order: Vec<(ProcessId, Vec<LocationId>)> = Vec::new();
        let mut known: HashMap<ProcessId, usize> = HashMap::new();
        for location in self.cpu_locations() {
            let process = self.location(location).process;
            let at = *known.entry(process).or_insert_with(|| {
                order.push((process, Vec::new()));
                order.len() - 1
            });
            order[at].1.push(location);
        }
        order
    }

    /// A record.
    #[inline]
    pub fn op(&self, op: OpRef) -> Op<'_> {
        self.timeline(op.location).ops.get(op.op as usize)
    }

    /// The shape of a record: its event without the numbers that vary between records, such as request or length.
    #[inline]
    pub(crate) fn shape(&self, op: OpRef) -> &Event {
        self.timeline(op.location).ops.shape(op.op as usize)
    }

    /// The call that a record happened in.
    #[inline]
    pub fn call_of(&self, op: OpRef) -> Option<CallRef> {
        let call = self.timeline(op.location).ops.call(op.op as usize);
        (call != NO_CALL).then_some(CallRef { location: op.location, call })
    }

    /// When a call was entered.
    #[inline]
    pub fn enter(&self, call: CallRef) -> Ticks {
        self.timeline(call.location).enter(call.call)
    }

    /// When a call was left.
    #[inline]
    pub fn exit(&self, call: CallRef) -> Ticks {
        self.timeline(call.location).exit(call.call)
    }

    /// The call path of a call.
    #[inline]
    pub fn path(&self, call: CallRef) -> PathId {
        self.timeline(call.location).call_path(call.call)
    }

    /// The class of a call's region.
    #[inline]
    pub fn class(&self, call: CallRef) -> &RegionClass {
        &self.classes[self.paths.region(self.path(call)).index()]
    }

    /// The class of the time spent in a call path.
    pub fn class_of(&self, path: PathId) -> Class {
        if path == Paths::ROOT {
            return Class::Outside;
        }
        self.classes[self.paths.region(path).index()].class
    }

    /// Whether a thread in a call path sleeps because the program says so. A sleep inside a call of MPI is part of that call.
    pub(crate) fn sleeps(&self, path: PathId) -> bool {
        self.class_of(path) == Class::Sleep && self.mpi_around(path).is_none()
    }

    /// The class of the innermost call of MPI that contains a call path.
    pub(crate) fn mpi_around(&self, path: PathId) -> Option<Class> {
        let callers =
            std::iter::successors(Some(path), |&it| (it != Paths::ROOT).then(|| self.paths.parent(it)));
        callers.map(|it| self.class_of(it)).find(|class| class.is_mpi())
    }

    /// The name of a call path: its regions separated by `/`; only the last regions of a very deep path. The path of a
    /// worker thread begins with the path that forked it.
    pub fn path_name(&self, path: PathId) -> String {
        let mut names = Vec::new();
        let mut at = path;
        while at != Paths::ROOT && names.len() < MOST_NAMES {
            names.push(self.region_name(self.paths.region(at)));
            at = self.paths.caller(at);
        }
        let more = format!("({} more)", self.paths.depth(at));
        if at != Paths::ROOT {
            names.push(&more);
        }
        names.reverse();
        names.join("/")
    }

    /// The call path that stands for the time of processes before their records begin. It has no events.
    pub fn start_up(&self) -> Option<PathId> {
        let last = self.definitions.regions.len().checked_sub(1)?;
        self.paths.find([RegionId::from(last)])
    }

    /// The name of a region.
    pub fn region_name(&self, region: RegionId) -> &str {
        &self.definitions.regions[region.index()].name
    }

    /// The time of the first event, without those of silent threads.
    pub fn first_tick(&self) -> Ticks {
        self.counted_timelines().map(|timeline| timeline.first).min().unwrap_or(0)
    }

    /// The time of the last event, without those of silent threads.
    pub fn last_tick(&self) -> Ticks {
        self.counted_timelines().map(|timeline| timeline.last).max().unwrap_or(0)
    }

    /// Timelines with events, of locations that count.
    fn counted_timelines(&self) -> impl Iterator<Item = &Timeline> {
        let heard = self.locations().filter(|it| !self.is_silent(*it));
        heard.map(|it| self.timeline(it)).filter(|timeline| !timeline.at.is_empty())
    }

    /// Whether only the begin and the end of a thread is known.
    pub(crate) fn is_silent(&self, location: LocationId) -> bool {
        self.silent.binary_search(&location).is_ok()
    }

    /// From the first to the last event, in ticks.
    pub fn runtime(&self) -> Ticks {
        self.last_tick() - self.first_tick()
    }

    /// Converts ticks to seconds.
    pub fn seconds(&self, ticks: Ticks) -> f64 {
        self.definitions.seconds(ticks)
    }
}
