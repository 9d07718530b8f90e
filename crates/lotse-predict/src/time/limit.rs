//! The limits of loops: which resource takes most of the time.

use super::throughput::ExecutionUnit;

/// The resource that limits a loop.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Limit {
    /// A loop-carried dependence chain.
    Chain,
    /// Loads from the first cache.
    Loads,
    Stores,
    FloatingPoint,
    /// Divisions and square roots.
    Division,
    /// Integer operations, address computations and branches.
    Integer,
    /// Calls of library functions.
    Calls,
    /// Decoding and issuing instructions.
    FrontEnd,
    /// Entering the loop, which has few iterations.
    LoopEntry,
    /// Page walks after TLB misses.
    Pages,
    /// Transfers of lines from this level: the name of the next cache, or "memory".
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

    /// The standard deviation of ln(measured / predicted) for loops with this limit.
    ///
    /// Root mean squares over the training half of the accuracy benchmark without outliers; limits that are rare in the benchmark
    /// have estimates by judgement. The machine was shared, so the numbers include noise.
    pub(super) fn deviation(&self) -> f64 {
        match self {
            Self::Chain => 0.17,
            Self::Division | Self::Loads | Self::Stores | Self::FloatingPoint | Self::Integer => 0.33,
            Self::FrontEnd | Self::Transfer(_) => 0.36,
            Self::LoopEntry | Self::Calls | Self::Pages => 0.55,
        }
    }
}

impl From<ExecutionUnit> for Limit {
    fn from(unit: ExecutionUnit) -> Self {
        match unit {
            ExecutionUnit::Loads => Self::Loads,
            ExecutionUnit::Stores => Self::Stores,
            ExecutionUnit::FloatingPoint => Self::FloatingPoint,
            ExecutionUnit::Division => Self::Division,
            ExecutionUnit::Integer => Self::Integer,
            ExecutionUnit::Calls => Self::Calls,
            ExecutionUnit::FrontEnd => Self::FrontEnd,
        }
    }
}
