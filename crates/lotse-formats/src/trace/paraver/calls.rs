//! Converts event values to calls, and some of these to collective operations.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId, RegionId};
use lotse_model::trace::{CollectiveOp, Event, EventKind, Paradigm, Region, Ticks};

use super::labels::ParaverLabels;
use super::topology::Topology;
use crate::diagnostics::Diagnostics;
use crate::trace::mpi_names;
use crate::trace::timeline::TimedEvent;

/// The type of events of the program itself: 1 begins, 0 ends.
const APPLICATION: u64 = 40_000_001;
/// Types of events that Extrae writes together with a collective operation. Only the root itself has the value 1 of `ROOT`.
const SENT: u64 = 50_100_001;
const RECEIVED: u64 = 50_100_002;
const ROOT: u64 = 50_100_003;
const COMMUNICATOR: u64 = 50_100_004;
/// The type used here for states; types of events have 8 digits.
const STATE: u64 = 0;

/// Whether a type is one of the MPI types: point-to-point, collective, other, one-sided, files.
pub(super) fn is_mpi(kind: u64) -> bool {
    (50_000_001..=50_000_005).contains(&kind)
}

fn is_call(kind: u64) -> bool {
    is_mpi(kind) || (60_000_000..=60_000_059).contains(&kind)
}

/// Whether calls of a type can be nested: functions of the program, of parallel regions and of tasks. Calls of other types
/// end before the next one of the type begins.
fn nests(kind: u64) -> bool {
    matches!(kind, 60_000_018 | 60_000_019 | 60_000_023)
}

/// The calls of all locations.
pub(super) struct CallTable {
    labels: ParaverLabels,
    regions: Vec<Region>,
    /// Regions by type and value.
    rows: HashMap<(u64, i64), RegionId>,
    collectives: Vec<Collective>,
    threads: HashMap<LocationId, ThreadCalls>,
}

#[derive(Default)]
struct ThreadCalls {
    changes: Vec<(Ticks, CallChange)>,
    /// Begin, end and region of each state.
    states: Vec<(Ticks, Ticks, RegionId)>,
    /// Whether there are calls other than states.
    calls: bool,
}

#[derive(Debug, Clone, Copy)]
enum CallChange {
    /// `collective` is an index into [`CallTable::collectives`].
    Enter {
        kind: u64,
        region: RegionId,
        collective: Option<u32>,
    },
    Leave {
        kind: u64,
    },
    /// Whether the program begins or ends.
    Program(bool),
    Other,
}

#[derive(Debug, Clone, Copy)]
struct Collective {
    op: CollectiveOp,
    communicator: CommunicatorId,
    root: Option<u32>,
    is_root: bool,
    sent: u64,
    received: u64,
}

impl CallTable {
    pub(super) fn new(labels: ParaverLabels) -> Self {
        let regions = vec![Region::named("(unknown)")];
        Self { labels, regions, rows: HashMap::new(), collectives: Vec::new(), threads: HashMap::new() }
    }

    /// Adds a state.
    pub(super) fn add_state(&mut self, location: LocationId, begin: Ticks, end: Ticks, state: u64) {
        let region = self.region(STATE, i64::try_from(state).unwrap_or(i64::MAX));
        self.threads.entry(location).or_default().states.push((begin, end, region));
    }

    /// Adds the events of one record, which have the same time.
    pub(super) fn add_events(
        &mut self,
        location: LocationId,
        at: Ticks,
        pairs: &[(u64, i64)],
        application: u32,
        topology: &Topology,
    ) {
        let before = self.threads.entry(location).or_default().changes.len();
        for &(kind, value) in pairs {
            let change = match (kind, value) {
                (APPLICATION, _) => CallChange::Program(value != 0),
                (kind, 0) if is_call(kind) => CallChange::Leave { kind },
                (kind, value) if is_call(kind) => {
                    let region = self.region(kind, value);
                    let collective = self.collective(region, pairs, application, topology);
                    CallChange::Enter { kind, region, collective }
                }
                _ => continue,
            };
            let thread = self.threads.entry(location).or_default();
            thread.calls |= matches!(change, CallChange::Enter { .. });
            thread.changes.push((at, change));
        }
        let thread = self.threads.entry(location).or_default();
        if thread.changes.len() == before {
            thread.changes.push((at, CallChange::Other));
        }
    }

