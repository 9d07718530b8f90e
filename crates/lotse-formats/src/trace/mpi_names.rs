//! The roles of MPI functions, from the names that recorders write.

use lotse_model::trace::{CollectiveOp, RegionRole};

/// Whether a function is an MPI function, in C or Fortran.
pub(super) fn is_mpi(name: &str) -> bool {
    name.get(..4).is_some_and(|start| matches!(start, "MPI_" | "mpi_"))
}

/// The name without prefix and suffix, in lower case: `bcast` for `MPI_Bcast` and `mpi_bcast_`.
fn verb(name: &str) -> Option<String> {
    let rest = if is_mpi(name) { name.get(4..)? } else { return None };
    Some(rest.trim_end_matches('_').to_ascii_lowercase())
}

/// The role of an MPI function; `Function` for any other name.
pub(super) fn role(name: &str) -> RegionRole {
    let Some(verb) = verb(name) else { return RegionRole::Function };
    match verb.as_str() {
        "barrier" => RegionRole::Barrier,
        "bcast" | "scatter" | "scatterv" => RegionRole::CollOneToAll,
        "reduce" | "gather" | "gatherv" => RegionRole::CollAllToOne,
        "scan" | "exscan" => RegionRole::CollOther,
        "send" | "bsend" | "ssend" | "rsend" | "isend" | "ibsend" | "issend" | "irsend" | "recv"
        | "irecv" | "sendrecv" | "sendrecv_replace" | "wait" | "waitall" | "waitany" | "waitsome"
        | "test" | "testall" | "testany" | "testsome" | "probe" | "iprobe" => RegionRole::PointToPoint,
        "put" | "get" | "accumulate" | "get_accumulate" => RegionRole::Rma,
        _ if verb.starts_with("win_") => RegionRole::Rma,
        _ if verb.starts_with("file_") => RegionRole::FileIo,
        _ if operation(name).is_some() => RegionRole::CollAllToAll,
        _ => RegionRole::Function,
    }
}

/// Collective operations by the name of their MPI function; operations on handles, which many functions do, have a
/// description instead.
const OPERATIONS: &[(&str, CollectiveOp)] = &[
    ("barrier", CollectiveOp::Barrier),
    ("bcast", CollectiveOp::Bcast),
    ("gather", CollectiveOp::Gather),
    ("gatherv", CollectiveOp::Gatherv),
    ("scatter", CollectiveOp::Scatter),
    ("scatterv", CollectiveOp::Scatterv),
    ("allgather", CollectiveOp::Allgather),
    ("allgatherv", CollectiveOp::Allgatherv),
    ("alltoall", CollectiveOp::Alltoall),
    ("alltoallv", CollectiveOp::Alltoallv),
    ("alltoallw", CollectiveOp::Alltoallw),
    ("allreduce", CollectiveOp::Allreduce),
    ("reduce", CollectiveOp::Reduce),
    ("reduce_scatter", CollectiveOp::ReduceScatter),
    ("reduce_scatter_block", CollectiveOp::ReduceScatterBlock),
    ("scan", CollectiveOp::Scan),
    ("exscan", CollectiveOp::Exscan),
    ("create handle", CollectiveOp::CreateHandle),
    ("destroy handle", CollectiveOp::DestroyHandle),
    ("allocate", CollectiveOp::Allocate),
    ("deallocate", CollectiveOp::Deallocate),
    ("create handle and allocate", CollectiveOp::CreateHandleAndAllocate),
    ("destroy handle and deallocate", CollectiveOp::DestroyHandleAndDeallocate),
    ("collective", CollectiveOp::Unknown),
];

/// The blocking collective operation of an MPI function.
pub(super) fn operation(name: &str) -> Option<CollectiveOp> {
    operation_by_name(&verb(name)?)
}

/// The operation with a name that [`operation_name`] gives.
pub(super) fn operation_by_name(name: &str) -> Option<CollectiveOp> {
    OPERATIONS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}

/// The name of an operation.
pub(super) fn operation_name(op: CollectiveOp) -> &'static str {
    OPERATIONS.iter().find(|(_, known)| *known == op).map_or("collective", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{CollectiveOp, RegionRole};

    use super::{is_mpi, operation, role};

    #[test]
    fn names_of_c_and_fortran_say_the_same() {
        assert!(is_mpi("MPI_Send") && is_mpi("mpi_send_") && !is_mpi("MPIX") && !is_mpi("mpé_"));
        assert_eq!(operation("MPI_Allreduce"), Some(CollectiveOp::Allreduce));
        assert_eq!(operation("mpi_allreduce_"), Some(CollectiveOp::Allreduce));
        assert_eq!((operation("MPI_Iallreduce"), operation("allreduce")), (None, None));
        for (name, expected) in [
            ("MPI_Bcast", RegionRole::CollOneToAll),
            ("MPI_Gather", RegionRole::CollAllToOne),
            ("MPI_Alltoallw", RegionRole::CollAllToAll),
            ("MPI_Barrier", RegionRole::Barrier),
            ("MPI_Waitall", RegionRole::PointToPoint),
            ("MPI_Win_fence", RegionRole::Rma),
            ("MPI_File_open", RegionRole::FileIo),
            ("MPI_Init", RegionRole::Function),
            ("main", RegionRole::Function),
        ] {
            assert_eq!(role(name), expected, "{name}");
        }
    }
}
