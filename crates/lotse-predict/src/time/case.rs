//! Assumptions about data: the best case, a typical case and the worst case.
//!
//! | | least | typical | most |
//! |---|---|---|---|
//! | a condition on data holds | never | half of the time | always |
//! | its branch is mispredicted | never | one time in ten | half of the time |
//! | a loop that may end early ends | after one iteration | after the last iteration | after the last iteration |
//! | an element with a data-dependent subscript is | always in the first cache | any element, equally likely | never in a cache that is too small |
//! | elements updated in consecutive iterations are | different | different | the same |

/// The assumption about data that a prediction is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataCase {
    Least,
    Typical,
    Most,
}

impl DataCase {
    /// The probability that code inside this many nested conditions is executed.
    pub(super) fn weight(self, conditions: usize) -> f64 {
        match self {
            Self::Least if conditions > 0 => 0.0,
            Self::Least | Self::Most => 1.0,
            Self::Typical => 0.5_f64.powi(i32::try_from(conditions).unwrap_or(30)),
        }
    }

    /// Share of mispredicted branches among those that depend on data.
    pub(super) fn wrong_branches(self) -> f64 {
        match self {
            Self::Least => 0.0,
            Self::Typical => 0.1,
            Self::Most => 0.5,
        }
    }
}
