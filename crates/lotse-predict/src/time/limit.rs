//! What takes the time of a loop: the classes of code.

use super::throughput::Unit;

/// What takes the time of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Iterations wait for each other.
    Chain,
    /// Loads from the first cache.
    Loads,
    /// Stores.
    Stores,
    /// Floating-point operations.
    FloatingPoint,
    /// Divisions and square roots.
    Division,
    /// Integers, addresses and branches.
    Integer,
    /// Calls of library functions.
    Calls,
    /// The number of instructions.
    FrontEnd,
    /// Starting the loop, again and again.
    LoopEntry,
    /// The places of pages that must be looked up.
    Pages,
    /// Lines that come from further away: the name of the next cache, or "memory".
    Transfer(String),
}

impl Limit {
    /// The name in answers.
    pub fn name(&self) -> String {
        match self {
            Self::Chain => "chain".to_owned(),
            Self::Loads => "loads".to_owned(),
            Self::Stores => "stores".to_owned(),
            Self::FloatingPoint => "floating-point".to_owned(),
            Self::Division => "division".to_owned(),
            Self::Integer => "integer".to_owned(),
            Self::Calls => "calls".to_owned(),
            Self::FrontEnd => "front-end".to_owned(),
            Self::LoopEntry => "loop-entry".to_owned(),
            Self::Pages => "page-walks".to_owned(),
            Self::Transfer(from) => format!("transfer-from-{from}"),
        }
    }

    /// The deviation of ln(measured / predicted) within the class.
    ///
    /// Root mean squares of the training half of the accuracy benchmark without its farthest points; those of classes that it
    /// hardly has are judgements. The machine was shared, so that noise is in them.
    pub(super) fn deviation(&self) -> f64 {
        match self {
            Self::Chain => 0.17,
            Self::Division | Self::Loads | Self::Stores | Self::FloatingPoint | Self::Integer => 0.33,
            Self::FrontEnd | Self::Transfer(_) => 0.36,
            Self::LoopEntry | Self::Calls | Self::Pages => 0.55,
        }
    }
}

impl From<Unit> for Limit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Loads => Self::Loads,
            Unit::Stores => Self::Stores,
            Unit::FloatingPoint => Self::FloatingPoint,
            Unit::Division => Self::Division,
            Unit::Integer => Self::Integer,
            Unit::Calls => Self::Calls,
            Unit::FrontEnd => Self::FrontEnd,
        }
    }
}
