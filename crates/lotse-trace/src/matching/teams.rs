//! Teams of threads: matches the begin of a team on each thread with the fork, and the calls of each barrier.
//!
//! ```text
//! thread 0   fork  begin  barrier  barrier  end   fork  begin  barrier  end      team instances 0 and 1,
//! thread 1         begin  barrier  barrier  end         begin  barrier  end      barriers 0, 1 and 0 within them
//! ```
//!
//! The n-th begin of a team on each of its threads is the same instance of a parallel region, unless threads were left out
//! of some instances. Within an instance the n-th barrier on each thread is the same barrier. If the recorder does not
//! record teams, all threads of a process are one team.
//!
//! Barrier calls are matched by time if the recorder names the barrier by its address, or if it records a team on its
//! master only: no thread leaves a barrier before the last has entered it, so a call that begins after the first exit
//! belongs to the next round. Waits at the end of a team that are not recorded form one barrier per instance (`ends`).

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, ObjectKind, Ticks};

use self::ends::TeamEnds;
use self::forks::Forks;
use super::{Link, Links, locations_with};
use crate::store::{CallRef, Op, OpRef, Timeline, Trace};

mod ends;
mod forks;

/// One execution of a parallel region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamInstance {
    pub team: CommunicatorId,
    /// The record that forked it.
    pub fork: Option<OpRef>,
    /// The begin record of each thread.
    pub begins: Vec<OpRef>,
    /// The end record of each thread.
    pub ends: Vec<OpRef>,
}

/// Identifies a [`TeamInstance`]: process, team, and how often the team was forked before.
type InstanceKey = (ProcessId, CommunicatorId, u32);

struct TeamFinder {
    forks: Forks,
    ends: TeamEnds,
    /// By key: the index in [`Links::teams`].
    instances: HashMap<InstanceKey, u32>,
    barriers: HashMap<(Option<InstanceKey>, ProcessId, u32), u32>,
    /// Calls of barriers that are matched by time, by address of the barrier.
    by_address: BTreeMap<(ProcessId, u64), Vec<CallRef>>,
    /// Processes in which only some threads record teams.
    partly_recorded: HashSet<ProcessId>,
}

/// Stands for the barrier of a partly recorded process: no barrier has this address.
const UNKNOWN_BARRIER: u64 = u64::MAX;

/// The state of a thread while its records are read.
struct ThreadState {
    process: ProcessId,
    location: LocationId,
    /// How often each team began.
    begun: HashMap<CommunicatorId, u32>,
    /// The nested instances that the thread is in.
    inside: Vec<InstanceKey>,
    /// The instance that ended last.
    ended: Option<InstanceKey>,
}

/// Finds team instances and barriers, location by location, then the fork of each instance.
pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut finder = TeamFinder {
        forks: Forks::from_trace(trace),
        ends: TeamEnds::default(),
        instances: HashMap::new(),
        barriers: HashMap::new(),
        by_address: BTreeMap::new(),
        partly_recorded: partly_recorded(trace),
    };
    if trace.uses.iter().flatten().any(|used| trace.class_of(used.path).is_barrier_of_threads()) {
        trace.locations().for_each(|location| finder.location(trace, location, links));
    } else {
        let with_teams = locations_with(trace, &[EventKind::ThreadTeamBegin]);
        with_teams.for_each(|location| finder.location(trace, location, links));
    }
    for calls in std::mem::take(&mut finder.by_address).into_values() {
        rounds(trace, calls, links);
    }
    std::mem::take(&mut finder.ends).link(trace, links);
    links.barrier_of.iter_mut().for_each(|barriers| barriers.sort_unstable());
    for instance in &mut links.teams {
        instance.fork = instance.begins.iter().find_map(|&begin| fork_before(trace, begin));
    }
    links.forked = vec![Vec::new(); trace.timelines.len()];
    for number in 0..links.teams.len() {
        let Some(fork) = links.teams[number].fork else { continue };
        links.forked[fork.location.index()].push(number as u32);
        for begin in links.teams[number].begins.clone() {
            link_to_fork(links, begin, fork);
        }
    }
    let Links { teams, forked, .. } = links;
    forked.iter_mut().for_each(|numbers| numbers.sort_by_key(|&number| teams[number as usize].fork));
}

/// Makes the begin of a thread point to the fork; the master's begin becomes the fork's other half.
fn link_to_fork(links: &mut Links, begin: OpRef, fork: OpRef) {
    if begin.location == fork.location {
        links.link_halves(begin, fork);
    } else {
        links.point(begin, Link::Op(fork));
    }
}

/// The fork of a team if `begin` is the master's: the last fork, join, begin or end before `begin` is a fork.
fn fork_before(trace: &Trace, begin: OpRef) -> Option<OpRef> {
    let ops = &trace.timeline(begin.location).ops;
    let is_boundary = |event: &Event| {
        matches!(event, Event::Fork { .. } | Event::Join | Event::TeamBegin { .. } | Event::TeamEnd { .. })
    };
    let boundary = (0..begin.op).rev().find(|&number| is_boundary(ops.shape(number as usize)))?;
    matches!(ops.shape(boundary as usize), Event::Fork { .. }).then_some(OpRef { op: boundary, ..begin })
}

