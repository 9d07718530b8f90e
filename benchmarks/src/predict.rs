//! How good predictions of times are: kernels, their measured times, and errors of several models.
//!
//! ```text
//! kernels      sources in programs/predict, each with its half and its sizes
//! listing      a nest as it was understood, for reading it beside its source
//! measure      compiled programs, run in turn, round by round; the fastest batch of all rounds counts
//! models       iterations only, the paper's power model, and Lotse's, the first two fitted to the training half
//! kerncraft    another tool that predicts loop nests, run as a program of its own
//! side_by_side what Lotse and kerncraft say about measured kernels
//! score        errors, coverage of intervals, pairs in the right order
//! sources      published C and Rust sources, downloaded
//! survey       how much of real sources is understood
//! tiles        the tiled matrix product of the paper
//! ```

pub mod kerncraft;
pub mod kernels;
pub mod listing;
pub mod measure;
pub mod models;
pub mod score;
pub mod side_by_side;
pub mod sources;
pub mod survey;
pub mod tiles;
