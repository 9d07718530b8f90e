//! One dump of a profile: a run, a thread, a time slice, a snapshot.

use super::Costs;
use crate::id::{FunctionId, StackId};

/// One dump with its costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What people call it: `thread 2`, `part 3`, `snapshot 7`.
    pub name: String,
    /// Its number among the dumps of one run.
    pub number: Option<u64>,
    /// Process.
    pub process: Option<u64>,
    /// Thread.
    pub thread: Option<u64>,
    /// The file it came from, where there are several.
    pub source: Option<String>,
    /// Why it was written.
    pub trigger: Option<String>,
    /// From when to when, nanoseconds on the profile's clock.
    pub time: Option<(i64, i64)>,
    /// Whether it counts when the user chooses none. Snapshots of one memory do not add up: only one is.
    pub selected: bool,
    /// Sums the file itself states.
    pub stated: Vec<Stated>,
    /// Self costs of functions.
    pub own: Own,
    /// Inclusive costs of functions, where the file states them.
    pub inclusive: Inclusive,
    /// Calls between functions.
    pub calls: Calls,
    /// Calls without a caller in the profile.
    pub entries: Entries,
    /// Stack samples.
    pub samples: Samples,
}

impl Part {
    /// An empty one for costs of so many event types.
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
            own: Own { function: Vec::new(), costs: costs.clone() },
            inclusive: Inclusive { function: Vec::new(), costs: costs.clone() },
            calls: Calls { costs: costs.clone(), ..Calls::default() },
            entries: Entries::default(),
            samples: Samples { costs, ..Samples::default() },
        }
    }
}

/// A sum that the file states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The file's word for it: `summary`, `totals`.
    pub name: String,
    /// In the order of the event types.
    pub costs: Vec<u64>,
}

/// Self costs; a function has at most one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// Functions.
    pub function: Vec<FunctionId>,
    /// Their self costs.
    pub costs: Costs,
}

/// Inclusive costs that the file itself states, so that nothing has to be worked out from calls; a function has at
/// most one row. Empty where the format states none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inclusive {
    /// Functions.
    pub function: Vec<FunctionId>,
    /// Their inclusive costs.
    pub costs: Costs,
}

impl Inclusive {
    /// Whether the file states none.
    pub fn is_empty(&self) -> bool {
        self.function.is_empty()
    }
}

/// Calls; a pair of functions has at most one row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls {
    /// Who calls.
    pub caller: Vec<FunctionId>,
    /// Who is called.
    pub callee: Vec<FunctionId>,
    /// How often.
    pub count: Vec<u64>,
    /// Inclusive costs of these calls; no rows where the format has none.
    pub costs: Costs,
}

impl Calls {
    /// How many pairs.
    pub fn len(&self) -> usize {
        self.caller.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.caller.is_empty()
    }

    /// Whether inclusive costs are known.
    pub fn has_costs(&self) -> bool {
        !self.is_empty() && self.costs.rows() == self.len()
    }
}

/// Calls whose caller is not in the profile, such as a span at top level of a time line; a function has at most one
/// row. Empty where the format does not count them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// Who is called.
    pub function: Vec<FunctionId>,
    /// How often.
    pub count: Vec<u64>,
}

impl Entries {
    /// Adds calls of a function that has no row yet.
    pub fn push(&mut self, function: FunctionId, count: u64) {
        self.function.push(function);
        self.count.push(count);
    }

    /// Functions and how often they are called.
    pub fn rows(&self) -> impl Iterator<Item = (FunctionId, u64)> + '_ {
        self.function.iter().copied().zip(self.count.iter().copied())
    }
}

/// Stack samples, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// The stack; `None` where the sample has no frame.
    pub stack: Vec<Option<StackId>>,
    /// When, nanoseconds on the profile's clock; empty where the format has no times.
    pub time: Vec<i64>,
    /// What it weighs.
    pub costs: Costs,
}

impl Samples {
    /// How many.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}
