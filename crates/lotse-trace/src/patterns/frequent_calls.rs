//! Frequent calls: short calls of MPI, locks or files made very often.

use lotse_model::Rule;
use lotse_model::id::LocationId;
use lotse_model::rule::Threshold;

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::metric::{Bound, Metric};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&FREQUENT_CALLS], search: Search::Locations(search) };

/// Time in calls that are made more often than the limit.
static FREQUENT_CALLS: Metric =
    Metric::share("frequent_calls", "frequent calls", Bound::Exact).may_be_well_spent();

static RULE: Rule = Rule {
    id: "frequent_calls",
    version: 1,
    title: "frequent calls: a call is made very often",
    meaning: "Time in a call of MPI, of a lock or of a file that a thread makes many thousand times a second. Each \
              has a \
              price that does not depend on what it moves; recording it disturbs the program as well.",
    computation: "The exclusive time of a call path that is no computing, if the location makes the call at least \
                  `calls` times and more than `rate` times per second of its own span. Exact; no wait, but time that \
                  is also counted elsewhere.",
    picture: "",
    example: "40 000 calls of MPI_Send in 2 s, 0.6 s inside them: 20 000 per second, 0.6 s in frequent calls.",
    advice: "Join many small messages into few, take a lock once for several steps, buffer input and output, probe \
             less often.",
    thresholds: &[
        Threshold { name: "rate", default: 10_000.0, meaning: "calls per second of one location" },
        Threshold { name: "calls", default: 1000.0, meaning: "calls below which the rate says nothing" },
    ],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let trace = scene.part;
    let timeline = trace.timeline(location);
    let least = scene.thresholds.get(&RULE, "calls");
    let rate = scene.thresholds.get(&RULE, "rate") * trace.seconds(timeline.last - timeline.first);
    for used in &trace.uses[location.index()] {
        let often = used.visits as f64 >= least && used.visits as f64 > rate;
        if often && trace.class_of(used.path).is_primitive() {
            collector.add_time(&FREQUENT_CALLS, location, used.path, used.exclusive);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    /// `calls` calls of MPI, each of one tick, and as many of a function.
    fn script(calls: u64, end: u64) -> Script {
        let mut script = Script::processes(1);
        script.definitions.clock.resolution = 100_000;
        script.enter(0, 0, "main");
        for call in 0..calls {
            script.call(0, 3 * call, 3 * call + 1, "MPI_Iprobe").call(0, 3 * call + 1, 3 * call + 2, "f");
        }
        script.leave(0, end, "main");
        script
    }

    #[test]
    fn only_high_rates_of_many_calls_count() {
        // 1000 calls in 0.05 s are 20 000 per second, in 0.1 s 10 000 per second.
        let all = [(0, "main/MPI_Iprobe".to_owned(), 1000)];
        assert_eq!(amounts(&script(1000, 5000), "frequent_calls"), all);
        assert_eq!(amounts(&script(1000, 10_000), "frequent_calls"), []);
        assert_eq!(amounts(&script(999, 4000), "frequent_calls"), []);
    }
}
