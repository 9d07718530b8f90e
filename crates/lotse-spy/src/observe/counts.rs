//! How many accesses of each kind there are, from where, and what they cost by the model.

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::Kind;
use crate::instance::{CodeId, Instance, ThreadId};
use crate::severity;
use crate::tally::Tally;

/// The accesses of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KindCount {
    /// How many.
    pub events: u64,
    /// What they cost by the model, in nanoseconds.
    pub cost: f64,
    /// By call site.
    pub codes: Tally<CodeId>,
}

/// The accesses of a history by kind and by thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    kinds: [KindCount; Kind::ALL.len()],
    /// Accesses by thread.
    pub threads: Tally<ThreadId>,
}

impl Counts {
    /// The accesses of a kind.
    #[must_use]
    pub fn kind(&self, kind: Kind) -> &KindCount {
        &self.kinds[kind as usize]
    }

    /// All accesses.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.events).sum()
    }

    /// What all accesses cost by the model, in nanoseconds.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.cost).sum()
    }

    /// The same, where no kind of access costs more than a limit.
    pub(crate) fn cost_up_to(&self, limit: f64) -> f64 {
        self.kinds.iter().map(|kind| kind.cost.min(limit)).sum()
    }

    pub(crate) fn run(&mut self, instance: &Instance, run: &AccessRun) {
        let kind = &mut self.kinds[run.first.kind as usize];
        kind.events += run.count;
        kind.cost += severity::run_cost(instance, run);
        kind.codes.add(run.first.code, run.count);
        self.threads.add(run.first.thread, run.count);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (sum, kind) in self.kinds.iter_mut().zip(&other.kinds) {
            sum.events += kind.events;
            sum.cost += kind.cost;
            sum.codes.merge(&kind.codes);
        }
        self.threads.merge(&other.threads);
    }
}
