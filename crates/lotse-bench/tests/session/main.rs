//! Measurements of real processes through the public API. Nothing here asserts how long anything took.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ends;
mod layouts;
mod log;
mod order;
mod rig;
mod runs;
