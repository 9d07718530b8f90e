//! Removing waits gains at most their duration, and the critical path afterwards is at most as long as the run.

use lotse_model::rule::Thresholds;
use lotse_model::trace::Ticks;
use lotse_model::work::Sequential;
use lotse_trace::patterns::metrics;
use lotse_trace::retime::{Change, Graph, longest};
use lotse_trace::store::load;
use lotse_trace::waits::search;
use proptest::prelude::*;

use crate::{machine, rounds};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_more_is_gained_than_was_lost(program in rounds::program(), costs in rounds::costs()) {
        let program = machine::with_actual_turns(&program, costs);
        let trace = load(machine::run(&program, costs).0.input(), &Sequential);
        let waits = search(&trace, &Thresholds::default(), &Sequential);
        let graph = Graph::new(&trace, &waits);
        let length = graph.run(&trace, &[Change::none()])[0].length;
        for metric in metrics().filter(|metric| waits.total(metric) > 0) {
            let mut change = Change::none();
            let all = waits.by_location.iter().flatten();
            all.filter(|wait| wait.metric == Some(metric)).for_each(|wait| change.remove(wait));
            let path = longest(&graph, &trace, &change);
            let (total, changed) = (waits.total(metric), path.length);
            prop_assert!(changed <= length, "{}: {} of {}", metric.id, changed, length);
            prop_assert!(length - changed <= total, "{}: {} of {}", metric.id, length - changed, total);
            let rows: Ticks = path.rows.iter().map(|row| row.ticks).sum();
            prop_assert!(rows <= changed, "{}: rows of {} in {}", metric.id, rows, changed);
        }
    }
}
