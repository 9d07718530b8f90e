//! Collectives with many members, and many communicators.

use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{CollectiveOp, Communicator};

use super::Growth;
use super::sketch::{Sketch, WORLD};

pub(super) const GROWTHS: &[Growth] = &[
    Growth { name: "scan", unit: "members of MPI_Scan", large: 4096, small: 512, sketch: scan },
    Growth { name: "gather", unit: "members of MPI_Gather", large: 4096, small: 512, sketch: gather },
    Growth { name: "scatter", unit: "members of MPI_Scatter", large: 4096, small: 512, sketch: scatter },
    Growth { name: "alltoall", unit: "members of MPI_Alltoall", large: 4096, small: 512, sketch: alltoall },
    Growth {
        name: "communicators",
        unit: "communicators of two",
        large: 100_000,
        small: 4000,
        sketch: communicators,
    },
];

/// Collectives one after the other.
const ROUNDS: u64 = 8;

/// Everyone works, the later the longer, and meets the others.
fn rounds(count: u64, name: &str, op: CollectiveOp, root: Option<u32>) -> Sketch {
    let mut sketch = Sketch::processes(count);
    for rank in 0..count {
        sketch.enter(rank, 0, "main");
        for round in 0..ROUNDS {
            let begin = round * 100 * count + 1;
            let came = begin + 1 + (rank * 7919) % (50 * count);
            sketch.call(rank, (begin, came), "work");
            sketch.collective(rank, (came, begin + 60 * count), name, (op, WORLD, root));
        }
        sketch.leave(rank, ROUNDS * 100 * count, "main");
    }
    sketch
}

fn scan(count: u64) -> Sketch {
    rounds(count, "MPI_Scan", CollectiveOp::Scan, None)
}

fn gather(count: u64) -> Sketch {
    rounds(count, "MPI_Gather", CollectiveOp::Gather, Some(0))
}

fn scatter(count: u64) -> Sketch {
    rounds(count, "MPI_Scatter", CollectiveOp::Scatter, Some(0))
}

fn alltoall(count: u64) -> Sketch {
    rounds(count, "MPI_Alltoall", CollectiveOp::Alltoall, None)
}

/// Two processes meet once in each of many communicators.
fn communicators(count: u64) -> Sketch {
    let mut sketch = Sketch::processes(2);
    let members = vec![Some(LocationId(0)), Some(LocationId(1))];
    for number in 0..count {
        let name = format!("communicator {number}");
        let communicator = Communicator { name, members: members.clone(), ..Communicator::default() };
        sketch.definitions.communicators.push(communicator);
    }
    for rank in 0..2 {
        sketch.enter(rank, 0, "main");
        for number in 0..count {
            let begin = number * 100 + 1;
            let came = begin + 10 + 20 * rank;
            let communicator = CommunicatorId(WORLD.0 + 1 + number as u32);
            sketch.call(rank, (begin, came), "work");
            let what = (CollectiveOp::Allreduce, communicator, None);
            sketch.collective(rank, (came, begin + 50), "MPI_Allreduce", what);
        }
        sketch.leave(rank, count * 100 + 1, "main");
    }
    sketch
}
