//! The metrics of a run: name, unit and a one-sentence description each.
//!
//! The names are the keys of `samples` in every answer. A runner may add names of its own
//! (a counter, a number the program prints).

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::unit::Unit;

/// A kind of measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Metric {
    /// Key in samples.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
}

impl Metric {
    /// The metric of this name from [`KNOWN`], or else a metric without a unit, as runners define them.
    pub fn named(name: &str) -> Self {
        let unit = KNOWN.iter().find(|known| known.name == name).map_or(Unit::Number, |known| known.unit);
        Self { name: name.to_owned(), unit }
    }
}

/// A metric Lotse itself measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownMetric {
    /// Key in samples.
    pub name: &'static str,
    pub unit: Unit,
    pub meaning: &'static str,
}

const fn known(name: &'static str, unit: Unit, meaning: &'static str) -> KnownMetric {
    KnownMetric { name, unit, meaning }
}

/// Wall-clock time, the primary metric unless another is chosen.
pub const WALL: &str = "wall";
/// CPU time, user and system together.
pub const CPU: &str = "cpu";

/// All metrics of a plain run: two clocks, the sixteen fields of `rusage`, and the scheduler's statistics.
pub const KNOWN: &[KnownMetric] = &[
    known(WALL, Unit::Seconds, "time from the start of the process to its end"),
    known(CPU, Unit::Seconds, "CPU time, user and system together; finer than either alone"),
    known("user", Unit::Seconds, "CPU time in the program"),
    known("system", Unit::Seconds, "CPU time in the kernel for the program"),
    known("peak_memory", Unit::Bytes, "largest resident set"),
    known("shared_memory", Unit::Bytes, "integral shared memory (ru_ixrss; 0 on Linux)"),
    known("unshared_data", Unit::Bytes, "integral unshared data (ru_idrss; 0 on Linux)"),
    known("unshared_stack", Unit::Bytes, "integral unshared stack (ru_isrss; 0 on Linux)"),
    known("minor_faults", Unit::Count, "page faults served without I/O"),
    known("major_faults", Unit::Count, "page faults that needed I/O"),
    known("swaps", Unit::Count, "swaps (ru_nswap; 0 on Linux)"),
    known("blocks_in", Unit::Count, "blocks read from a device"),
    known("blocks_out", Unit::Count, "blocks written to a device"),
    known("messages_sent", Unit::Count, "messages sent (ru_msgsnd; 0 on Linux)"),
    known("messages_received", Unit::Count, "messages received (ru_msgrcv; 0 on Linux)"),
    known("signals", Unit::Count, "signals received (ru_nsignals; 0 on Linux)"),
    known("voluntary_switches", Unit::Count, "times it gave up the CPU to wait"),
    known("involuntary_switches", Unit::Count, "times the CPU was taken from it"),
    known("run_delay", Unit::Seconds, "time its first thread was ready but had no CPU"),
    known("migrations", Unit::Count, "times its first thread moved to another CPU"),
];

#[cfg(test)]
mod tests {
    use super::{KNOWN, Metric};
    use crate::unit::Unit;

    #[test]
    fn known_names_are_distinct_and_carry_their_unit() {
        let mut names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KNOWN.len());
        assert_eq!(Metric::named("peak_memory").unit, Unit::Bytes);
        assert_eq!(Metric::named("requests").unit, Unit::Number);
    }
}
