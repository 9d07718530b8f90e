//! How much of the run time a finding is about.
//!
//! Two quantities, both shares of the run:
//!
//! - **Cost of accesses**: each access costs what the table below models; the sum is compared with the run time of the
//!   *unrecorded* program. Where the modelled cost of all structures exceeds the run time, it is scaled down to it. No kind of
//!   access at one site counts for more than the whole run in that sum, so that one bad estimate (a sort of a part, modelled as
//!   one of the whole) does not hide everything else. Rules whose advice makes accesses cheaper (another structure, a
//!   reserved capacity) use it.
//! - **Time in phases**: the time from the first access of a phase to its last, in which pauses count up to the threshold
//!   `gap`, compared with the length of the *recorded* run. It contains the work between the accesses, which is
//!   what gets faster when a loop runs in parallel. Rules about parallel execution use it.
//!
//! | access | modelled cost |
//! |---|---|
//! | read, write | 1 ns |
//! | insert, delete | 2 ns, and 1 ns for each 16 bytes of elements moved |
//! | insert, delete, search in a hash map | 20 ns |
//! | the same in a tree | 5 ns for each halving of its length |
//! | the same in a heap | 2 ns for each halving of its length |
//! | search elsewhere | 0.5 ns for each element up to the one found, or for half of all |
//! | for-each, reverse | 0.5 ns for each element |
//! | copy | 1 ns for each 16 bytes |
//! | sort | 2 ns for each element and each halving of the length |
//! | clear | 2 ns |
//! | reallocation | 50 ns, and 1 ns for each 16 bytes |
//!
//! The figures are those of a desktop processor of the 2020s with the structure in its caches, to one digit. They rank; they do not
//! predict. Without an unrecorded run there is no severity.

use lotse_model::finding::Severity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::{Container, Kind};
use crate::instance::Instance;
use crate::observe::growth::Growth;

/// How long the program ran, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunTime {
    /// Without recording.
    pub unrecorded: Option<f64>,
    /// While it was recorded: from its first event to its last.
    pub recorded: Option<f64>,
}

/// What a match costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Nanoseconds of accesses by the model.
    pub accesses: f64,
    /// Nanoseconds of the recorded run spent in phases; nothing for rules that are not about phases.
    pub busy: Option<u64>,
}

/// Bytes that are moved in a nanosecond.
const BYTES_PER_NS: f64 = 16.0;

/// The modelled nanoseconds of a run of accesses.
pub(crate) fn run_cost(instance: &Instance, run: &AccessRun) -> f64 {
    run.mean(|access| cost(instance, access)) * run.count as f64
}

fn cost(instance: &Instance, access: &Access) -> f64 {
    let length = access.length as f64;
    let halvings = || (length + 1.0).log2().max(1.0);
    let size = f64::from(instance.element_size.max(1));
    match (instance.container, access.kind) {
        (_, Kind::Clear) => 2.0,
        (_, Kind::Copy) => length * size / BYTES_PER_NS,
        (_, Kind::Sort) => 2.0 * length * halvings(),
        (_, Kind::ForEach | Kind::Reverse) => 0.5 * length,
        (_, Kind::Read | Kind::Write) => 1.0,
        (Container::HashMap | Container::HashSet, _) => 20.0,
        (Container::BTreeMap | Container::BTreeSet, _) => 5.0 * halvings(),
        (Container::BinaryHeap, Kind::Insert | Kind::Delete) => 2.0 * halvings(),
        (_, Kind::Search) => 0.5 * access.index.map_or(length / 2.0, |index| index as f64 + 1.0),
        (container, Kind::Insert | Kind::Delete) => {
            let moved = if container.is_contiguous() { behind(access) } else { 0.0 };
            2.0 + moved * size / BYTES_PER_NS
        }
    }
}

/// Elements behind the position of an insertion or deletion.
fn behind(access: &Access) -> f64 {
    let index = access.index.unwrap_or(access.length);
    let index = if access.kind == Kind::Delete { index.saturating_add(1) } else { index };
    access.length.saturating_sub(index) as f64
}

