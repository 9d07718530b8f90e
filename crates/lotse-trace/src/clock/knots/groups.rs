//! Groups in which several wait for several: collectives, barriers of threads, the joining of a team.

use lotse_model::trace::{Event, Ticks};

use super::Tie;
use crate::clock::roles;
use crate::matching::TeamInstance;
use crate::store::{CallRef, OpRef, Trace};

/// Some give, some take: nobody takes before all have given.
#[derive(Debug, Clone, Copy)]
pub(in crate::clock) struct Group {
    /// How many have not given yet.
    pub(in crate::clock) missing: u32,
    /// When the last gave.
    pub(in crate::clock) last_in: Ticks,
    /// When the first took.
    pub(in crate::clock) first_out: Ticks,
}

/// The groups, and the ties of steps and of records to them, by location.
#[derive(Debug)]
pub(super) struct Ties {
    pub(super) groups: Vec<Group>,
    pub(super) steps: Vec<Vec<(u32, Tie)>>,
    pub(super) ops: Vec<Vec<(u32, Tie)>>,
}

pub(super) fn find(trace: &Trace) -> Ties {
    let none = vec![Vec::new(); trace.timelines.len()];
    let mut ties = Ties { groups: Vec::new(), steps: none.clone(), ops: none };
    ties.collectives(trace);
    ties.barriers(trace);
    for team in &trace.links.teams {
        ties.join(trace, team);
    }
    ties
}

impl Ties {
    fn begin(&mut self) -> u32 {
        self.groups.push(Group { missing: 0, last_in: 0, first_out: Ticks::MAX });
        self.groups.len() as u32 - 1
    }

    fn collectives(&mut self, trace: &Trace) {
        for collective in &trace.links.collectives {
            let group = self.begin();
            for role in collective.members.iter().filter_map(|&op| roles::role(trace, collective, op)) {
                let steps = |of: CallRef| trace.timeline(of.location).calls[of.call as usize];
                if role.gives {
                    let ties = &mut self.steps[role.came.location.index()];
                    ties.push((steps(role.came).enter, Tie::Gives(group)));
                    self.groups[group as usize].missing += 1;
                }
                if role.takes {
                    let ties = &mut self.steps[role.left.location.index()];
                    ties.push((steps(role.left).exit, Tie::Takes(group)));
                }
            }
        }
    }

    /// Barriers of threads that are the right way round on the clock that the threads share; others were recorded
    /// in another order than they happened.
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
                let ties = &mut self.steps[call.location.index()];
                ties.extend([(steps.enter, Tie::Gives(group)), (steps.exit, Tie::Takes(group))]);
            }
        }
    }

    /// The master joins when all have ended.
    fn join(&mut self, trace: &Trace, team: &TeamInstance) {
        let Some(join) = team.fork.and_then(|fork| join_of(trace, team, fork)) else { return };
        let others = || team.ends.iter().filter(|end| end.location != join.location);
        if others().any(|&end| trace.op(end).at > trace.op(join).at) {
            return;
        }
        let group = self.begin();
        for end in others() {
            self.ops[end.location.index()].push((end.op, Tie::Gives(group)));
            self.groups[group as usize].missing += 1;
        }
        self.ops[join.location.index()].push((join.op, Tie::Takes(group)));
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
