//! Teams of threads: which fork a thread's part belongs to, and which calls are the same barrier.
//!
//! The n-th time that a team begins at each of its threads is the same parallel region, unless threads were left out
//! of some; in it the n-th barrier at each thread is the same barrier. Where a recorder tells nothing of teams, all
//! threads of a process are one. Where a recorder names the barrier of a call by its address, and where it records a
//! team at its master only, times decide who met: nobody leaves a barrier before the last has entered it, and whoever
//! enters after somebody left begins the next round. Waits at the ends of teams that no record tells of are one barrier
//! for each run (`ends`).

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::{CommunicatorId, LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, ObjectKind, Ticks};

use self::ends::Ends;
use self::forks::Forks;
use super::{Link, Links, locations_with};
use crate::store::{CallRef, Op, OpRef, Timeline, Trace};

mod ends;
mod forks;

/// One run of a parallel region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamInstance {
    /// The team.
    pub team: CommunicatorId,
    /// The record that forked it.
    pub fork: Option<OpRef>,
    /// When each thread began, by its record.
    pub begins: Vec<OpRef>,
    /// When each thread ended, by its record.
    pub ends: Vec<OpRef>,
}

type Run = (ProcessId, CommunicatorId, u32);

struct Finder {
    forks: Forks,
    ends: Ends,
    runs: HashMap<Run, u32>,
    barriers: HashMap<(Option<Run>, ProcessId, u32), u32>,
    /// Calls for barriers of which the address is known.
    told: BTreeMap<(ProcessId, u64), Vec<CallRef>>,
    /// Processes of which only some threads tell when they are in a team.
    half_known: HashSet<ProcessId>,
}

/// Stands for the barrier of a process whose teams are only half known: no barrier has this address.
const UNKNOWN_BARRIER: u64 = u64::MAX;

/// Where a thread is while its records pass.
struct Thread {
    process: ProcessId,
    location: LocationId,
    /// How often each team began.
    begun: HashMap<CommunicatorId, u32>,
    /// The runs around it.
    inside: Vec<Run>,
    /// The run that it was in last.
    ended: Option<Run>,
}

pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut finder = Finder {
        forks: Forks::of(trace),
        ends: Ends::default(),
        runs: HashMap::new(),
        barriers: HashMap::new(),
        told: BTreeMap::new(),
        half_known: half_known(trace),
    };
    if trace.uses.iter().flatten().any(|used| trace.class_of(used.path).is_barrier_of_threads()) {
        trace.locations().for_each(|location| finder.location(trace, location, links));
    } else {
        let with_teams = locations_with(trace, &[EventKind::ThreadTeamBegin]);
        with_teams.for_each(|location| finder.location(trace, location, links));
    }
    for calls in std::mem::take(&mut finder.told).into_values() {
        rounds(trace, calls, links);
    }
    std::mem::take(&mut finder.ends).link(trace, links);
    links.barrier_of.iter_mut().for_each(|of| of.sort_unstable());
    for instance in &mut links.teams {
        instance.fork = instance.begins.iter().find_map(|&begin| fork_before(trace, begin));
    }
    links.forked = vec![Vec::new(); trace.timelines.len()];
    for number in 0..links.teams.len() {
        let Some(fork) = links.teams[number].fork else { continue };
        links.forked[fork.location.index()].push(number as u32);
        for begin in links.teams[number].begins.clone() {
            follow(links, begin, fork);
        }
    }
    let Links { teams, forked, .. } = links;
    forked.iter_mut().for_each(|numbers| numbers.sort_by_key(|&number| teams[number as usize].fork));
}

/// A thread's begin points to the fork; the master's own is the fork's other half.
fn follow(links: &mut Links, begin: OpRef, fork: OpRef) {
    if begin.location == fork.location {
        links.halve(begin, fork);
    } else {
        links.point(begin, Link::Op(fork));
    }
}

