//! Models of measured times: the power model of the paper, and a non-negative robust model.
//!
//! ```text
//! observations (X1, X2, X3, time) ──> power::fit ──> exponents, rank, r^2, residual deviation
//!                                          └──> rules: findings about weaknesses of the fit
//! terms of the analytic model, times ──> nonnegative::fit ──> constants >= 0, interval from residuals
//! ```
//!
//! The power model is Y = a X1^p1 X2^p2 X3^p3, fitted by least squares on decimal logarithms (A. Kamińska, "Obliczeniowe
//! szacowanie czasu wykonania programu", 2012): X1 is the footprint in per cent of the cache, X2 the size of the data divided by
//! that of the cache, X3 the number of iterations.

mod analytic;
pub mod answer;
pub mod nonnegative;
pub mod power;
pub mod rules;
pub mod table;

pub use power::{Intercept, Observation, PowerFit};

#[cfg(test)]
mod paper;
