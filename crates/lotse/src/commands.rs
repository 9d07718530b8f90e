//! A file for each command.

pub(crate) mod bench_build;
pub(crate) mod bench_export;
pub(crate) mod bench_gate;
pub(crate) mod bench_history;
pub(crate) mod bench_keep;
pub(crate) mod bench_options;
pub(crate) mod bench_pack;
pub(crate) mod bench_programs;
pub(crate) mod bench_replay;
pub(crate) mod bench_report;
pub(crate) mod bench_restore;
pub(crate) mod bench_run;
pub(crate) mod bench_separation;
mod bench_status;
pub(crate) mod cache;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod hello;
pub(crate) mod man;
pub(crate) mod metric_names;
pub(crate) mod near;
pub(crate) mod predict;
pub(crate) mod profile;
pub(crate) mod spy;
pub(crate) mod trace;
