//! The roles of members in a collective: which have to arrive before which may leave.

use lotse_model::trace::{CollectiveOp, Event, Ticks};

use crate::matching::Collective;
use crate::store::{CallRef, OpRef, Trace};

/// The role of a member in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CollectiveRole {
    /// The call with which it arrived.
    pub(super) entered: CallRef,
    /// The call with which it left; another one for a non-blocking collective.
    pub(super) left: CallRef,
    /// Whether others wait for it.
    pub(super) is_awaited: bool,
    /// Whether it waits for all awaited members.
    pub(super) waits: bool,
}

impl CollectiveRole {
    /// Whether it waits for all members and all for it, in one call.
    pub(super) fn is_synchronising(&self) -> bool {
        self.is_awaited && self.waits && self.entered == self.left
    }
}

/// The assumed latency of a message as a fraction (1 / `LATENCY`) of a second.
const LATENCY: Ticks = 20_000;

/// How far apart the exits of the members of an all-to-all exchange may be; none for other collectives. The member with the
/// shortest stay arrived last; its stay is about the time of one message, and the others are notified through a tree.
pub(super) fn apart(trace: &Trace, collective: &Collective) -> Option<Ticks> {
    let members = collective.members.iter().filter_map(|&op| role(trace, collective, op));
    let stays =
        members.filter(CollectiveRole::is_synchronising).map(|it| trace.exit(it.left) - trace.enter(it.left));
    let depth = Ticks::from(collective.members.len().next_power_of_two().trailing_zeros());
    let latency = trace.definitions.clock.resolution / LATENCY;
    Some(stays.min()?.saturating_mul(1 + depth).saturating_add(latency))
}

/// The role of a member; none if its record is in no call, or if no member waits for another.
pub(super) fn role(trace: &Trace, collective: &Collective, op: OpRef) -> Option<CollectiveRole> {
    // A fence may not synchronise, depending on its assertion argument, which is not recorded.
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
    let (is_awaited, waits) = dependencies(collective.op, is_root, sent > 0, received > 0)?;
    let entered = posted.and_then(|post| trace.call_of(post)).unwrap_or(left);
    Some(CollectiveRole { entered, left, is_awaited, waits })
}

fn dependencies(op: CollectiveOp, is_root: bool, sends: bool, receives: bool) -> Option<(bool, bool)> {
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
        // In a scan each member waits for a different subset. In alltoallv and the like it waits for those that send it
        // data, which is not recorded. Creating and freeing handles need not synchronise.
        _ => None,
    }
}

/// Whether a member left before another arrived that it had to wait for.
pub(super) fn is_reversed(trace: &Trace, collective: &Collective) -> bool {
    let (mut last_in, mut first_out) = (Ticks::MIN, Ticks::MAX);
    for role in collective.members.iter().filter_map(|&op| role(trace, collective, op)) {
        if role.is_awaited {
            last_in = last_in.max(trace.enter(role.entered));
        }
        if role.waits {
            first_out = first_out.min(trace.exit(role.left));
        }
    }
    last_in > first_out
}
