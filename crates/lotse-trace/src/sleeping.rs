//! Time in calls that sleep. It is no work that could be made faster, and no waiting for another thread: only the program
//! itself decides how long it sleeps.
//!
//! Sleeping has a row of its own in the distribution of time. In everything else (causes of waits, what-if, time outside MPI)
//! it counts as what the program does by itself, and this answer says how much that is. A library of MPI that sleeps in its
//! calls does so while it waits: that time is part of MPI.

use std::collections::BTreeMap;

use lotse_model::id::PathId;
use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::Trace;

/// Time in calls that sleep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SleepingAnswer {
    /// Time of all threads.
    pub seconds: f64,
    /// Its share of the time of all threads.
    pub share: f64,
    /// The call path in which threads sleep longest.
    pub callpath: String,
    /// The time in that call path.
    pub callpath_seconds: f64,
}

/// How long threads sleep; none if no thread does.
pub fn sleeping(trace: &Trace) -> Option<SleepingAnswer> {
    let uses = || trace.cpu_locations().flat_map(|location| &trace.uses[location.index()]);
    let all: u128 = uses().map(|used| u128::from(used.exclusive)).sum();
    let mut sleeps: BTreeMap<PathId, _> = BTreeMap::new();
    for used in uses().filter(|used| trace.sleeps(used.path)) {
        let sum: &mut Ticks = sleeps.entry(trace.paths.joined(used.path)).or_default();
        *sum = sum.saturating_add(used.exclusive);
    }
    let ticks = sleeps.values().copied().fold(0, Ticks::saturating_add);
    let (&most, &longest) = sleeps.iter().max_by_key(|(path, ticks)| (**ticks, std::cmp::Reverse(**path)))?;
    (ticks > 0).then(|| SleepingAnswer {
        seconds: trace.seconds(ticks),
        share: ticks as f64 / all.max(1) as f64,
        callpath: trace.path_name(most),
        callpath_seconds: trace.seconds(longest),
    })
}

#[cfg(test)]
mod tests {
    use super::{SleepingAnswer, sleeping};
    use crate::fixture::Script;

    #[test]
    fn sleeping_is_summed_over_threads_and_named_by_its_longest_path() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").call(0, 0, 300, "usleep").call(0, 300, 400, "work").leave(0, 500, "main");
        script.enter(1, 0, "main").enter(1, 0, "retry").call(1, 0, 100, "nanosleep").leave(1, 400, "retry");
        script.leave(1, 500, "main");
        let expected = SleepingAnswer {
            seconds: 0.4,
            share: 0.4,
            callpath: "main/usleep".to_owned(),
            callpath_seconds: 0.3,
        };
        assert_eq!(sleeping(&script.trace()), Some(expected));
    }

    #[test]
    fn sleep_inside_a_call_of_mpi_is_part_of_the_call() {
        let mut script = Script::processes(1);
        script.enter(0, 0, "MPI_Recv").call(0, 10, 300, "usleep").leave(0, 310, "MPI_Recv");
        assert_eq!(sleeping(&script.trace()), None);
    }

    #[test]
    fn work_is_no_sleeping() {
        let mut script = Script::processes(1);
        script.call(0, 0, 300, "work");
        assert_eq!(sleeping(&script.trace()), None);
    }
}
