//! The simulated program: its functions and how they call each other.

use lotse_model::id::RegionId;
use lotse_model::trace::{Paradigm, Region, RegionRole};

/// Functions of the program, in the order of their ids; the first has id 1.
const FUNCTIONS: [&str; 32] = [
    "main",
    "step",
    "predict",
    "fluxes",
    "flux_x",
    "flux_y",
    "limiter",
    "riemann",
    "interior",
    "stencil",
    "laplace",
    "gradient",
    "equation_of_state",
    "lookup",
    "refine",
    "boundary",
    "pack",
    "unpack",
    "correct",
    "update",
    "residual",
    "norm",
    "particles",
    "push",
    "interpolate",
    "deposit",
    "sort_cells",
    "chemistry",
    "rates",
    "solve_cell",
    "jacobian",
    "factorise",
];

/// Functions of MPI, which follow.
const MPI: [(&str, RegionRole); 9] = [
    ("MPI_Init", RegionRole::Function),
    ("MPI_Finalize", RegionRole::Function),
    ("MPI_Isend", RegionRole::PointToPoint),
    ("MPI_Irecv", RegionRole::PointToPoint),
    ("MPI_Waitall", RegionRole::PointToPoint),
    ("MPI_Send", RegionRole::PointToPoint),
    ("MPI_Recv", RegionRole::PointToPoint),
    ("MPI_Allreduce", RegionRole::CollAllToAll),
    ("MPI_Barrier", RegionRole::Barrier),
];

/// Functions of POSIX threads, which follow those of MPI.
const THREADS: [&str; 2] = ["pthread_mutex_lock", "pthread_mutex_unlock"];

pub(super) const MAIN: RegionId = RegionId(1);
pub(super) const STEP: RegionId = RegionId(2);
pub(super) const REFINE: RegionId = RegionId(15);
const FIRST_MPI: u32 = FUNCTIONS.len() as u32 + 1;
pub(super) const INIT: RegionId = RegionId(FIRST_MPI);
pub(super) const FINALIZE: RegionId = RegionId(FIRST_MPI + 1);
pub(super) const ISEND: RegionId = RegionId(FIRST_MPI + 2);
pub(super) const IRECV: RegionId = RegionId(FIRST_MPI + 3);
pub(super) const WAITALL: RegionId = RegionId(FIRST_MPI + 4);
pub(super) const SEND: RegionId = RegionId(FIRST_MPI + 5);
pub(super) const RECV: RegionId = RegionId(FIRST_MPI + 6);
pub(super) const ALLREDUCE: RegionId = RegionId(FIRST_MPI + 7);
pub(super) const BARRIER: RegionId = RegionId(FIRST_MPI + 8);
const FIRST_OF_THREADS: u32 = FIRST_MPI + MPI.len() as u32;
pub(super) const LOCK: RegionId = RegionId(FIRST_OF_THREADS);
pub(super) const UNLOCK: RegionId = RegionId(FIRST_OF_THREADS + 1);
/// What the workloads with little computing compute, without and with a lock.
pub(super) const STENCIL: RegionId = RegionId(10);
pub(super) const UPDATE: RegionId = RegionId(20);

/// A call: how deep, which function, and how long it computes by itself, in nanoseconds.
pub(super) type Call = (usize, RegionId, u64);

const fn call(depth: usize, function: u32, own: u64) -> Call {
    (depth, RegionId(function), own)
}

/// What is computed before messages are sent: one of these.
pub(super) const BEFORE: [&[Call]; 2] = [
    &[
        call(0, 3, 400),
        call(1, 4, 300),
        call(2, 5, 2100),
        call(3, 7, 900),
        call(2, 6, 2300),
        call(3, 8, 1500),
    ],
    &[
        call(0, 23, 500),
        call(1, 24, 1800),
        call(2, 25, 1200),
        call(1, 26, 2600),
        call(1, 27, 3100),
        call(2, 14, 700),
    ],
];

/// What is computed while messages travel.
pub(super) const BETWEEN: [&[Call]; 2] = [
    &[
        call(0, 9, 600),
        call(1, 10, 4200),
        call(2, 11, 2000),
        call(2, 12, 1700),
        call(1, 13, 900),
        call(2, 14, 800),
    ],
    &[
        call(0, 28, 300),
        call(1, 29, 1900),
        call(1, 30, 700),
        call(2, 31, 3600),
        call(2, 32, 4100),
        call(2, 14, 500),
    ],
];

/// What is computed with what has arrived.
pub(super) const AFTER: [&[Call]; 2] = [
    &[call(0, 16, 300), call(1, 18, 1100), call(0, 19, 800), call(1, 20, 2900)],
    &[call(0, 16, 300), call(1, 17, 1300), call(0, 21, 1500), call(1, 22, 600)],
];

/// The table of regions after its unknown first entry.
pub(super) fn all() -> impl Iterator<Item = Region> {
    let function = |(name, line): (&&str, u32)| Region {
        file: "simulation.c".to_owned(),
        begin_line: line * 20 + 1,
        end_line: line * 20 + 15,
        ..Region::named(*name)
    };
    let mpi =
        |&(name, role): &(&str, RegionRole)| Region { role, paradigm: Paradigm::Mpi, ..Region::named(name) };
    let threads = |&name: &&str| Region { paradigm: Paradigm::Threads, ..Region::named(name) };
    FUNCTIONS.iter().zip(0..).map(function).chain(MPI.iter().map(mpi)).chain(THREADS.iter().map(threads))
}

#[cfg(test)]
mod tests {
    use super::{AFTER, BARRIER, BEFORE, BETWEEN, INIT, LOCK, REFINE, STENCIL, STEP, UNLOCK, UPDATE, all};
    use lotse_model::id::RegionId;

    #[test]
    fn ids_are_those_of_the_table() {
        let names: Vec<_> = all().map(|it| it.name).collect();
        let name = |id: RegionId| names[id.index() - 1].as_str();
        assert_eq!([STEP, REFINE, INIT, BARRIER].map(name), ["step", "refine", "MPI_Init", "MPI_Barrier"]);
        let expected = ["stencil", "update", "pthread_mutex_lock", "pthread_mutex_unlock"];
        assert_eq!([STENCIL, UPDATE, LOCK, UNLOCK].map(name), expected);
    }

    #[test]
    fn calls_go_one_deeper_at_most() {
        for calls in BEFORE.into_iter().chain(BETWEEN).chain(AFTER) {
            assert_eq!(calls[0].0, 0);
            assert!(calls.windows(2).all(|pair| pair[1].0 <= pair[0].0 + 1));
        }
    }
}
