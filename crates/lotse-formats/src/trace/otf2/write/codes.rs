//! Translates the enumerations of the model to OTF2's numbers.

use lotse_model::trace::{CollectiveOp, LocationKind, Paradigm, RegionRole};

/// The number of a role: the model has the roles in the order of OTF2.
pub(super) fn role(role: RegionRole) -> u8 {
    role as u8
}

/// The number of a paradigm. The model combines similar paradigms of OTF2; the most common one is written.
pub(super) fn paradigm(paradigm: Paradigm) -> u8 {
    match paradigm {
        Paradigm::Unknown | Paradigm::Io => 0,
        Paradigm::User => 1,
        Paradigm::Compiler => 2,
        Paradigm::OpenMp => OPEN_MP,
        Paradigm::Mpi => MPI,
        Paradigm::Accelerator => 5,
        Paradigm::Measurement => 6,
        Paradigm::Threads => THREADS,
        Paradigm::OneSided => 13,
        Paradigm::Sampling => 21,
        Paradigm::Other => 24,
    }
}

pub(super) const OPEN_MP: u8 = 3;
pub(super) const MPI: u8 = 4;
pub(super) const THREADS: u8 = 7;

/// A paradigm's number, name and class (0 processes, 1 fork and join, 2 create and wait, 3 accelerators).
pub(super) type ParadigmDeclaration = (u8, &'static str, u8);

/// Paradigms that a trace must declare if it uses them.
pub(super) const DECLARED: [ParadigmDeclaration; 6] = [
    (OPEN_MP, "OpenMP", 1),
    (MPI, "MPI", 0),
    (5, "CUDA", 3),
    (THREADS, "POSIX threads", 2),
    (13, "SHMEM", 0),
    (24, "Kokkos", 1),
];

pub(super) fn location(kind: LocationKind) -> u8 {
    match kind {
        LocationKind::Unknown => 0,
        LocationKind::Cpu => 1,
        LocationKind::Accelerator => 2,
        // OTF2 has no kind for annotations; like them, metrics are not threads.
        LocationKind::Metric | LocationKind::Annotation => 3,
    }
}

/// The number of a collective operation.
pub(super) fn collective(op: CollectiveOp) -> u8 {
    match op {
        CollectiveOp::Barrier => 0,
        CollectiveOp::Bcast => 1,
        CollectiveOp::Gather => 2,
        CollectiveOp::Gatherv => 3,
        CollectiveOp::Scatter => 4,
        CollectiveOp::Scatterv => 5,
        CollectiveOp::Allgather => 6,
        CollectiveOp::Allgatherv => 7,
        CollectiveOp::Alltoall => 8,
        CollectiveOp::Alltoallv => 9,
        CollectiveOp::Alltoallw => 10,
        CollectiveOp::Allreduce => 11,
        CollectiveOp::Reduce => 12,
        CollectiveOp::ReduceScatter => 13,
        CollectiveOp::Scan => 14,
        CollectiveOp::Exscan => 15,
        CollectiveOp::ReduceScatterBlock => 16,
        CollectiveOp::CreateHandle => 17,
        CollectiveOp::DestroyHandle => 18,
        CollectiveOp::Allocate => 19,
        CollectiveOp::Deallocate => 20,
        CollectiveOp::CreateHandleAndAllocate => 21,
        CollectiveOp::DestroyHandleAndDeallocate => 22,
        CollectiveOp::Unknown => 255,
    }
}

#[cfg(test)]
mod tests {
    use super::role;
    use lotse_model::trace::RegionRole;

    /// Some of `OTF2_RegionRole`, the last among them.
    #[test]
    fn roles_have_the_numbers_of_the_format() {
        assert_eq!(role(RegionRole::Function), 1);
        assert_eq!(role(RegionRole::Barrier), 15);
        assert_eq!(role(RegionRole::PointToPoint), 28);
        assert_eq!(role(RegionRole::FileIoMetadata), 38);
    }
}
