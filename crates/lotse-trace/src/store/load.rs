//! Reads the streams of a trace into the store, on several threads.
//!
//! Locations are replayed in parallel. If there are fewer locations than threads, the pieces of each location are decoded in
//! parallel and replayed in order. The numbers of call paths do not depend on the number of threads.

use std::sync::{Mutex, OnceLock};

use hashbrown::HashMap;
use lotse_formats::Place;
use lotse_formats::trace::{ChunkSummary, EventStream, Repair, TraceInput};
use lotse_model::Workers;
use lotse_model::id::{LocationId, ProcessId, RegionId};
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Region, Ticks};
use lotse_model::work;

use super::location_names::make_unique;
use super::paths::Paths;
use super::replay::{Replay, ReplayIssues};
use super::timeline::Timeline;
use super::{GapRegions, PathUse, Trace};
use crate::class::{Class, RegionClass};
use crate::matching::Links;

/// Reads all events of a trace and matches its records.
pub fn load(input: TraceInput<'_>, workers: &dyn Workers) -> Trace {
    let TraceInput { mut definitions, streams, format_id, mut repairs, .. } = input;
    make_unique(&mut definitions);
    let gaps = GapRegions::define(&mut definitions);
    let kinds = RegionKinds::new(&definitions, gaps);
    let replayed_locations = replay_all(&streams, &kinds, workers);
    let classes = kinds.classes;
    drop(streams);
    let mut trace = Trace {
        links: Links::default(),
        classes,
        paths: Paths::default(),
        timelines: Vec::new(),
        uses: Vec::new(),
        max_depth: 0,
        format_id,
        repairs: Vec::new(),
        incomplete: Vec::new(),
        silent: Vec::new(),
        streams: OnceLock::new(),
        definitions,
    };
    for (location, replayed) in replayed_locations.iter().enumerate() {
        repairs.extend(replayed.repairs(LocationId::from(location), &trace.definitions));
    }
    trace.incomplete = incomplete(&repairs);
    trace.repairs = repairs;
    join(&mut trace, replayed_locations, workers);
    trace.silent = super::silent::silent(&trace);
    if begins_late(&trace) {
        trace.paths.child(Paths::ROOT, gaps.start_up);
    }
    trace.links = crate::matching::link(&trace, workers);
    super::team_ends::release(&mut trace);
    let forked = super::forked_paths::find(&trace);
    trace.paths.join_to_forks(forked);
    trace
}

/// Whether the records of processes begin at different times.
fn begins_late(trace: &Trace) -> bool {
    let mut firsts: Vec<(ProcessId, Ticks)> = Vec::new();
    for location in trace.cpu_locations().filter(|&it| !trace.timeline(it).at.is_empty()) {
        firsts.push((trace.location(location).process, trace.timeline(location).first));
    }
    firsts.sort_unstable();
    firsts.dedup_by_key(|(process, _)| *process);
    firsts.windows(2).any(|pair| pair[0].1 != pair[1].1)
}

/// Properties of regions that are used during replay.
#[derive(Debug)]
pub(super) struct RegionKinds {
    pub(super) classes: Vec<RegionClass>,
    /// By region.
    pub(super) info: Vec<RegionInfo>,
    pub(super) gaps: GapRegions,
}

/// The properties of a region that are used at every enter.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegionInfo {
    pub(super) class: Class,
    /// The first equal region. Some recorders define every region once per process. Without this, processes would have no
    /// common call paths.
    pub(super) canonical: RegionId,
    pub(super) ompt: OmptRegion,
}

/// Regions that eztrace records from callbacks of the OpenMP runtime (OMPT) and that need special handling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OmptRegion {
    Other,
    /// From the request of a lock to its acquisition.
    Acquire,
    /// A task or the implicit task: see `replay::ompt`.
    Task,
}

impl OmptRegion {
    fn from_class(class: &RegionClass) -> Self {
        match class.name.as_str() {
            "openmp acquire mutex" => Self::Acquire,
            "openmp task" => Self::Task,
            _ => Self::Other,
        }
    }
}

impl RegionKinds {
    fn new(definitions: &Definitions, gaps: GapRegions) -> Self {
        let mut first: HashMap<&Region, RegionId> = HashMap::new();
        let classes: Vec<RegionClass> = definitions.regions.iter().map(RegionClass::new).collect();
        let info = |(at, region): (usize, _)| RegionInfo {
            class: classes[at].class,
            canonical: *first.entry(region).or_insert(RegionId::from(at)),
            ompt: OmptRegion::from_class(&classes[at]),
        };
        let mut info: Vec<RegionInfo> = definitions.regions.iter().enumerate().map(info).collect();
        for own in [gaps.flush, gaps.off, gaps.team_end, gaps.start_up] {
            info[own.index()].canonical = own;
        }
        Self { classes, info, gaps }
    }
}

fn incomplete(repairs: &[Repair]) -> Vec<LocationId> {
    let mut lost: Vec<LocationId> =
        repairs.iter().filter(|repair| repair.loss).filter_map(|repair| repair.location).collect();
    lost.sort_unstable();
    lost.dedup();
    lost
}

/// The result of replaying one location.
struct Replayed {
    timeline: Timeline,
    paths: Paths,
    uses: Vec<PathUse>,
    issues: ReplayIssues,
    max_depth: u32,
    ends: Vec<ChunkSummary>,
}

