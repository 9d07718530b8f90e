//! Simulated comparisons of few blocks: false alarms, power and widths of intervals under different rules for looks and correlation.

pub mod noise;
pub mod rule;
pub mod study;
