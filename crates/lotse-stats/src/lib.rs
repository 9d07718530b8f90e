//! The statistics that Lotse uses.
//!
//! Every function is pure: it takes slices of numbers and returns numbers or a
//! [`StatsError`]. Nothing here reads files, starts processes, reads a clock or
//! prints, and no function returns NaN: input for which a statistic is not
//! defined (empty, too short, constant, not finite) is a typed error.

pub mod autocorrelation;
pub mod bootstrap;
pub mod boxplot;
pub mod change_points;
pub mod descriptive;
pub mod distribution;
pub mod drift;
pub mod ecdf;
pub mod error;
pub mod histogram;
pub mod hypothesis;
pub mod interval;
pub mod least_squares;
pub mod modality;
pub mod nested;
pub mod outliers;
pub mod paired;
pub mod power;
pub mod quantile;
mod rank;
pub mod ratio;
pub mod resolution;
pub mod sequential;
pub mod sessions;
mod sum;
pub mod summary;
pub mod walsh;

pub use error::StatsError;
pub use interval::Interval;
pub use summary::SampleSummary;
