//! How good predictions of times are: kernels, their measured times, and errors of several models.
//!
//! ```text
//! kernels      sources in programs/predict, each with its half and its sizes
//! measure      compiled programs, run in turn, round by round; the fastest batch of all rounds counts
//! models       iterations only, the paper's power model, and Lotse's, the first two fitted to the training half
//! score        errors, coverage of intervals, pairs in the right order
//! survey       how much of real sources is understood
//! tiles        the tiled matrix product of the paper
//! ```

pub mod kernels;
pub mod measure;
pub mod models;
pub mod score;
pub mod survey;
pub mod tiles;
