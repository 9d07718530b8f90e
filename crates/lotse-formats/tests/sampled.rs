//! Sampled profiles: every importer four ways, bad input, and what other tools say of the same files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "sampled/check.rs"]
mod check;
#[path = "sampled/collapsed.rs"]
mod collapsed;
#[path = "sampled/pprof.rs"]
mod pprof;
