//! Blame and gain agree: the cause of a wait is removed, on the simulated machine and in the prediction.
//!
//! The machine is independent of the prediction. It also shows the cases in which a wait is blamed on a function but the run
//! does not become shorter without it, because another path through the run is as long.

use lotse_model::work::Sequential;
use lotse_trace::delay::{DelayCost, delays};
use lotse_trace::retime::{Change, Factor, Scaled};
use lotse_trace::waits::search;
use proptest::prelude::*;

use crate::machine;
use crate::program::{Costs, HELD, Program};
use crate::rounds;
use crate::{Recorded, length};

/// The number of causes that are removed in each program, the costliest first.
const TRIED: usize = 4;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn without_its_cause_a_wait_gains_what_the_machine_says(
        program in rounds::program(),
        costs in rounds::costs(),
    ) {
        let program = machine::with_actual_turns(&program, costs);
        let recorded = Recorded::new(&program, costs);
        for (cost, function) in blamed(&recorded) {
            let factor = Factor::ZERO;
            let scaled = vec![Scaled { path: cost.path, location: Some(cost.location), factor }];
            let predicted = recorded.predicted(&Change { scaled, ..Change::none() });
            let changed = length(&program.without(function, cost.location.index()), costs);
            prop_assert_eq!(predicted, changed, "{} of location {}", function, cost.location.0);
        }
    }

    /// Whoever waits, in collectives of any direction, waits because of the one rank that works longer, and all that it
    /// works longer is gained without it.
    #[test]
    fn the_one_that_works_longer_has_all_the_blame_and_all_the_gain(
        (program, culprit, more) in rounds::with_one_culprit(),
        costs in rounds::costs(),
    ) {
        let recorded = Recorded::new(&program, costs);
        let blamed = blamed(&recorded);
        prop_assert_eq!(blamed.len(), 1, "{:?}", &blamed);
        let (cost, function) = blamed[0];
        prop_assert_eq!((function, cost.location.0), ("finish", culprit));
        let waits = search(&recorded.trace, &lotse_model::rule::Thresholds::default(), &Sequential);
        let waited: u64 = waits.by_location.iter().flatten().filter(|it| it.metric.is_some()).map(|it| it.ticks()).sum();
        prop_assert!(cost.short + cost.long >= 0.9 * waited as f64, "{:?} of {}", cost, waited);
        let scaled = vec![Scaled { path: cost.path, location: Some(cost.location), factor: Factor::ZERO }];
        let predicted = recorded.predicted(&Change { scaled, ..Change::none() });
        prop_assert_eq!(length(&program, costs) - predicted, more);
    }
}

/// One process computes longer than three others that wait for it: it has all the blame, and all of it is gained.
#[test]
fn the_only_cause_of_a_delay_gains_all_of_it() {
    use crate::program::Step;
    let mut program = Program::new(4, 0);
    for rank in 0..4 {
        program.then(rank, Step::Compute("solve", 100));
        program.then(rank, Step::Compute("finish", if rank == 2 { 900 } else { 0 }));
        program.then(rank, Step::Meet(lotse_model::trace::CollectiveOp::Barrier, 0));
    }
    let recorded = Recorded::new(&program, Costs::SMALL);
    let blamed = blamed(&recorded);
    let (cost, function) = blamed[0];
    assert_eq!((function, cost.location.0, cost.short), ("finish", 2, 3.0 * 900.0));
    let scaled = vec![Scaled { path: cost.path, location: Some(cost.location), factor: Factor::ZERO }];
    let none = recorded.predicted(&Change::none());
    assert_eq!(none - recorded.predicted(&Change { scaled, ..Change::none() }), 900);
}

/// The functions that are blamed for waits.
fn blamed(recorded: &Recorded) -> Vec<(DelayCost, &'static str)> {
    let trace = &recorded.trace;
    let waits = search(trace, &lotse_model::rule::Thresholds::default(), &Sequential);
    let mut costs = delays(trace, &waits, &Sequential).costs;
    costs.sort_by(|a, b| b.short.total_cmp(&a.short));
    let functions = rounds::FUNCTIONS.into_iter().chain([HELD]);
    let functions: Vec<&'static str> = functions.collect();
    let named = |cost: DelayCost| {
        let name = trace.path_name(cost.path);
        let function = functions.iter().find(|function| name.rsplit('/').next() == Some(**function))?;
        Some((cost, *function))
    };
    costs.into_iter().filter(|cost| cost.short > 0.0).filter_map(named).take(TRIED).collect()
}
