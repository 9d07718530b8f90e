//! Who needs whom in a collective.

use lotse_model::trace::CollectiveOp;

use crate::matching::Collective;
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::gathered::{Arrival, arrival, bytes};

/// Which members of a collective need which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All need all.
    AllToAll,
    /// All need the root.
    OneToAll,
    /// The root needs all.
    AllToOne,
    /// Each needs those of lower ranks.
    Prefix,
}

impl Shape {
    pub(crate) fn of(op: CollectiveOp) -> Self {
        match op {
            CollectiveOp::Bcast | CollectiveOp::Scatter | CollectiveOp::Scatterv => Self::OneToAll,
            CollectiveOp::Reduce | CollectiveOp::Gather | CollectiveOp::Gatherv => Self::AllToOne,
            CollectiveOp::Scan | CollectiveOp::Exscan => Self::Prefix,
            _ => Self::AllToAll,
        }
    }
}

/// Whether a member may leave before others have come because these send it nothing: each pair has a length of its own,
/// which no record tells. Each such member looks at all others, so where there are many, all are taken to need all.
pub(crate) fn is_by_pairs(collective: &Collective) -> bool {
    const MOST_MEMBERS: usize = 256;
    let by_pairs = matches!(collective.op, CollectiveOp::Alltoallv | CollectiveOp::Alltoallw);
    by_pairs && collective.members.len() <= MOST_MEMBERS
}

/// Of the others, the last that came while a member of an exchange by pairs was still there: it may have waited for
/// that one, but for none that came later.
pub(crate) fn last_before_exit(
    trace: &Trace,
    collective: &Collective,
    call: CallRef,
) -> Option<(Arrival, OpRef)> {
    let others = collective.members.iter().filter(|member| member.location != call.location);
    let came = others.filter_map(|&op| Some((arrival(trace, op)?.1, op)));
    came.filter(|(came, _)| came.at <= trace.exit(call)).max()
}

/// Whether anybody sent something.
pub(super) fn moves_data(trace: &Trace, collective: &Collective) -> bool {
    collective.members.iter().any(|&op| bytes(trace, op).0 > 0)
}
