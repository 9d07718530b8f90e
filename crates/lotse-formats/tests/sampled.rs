//! Sampled profiles: each importer in four ways, bad input, and the output of other tools for the same files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files of others, and what perf says"
)]

#[path = "sampled/check.rs"]
mod check;
#[path = "sampled/collapsed.rs"]
mod collapsed;
#[path = "sampled/copied_stacks.rs"]
mod copied_stacks;
#[path = "sampled/frame_pointers.rs"]
mod frame_pointers;
#[path = "sampled/perf_data.rs"]
mod perf_data;
#[path = "sampled/perf_data_odd.rs"]
mod perf_data_odd;
#[path = "sampled/perf_script.rs"]
mod perf_script;
#[path = "sampled/perf_script_odd.rs"]
mod perf_script_odd;
#[path = "sampled/pprof.rs"]
mod pprof;
#[path = "sampled/pprof_legacy.rs"]
mod pprof_legacy;
#[path = "sampled/pprof_odd.rs"]
mod pprof_odd;
#[path = "sampled/recorded.rs"]
mod recorded;
