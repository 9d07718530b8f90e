//! Which cache lines a nest touches, and how often each cache misses them (Wolfe's method).
//!
//! ```text
//! classes     accesses to one array whose addresses differ by a constant ("uniformly generated sets")
//! region      the bytes and lines that a class touches while inner loops run and the indices of outer loops are fixed
//! footprint   the regions of all classes of a loop or of a list of nodes
//! occupancy   how a footprint is distributed over the sets of a cache: the share of a class's lines that survives
//! scattered   bounds for elements whose subscripts depend on data
//! misses      cost(loop) = F(loop) if the lines of one iteration survive, else the sum over iterations of cost(body)
//! ```
//!
//! A line survives if it is still in the cache when it is touched again. Survival is decided for each class. Where inner loops
//! depend on an outer index, the cost is computed for a few values of that index and summed by Gauss quadrature (`integrate`).
//! The positions of arrays relative to each other are assumed to be random; positions within an array are exact.

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
