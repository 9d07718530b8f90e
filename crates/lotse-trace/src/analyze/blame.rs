//! Who makes others wait, over all kinds of waits: delay costs summed by process and call path.

use std::collections::BTreeMap;

use lotse_model::id::LocationId;

use super::rows::real_seconds;
use crate::answer::{BlameAnswer, PathNames};
use crate::delay::Delays;
use crate::store::Trace;

/// Sums the delay costs by process (by thread where there is one process) and call path, the greatest share first.
pub(super) fn blame(trace: &Trace, delays: &Delays) -> Vec<BlameAnswer> {
    let mut names = PathNames::new(trace);
    let mut sums: BTreeMap<(String, String), f64> = BTreeMap::new();
    let labels = trace.location_labels();
    let is_single_process = trace.processes().len() == 1;
    let who = |location: LocationId| match is_single_process || !trace.is_thread(location) {
        true => labels[location.index()].clone(),
        false => trace.process_label(trace.location(location).process),
    };
    for cost in &delays.costs {
        *sums.entry((who(cost.location), names.get(cost.path))).or_default() += cost.short + cost.long;
    }
    let total: f64 = sums.values().sum();
    let mut rows: Vec<BlameAnswer> = sums
        .into_iter()
        .filter(|(_, ticks)| *ticks > 0.0)
        .map(|((who, callpath), ticks)| BlameAnswer {
            who,
            callpath,
            seconds: real_seconds(trace, ticks),
            share: ticks / total,
        })
        .collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    rows
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;

    use super::blame;
    use crate::delay::delays;
    use crate::fixture::Script;

    /// Rank 2 comes late to two barriers, each time because of `solve`; rank 1 once because of `write`.
    #[test]
    fn causes_are_summed_by_process_and_call_path() {
        let mut script = Script::processes(3);
        for (rank, [one, two, three]) in
            [[100, 100, 100], [100, 100, 250], [300, 300, 100]].into_iter().enumerate()
        {
            let last = if rank == 1 { "write" } else { "solve" };
            script.enter(rank, 0, "main").call(rank, 0, one, "solve").barrier(rank, one, 300);
            script.call(rank, 300, 300 + two, "solve").barrier(rank, 300 + two, 600);
            script.call(rank, 600, 600 + three, last).barrier(rank, 600 + three, 850);
            script.leave(rank, 900, "main");
        }
        let trace = script.trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        let rows = blame(&trace, &delays(&trace, &waits, &Sequential));
        let found: Vec<(&str, &str, f64)> = rows
            .iter()
            .map(|row| (row.who.as_str(), row.callpath.as_str(), (row.seconds * 1e3).round()))
            .collect();
        assert_eq!(found, [("rank 2", "main/solve", 800.0), ("rank 1", "main/write", 300.0)]);
        assert!((rows[0].share - 8.0 / 11.0).abs() < 1e-9, "{rows:?}");
    }
}
