//! The way from bytes to answers and to what people read, through the public interface alone.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod annotate;
mod choices;
mod debug_info;
mod extremes;
mod index;
mod input;
mod report;
