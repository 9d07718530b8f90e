//! Simulated comparisons of few blocks: what rules for looks and correlation claim, find and how wide their intervals are.

pub mod noise;
pub mod rule;
pub mod study;
