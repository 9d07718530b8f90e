//! Which lines of memory a nest touches, and how often each cache misses them (Wolfe's method).
//!
//! ```text
//! classes     touches of one array whose addresses differ by a constant ("uniformly generated sets")
//! region      the bytes and lines that a class touches while some loops run and the outer ones stand still
//! footprint   the regions of all classes of a loop or a list of items
//! occupancy   how a footprint spreads over the sets of a cache: which share of a class's lines survives
//! scattered   bounds for elements that data select
//! misses      cost(loop) = F(loop) where the data of one iteration survive, else the sum over iterations of cost(body)
//! ```
//!
//! The survival of lines is decided for each class and, where inner loops depend on an outer index, for several values of
//! that index, between which costs are interpolated by Gauss points (`integrate`). Positions of arrays relative to each
//! other are taken as random; positions within an array are exact.

mod classes;
mod footprint;
mod integrate;
mod misses;
mod occupancy;
mod region;
mod scattered;
mod variables;

pub use classes::{Class, ClassId, Classes};
pub use footprint::Footprint;
pub use misses::{CacheMisses, Start, cache_misses, least_misses, loop_footprints};
pub use scattered::ScatteredMisses;
pub use variables::{PaperVariables, paper_variables};

use crate::count::CountError;

/// Why the locality of a nest is not known.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LocalityError {
    /// Points could not be counted.
    #[error(transparent)]
    Count(#[from] CountError),
    /// A number grew beyond 128 bits.
    #[error(transparent)]
    Overflow(#[from] crate::algebra::Overflow),
}

#[cfg(test)]
mod tests;