    /// The region of a type and value.
    fn region(&mut self, kind: u64, value: i64) -> RegionId {
        let (labels, regions) = (&self.labels, &mut self.regions);
        *self.rows.entry((kind, value)).or_insert_with(|| {
            let name = match kind {
                STATE => labels.state_name(value.unsigned_abs()),
                _ => labels.name(kind, value),
            };
            let paradigm = match kind {
                _ if is_mpi(kind) || mpi_names::is_mpi(&name) => Paradigm::Mpi,
                60_000_001..=60_000_017 => Paradigm::OpenMp,
                _ => Paradigm::User,
            };
            regions.push(Region { paradigm, role: mpi_names::role(&name), ..Region::named(name) });
            RegionId::from(regions.len() - 1)
        })
    }

    /// Adds a collective operation if the region is one and the record states its communicator; gives its index.
    fn collective(
        &mut self,
        region: RegionId,
        pairs: &[(u64, i64)],
        application: u32,
        topology: &Topology,
    ) -> Option<u32> {
        let op = mpi_names::operation(&self.regions[region.index()].name)?;
        let value_of = |kind: u64| pairs.iter().find(|pair| pair.0 == kind).map(|pair| pair.1);
        let size = |kind: u64| value_of(kind).and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
        let communicator = topology.communicator_of(application, value_of(COMMUNICATOR)?);
        let (is_root, sent, received) = (value_of(ROOT) == Some(1), size(SENT), size(RECEIVED));
        self.collectives.push(Collective { op, communicator, root: None, is_root, sent, received });
        u32::try_from(self.collectives.len() - 1).ok()
    }

    /// The events of each location. Only the table of regions remains.
    pub(super) fn events_by_location(
        &mut self,
        locations: usize,
        topology: &Topology,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Vec<TimedEvent>> {
        for thread in self.threads.values_mut().filter(|it| !it.changes.is_sorted_by_key(|change| change.0)) {
            diagnostics
                .note_kind("events stand out of the order of time; they were sorted", || "events".to_owned());
            thread.changes.sort_by_key(|change| change.0);
        }
        self.find_roots(locations, topology);
        (0..locations).map(|row| self.location_events(LocationId::from(row), diagnostics)).collect()
    }

    /// Sets the roots of collective operations. Only the root itself states that it is the root; the n-th operation on a
    /// communicator is the same one for all its members, so all of them get that root.
    ///
    /// ```text
    /// rank 0   Bcast (root)   Bcast
    /// rank 1   Bcast          Bcast (root)     first Bcast: root 0, second Bcast: root 1
    /// ```
    fn find_roots(&mut self, locations: usize, topology: &Topology) {
        let mut roots: HashMap<(CommunicatorId, usize), u32> = HashMap::new();
        let mut instances: Vec<(usize, (CommunicatorId, usize))> = Vec::new();
        for location in (0..locations).map(LocationId::from) {
            let mut counts: HashMap<CommunicatorId, usize> = HashMap::new();
            let changes = self.threads.get(&location).map_or(&[][..], |thread| thread.changes.as_slice());
            for (_, change) in changes {
                let CallChange::Enter { collective: Some(row), .. } = *change else { continue };
                let collective = self.collectives[row as usize];
                let count = counts.entry(collective.communicator).or_default();
                let instance = (collective.communicator, *count);
                *count += 1;
                instances.push((row as usize, instance));
                if let Some(rank) = topology.rank(instance.0, location).filter(|_| collective.is_root) {
                    roots.insert(instance, rank);
                }
            }
        }
        instances
            .iter()
            .for_each(|(row, instance)| self.collectives[*row].root = roots.get(instance).copied());
    }

    /// The events of a location. Its states become calls if it has no other calls.
    fn location_events(&mut self, location: LocationId, diagnostics: &mut Diagnostics) -> Vec<TimedEvent> {
        let Some(mut thread) = self.threads.remove(&location) else { return Vec::new() };
        if !thread.calls {
            thread.states.sort_by_key(|state| state.0);
            let states = thread.states.iter().flat_map(|&(begin, end, region)| {
                [
                    (begin, CallChange::Enter { kind: STATE, region, collective: None }),
                    (end, CallChange::Leave { kind: STATE }),
                ]
            });
            thread.changes.extend(states);
            thread.changes.sort_by_key(|change| change.0);
        }
        let mut stack =
            OpenCalls { collectives: &self.collectives, open: Vec::new(), events: Vec::new(), location };
        for &(at, change) in &thread.changes {
            stack.apply(at, change, diagnostics);
        }
        stack.finish(diagnostics)
    }

    /// The table of regions.
    pub(super) fn into_regions(self) -> Vec<Region> {
        self.regions
    }
}

/// The stack of open calls of a location, which turns changes into events.
struct OpenCalls<'a> {
    collectives: &'a [Collective],
    /// Type, region and collective operation of each open call, the innermost last.
    open: Vec<(u64, RegionId, Option<u32>)>,
    events: Vec<TimedEvent>,
    location: LocationId,
}

