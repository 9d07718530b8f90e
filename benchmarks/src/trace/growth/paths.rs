//! Deep call stacks and many call paths.

use lotse_model::trace::CollectiveOp;

use super::Growth;
use super::sketch::{Sketch, WORLD};

pub(super) const GROWTHS: &[Growth] = &[
    Growth { name: "deep", unit: "levels of recursion", large: 10_000, small: 1600, sketch: deep },
    Growth { name: "paths", unit: "call paths", large: 100_000, small: 6400, sketch: paths },
];

/// Calls of each call path.
const VISITS: u64 = 4;

/// A function that calls itself, and processes that meet at the bottom.
fn deep(levels: u64) -> Sketch {
    let mut sketch = Sketch::processes(2);
    for rank in 0..2 {
        let mut at = 0;
        for _ in 0..VISITS {
            let begin = at;
            for level in 0..levels {
                sketch.enter(rank, begin + 10 * level + 1, "refine");
            }
            let bottom = begin + 10 * levels + 10;
            let came = bottom + 100 * rank;
            let what = (CollectiveOp::Allreduce, WORLD, None);
            sketch.collective(rank, (came, bottom + 200), "MPI_Allreduce", what);
            for level in 0..levels {
                sketch.leave(rank, bottom + 300 + 10 * level, "refine");
            }
            at = bottom + 300 + 10 * levels;
        }
    }
    sketch
}

/// Every call path leads to a message or a meeting now and then.
fn paths(count: u64) -> Sketch {
    let mut sketch = Sketch::processes(2);
    let width = count.isqrt().max(1);
    let names: Vec<String> = (0..width).map(|number| format!("function {number}")).collect();
    for rank in 0..2 {
        let mut at = 1;
        for outer in &names {
            sketch.enter(rank, at, outer);
            for (inner, number) in names.iter().zip(0..) {
                let longer = if rank == 0 { number % 5 } else { 4 - number % 5 };
                sketch.call(rank, (at + 1, at + 2 + longer), inner);
                at += 8;
            }
            let what = (CollectiveOp::Allreduce, WORLD, None);
            sketch.collective(rank, (at + 1 + rank, at + 5), "MPI_Allreduce", what);
            at += 10;
            sketch.leave(rank, at - 1, outer);
        }
    }
    sketch
}
