//! The wait that shows best what a finding about waits says.

use std::collections::BTreeSet;

use lotse_model::id::LocationId;

use crate::waits::{Wait, Waits};

/// The first of the longest waits that `is_part` selects: of those for the locations in `causes`, those on the locations in
/// `waiting` first; if none waits for these directly, of all on the locations in `waiting`.
///
/// ```text
/// rank 0   ├──── start ────┤ ├───────────┤▒▒▒▒▒▒├    rank 1 waits longest for rank 0, but it and
/// rank 1   ├───┤▒▒▒▒▒▒▒▒▒▒▒├ ├───────────┤▒▒▒▒▒▒├    the others wait more for rank 2: its wait for
/// rank 2   ├─────────────┤▒├ ├──────────────────┤    rank 2 is shown
/// ```
pub fn longest_wait_for<'w>(
    waits: &'w Waits,
    is_part: impl Fn(&Wait) -> bool,
    waiting: &BTreeSet<LocationId>,
    causes: Option<&BTreeSet<LocationId>>,
) -> Option<&'w Wait> {
    let waits_there = |wait: &Wait| waiting.contains(&wait.call.location);
    let is_for =
        |wait: &Wait| causes.is_some_and(|causes| wait.cause.is_some_and(|it| causes.contains(&it.location)));
    let longest = |allowed: &dyn Fn(&Wait) -> bool| {
        let all = waits.by_location.iter().flatten().filter(|wait| allowed(wait) && is_part(wait));
        all.reduce(|best, wait| if wait.ticks() > best.ticks() { wait } else { best })
    };
    longest(&|wait| is_for(wait) && waits_there(wait))
        .or_else(|| longest(&is_for))
        .or_else(|| longest(&waits_there))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lotse_model::id::LocationId;
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;

    use super::longest_wait_for;
    use crate::fixture::Script;

    /// Rank 1 waits 500 for rank 0, then twice for rank 2: 100 and 200. Rank 2 waits 10 for rank 0.
    #[test]
    fn the_longest_wait_for_the_cause_is_shown() {
        let mut script = Script::processes(3);
        script.enter(0, 0, "main").barrier(0, 600, 610).barrier(0, 990, 1010).barrier(0, 1100, 1410);
        script.enter(1, 0, "main").barrier(1, 100, 610).barrier(1, 900, 1010).barrier(1, 1200, 1410);
        script.enter(2, 0, "main").barrier(2, 590, 610).barrier(2, 1000, 1010).barrier(2, 1400, 1410);
        (0..3).for_each(|rank| {
            script.leave(rank, 2000, "main");
        });
        let trace = script.trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        let is_at_barrier =
            |wait: &crate::waits::Wait| wait.metric.is_some_and(|metric| metric.id == "wait_at_barrier");
        let begin = |waiting: u32, cause: Option<u32>| {
            let set = |number: u32| BTreeSet::from([LocationId(number)]);
            let cause = cause.map(set);
            longest_wait_for(&waits, is_at_barrier, &set(waiting), cause.as_ref()).map(|wait| wait.begin)
        };
        assert_eq!((begin(1, None), begin(1, Some(2))), (Some(100), Some(1200)));
        assert_eq!(begin(2, Some(0)), Some(590));
        assert_eq!(begin(0, Some(0)), Some(100), "rank 0 does not wait for itself, but rank 1 does for it");
        assert_eq!(begin(1, Some(1)), Some(100), "nobody waits for rank 1");
    }
}
