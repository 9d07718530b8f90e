//! External traces: results are compared with values that their authors or an independent program computed.
//!
//! The traces are in a folder beside the repository; without it the tests are skipped with a message.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

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