/// The master forks right before its own part of the team begins.
fn fork_before(trace: &Trace, begin: OpRef) -> Option<OpRef> {
    let ops = &trace.timeline(begin.location).ops;
    let is_boundary = |event: &Event| {
        matches!(event, Event::Fork { .. } | Event::Join | Event::TeamBegin { .. } | Event::TeamEnd { .. })
    };
    let boundary = (0..begin.op).rev().find(|&number| is_boundary(ops.shape(number as usize)))?;
    matches!(ops.shape(boundary as usize), Event::Fork { .. }).then_some(OpRef { op: boundary, ..begin })
}

impl Finder {
    fn location(&mut self, trace: &Trace, location: LocationId, links: &mut Links) {
        let process = trace.location(location).process;
        let timeline = trace.timeline(location);
        let mut thread = Thread { process, location, begun: HashMap::new(), inside: Vec::new(), ended: None };
        let mut barriers: HashMap<Option<Run>, u32> = HashMap::new();
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
                thread.ended.into_iter().for_each(|run| self.ends.came(run, call));
                continue;
            }
            let unknown = self.half_known.contains(&process).then_some(UNKNOWN_BARRIER);
            if let Some(address) = barrier_address(timeline, number).or(unknown) {
                self.told.entry((process, address)).or_default().push(call);
                continue;
            }
            let run = thread.inside.last().copied();
            let count = barriers.entry(run).or_default();
            self.barrier((run, process, *count), call, links);
            *count += 1;
        }
        for (op, record) in ops {
            self.record(&record, op as u32, &mut thread, links);
        }
    }

    fn record(&mut self, record: &Op, op: u32, thread: &mut Thread, links: &mut Links) {
        let op = OpRef { location: thread.location, op };
        match record.event() {
            Event::TeamBegin { team } => {
                let count = thread.begun.entry(team).or_default();
                let number = self.forks.run(thread.process, team, thread.location, record.at, *count);
                *count += 1;
                let run = (thread.process, team, number);
                thread.inside.push(run);
                let instance = self.run(run, links);
                links.teams[instance as usize].begins.push(op);
            }
            Event::TeamEnd { .. } => {
                if let Some(run) = thread.inside.pop() {
                    let instance = self.run(run, links);
                    links.teams[instance as usize].ends.push(op);
                    thread.ended = Some(run);
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, run: Run, links: &mut Links) -> u32 {
        *self.runs.entry(run).or_insert_with(|| {
            let instance = TeamInstance { team: run.1, fork: None, begins: Vec::new(), ends: Vec::new() };
            links.teams.push(instance);
            links.teams.len() as u32 - 1
        })
    }

    fn barrier(&mut self, key: (Option<Run>, ProcessId, u32), call: CallRef, links: &mut Links) {
        let instance = *self.barriers.entry(key).or_insert_with(|| new_barrier(links));
        meet(call, instance, links);
    }
}

/// Processes in which some threads have barriers and never begin in a team, although others do.
fn half_known(trace: &Trace) -> HashSet<ProcessId> {
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

fn meet(call: CallRef, barrier: u32, links: &mut Links) {
    links.barriers[barrier as usize].push(call);
    links.barrier_of[call.location.index()].push((call.call, barrier));
}

/// The barrier that a call is about, where the recorder tells it.
fn barrier_address(timeline: &Timeline, call: u32) -> Option<u64> {
    if !timeline.kinds.has(EventKind::Attribute) {
        return None;
    }
    timeline.ops_of(call).find_map(|(_, op)| match op.event() {
        Event::Object { kind: ObjectKind::Barrier, address } => Some(address),
        _ => None,
    })
}

/// Cuts the calls for one barrier into rounds.
fn rounds(trace: &Trace, mut calls: Vec<CallRef>, links: &mut Links) {
    calls.sort_unstable_by_key(|&call| (trace.enter(call), call));
    let mut open: Option<(u32, Ticks)> = None;
    for call in calls {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        let (barrier, first_exit) = match open.filter(|&(_, first_exit)| enter <= first_exit) {
            Some((barrier, first_exit)) => (barrier, first_exit.min(exit)),
            None => (new_barrier(links), exit),
        };
        meet(call, barrier, links);
        open = Some((barrier, first_exit));
    }
}
