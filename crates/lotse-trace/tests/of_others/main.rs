//! Traces that others made, against what they or an independent program computed from them.
//!
//! The traces lie beside the repository; without them this is skipped, which it says.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod accelerators;
mod blame;
mod cases;
mod changed;
mod efficiencies;
mod exports;
mod gains;
mod lost_definitions;
mod removal;
mod waits;
