//! Well-known derived event types, available if a profile has the event types they are computed from.

/// A well-known event type.
#[derive(Debug)]
pub(super) struct BuiltIn {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Uses the names of valgrind's simulated events, of perf's events (without `:u` and the like), or of heap profilers.
    pub(super) formula: &'static str,
}

/// If a name has several formulas, the first is used for which the profile has all event types.
pub(super) const ALL: &[BuiltIn] = &[
    new("L1m", "First-level cache misses", "I1mr + D1mr + D1mw"),
    new("LLm", "Last-level cache misses", "ILmr + DLmr + DLmw"),
    new("L2m", "Second-level cache misses", "I2mr + D2mr + D2mw"),
    new("Bm", "Mispredicted branches", "Bim + Bcm"),
    new("CEst", ESTIMATE, "Ir + 10 Bm + 10 L1m + 100 LLm"),
    new("CEst", ESTIMATE, "Ir + 10 L1m + 100 LLm"),
    new("CEst", ESTIMATE, "Ir + 10 Bm + 10 L1m + 100 L2m"),
    new("CEst", ESTIMATE, "Ir + 10 L1m + 100 L2m"),
    new("L1MPKI", "First-level cache misses per 1000 instructions", "1000 L1m / Ir"),
    new("LLMPKI", "Last-level cache misses per 1000 instructions", "1000 LLm / Ir"),
    new("BranchMissRate", BRANCHES, "Bm / (Bi + Bc)"),
    new("BranchMissRate", BRANCHES, "`branch-misses` / branches"),
    new("BranchMissRate", BRANCHES, "`branch-misses` / `branch-instructions`"),
    new("IPC", "Instructions per cycle", "instructions / cycles"),
    new("IPC", "Instructions per cycle", "instructions / `cpu-cycles`"),
    new("CacheMissRate", "Share of cache references that miss", "`cache-misses` / `cache-references`"),
    new("MPKI", "Cache misses per 1000 instructions", "1000 `cache-misses` / instructions"),
    new("bytes_per_block", "Average size of a block", "total_bytes / total_blocks"),
    new("bytes_per_object", "Average size of an object", "alloc_space / alloc_objects"),
];

const ESTIMATE: &str = "Estimated cycles";
const BRANCHES: &str = "Share of branches that are mispredicted";

const fn new(name: &'static str, title: &'static str, formula: &'static str) -> BuiltIn {
    BuiltIn { name, title, formula }
}
