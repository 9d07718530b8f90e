//! Groups of events that wait for each other: collectives, barriers of threads, the join of a team.

use lotse_model::trace::{Event, Ticks};

use super::Constraint;
use crate::clock::roles;
use crate::matching::TeamInstance;
use crate::store::{CallRef, OpRef, Trace};

/// A group of events: no event leaves the group before all events have entered it.
#[derive(Debug, Clone, Copy)]
pub(in crate::clock) struct SyncGroup {
    /// The number of events that have not entered yet.
    pub(in crate::clock) missing: u32,
    /// When the last entered.
    pub(in crate::clock) last_in: Ticks,
    /// When the first left.
    pub(in crate::clock) first_out: Ticks,
}

/// The groups, and by location the constraints of steps and of records.
#[derive(Debug)]
pub(super) struct Constraints {
    pub(super) groups: Vec<SyncGroup>,
    pub(super) steps: Vec<Vec<(u32, Constraint)>>,
    pub(super) ops: Vec<Vec<(u32, Constraint)>>,
}

pub(super) fn find(trace: &Trace) -> Constraints {
    let none = vec![Vec::new(); trace.timelines.len()];
    let mut constraints = Constraints { groups: Vec::new(), steps: none.clone(), ops: none };
    constraints.collectives(trace);
    constraints.barriers(trace);
    for team in &trace.links.teams {
        constraints.join(trace, team);
    }
    constraints
}

impl Constraints {
    fn begin(&mut self) -> u32 {
        self.groups.push(SyncGroup { missing: 0, last_in: 0, first_out: Ticks::MAX });
        self.groups.len() as u32 - 1
    }

    fn collectives(&mut self, trace: &Trace) {
        for collective in &trace.links.collectives {
            let group = self.begin();
            for role in collective.members.iter().filter_map(|&op| roles::role(trace, collective, op)) {
                let steps = |call: CallRef| trace.timeline(call.location).calls[call.call as usize];
                if role.is_awaited {
                    let constraints = &mut self.steps[role.entered.location.index()];
                    constraints.push((steps(role.entered).enter, Constraint::Enters(group)));
                    self.groups[group as usize].missing += 1;
                }
                if role.waits {
                    let constraints = &mut self.steps[role.left.location.index()];
                    constraints.push((steps(role.left).exit, Constraint::Leaves(group)));
                }
            }
        }
    }

    /// Adds the barriers of threads. Barriers that a thread leaves before another enters, on their common clock, are left
    /// out: they were recorded in the wrong order.
    fn barriers(&mut self, trace: &Trace) {
        for calls in trace.links.barriers.iter().filter(|calls| calls.len() > 1) {
            let last_in = calls.iter().map(|&call| trace.enter(call)).max();
            let first_out = calls.iter().map(|&call| trace.exit(call)).min();
            if last_in > first_out {
                continue;
            }
            let group = self.begin();
            self.groups[group as usize].missing = calls.len() as u32;
            for call in calls {
                let steps = trace.timeline(call.location).calls[call.call as usize];
                let constraints = &mut self.steps[call.location.index()];
                constraints.extend([
                    (steps.enter, Constraint::Enters(group)),
                    (steps.exit, Constraint::Leaves(group)),
                ]);
            }
        }
    }

    /// Adds the join of a team: the master joins when all threads have ended.
    fn join(&mut self, trace: &Trace, team: &TeamInstance) {
        let Some(join) = team.fork.and_then(|fork| join_of(trace, team, fork)) else { return };
        let others = || team.ends.iter().filter(|end| end.location != join.location);
        if others().any(|&end| trace.op(end).at > trace.op(join).at) {
            return;
        }
        let group = self.begin();
        for end in others() {
            self.ops[end.location.index()].push((end.op, Constraint::Enters(group)));
            self.groups[group as usize].missing += 1;
        }
        self.ops[join.location.index()].push((join.op, Constraint::Leaves(group)));
    }
}

/// The record with which the master ends a team: the join after its own end.
fn join_of(trace: &Trace, team: &TeamInstance, fork: OpRef) -> Option<OpRef> {
    let end = team.ends.iter().find(|end| end.location == fork.location)?;
    let after = trace.timeline(fork.location).ops.from(end.op as usize + 1);
    let (number, next) =
        (end.op + 1..).zip(after).find(|(_, op)| matches!(op.shape(), Event::Join | Event::Fork { .. }))?;
    matches!(next.shape(), Event::Join).then_some(OpRef { op: number, ..*end })
}