fn replay_all(streams: &[EventStream<'_>], kinds: &RegionKinds, workers: &dyn Workers) -> Vec<Replayed> {
    let known = streams.first().map_or_else(Paths::default, |first| first_paths(first, kinds));
    if streams.len() >= workers.threads() {
        return work::map(workers, streams.len(), |at| replay(&streams[at], kinds, known.clone()));
    }
    streams.iter().map(|stream| replay_by_pieces(stream, kinds, known.clone(), workers)).collect()
}

/// The call paths of the first piece of a location. All locations start with these paths: as most locations have the same
/// paths, few have to be renumbered.
fn first_paths(stream: &EventStream<'_>, kinds: &RegionKinds) -> Paths {
    let mut replay = Replay::new(kinds, Paths::default(), 0);
    if stream.chunks() > 1 {
        stream.decode(0, &mut replay);
    }
    if replay.paths.len() > MOST_KNOWN { Paths::default() } else { replay.paths }
}

/// Maximum number of paths that are copied for each location.
const MOST_KNOWN: usize = 4096;

fn replay(stream: &EventStream<'_>, kinds: &RegionKinds, known: Paths) -> Replayed {
    let mut replay = Replay::new(kinds, known, expected(stream));
    let ends = (0..stream.chunks()).map(|piece| stream.decode(piece, &mut replay)).collect();
    finish(replay, ends)
}

fn expected(stream: &EventStream<'_>) -> usize {
    (0..stream.chunks()).map(|piece| stream.expected_events(piece)).sum()
}

fn finish(mut replay: Replay<'_>, ends: Vec<ChunkSummary>) -> Replayed {
    let uses = replay.finish();
    let Replay { timeline, paths, issues, max_depth, .. } = replay;
    Replayed { timeline, paths, uses, issues, max_depth, ends }
}

/// Decoded events that are still to be replayed.
#[derive(Default)]
struct DecodedEvents(Vec<(Ticks, EventKind, Event)>);

impl EventSink for DecodedEvents {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.0.push((at, kind, event));
    }
}

/// Replays one location: the pieces of a batch are decoded in parallel, then replayed in order.
fn replay_by_pieces(
    stream: &EventStream<'_>,
    kinds: &RegionKinds,
    known: Paths,
    workers: &dyn Workers,
) -> Replayed {
    if workers.threads() == 1 || stream.chunks() == 1 {
        return replay(stream, kinds, known);
    }
    let mut replay = Replay::new(kinds, known, expected(stream));
    let mut ends = Vec::new();
    let pieces: Vec<usize> = (0..stream.chunks()).collect();
    for batch in pieces.chunks(2 * workers.threads().max(1)) {
        let decoded = work::map(workers, batch.len(), |at| {
            let mut events = DecodedEvents::default();
            (stream.decode(batch[at], &mut events), events)
        });
        for (end, events) in decoded {
            events.0.into_iter().for_each(|(at, kind, event)| replay.event(at, kind, event));
            ends.push(end);
        }
    }
    finish(replay, ends)
}

/// Joins the call path trees of all locations into one, and renumbers the paths of the locations.
fn join(trace: &mut Trace, replayed_locations: Vec<Replayed>, workers: &dyn Workers) {
    let mut slots = Vec::with_capacity(replayed_locations.len());
    for replayed in replayed_locations {
        let numbers = trace.paths.absorb(&replayed.paths);
        trace.max_depth = trace.max_depth.max(replayed.max_depth);
        slots.push(Mutex::new(Some((replayed.timeline, replayed.uses, numbers))));
    }
    let renumbered = work::map(workers, slots.len(), |at| {
        let taken = slots[at].lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let (mut timeline, mut uses, numbers) = taken.expect("every slot is taken once");
        if (0..).zip(&numbers).any(|(old, new)| new.0 != old) {
            timeline.path.iter_mut().for_each(|path| *path = numbers[path.index()]);
            timeline.calls.iter_mut().for_each(|call| call.path = numbers[call.path.index()]);
            uses.iter_mut().for_each(|used| used.path = numbers[used.path.index()]);
            uses.sort_unstable_by_key(|used| used.path);
        }
        (timeline, uses)
    });
    (trace.timelines, trace.uses) = renumbered.into_iter().unzip();
    if trace.paths.dropped > 0 {
        let message = format!(
            "more than {} call paths; {} calls are counted at the path below which there was no room",
            super::MOST_PATHS,
            trace.paths.dropped
        );
        trace.repairs.push(repair(None, String::new(), message, false));
    }
}

fn repair(location: Option<LocationId>, file: String, message: String, loss: bool) -> Repair {
    Repair { location, file, place: Place::Whole, message, loss }
}

impl Replayed {
    /// The problems of a location: damaged pieces, which lose events, and counts of irregular events.
    fn repairs(&self, location: LocationId, definitions: &Definitions) -> Vec<Repair> {
        let name = definitions.locations.get(location.index()).map_or(String::new(), |it| it.name.clone());
        let location_repair = |message: String, loss| repair(Some(location), name.clone(), message, loss);
        let mut repairs: Vec<Repair> = Vec::new();
        for (place, problem) in self.ends.iter().filter_map(|end| end.damage.clone()) {
            repairs.push(Repair {
                place,
                ..location_repair(format!("{problem}; the events before it are kept"), true)
            });
        }
        let odd = &self.issues;
        let counted = [
            (self.ends.iter().map(|end| end.skipped).sum(), "records of unknown kinds skipped"),
            (self.ends.iter().map(|end| end.undefined).sum(), "references to what was never defined"),
            (odd.stray_leaves, "leaves of regions that were not entered, left out"),
            (odd.missing_leaves, "calls without a leave, closed when their caller was left"),
            (odd.open_at_end, "calls still open at the end, closed at the last event"),
            (odd.backwards, "events before the event that precedes them, moved to its time"),
            (odd.impossible_lengths, "messages longer than any memory: their lengths are taken as unknown"),
        ];
        repairs.extend(
            counted
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| location_repair(format!("{count} {what}"), false)),
        );
        repairs
    }
}
