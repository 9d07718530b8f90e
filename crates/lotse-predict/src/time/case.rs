//! What data decide: the best case, the worst case, and one in between.
//!
//! | | least | typical | most |
//! |---|---|---|---|
//! | a condition on data holds | never | every other time | always |
//! | its branch is predicted wrongly | never | one time in ten | every other time |
//! | a loop that may end early | after one iteration | never | never |
//! | an element that data select | always in the first cache | any that can be selected | never in a cache that is too small |
//! | elements that are changed one after the other | different ones | different ones | the same one |

/// Which of the possible executions is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Least,
    Typical,
    Most,
}

impl Case {
    /// How often something is executed that depends on so many conditions.
    pub(super) fn weight(self, conditions: usize) -> f64 {
        match self {
            Self::Least if conditions > 0 => 0.0,
            Self::Least | Self::Most => 1.0,
            Self::Typical => 0.5_f64.powi(i32::try_from(conditions).unwrap_or(30)),
        }
    }

    /// Share of branches on data that are predicted wrongly.
    pub(super) fn wrong_branches(self) -> f64 {
        match self {
            Self::Least => 0.0,
            Self::Typical => 0.1,
            Self::Most => 0.5,
        }
    }
}
