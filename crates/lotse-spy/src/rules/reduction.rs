//! A pass over all elements that keeps only a result.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::map_into_new_vec::{Located, located, nearby};
use super::{CannotLook, Carried, Found, Main, Match, PRIOR, Whole, cause, counted, subject};
use crate::container::Kind;
use crate::instance::{CodeId, CodeTable, LoopId};
use crate::phases::Pattern;
use crate::places::{cause_at, loop_of_phases, place_of_phases};
use crate::protocol::{PhaseSum, Protocol};
use crate::settings::REDUCTION;
use crate::severity::{Busy, Calls, Cost};
use crate::tally::Tally;

pub(super) const RULE: Rule = Rule {
    id: "spy-reduction",
    version: 1,
    title: "all elements are read into one result",
    meaning: "A loop reads every element in order and was not seen to fill another row meanwhile: what it makes may be a sum, a maximum, a count or \
              another single result. If the order of combining does not matter, parts can be combined in parallel.",
    computation: "Counts strict linear read phases of at least `events` accesses over at least `coverage` of the structure during which \
                  the same thread fills or writes no other structure, and calls of sum, fold, max and the like on at least \
                  `events` elements. A loop that writes to a structure, itself or in a loop within it, is none.",
    example: "`for x in &v { total += x }`, `v.iter().max()`",
    picture: "v  read  / / / /\n   result  one value",
    advice: "`v.par_iter().sum()`, `.reduce(…)`, `.max()`. Sums of floating-point numbers change in their last digits with the order.",
    thresholds: REDUCTION,
    prior: PRIOR,
    references: &["rayon, ParallelIterator::reduce"],
};

/// Methods of iterators that make one result.
const METHODS: [&str; 13] = [
    "sum",
    "product",
    "fold",
    "rfold",
    "reduce",
    "count",
    "max",
    "min",
    "max_by",
    "min_by",
    "max_by_key",
    "min_by_key",
    "try_fold",
];

pub(super) fn find(whole: &Whole<'_>) -> Result<Vec<Found>, CannotLook> {
    Ok(passes(whole).into_iter().chain(calls(whole)).collect())
}

