//! Constants of one core: latencies and reciprocal throughputs of operations.
//!
//! A latency is the number of cycles from operands to result. A cost is the number of cycles per operation when many independent
//! operations are executed (reciprocal throughput).
//! The defaults are those of a recent 64-bit x86 core and are only good to a factor of about 1.5 elsewhere;
//! `lotse predict calibrate` measures most of them.

use serde::{Deserialize, Serialize};

/// Constants of one core, in cycles of its own clock unless the name says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Core {
    /// Frequency of the core clock under load. The time stamp counter has another frequency.
    pub clock_ghz: f64,
    /// Latency of a floating-point addition.
    pub fp_add: f64,
    /// Latency of a floating-point addition whose operand is not the result of an addition; some cores forward sums to additions
    /// faster than other results.
    pub fp_add_other: f64,
    /// Latency of a floating-point multiplication.
    pub fp_multiply: f64,
    /// Latency of a floating-point minimum, maximum or conversion.
    pub fp_select: f64,
    /// Latency of a floating-point division, 32 bits.
    pub fp_divide32: f64,
    /// Latency of a floating-point division, 64 bits.
    pub fp_divide64: f64,
    /// Latency of a square root.
    pub square_root: f64,
    /// Latency of an integer addition, comparison or bit operation.
    pub integer: f64,
    /// Latency of an integer multiplication.
    pub integer_multiply: f64,
    /// Latency of an integer division.
    pub integer_divide: f64,
    /// Latency of a load that hits the first-level cache.
    pub load: f64,
    /// Latency from a store to a load of the same address (store forwarding).
    pub store_forward: f64,
    /// Cost of a load.
    pub load_cost: f64,
    /// Cost of a store.
    pub store_cost: f64,
    /// Cost of a floating-point addition or multiplication.
    pub fp_cost: f64,
    /// Cost of a floating-point division, 32 bits.
    pub fp_divide32_cost: f64,
    /// Cost of a floating-point division, 64 bits.
    pub fp_divide64_cost: f64,
    /// Cost of a square root.
    pub square_root_cost: f64,
    /// Cost of an integer operation.
    pub integer_cost: f64,
    /// Cost of an integer multiplication.
    pub integer_multiply_cost: f64,
    /// Cost of an integer division.
    pub integer_divide_cost: f64,
    /// Cost of one instruction in the front end.
    pub issue_cost: f64,
    /// Cost of a mispredicted branch.
    pub mispredict: f64,
    /// Cost of entering a loop: bounds, addresses, the first fetch.
    pub loop_entry: f64,
    /// Cost of starting a vectorised loop: run-time checks and the remainder loop.
    pub vector_entry: f64,
    /// The largest number of iterations for which the branch predictor learns the exit of a loop.
    pub predicted_trips: f64,
    /// Instructions in flight: the size of the reorder buffer.
    pub window: f64,
    /// Instructions that can wait for operands: the size of the scheduler.
    pub waiting: f64,
    /// Share, 0 to 1, of the shorter one of computing and transferring that does not overlap with the longer one.
    pub serial_share: f64,
}

impl Default for Core {
    /// A recent 64-bit x86 core.
    fn default() -> Self {
        Self {
            clock_ghz: 3.0,
            fp_add: 4.0,
            fp_add_other: 4.0,
            fp_multiply: 4.0,
            fp_select: 4.0,
            fp_divide32: 11.0,
            fp_divide64: 14.0,
            square_root: 18.0,
            integer: 1.0,
            integer_multiply: 3.0,
            integer_divide: 14.0,
            load: 5.0,
            store_forward: 5.0,
            load_cost: 0.5,
            store_cost: 1.0,
            fp_cost: 0.5,
            fp_divide32_cost: 3.0,
            fp_divide64_cost: 4.0,
            square_root_cost: 6.0,
            integer_cost: 0.25,
            integer_multiply_cost: 1.0,
            integer_divide_cost: 6.0,
            issue_cost: 0.2,
            mispredict: 17.0,
            loop_entry: 1.5,
            vector_entry: 8.0,
            predicted_trips: 32.0,
            window: 300.0,
            waiting: 80.0,
            serial_share: 0.1,
        }
    }
}

impl Core {
    /// Cycles to issue the instructions of one pass of a loop. The core issues groups of instructions, and the jump back ends a
    /// group, so the last group is not always full. The result is the mean of no loss and of rounding up to whole groups.
    pub fn issued(&self, instructions: f64) -> f64 {
        // Disturbances of the measurement make the core look narrower, so the width is rounded up.
        let width = (1.0 / self.issue_cost.max(1e-3) - 0.05).ceil().max(1.0);
        let groups = instructions / width;
        f64::midpoint(groups, (groups - 1e-6).ceil())
    }

    /// Cost of a square root of 32 (`single`) or 64 bits. Both have the same ratio as the costs of divisions.
    pub fn square_root_cost_for(&self, single: bool) -> f64 {
        let less = (self.fp_divide32_cost / self.fp_divide64_cost.max(1e-3)).min(1.0);
        if single { less * self.square_root_cost } else { self.square_root_cost }
    }

    /// Converts cycles to seconds.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / self.clock_ghz * 1e-9
    }

    /// What is wrong with the constants, if anything.
    pub(super) fn problem(&self) -> Option<&'static str> {
        let Ok(toml::Value::Table(table)) = toml::Value::try_from(self) else { return None };
        let mut numbers = table.values().filter_map(toml::Value::as_float);
        if numbers.any(|number| !(number.is_finite() && (0.0..=1e6).contains(&number))) {
            return Some("every constant of [core] must be between 0 and 1000000");
        }
        let positive = [self.clock_ghz, self.issue_cost, self.load_cost, self.window];
        positive
            .iter()
            .any(|number| *number <= 0.0)
            .then_some("clock_ghz, issue_cost, load_cost and window must be positive")
    }
}
