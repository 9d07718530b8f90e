//! Traces for tests and benchmarks: a simulated parallel program, and measurements of programs that read its traces.

pub mod archive;
pub mod checksum;
pub mod generate;
pub mod growth;
pub mod readers;
pub mod regions;
pub mod speed;
