//! Traces for tests and benchmarks: a simulated parallel program, and who reads how fast what it left behind.

pub mod archive;
pub mod checksum;
pub mod generate;
pub mod growth;
pub mod readers;
pub mod regions;
pub mod speed;
