//! The dependencies between the members of a collective.

use lotse_model::trace::CollectiveOp;

use crate::matching::Collective;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::gathered::{Arrival, arrival, bytes};

/// The data flow of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CollectiveShape {
    /// All members depend on all.
    AllToAll,
    /// All members depend on the root.
    OneToAll,
    /// The root depends on all members.
    AllToOne,
    /// Each member depends on those with lower ranks.
    Prefix,
}

impl CollectiveShape {
    pub(crate) fn from_op(op: CollectiveOp) -> Self {
        match op {
            CollectiveOp::Bcast | CollectiveOp::Scatter | CollectiveOp::Scatterv => Self::OneToAll,
            CollectiveOp::Reduce | CollectiveOp::Gather | CollectiveOp::Gatherv => Self::AllToOne,
            CollectiveOp::Scan | CollectiveOp::Exscan => Self::Prefix,
            _ => Self::AllToAll,
        }
    }
}

/// Whether each pair of members has its own message length, which is not recorded: a member may then leave before others
/// arrive that send it nothing. For such collectives each member is compared with all others, so those with many members
/// count as all-to-all.
pub(crate) fn has_pairwise_lengths(collective: &Collective) -> bool {
    const MOST_MEMBERS: usize = 256;
    let by_pairs = matches!(collective.op, CollectiveOp::Alltoallv | CollectiveOp::Alltoallw);
    by_pairs && collective.members.len() <= MOST_MEMBERS
}

/// The last other member that arrived before a member of a pairwise exchange left: it may have waited for that one, but not
/// for any that arrived later.
pub(crate) fn last_before_exit(
    trace: &Trace,
    collective: &Collective,
    call: CallRef,
) -> Option<(Arrival, OpRef)> {
    let others = collective.members.iter().filter(|member| member.location != call.location);
    let arrivals = others.filter_map(|&op| Some((arrival(trace, op)?.1, op)));
    arrivals.filter(|(arrival, _)| arrival.at <= trace.exit(call)).max()
}

/// Whether any member sent data.
pub(super) fn moves_data(trace: &Trace, collective: &Collective) -> bool {
    collective.members.iter().any(|&op| bytes(trace, op).0 > 0)
}