impl OpenCalls<'_> {
    /// Adds the events of a change. A call that cannot be nested first ends the open call of its type.
    fn apply(&mut self, at: Ticks, change: CallChange, diagnostics: &mut Diagnostics) {
        match change {
            CallChange::Enter { kind, region, collective } => {
                let open = self.open.iter().any(|it| it.0 == kind);
                if open && !nests(kind) {
                    self.note("a call begins before the one of its kind ended, which was ended", diagnostics);
                    self.leave(at, kind, diagnostics);
                }
                self.events.push((at, EventKind::Enter, Event::Enter { region }));
                if collective.is_some() {
                    self.events.push((at, EventKind::MpiCollectiveBegin, Event::CollectiveBegin));
                }
                self.open.push((kind, region, collective));
            }
            CallChange::Leave { kind } => self.leave(at, kind, diagnostics),
            CallChange::Program(true) => self.events.push((at, EventKind::ProgramBegin, Event::ProgramBegin)),
            CallChange::Program(false) => self.events.push((at, EventKind::ProgramEnd, Event::ProgramEnd)),
            CallChange::Other => self.events.push((at, EventKind::Unknown, Event::Other)),
        }
    }

    /// Ends the innermost call of a type, and the calls that are still open inside it.
    fn leave(&mut self, at: Ticks, kind: u64, diagnostics: &mut Diagnostics) {
        let Some(position) = self.open.iter().rposition(|it| it.0 == kind) else {
            return self.note("a call ends that never began; it was left out", diagnostics);
        };
        if position + 1 < self.open.len() {
            self.note("a call ends before one inside it, which was ended", diagnostics);
        }
        while self.open.len() > position {
            self.pop(at);
        }
    }

    /// Ends the innermost call.
    fn pop(&mut self, at: Ticks) {
        let Some((_, region, collective)) = self.open.pop() else { return };
        if let Some(row) = collective {
            let Collective { op, communicator, root, sent, received, .. } = self.collectives[row as usize];
            let end = Event::CollectiveEnd { op, communicator, root, sent, received };
            self.events.push((at, EventKind::MpiCollectiveEnd, end));
        }
        self.events.push((at, EventKind::Leave, Event::Leave { region }));
    }

    /// Ends all open calls at the time of the last event.
    fn finish(mut self, diagnostics: &mut Diagnostics) -> Vec<TimedEvent> {
        let last = self.events.last().map_or(0, |event| event.0);
        if !self.open.is_empty() {
            self.note("a call has no end; it lasts until the last event", diagnostics);
        }
        while !self.open.is_empty() {
            self.pop(last);
        }
        self.events
    }

    fn note(&self, message: &'static str, diagnostics: &mut Diagnostics) {
        diagnostics.note_kind(message, || format!("location {}", self.location.0));
    }
}
