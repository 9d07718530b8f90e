//! The command line as a user meets it: sessions with exit statuses, files and words on the screen.
//!
//! Nothing here asserts how long anything took.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

mod again;
mod answers;
mod config;
mod counts;
mod csv;
mod doctor;
mod errors;
mod errors_beside;
mod expectations;
mod explain;
mod exports;
mod failed_runs;
mod failures;
mod glossary;
mod hooks;
mod log;
mod order;
mod pages;
mod parameters;
mod plain_answers;
mod profile;
mod profile_annotate;
mod profile_builds;
mod profile_cycles;
mod profile_default_event;
mod profile_diff;
mod profile_differences;
mod profile_flat;
mod profile_forms;
mod profile_graph;
mod profile_heap;
mod profile_imports;
mod profile_inclusive;
mod profile_index;
mod profile_interrupted;
mod profile_kernel;
mod profile_losses;
mod profile_managed;
mod profile_namesakes;
mod profile_native;
mod profile_packed;
mod profile_pprof;
mod profile_ratios;
mod profile_refusals;
mod profile_small_mends;
mod profile_spans;
mod profile_tables;
mod profile_variants;
mod profile_views;
mod profile_yappi;
mod recorded;
mod refusals;
mod report;
mod runners;
mod schema;
mod self_check;
mod session;
mod setups;
mod several;
mod shell;
mod start;
mod stopping;
mod streams;
mod thesis;
mod tools;
mod trace;
mod trace_refusals;
mod unknown_values;
mod verdict;
mod verify;
mod width;
