//! Short measurements of the processor for predictions: how long operations wait for each other, and what a line costs that
//! comes from each cache.
//!
//! Every measurement is repeated, and the spread is the distance of the quartiles. A disturbance only ever makes a repetition
//! longer, so the value is the fastest one for operations of the core; for lines it is the lower quartile, since data may
//! by chance lie in a nearer cache. In a build without optimisation the numbers mean nothing.

mod chains;
#[cfg(target_arch = "x86_64")]
mod costs;
mod memory;

use std::time::Instant;

/// One measured constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Nanoseconds for each operation.
    pub nanoseconds: f64,
    /// The distance of the quartiles divided by the value.
    pub spread: f64,
}

/// Nanoseconds of dependent operations, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latencies {
    /// One cycle: an addition of integers.
    pub cycle: Measured,
    /// Addition of 64-bit floating-point numbers.
    pub fp_add: Measured,
    /// Their multiplication.
    pub fp_multiply: Measured,
    /// Their division.
    pub fp_divide64: Measured,
    /// Division of 32-bit floating-point numbers.
    pub fp_divide32: Measured,
    /// Square root of 64-bit floating-point numbers.
    pub square_root: Measured,
    /// Multiplication of integers.
    pub integer_multiply: Measured,
    /// Division of 64-bit floating-point numbers that do not depend on each other.
    pub fp_divide64_cost: Measured,
    /// A store and a load of the same address.
    pub store_forward: Measured,
    /// A load whose address the load before gave.
    pub load: Measured,
    /// What a branch that is not predicted costs.
    pub mispredict: Measured,
}

/// Operations that do not wait for each other. Unlike elsewhere, the values are cycles of the moment that they were measured in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Nanoseconds of a cycle when the clock was fastest.
    pub cycle: Measured,
    /// An instruction that does nothing.
    pub issue: Measured,
    /// An addition of integers.
    pub integer: Measured,
    /// A multiplication of integers.
    pub integer_multiply: Measured,
    /// A division of 32-bit integers.
    pub integer_divide: Measured,
    /// One that waits for the result of the one before.
    pub integer_divide_latency: Measured,
    /// A load from the first cache.
    pub load: Measured,
    /// A store.
    pub store: Measured,
    /// Additions and multiplications of floating-point numbers, as many of one as of the other.
    pub float: Measured,
    /// A division of 32-bit floating-point numbers.
    pub divide32: Measured,
    /// A division of 64-bit floating-point numbers.
    pub divide64: Measured,
    /// A square root of 64-bit floating-point numbers.
    pub square_root: Measured,
}

/// Nanoseconds for each line of a working set of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lines {
    /// Read one after the other.
    pub stream: Measured,
    /// Read in random order, known in advance.
    pub scattered: Measured,
    /// Read in random order, each telling the next.
    pub latency: Measured,
    /// Written one after the other.
    pub written: Measured,
}

/// Measures dependent operations.
pub fn latencies(repetitions: u32) -> Latencies {
    chains::latencies(repetitions)
}

/// Measures independent operations; nothing where they cannot be written down.
pub fn costs(repetitions: u32) -> Option<Costs> {
    #[cfg(target_arch = "x86_64")]
    return Some(costs::costs(repetitions));
    #[cfg(not(target_arch = "x86_64"))]
    None.filter(|_: &Costs| repetitions > 0)
}

/// Iterations of a loop up to which the end of a loop that is executed again and again costs less than `most` nanoseconds;
/// nothing where that cannot be measured.
pub fn predicted_iterations(repetitions: u32, most: f64) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    return Some(predicted(most, |iterations| costs::executions(repetitions, iterations)));
    #[cfg(not(target_arch = "x86_64"))]
    None.filter(|_: &u64| repetitions > 0 && most > 0.0)
}

/// The longest loop whose end is foreseen, from the times of one execution with a number of iterations.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only x86-64 measures executions"))]
fn predicted(most: f64, time: impl Fn(u64) -> f64) -> u64 {
    const SHORTEST: u64 = 8;
    const LONGEST: u64 = 4096;
    let each = (time(2 * LONGEST) - time(LONGEST)) / LONGEST as f64;
    let foreseen = |iterations: &u64| time(*iterations) - *iterations as f64 * each < most;
    let sizes = std::iter::successors(Some(SHORTEST), |size| Some(size + size / 2));
    sizes.take_while(|size| *size < LONGEST).take_while(foreseen).last().unwrap_or(SHORTEST / 2)
}

/// Measures a working set of so many bytes in lines of `line` bytes.
pub fn lines(bytes: u64, line: u64, repetitions: u32) -> Lines {
    memory::lines(bytes, line, repetitions)
}

/// Repeats a measurement of `count` lines; the lower quartile counts.
fn measure(repetitions: u32, count: u64, run: impl FnMut()) -> Measured {
    repeat(repetitions, count, 1, run)
}

/// Repeats a measurement of `count` operations of the core; the fastest repetition counts.
fn fastest(repetitions: u32, count: u64, run: impl FnMut()) -> Measured {
    repeat(repetitions, count, 0, run)
}

fn repeat(repetitions: u32, count: u64, taken: usize, mut run: impl FnMut()) -> Measured {
    run();
    let mut times: Vec<f64> = (0..repetitions.max(4))
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e9 / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let quartile = |share: usize| times[(times.len() - 1) * share / 4];
    let value = quartile(taken);
    Measured { nanoseconds: value, spread: (quartile(3) - quartile(1)) / value.max(1e-9) }
}

#[cfg(test)]
mod tests {
    use super::{Measured, costs, latencies, lines, predicted};

    fn is_plausible(measured: &Measured) -> bool {
        measured.nanoseconds >= 0.0 && measured.nanoseconds < 1e6 && measured.spread >= 0.0
    }

    /// Values differ with the machine and the build; they are numbers.
    #[test]
    fn every_constant_is_measured() {
        let found = latencies(4);
        let all =
            [found.cycle, found.fp_add, found.fp_multiply, found.store_forward, found.load, found.mispredict];
        assert!(all.iter().all(is_plausible), "{found:?}");
        if let Some(costs) = costs(4) {
            let all =
                [costs.issue, costs.load, costs.store, costs.float, costs.divide32, costs.integer_divide];
            assert!(all.iter().all(|it| is_plausible(it) && it.nanoseconds > 0.01), "{costs:?}");
        }
        let small = lines(1 << 16, 64, 4);
        assert!(
            [small.stream, small.scattered, small.latency, small.written].iter().all(is_plausible),
            "{small:?}"
        );
    }

    #[test]
    fn ends_that_are_foreseen_cost_nothing() {
        let time = |known: u64| {
            move |iterations: u64| iterations as f64 + if iterations > known { 20.0 } else { 2.0 }
        };
        assert_eq!(predicted(10.0, time(40)), 40);
        assert_eq!(predicted(10.0, time(2)), 4, "not even the shortest");
        assert!(predicted(10.0, time(u64::MAX)) > 2000);
    }
}
