//! The indexed event store: what every analysis reads.
//!
//! A [`Trace`] holds the definitions, the tree of call paths, one [`Timeline`] per location, and how records belong
//! together ([`Links`]). Nothing in it depends on how many threads read it. Timelines are
//! self-contained and links cross them by ([`OpRef`]) alone, so that locations can live on several ranks.

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
mod sums;
mod team_ends;
mod timeline;

pub(crate) use accelerators::{Accelerators, Activity, Stream};
pub use load::load;
pub use naming::{OUTSIDE, is_called, path_parts, short_name};
pub use ops::{NO_CALL, Op, Ops, Records};
pub use paths::{MOST_PATHS, Paths};
pub use replay::Oddities;
pub use sums::PathTimes;
pub use timeline::{Call, Kinds, Timeline};

/// Regions in the name of a call path: with all of them, names of deep recursion would take more room than the trace.
const MOST_NAMES: usize = 64;

/// What a process does before its record begins.
pub(crate) const START_UP: &str = "(start-up)";

/// What a thread does between the end of its part of a parallel region and the join.
const TEAM_END: &str = "(end of parallel region)";

/// A trace in memory.
#[derive(Debug)]
pub struct Trace {
    /// What is said once. Four regions of the store's own stand at the end of the regions.
    pub definitions: Definitions,
    /// What each region is.
    pub classes: Vec<RegionClass>,
    /// All call paths.
    pub paths: Paths,
    /// What happened, by location.
    pub timelines: Vec<Timeline>,
    /// Time and visits by call path, by location; paths in ascending order. Exclusive times of a location sum to
    /// its span.
    pub uses: Vec<Vec<PathUse>>,
    /// How records belong together.
    pub links: Links,
    /// The deepest call stack.
    pub max_depth: u32,
    /// The format it was in.
    pub format_id: &'static str,
    /// What was odd and how it was taken.
    pub repairs: Vec<Repair>,
    /// Locations that lost events.
    pub incomplete: Vec<LocationId>,
    /// Streams of accelerators, found when first needed.
    pub(crate) streams: OnceLock<Accelerators>,
}

/// How much a location used a call path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathUse {
    /// The path.
    pub path: PathId,
    /// How often it was entered.
    pub visits: u64,
    /// Time in it and in nothing below it.
    pub exclusive: Ticks,
}

/// Regions of the store's own, for times in which nothing was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gaps {
    pub(crate) flush: RegionId,
    pub(crate) off: RegionId,
    pub(crate) team_end: RegionId,
    pub(crate) start_up: RegionId,
    /// Whether the recorder writes no barriers at the ends of parallel regions, as far as the definitions tell.
    infers_team_ends: bool,
}

impl Gaps {
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

/// Recorders that say so much about a barrier write all of them. Eztrace defines one for all programs, by its name only.
fn is_barrier_at_team_end(region: &Region) -> bool {
    region.role == RegionRole::ImplicitBarrier && region.name != TEAM_END
        || region.name.starts_with("!$omp implicit barrier")
}

/// A record of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpRef {
    /// Where.
    pub location: LocationId,
    /// Its number in the location's records.
    pub op: u32,
}

/// A primitive call of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallRef {
    /// Where.
    pub location: LocationId,
    /// Its number in the location's calls.
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

    /// What happened on a location.
    #[inline]
    pub fn timeline(&self, location: LocationId) -> &Timeline {
        &self.timelines[location.index()]
    }

    /// Threads on processors that have events; metric and accelerator locations are not among them.
    pub fn cpu_locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        self.locations().filter(|&it| match self.location(it).kind {
            LocationKind::Cpu => !self.timeline(it).at.is_empty(),
            // One that is not defined is a thread if it calls something.
            LocationKind::Unknown => self.timeline(it).at.len() > 1,
            LocationKind::Accelerator | LocationKind::Metric | LocationKind::Annotation => false,
        })
    }

    /// Whether a location is a thread on a processor, as far as the trace says.
    pub fn is_thread(&self, location: LocationId) -> bool {
        matches!(self.location(location).kind, LocationKind::Cpu | LocationKind::Unknown)
    }

    /// The streams of accelerators.
    pub(crate) fn accelerators(&self) -> &Accelerators {
        self.streams.get_or_init(|| Accelerators::new(self))
    }

    /// The threads of each process that computes, the first one leading; in the order of the first threads.
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

    /// What a record is, without the numbers that are its own: its request, its length, the order of a lock.
    #[inline]
    pub(crate) fn shape(&self, op: OpRef) -> &Event {
        self.timeline(op.location).ops.shape(op.op as usize)
    }

    /// The call a record happened in.
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

    /// What the call's region is.
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

    /// A call path as people write it, with `/` between regions; of very deep ones the end. Those of worker threads
    /// begin with the path that forked them.
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

    /// The call path that stands for what processes do before their records begin. No event is in it.
    pub fn start_up(&self) -> Option<PathId> {
        let last = self.definitions.regions.len().checked_sub(1)?;
        self.paths.find([RegionId::from(last)])
    }

    /// The name of a region.
    pub fn region_name(&self, region: RegionId) -> &str {
        &self.definitions.regions[region.index()].name
    }

    /// When the first event of all happened.
    pub fn first_tick(&self) -> Ticks {
        self.spans().map(|timeline| timeline.first).min().unwrap_or(0)
    }

    /// When the last event of all happened.
    pub fn last_tick(&self) -> Ticks {
        self.spans().map(|timeline| timeline.last).max().unwrap_or(0)
    }

    fn spans(&self) -> impl Iterator<Item = &Timeline> {
        self.timelines.iter().filter(|timeline| !timeline.at.is_empty())
    }

    /// From the first to the last event, in ticks.
    pub fn runtime(&self) -> Ticks {
        self.last_tick() - self.first_tick()
    }

    /// Seconds of a span.
    pub fn seconds(&self, ticks: Ticks) -> f64 {
        self.definitions.seconds(ticks)
    }
}
