//! From the bytes of a file to answers and tables, through the public interface.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod annotate;
mod choices;
mod debug_info;
mod extremes;
mod index;
mod input;
mod interrupted;
mod report;
