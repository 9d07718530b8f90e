//! Who needs whom in a collective.

use lotse_model::trace::CollectiveOp;

use crate::matching::Collective;
use crate::store::Trace;
use crate::waits::gathered::bytes;

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
/// which no record tells.
pub(super) fn is_by_pairs(op: CollectiveOp) -> bool {
    matches!(op, CollectiveOp::Alltoallv | CollectiveOp::Alltoallw)
}

/// Whether anybody sent something.
pub(super) fn moves_data(trace: &Trace, collective: &Collective) -> bool {
    collective.members.iter().any(|&op| bytes(trace, op).0 > 0)
}
