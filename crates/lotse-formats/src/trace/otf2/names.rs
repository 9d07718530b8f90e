//! Translates the numbers of OTF2's enumerations to the enumerations of the model.

use lotse_model::trace::{CollectiveOp, LocationKind, Paradigm, RegionRole};

/// Roles in the order of their numbers.
const ROLES: [RegionRole; 39] = [
    RegionRole::Unknown,
    RegionRole::Function,
    RegionRole::Wrapper,
    RegionRole::Loop,
    RegionRole::Code,
    RegionRole::Parallel,
    RegionRole::Sections,
    RegionRole::Section,
    RegionRole::Workshare,
    RegionRole::Single,
    RegionRole::SingleSblock,
    RegionRole::Master,
    RegionRole::Critical,
    RegionRole::CriticalSblock,
    RegionRole::Atomic,
    RegionRole::Barrier,
    RegionRole::ImplicitBarrier,
    RegionRole::Flush,
    RegionRole::Ordered,
    RegionRole::OrderedSblock,
    RegionRole::Task,
    RegionRole::TaskCreate,
    RegionRole::TaskWait,
    RegionRole::CollOneToAll,
    RegionRole::CollAllToOne,
    RegionRole::CollAllToAll,
    RegionRole::CollOther,
    RegionRole::FileIo,
    RegionRole::PointToPoint,
    RegionRole::Rma,
    RegionRole::DataTransfer,
    RegionRole::Artificial,
    RegionRole::ThreadCreate,
    RegionRole::ThreadWait,
    RegionRole::TaskUntied,
    RegionRole::Allocate,
    RegionRole::Deallocate,
    RegionRole::Reallocate,
    RegionRole::FileIoMetadata,
];

/// Operations in the order of their numbers.
const OPERATIONS: [CollectiveOp; 23] = [
    CollectiveOp::Barrier,
    CollectiveOp::Bcast,
    CollectiveOp::Gather,
    CollectiveOp::Gatherv,
    CollectiveOp::Scatter,
    CollectiveOp::Scatterv,
    CollectiveOp::Allgather,
    CollectiveOp::Allgatherv,
    CollectiveOp::Alltoall,
    CollectiveOp::Alltoallv,
    CollectiveOp::Alltoallw,
    CollectiveOp::Allreduce,
    CollectiveOp::Reduce,
    CollectiveOp::ReduceScatter,
    CollectiveOp::Scan,
    CollectiveOp::Exscan,
    CollectiveOp::ReduceScatterBlock,
    CollectiveOp::CreateHandle,
    CollectiveOp::DestroyHandle,
    CollectiveOp::Allocate,
    CollectiveOp::Deallocate,
    CollectiveOp::CreateHandleAndAllocate,
    CollectiveOp::DestroyHandleAndDeallocate,
];

pub(super) fn role(number: u8) -> RegionRole {
    ROLES.get(usize::from(number)).copied().unwrap_or(RegionRole::Unknown)
}

pub(super) fn operation(number: u8) -> CollectiveOp {
    OPERATIONS.get(usize::from(number)).copied().unwrap_or(CollectiveOp::Unknown)
}

/// The paradigm number of OpenMP.
pub(super) const OPENMP: u8 = 3;
/// The paradigm number of MPI.
pub(super) const MPI: u8 = 4;

pub(super) fn paradigm(number: u8) -> Paradigm {
    match number {
        0 | 22 => Paradigm::Unknown,
        1 => Paradigm::User,
        2 => Paradigm::Compiler,
        OPENMP | 9 => Paradigm::OpenMp,
        MPI => Paradigm::Mpi,
        5 | 8 | 18 | 19 | 23 => Paradigm::Accelerator,
        6 => Paradigm::Measurement,
        7 | 14..=17 | 20 => Paradigm::Threads,
        11..=13 => Paradigm::OneSided,
        21 => Paradigm::Sampling,
        _ => Paradigm::Other,
    }
}

pub(super) fn location_kind(number: u8) -> LocationKind {
    match number {
        1 => LocationKind::Cpu,
        2 => LocationKind::Accelerator,
        3 => LocationKind::Metric,
        _ => LocationKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{CollectiveOp, LocationKind, Paradigm, RegionRole};

    use super::{location_kind, operation, paradigm, role};

    /// The numbers are those of OTF2_Definitions.h and OTF2_Events.h of 3.0.2.
    #[test]
    fn numbers_have_their_names() {
        assert_eq!(
            [15, 28, 38, 39].map(role),
            [RegionRole::Barrier, RegionRole::PointToPoint, RegionRole::FileIoMetadata, RegionRole::Unknown]
        );
        assert_eq!(
            [0, 14, 16, 22, 23].map(operation),
            [
                CollectiveOp::Barrier,
                CollectiveOp::Scan,
                CollectiveOp::ReduceScatterBlock,
                CollectiveOp::DestroyHandleAndDeallocate,
                CollectiveOp::Unknown
            ]
        );
        assert_eq!(
            [4, 7, 19, 21, 99].map(paradigm),
            [Paradigm::Mpi, Paradigm::Threads, Paradigm::Accelerator, Paradigm::Sampling, Paradigm::Other]
        );
        assert_eq!(
            [1, 3, 9].map(location_kind),
            [LocationKind::Cpu, LocationKind::Metric, LocationKind::Unknown]
        );
    }
}
