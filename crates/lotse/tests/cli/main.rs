//! The command line as a user meets it: sessions with exit statuses, files and words on the screen.
//!
//! Nothing here asserts how long anything took.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

mod again;
mod config;
mod counts;
mod csv;
mod doctor;
mod errors;
mod errors_beside;
mod expectations;
mod explain;
mod exports;
mod failures;
mod hooks;
mod log;
mod order;
mod pages;
mod parameters;
mod profile;
mod profile_annotate;
mod profile_diff;
mod profile_forms;
mod profile_index;
mod profile_packed;
mod profile_pprof;
mod profile_refusals;
mod profile_tables;
mod profile_variants;
mod profile_views;
mod report;
mod runners;
mod schema;
mod self_check;
mod session;
mod start;
mod streams;
mod thesis;
mod trace;
mod trace_refusals;
mod verdict;
mod verify;