/// Read phases that no writing phase accompanies, summed for each instance and loop.
fn passes(whole: &Whole<'_>) -> Vec<Found> {
    let thresholds = whole.thresholds;
    let reads = located(
        whole,
        &[Pattern::LinearReadForward, Pattern::LinearReadBackward],
        thresholds.reduction_events,
    );
    let filled =
        located(whole, &[Pattern::InsertBack, Pattern::InsertFront, Pattern::LinearWriteForward], 0.0);
    let alone = reads.into_iter().filter(|read| {
        read.phase.coverage() >= thresholds.reduction_coverage
            && !nearby(&filled, read, 0.5).any(|fill| fill.accompanies(read, 0.5))
    });
    let mut sums: Vec<(Located<'_>, PhaseSum)> = Vec::new();
    for read in alone {
        // Each loop that reads has a result of its own.
        let same = |(known, _): &&mut (Located<'_>, PhaseSum)| {
            known.protocol.instance.id == read.protocol.instance.id
                && known.phase.loops.most() == read.phase.loops.most()
        };
        match sums.iter_mut().find(same) {
            Some((_, sum)) => sum.add(read.phase),
            None => {
                let mut sum = PhaseSum::default();
                sum.add(read.phase);
                sums.push((read, sum));
            }
        }
    }
    let writing = writing_loops(whole);
    let is_writing = |sum: &PhaseSum| {
        let carrying = loop_of_phases(whole.codes, sum);
        carrying.into_iter().chain(sum.loops.most()).any(|it| writing.contains(&it))
    };
    sums.retain(|(_, sum)| !is_writing(sum));
    sums.iter().map(|(read, sum)| read.found(of_passes(whole, read.protocol, sum))).collect()
}

/// Loops that write to a structure, themselves or in loops within them: what they compute is more than one result.
fn writing_loops(whole: &Whole<'_>) -> BTreeSet<LoopId> {
    let uses = whole.sites.iter().flat_map(|site| &site.loops.uses).filter(|used| used.writes > 0);
    uses.flat_map(|used| whole.codes.loops.nest(used.of_loop)).collect()
}

fn of_passes(whole: &Whole<'_>, protocol: &Protocol, sum: &PhaseSum) -> Match {
    // A pass is what becomes parallel: the loop that makes it.
    let main = place_of_phases(whole.codes, sum);
    Match {
        main,
        carried: Carried::of_phases(whole.codes, sum),
        level: Level::Note,
        cost: Cost::in_phases(sum.events as f64, Busy::of_phases(sum)),
        certainty: 0.4,
        text: format!(
            "{} reads all elements of {} in {}, {} reads",
            cause_at(whole.codes, &sum.codes, main),
            subject(whole.codes, protocol),
            counted(sum.phases, "pass"),
            format_count(sum.events as f64)
        ),
        data: vec![("passes", sum.phases as f64), ("events", sum.events as f64)],
        recommendation: RECOMMENDATION.to_owned(),
        codes: sum.codes.clone(),
    }
}

const RECOMMENDATION: &str = "if it only combines them, in any order: `par_iter()` with sum, reduce or max";

/// Calls of methods that reduce.
fn calls(whole: &Whole<'_>) -> Vec<Found> {
    let called = |(site, protocol): (usize, &Protocol)| {
        let each = protocol.counts.kind(Kind::ForEach);
        let codes = reducing(whole.codes, &each.codes);
        let share = codes.total() as f64 / each.events.max(1) as f64;
        // Half a nanosecond for each element.
        let mean = 2.0 * each.cost / each.events.max(1) as f64;
        let found = (codes.total() > 0 && mean >= whole.thresholds.reduction_events)
            .then(|| of_calls(whole, protocol, codes, (each.cost * share, mean)))?;
        Some((site, (protocol.events, protocol.instance.id), found))
    };
    whole.relevant().filter_map(called).collect()
}

fn reducing(table: &CodeTable, codes: &Tally<CodeId>) -> Tally<CodeId> {
    let mut reducing = Tally::default();
    let reduces = |code: CodeId| table.method(code).is_some_and(|method| METHODS.contains(&method));
    codes
        .sorted()
        .into_iter()
        .filter(|(code, _)| reduces(*code))
        .for_each(|(code, count)| reducing.add(code, count));
    reducing
}

fn of_calls(whole: &Whole<'_>, protocol: &Protocol, codes: Tally<CodeId>, (cost, mean): (f64, f64)) -> Match {
    Match {
        // The call has the loop.
        main: Main::Cause,
        carried: Carried::NotKnown,
        level: Level::Note,
        cost: Cost::of_calls(cost, Calls::Whole),
        certainty: 0.7,
        text: format!(
            "{} combines elements of {} {} times, {} of them on average",
            cause(whole.codes, &codes),
            subject(whole.codes, protocol),
            format_count(codes.total() as f64),
            format_count(mean.round())
        ),
        data: vec![("calls", codes.total() as f64), ("length", mean.round())],
        recommendation: RECOMMENDATION.to_owned(),
        codes,
    }
}

#[cfg(test)]
mod tests {
    use crate::container::{Container, Kind};
    use crate::instance::LoopId;
    use crate::nesting::LoopTable;
    use crate::rules::fixture::{History, found, found_in, text};

    const ID: &str = "spy-reduction";

    fn history(length: u64, reads: u64) -> History {
        History::filled(Container::Vec, length).scan(Kind::Read, 0, reads - 1)
    }

    fn fires(histories: Vec<History>) -> bool {
        !found(ID, histories).is_empty()
    }

    #[test]
    fn a_thousand_reads_over_nine_tenths() {
        assert!(fires(vec![history(1000, 1000)]));
        assert!(!fires(vec![history(999, 999).jump(1)]));
        assert!(fires(vec![history(2000, 1800)]));
        assert!(!fires(vec![history(2000, 1799)]));
    }

    #[test]
    fn a_structure_filled_meanwhile_makes_it_a_map() {
        let filled = |thread, pushes| History::numbered(Container::Vec, 2, 8).on(thread).push(pushes);
        assert!(!fires(vec![history(2000, 2000), filled(0, 2000)]));
        assert!(fires(vec![history(2000, 2000), filled(1, 2000)]), "by another thread");
    }

    #[test]
    fn a_loop_that_writes_now_and_then_has_more_than_one_result() {
        let reads =
            |of_loop| History::filled(Container::Vec, 1000).iterate(of_loop, 1000, |i| vec![(Kind::Read, i)]);
        let rows = |of_loop| {
            let writes =
                |i: u64| if i.is_multiple_of(100) { vec![(Kind::Write, 7 * i % 300)] } else { Vec::new() };
            History::numbered(Container::Vec, 2, 8).long(300).iterate(of_loop, 1000, writes).jump(1000)
        };
        let ran = |loops: &mut LoopTable| {
            for number in [3, 4] {
                loops.entered(LoopId(number), None);
                loops.left(LoopId(number), 1000, 100_000);
            }
        };
        assert_eq!(found_in(ID, vec![reads(3), rows(4)], ran).len(), 1);
        assert_eq!(found_in(ID, vec![reads(3), rows(3)], ran).len(), 0);
    }

    #[test]
    fn calls_that_reduce_count() {
        let calls = |length| History::filled(Container::Vec, length).jump(1000).whole(Kind::ForEach, 5);
        assert!(fires(vec![calls(1000)]));
        assert!(!fires(vec![calls(999)]));
        assert!(!fires(vec![History::filled(Container::Vec, 1000).jump(1000).by(9).whole(Kind::ForEach, 5)]));
    }

    #[test]
    fn the_sentence() {
        let expected = "reduction: main.rs:13 reads all elements of the Vec created at main.rs:10 in 1 pass, 1,000 reads";
        assert_eq!(text(ID, vec![history(1000, 1000)]), expected);
    }
}
