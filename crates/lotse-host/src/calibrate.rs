//! Short measurements of the processor for predictions: latencies and throughputs of operations, and the cost of a cache line
//! from each level of the memory hierarchy.
//!
//! Every measurement is repeated; its spread is the interquartile range. A disturbance can only make a repetition longer, so
//! the value for operations of the core is the fastest repetition. For cache lines it is the lower quartile, since data may by
//! chance be in a nearer cache. In a build without optimisation the numbers are meaningless.

mod chains;
#[cfg(target_arch = "x86_64")]
mod costs;
mod memory;

use std::time::Instant;

/// One measured constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredConstant {
    /// Nanoseconds per operation.
    pub nanoseconds: f64,
    /// The interquartile range divided by the value.
    pub spread: f64,
}

/// Latencies in nanoseconds: each operation depends on the result of the previous one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latencies {
    /// One cycle: an integer addition.
    pub cycle: MeasuredConstant,
    /// Addition of 64-bit floating-point numbers.
    pub fp_add: MeasuredConstant,
    /// Addition of 64-bit floating-point numbers to a product.
    pub fp_add_other: MeasuredConstant,
    /// Multiplication of 64-bit floating-point numbers.
    pub fp_multiply: MeasuredConstant,
    /// Maximum of two 64-bit floating-point numbers.
    pub fp_select: MeasuredConstant,
    /// Division of 64-bit floating-point numbers.
    pub fp_divide64: MeasuredConstant,
    /// Division of 32-bit floating-point numbers.
    pub fp_divide32: MeasuredConstant,
    /// Square root of 64-bit floating-point numbers.
    pub square_root: MeasuredConstant,
    /// Multiplication of integers.
    pub integer_multiply: MeasuredConstant,
    /// Reciprocal throughput of independent divisions of 64-bit floating-point numbers.
    pub fp_divide64_cost: MeasuredConstant,
    /// A store followed by a load from the same address.
    pub store_forward: MeasuredConstant,
    /// A load whose address is the result of the previous load.
    pub load: MeasuredConstant,
    /// The cost of a mispredicted branch.
    pub mispredict: MeasuredConstant,
}

/// Reciprocal throughputs of independent operations. Unlike elsewhere the values, except for `cycle`, are cycles at the clock rate of the
/// moment of the measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationCosts {
    /// Nanoseconds of a cycle at the highest clock rate seen.
    pub cycle: MeasuredConstant,
    /// A `nop`.
    pub issue: MeasuredConstant,
    /// An addition of integers.
    pub integer: MeasuredConstant,
    /// A multiplication of integers.
    pub integer_multiply: MeasuredConstant,
    /// A division of 32-bit integers.
    pub integer_divide: MeasuredConstant,
    /// A division of 32-bit integers that depends on the previous one.
    pub integer_divide_latency: MeasuredConstant,
    /// A load from the first cache.
    pub load: MeasuredConstant,
    /// A store.
    pub store: MeasuredConstant,
    /// Additions and multiplications of floating-point numbers in equal parts.
    pub float: MeasuredConstant,
    /// A division of 32-bit floating-point numbers.
    pub divide32: MeasuredConstant,
    /// A division of 64-bit floating-point numbers.
    pub divide64: MeasuredConstant,
    /// A square root of 64-bit floating-point numbers.
    pub square_root: MeasuredConstant,
}

/// Nanoseconds per cache line of a working set of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineTimes {
    /// Sequential reads.
    pub stream: MeasuredConstant,
    /// Reads in a random order that is known in advance.
    pub scattered: MeasuredConstant,
    /// Reads in random order where each line holds the address of the next (pointer chasing).
    pub latency: MeasuredConstant,
    /// Sequential writes.
    pub written: MeasuredConstant,
}

/// Measures latencies.
pub fn latencies(repetitions: u32) -> Latencies {
    chains::latencies(repetitions)
}

/// Measures reciprocal throughputs; `None` on processors for which there is no assembler code.
pub fn operation_costs(repetitions: u32) -> Option<OperationCosts> {
    #[cfg(target_arch = "x86_64")]
    return Some(costs::operation_costs(repetitions));
    #[cfg(not(target_arch = "x86_64"))]
    None.filter(|_: &OperationCosts| repetitions > 0)
}

/// Measures a working set of `bytes` bytes in lines of `line` bytes.
pub fn line_times(bytes: u64, line: u64, repetitions: u32) -> LineTimes {
    memory::line_times(bytes, line, repetitions)
}

/// Measures the cost of a page walk: the time of one line from each of many pages, less that of as many lines of few pages.
pub fn page_walks(page: u64, line: u64, repetitions: u32) -> MeasuredConstant {
    memory::page_walks(page, line, repetitions)
}

/// Repeats a measurement of `count` lines and takes the lower quartile.
fn measure(repetitions: u32, count: u64, run: impl FnMut()) -> MeasuredConstant {
    repeat(repetitions, count, 1, run)
}

/// Repeats a measurement of `count` operations of the core and takes the fastest repetition.
fn fastest(repetitions: u32, count: u64, run: impl FnMut()) -> MeasuredConstant {
    repeat(repetitions, count, 0, run)
}

fn repeat(repetitions: u32, count: u64, taken: usize, mut run: impl FnMut()) -> MeasuredConstant {
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
    MeasuredConstant { nanoseconds: value, spread: (quartile(3) - quartile(1)) / value.max(1e-9) }
}

#[cfg(test)]
mod tests {
    use super::{MeasuredConstant, latencies, line_times, operation_costs, page_walks};

    fn is_plausible(measured: &MeasuredConstant) -> bool {
        measured.nanoseconds >= 0.0 && measured.nanoseconds < 1e6 && measured.spread >= 0.0
    }

    /// Values depend on the machine and the build, so only their plausibility is tested.
    #[test]
    fn every_constant_is_measured() {
        let found = latencies(4);
        let all =
            [found.cycle, found.fp_add, found.fp_multiply, found.store_forward, found.load, found.mispredict];
        assert!(all.iter().all(is_plausible), "{found:?}");
        if let Some(costs) = operation_costs(4) {
            let all =
                [costs.issue, costs.load, costs.store, costs.float, costs.divide32, costs.integer_divide];
            assert!(all.iter().all(|it| is_plausible(it) && it.nanoseconds > 0.01), "{costs:?}");
            // Dependent divisions take longer than independent ones; on cores without pipelined division both take the same time.
            let (waiting, apart) = (costs.integer_divide_latency, costs.integer_divide);
            assert!(waiting.nanoseconds > 0.9 * apart.nanoseconds, "{costs:?}");
        }
        let small = line_times(1 << 16, 64, 4);
        assert!(
            [small.stream, small.scattered, small.latency, small.written].iter().all(is_plausible),
            "{small:?}"
        );
        let walks = page_walks(4096, 64, 4);
        assert!(is_plausible(&walks), "{walks:?}");
    }
}
