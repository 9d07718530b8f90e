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
    /// An addition to a product.
    pub fp_add_other: Measured,
    /// Their multiplication.
    pub fp_multiply: Measured,
    /// The larger of two of them.
    pub fp_select: Measured,
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

/// Measures a working set of so many bytes in lines of `line` bytes.
pub fn lines(bytes: u64, line: u64, repetitions: u32) -> Lines {
    memory::lines(bytes, line, repetitions)
}

/// Measures what looking up the place of a page costs: one line of each of many pages, beside as many lines of few pages.
pub fn page_walks(page: u64, line: u64, repetitions: u32) -> Measured {
    memory::page_walks(page, line, repetitions)
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
    use super::{Measured, costs, latencies, lines, page_walks};

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
            // Divisions that wait for each other take longer than those that do not; the cores that are slowest with both are alike.
            let (waiting, apart) = (costs.integer_divide_latency, costs.integer_divide);
            assert!(waiting.nanoseconds > 0.9 * apart.nanoseconds, "{costs:?}");
        }
        let small = lines(1 << 16, 64, 4);
        assert!(
            [small.stream, small.scattered, small.latency, small.written].iter().all(is_plausible),
            "{small:?}"
        );
        let walks = page_walks(4096, 64, 4);
        assert!(is_plausible(&walks), "{walks:?}");
    }
}