impl TeamFinder {
    /// Goes through the barrier calls of a location in their order. The team records before each call are handled first,
    /// so that the current instance is known when the call is assigned to a barrier.
    fn location(&mut self, trace: &Trace, location: LocationId, links: &mut Links) {
        let process = trace.location(location).process;
        let timeline = trace.timeline(location);
        let mut thread =
            ThreadState { process, location, begun: HashMap::new(), inside: Vec::new(), ended: None };
        let mut barriers: HashMap<Option<InstanceKey>, u32> = HashMap::new();
        let mut ops = timeline.ops.iter().enumerate().peekable();
        for number in 0..timeline.calls.len() as u32 {
            let call = CallRef { location, call: number };
            if !trace.class(call).class.is_barrier_of_threads() {
                continue;
            }
            let first_op = timeline.calls[number as usize].first_op as usize;
            while let Some((op, record)) = ops.next_if(|(op, _)| *op < first_op) {
                self.record(&record, op as u32, &mut thread, links);
            }
            if trace.is_team_end(call) {
                thread.ended.into_iter().for_each(|instance| self.ends.push(instance, call));
                continue;
            }
            let unknown = self.partly_recorded.contains(&process).then_some(UNKNOWN_BARRIER);
            if let Some(address) = barrier_address(timeline, number).or(unknown) {
                self.by_address.entry((process, address)).or_default().push(call);
                continue;
            }
            let instance = thread.inside.last().copied();
            let count = barriers.entry(instance).or_default();
            self.barrier((instance, process, *count), call, links);
            *count += 1;
        }
        for (op, record) in ops {
            self.record(&record, op as u32, &mut thread, links);
        }
    }

    /// Handles the begin or the end of a team: updates the state of the thread and the team instance.
    fn record(&mut self, record: &Op, op: u32, thread: &mut ThreadState, links: &mut Links) {
        let op = OpRef { location: thread.location, op };
        match record.event() {
            Event::TeamBegin { team } => {
                let count = thread.begun.entry(team).or_default();
                let number =
                    self.forks.instance_number(thread.process, team, thread.location, record.at, *count);
                *count += 1;
                let key = (thread.process, team, number);
                thread.inside.push(key);
                let instance = self.instance(key, links);
                links.teams[instance as usize].begins.push(op);
            }
            Event::TeamEnd { .. } => {
                if let Some(key) = thread.inside.pop() {
                    let instance = self.instance(key, links);
                    links.teams[instance as usize].ends.push(op);
                    thread.ended = Some(key);
                }
            }
            _ => {}
        }
    }

    /// The index of an instance in [`Links::teams`], which is created if it is new.
    fn instance(&mut self, key: InstanceKey, links: &mut Links) -> u32 {
        *self.instances.entry(key).or_insert_with(|| {
            let instance = TeamInstance { team: key.1, fork: None, begins: Vec::new(), ends: Vec::new() };
            links.teams.push(instance);
            links.teams.len() as u32 - 1
        })
    }

    fn barrier(&mut self, key: (Option<InstanceKey>, ProcessId, u32), call: CallRef, links: &mut Links) {
        let barrier = *self.barriers.entry(key).or_insert_with(|| new_barrier(links));
        add_to_barrier(call, barrier, links);
    }
}

/// Processes in which some threads have barriers but no team records, although other threads have.
fn partly_recorded(trace: &Trace) -> HashSet<ProcessId> {
    let process = |location: LocationId| trace.location(location).process;
    let has_teams = |location: LocationId| trace.timeline(location).kinds.has(EventKind::ThreadTeamBegin);
    let with_teams: HashSet<ProcessId> = trace.locations().filter(|&it| has_teams(it)).map(process).collect();
    let has_barriers = |location: LocationId| {
        let uses = &trace.uses[location.index()];
        uses.iter().any(|used| trace.class_of(used.path).is_barrier_of_threads())
    };
    let without = trace.locations().filter(|&it| with_teams.contains(&process(it)) && !has_teams(it));
    without.filter(|&it| has_barriers(it)).map(process).collect()
}

fn new_barrier(links: &mut Links) -> u32 {
    links.barriers.push(Vec::new());
    links.barriers.len() as u32 - 1
}

fn add_to_barrier(call: CallRef, barrier: u32, links: &mut Links) {
    links.barriers[barrier as usize].push(call);
    links.barrier_of[call.location.index()].push((call.call, barrier));
}

/// The address of the barrier of a call, if it is recorded.
fn barrier_address(timeline: &Timeline, call: u32) -> Option<u64> {
    if !timeline.kinds.has(EventKind::Attribute) {
        return None;
    }
    timeline.ops_of(call).find_map(|(_, op)| match op.event() {
        Event::Object { kind: ObjectKind::Barrier, address } => Some(address),
        _ => None,
    })
}

/// Divides the calls of one barrier object into rounds: a call that begins after the first exit of a round begins the next.
fn rounds(trace: &Trace, mut calls: Vec<CallRef>, links: &mut Links) {
    calls.sort_unstable_by_key(|&call| (trace.enter(call), call));
    let mut open: Option<(u32, Ticks)> = None;
    for call in calls {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        let (barrier, first_exit) = match open.filter(|&(_, first_exit)| enter <= first_exit) {
            Some((barrier, first_exit)) => (barrier, first_exit.min(exit)),
            None => (new_barrier(links), exit),
        };
        add_to_barrier(call, barrier, links);
        open = Some((barrier, first_exit));
    }
}