/// The modelled nanoseconds of moving elements out of the way at the front.
pub(crate) fn move_cost(instance: &Instance, moved: u64) -> f64 {
    moved as f64 * f64::from(instance.element_size.max(1)) / BYTES_PER_NS
}

/// The modelled nanoseconds of reallocations.
pub(crate) fn growth_cost(instance: &Instance, growth: &Growth) -> f64 {
    growth.reallocations as f64 * 50.0 + move_cost(instance, growth.copied)
}

/// The share of the run that a cost is; nothing if the run time is not known.
pub(crate) fn share(cost: &Cost, all_accesses: f64, time: RunTime) -> Option<Severity> {
    let unrecorded = time.unrecorded.filter(|seconds| *seconds > 0.0)? * 1e9;
    let accesses = cost.accesses / unrecorded.max(all_accesses);
    let in_phases = cost.busy.zip(time.recorded.filter(|seconds| *seconds > 0.0));
    let in_phases = in_phases.map(|(busy, recorded)| busy as f64 / (recorded * 1e9));
    Some(Severity::of(in_phases.map_or(accesses, |busy| busy.max(accesses)), "of the run time, by a model"))
}

#[cfg(test)]
mod tests {
    use super::{Cost, RunTime, cost, run_cost, share};
    use crate::access::{Access, AccessRun};
    use crate::container::{Container, Kind};
    use crate::instance::{CodeId, Instance};

    fn of(container: Container) -> Instance {
        Instance::new(0, container, 16, CodeId(0))
    }

    #[test]
    fn the_table_of_the_module() {
        let costs = |container, access: Access| cost(&of(container), &access);
        assert_eq!(costs(Container::Vec, Access::at(Kind::Read, 5, 100, 0)), 1.0);
        assert_eq!(costs(Container::Vec, Access::at(Kind::Insert, 100, 100, 0)), 2.0);
        assert_eq!(costs(Container::Vec, Access::at(Kind::Insert, 0, 100, 0)), 102.0);
        assert_eq!(costs(Container::Vec, Access::at(Kind::Delete, 0, 100, 0)), 101.0);
        assert_eq!(costs(Container::VecDeque, Access::at(Kind::Insert, 0, 100, 0)), 2.0);
        assert_eq!(costs(Container::Vec, Access::whole(Kind::Search, 100, 0)), 25.0);
        assert_eq!(costs(Container::Vec, Access::at(Kind::Search, 9, 100, 0)), 5.0);
        assert_eq!(costs(Container::HashMap, Access::whole(Kind::Search, 100, 0)), 20.0);
        assert_eq!(costs(Container::BTreeMap, Access::whole(Kind::Search, 1023, 0)), 50.0);
        assert_eq!(costs(Container::Vec, Access::whole(Kind::Sort, 1023, 0)), 20460.0);
    }

    #[test]
    fn a_run_costs_as_much_as_its_accesses() {
        let first = Access::at(Kind::Insert, 0, 10, 0);
        let run = AccessRun { count: 100, length_stride: 1, ..AccessRun::single(first) };
        let single: f64 = (0..100).map(|i| cost(&of(Container::Vec), &run.nth(i))).sum();
        assert!((run_cost(&of(Container::Vec), &run) - single).abs() < 1e-6);
    }

    #[test]
    fn shares_need_the_unrecorded_run_and_never_exceed_it() {
        let cost = Cost { accesses: 5e8, busy: None };
        let time = RunTime { unrecorded: Some(1.0), recorded: Some(4.0) };
        assert_eq!(share(&cost, 1e9, RunTime { unrecorded: None, ..time }), None);
        assert_eq!(share(&cost, 1e9, time).unwrap().share.get(), 0.5);
        assert_eq!(share(&cost, 2e9, time).unwrap().share.get(), 0.25);
        let phases = Cost { busy: Some(3_000_000_000), ..cost };
        assert_eq!(share(&phases, 1e9, time).unwrap().share.get(), 0.75);
        assert_eq!(share(&phases, 1e9, RunTime { recorded: None, ..time }).unwrap().share.get(), 0.5);
    }
}
