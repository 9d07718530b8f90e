//! Number and modelled cost of the accesses of each kind, by call site.

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::AccessKind;
use crate::instance::{CodeId, Instance, ThreadId};
use crate::key_counts::KeyCounts;
use crate::severity;

/// The accesses of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KindCount {
    pub events: u64,
    /// Modelled cost in nanoseconds.
    pub cost: f64,
    pub codes: KeyCounts<CodeId>,
}

/// The accesses of a history by kind and by thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AccessCounts {
    kinds: [KindCount; AccessKind::ALL.len()],
    pub threads: KeyCounts<ThreadId>,
}

impl AccessCounts {
    /// The counts of one kind.
    #[must_use]
    pub fn kind(&self, kind: AccessKind) -> &KindCount {
        &self.kinds[kind as usize]
    }

    /// Number of all accesses.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.events).sum()
    }

    /// Modelled cost of all accesses in nanoseconds.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.cost).sum()
    }

    /// The same, where each kind counts at most `limit`.
    pub(crate) fn cost_up_to(&self, limit: f64) -> f64 {
        self.kinds.iter().map(|kind| kind.cost.min(limit)).sum()
    }

    pub(crate) fn add_run(&mut self, instance: &Instance, run: &AccessRun) {
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
