//! Sampled profiles: every importer four ways, bad input, and what other tools say of the same files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "sampled/check.rs"]
mod check;
#[path = "sampled/collapsed.rs"]
mod collapsed;
#[path = "sampled/perf_data.rs"]
mod perf_data;
#[path = "sampled/perf_script.rs"]
mod perf_script;
#[path = "sampled/pprof.rs"]
mod pprof;
#[path = "sampled/recorded.rs"]
mod recorded;
