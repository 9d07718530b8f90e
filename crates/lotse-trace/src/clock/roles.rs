//! Who in a collective has to come before who may leave it.

use lotse_model::trace::{CollectiveOp, Event, Ticks};

use crate::matching::Collective;
use crate::store::{CallRef, OpRef, Trace};

/// A member's part in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Role {
    /// The call in which it came.
    pub(super) came: CallRef,
    /// The call with which it left.
    pub(super) left: CallRef,
    /// Others wait for it.
    pub(super) gives: bool,
    /// It waits for those who give.
    pub(super) takes: bool,
}

impl Role {
    /// Whether it waits for all and all for it, in one call.
    pub(super) fn meets(&self) -> bool {
        self.gives && self.takes && self.came == self.left
    }
}

/// Messages take so many parts of a second, where nothing tells.
const LATENCY: Ticks = 20_000;

/// How far apart the members of an exchange of all with all may have left it; nothing where it is none. The quickest
/// came last, and saw in its own time that all were there; news of it go through a tree of the others.
pub(super) fn apart(trace: &Trace, collective: &Collective) -> Option<Ticks> {
    let members = collective.members.iter().filter_map(|&op| role(trace, collective, op));
    let stays = members.filter(Role::meets).map(|it| trace.exit(it.left) - trace.enter(it.left));
    let depth = Ticks::from(collective.members.len().next_power_of_two().trailing_zeros());
    let latency = trace.definitions.clock.resolution / LATENCY;
    Some(stays.min()?.saturating_mul(1 + depth).saturating_add(latency))
}

/// A member's role; nothing where its record is in no call or nobody waits for anybody.
pub(super) fn role(trace: &Trace, collective: &Collective, op: OpRef) -> Option<Role> {
    // A fence may be told not to synchronise, which the record does not say.
    if collective.one_sided || collective.members.len() < 2 {
        return None;
    }
    let left = trace.call_of(op)?;
    let (sent, received, posted) = match trace.op(op).event() {
        Event::CollectiveEnd { sent, received, .. } => (sent, received, None),
        Event::CollectiveComplete { sent, received, .. } => (sent, received, trace.links.other_half(op)),
        _ => return None,
    };
    let is_root = collective.root == Some(op.location);
    let (gives, takes) = parts(collective.op, is_root, sent > 0, received > 0)?;
    let came = posted.and_then(|post| trace.call_of(post)).unwrap_or(left);
    Some(Role { came, left, gives, takes })
}

fn parts(op: CollectiveOp, is_root: bool, sends: bool, receives: bool) -> Option<(bool, bool)> {
    use CollectiveOp as Op;
    match op {
        Op::Barrier => Some((true, true)),
        Op::Allgather
        | Op::Allgatherv
        | Op::Alltoall
        | Op::Allreduce
        | Op::ReduceScatter
        | Op::ReduceScatterBlock => Some((sends, receives)),
        Op::Bcast | Op::Scatter | Op::Scatterv => Some((is_root, !is_root && receives)),
        Op::Gather | Op::Gatherv | Op::Reduce => Some((!is_root && sends, is_root)),
        // In a scan each waits for another part of the others, and where each pair has a length of its own, for those
        // that send it something, which no record tells; making and freeing handles need not synchronise.
        _ => None,
    }
}

/// Whether somebody left before the last came whom it had to wait for.
pub(super) fn is_reversed(trace: &Trace, collective: &Collective) -> bool {
    let (mut last_in, mut first_out) = (Ticks::MIN, Ticks::MAX);
    for role in collective.members.iter().filter_map(|&op| role(trace, collective, op)) {
        if role.gives {
            last_in = last_in.max(trace.enter(role.came));
        }
        if role.takes {
            first_out = first_out.min(trace.exit(role.left));
        }
    }
    last_in > first_out
}
