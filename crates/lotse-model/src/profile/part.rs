//! A part of a profile: one dump, thread, time slice or snapshot.

use super::Costs;
use crate::id::{FunctionId, StackId};

/// One dump, thread, time slice or snapshot with its costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The name for reports: `thread 2`, `part 3`, `snapshot 7`.
    pub name: String,
    /// Its number among the parts of the profile.
    pub number: Option<u64>,
    pub process: Option<u64>,
    pub thread: Option<u64>,
    /// The file that contains the part, where the profile has several files.
    pub source: Option<String>,
    /// The event that caused the dump.
    pub trigger: Option<String>,
    /// First and last time, in nanoseconds of the profile's clock.
    pub time: Option<(i64, i64)>,
    /// Whether the part is selected by default. Heap snapshots cannot be added up, so only one of them is.
    pub selected: bool,
    /// Totals that the file states.
    pub stated: Vec<StatedSum>,
    pub own: SelfCosts,
    /// Inclusive costs, where the file states them.
    pub inclusive: InclusiveCosts,
    pub calls: Calls,
    pub entries: EntryCalls,
    pub samples: Samples,
}

impl Part {
    /// An empty part for costs of `width` event types.
    pub fn new(name: &str, width: usize, signed: bool) -> Self {
        let costs = Costs::new(width, signed);
        Self {
            name: name.to_owned(),
            number: None,
            process: None,
            thread: None,
            source: None,
            trigger: None,
            time: None,
            selected: true,
            stated: Vec::new(),
            own: SelfCosts { function: Vec::new(), costs: costs.clone() },
            inclusive: InclusiveCosts { function: Vec::new(), costs: costs.clone() },
            calls: Calls { costs: costs.clone(), ..Calls::default() },
            entries: EntryCalls::default(),
            samples: Samples { costs, ..Samples::default() },
        }
    }
}

/// A total that the file states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedSum {
    /// The keyword in the file: `summary`, `totals`.
    pub name: String,
    /// One cost per event type.
    pub costs: Vec<u64>,
}

/// Self costs of functions, as columns; a function has at most one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelfCosts {
    pub function: Vec<FunctionId>,
    pub costs: Costs,
}

/// Inclusive costs that the file states, so that they need not be computed from calls, as columns. A function has at most
/// one row; there are none where the format does not state inclusive costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InclusiveCosts {
    pub function: Vec<FunctionId>,
    pub costs: Costs,
}

impl InclusiveCosts {
    /// Whether the file states no inclusive costs.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty()
    }
}

/// Calls between functions, as columns; a pair of caller and callee has at most one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls {
    pub caller: Vec<FunctionId>,
    pub callee: Vec<FunctionId>,
    /// The number of calls.
    pub count: Vec<u64>,
    /// Inclusive costs of the calls; no rows where the format has none.
    pub costs: Costs,
}

impl Calls {
    /// The number of pairs of caller and callee.
    pub fn len(&self) -> usize {
        self.caller.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.caller.is_empty()
    }

    /// Whether the inclusive costs of the calls are known.
    pub fn has_costs(&self) -> bool {
        !self.is_empty() && self.costs.rows() == self.len()
    }
}

/// Calls whose caller is not in the profile, such as a span at the top level of a timeline, as columns. A function has at
/// most one row; there are none where the format does not count such calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryCalls {
    /// The callee.
    pub function: Vec<FunctionId>,
    /// The number of calls.
    pub count: Vec<u64>,
}

impl EntryCalls {
    /// Adds calls of a function that has no row yet.
    pub fn push(&mut self, function: FunctionId, count: u64) {
        self.function.push(function);
        self.count.push(count);
    }

    /// Functions and the number of their calls.
    pub fn rows(&self) -> impl Iterator<Item = (FunctionId, u64)> + '_ {
        self.function.iter().copied().zip(self.count.iter().copied())
    }
}

/// Stack samples, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// The stack; `None` where the sample has no frame.
    pub stack: Vec<Option<StackId>>,
    /// The time in nanoseconds of the profile's clock; empty where the format has no times.
    pub time: Vec<i64>,
    /// The costs that the sample stands for.
    pub costs: Costs,
}

impl Samples {
    /// The number of samples.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}
