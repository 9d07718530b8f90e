//! A pass over all elements that keeps only a result.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::map_into_new_vec::{Located, located, nearby};
use super::{CannotLook, Found, Main, Match, PRIOR, Whole, cause, counted, subject};
use crate::container::Kind;
use crate::instance::{CodeId, CodeTable};
use crate::phases::Pattern;
use crate::places::{cause_at, place_of_phases};
use crate::protocol::{PhaseSum, Protocol};
use crate::settings::REDUCTION;
use crate::severity::Cost;
use crate::tally::Tally;

pub(super) const RULE: Rule = Rule {
    id: "spy-reduction",
    version: 1,
    title: "all elements are read into one result",
    meaning: "A loop reads every element in order and fills no other structure meanwhile: what it makes is a sum, a maximum, a count or \
              another single result. If the order of combining does not matter, parts can be combined in parallel.",
    computation: "Counts strict linear read phases of at least `events` accesses over at least `coverage` of the structure during which \
                  the same thread fills or writes no other structure, and calls of sum, fold, max and the like on at least \
                  `events` elements.",
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

/// Read phases that no writing phase accompanies, summed for each instance.
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
        let same = |(known, _): &&mut (Located<'_>, PhaseSum)| {
            known.protocol.instance.id == read.protocol.instance.id
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
    sums.iter().map(|(read, sum)| read.found(of_passes(whole, read.protocol, sum))).collect()
}

fn of_passes(whole: &Whole<'_>, protocol: &Protocol, sum: &PhaseSum) -> Match {
    // A pass is what becomes parallel: the loop that makes it.
    let main = place_of_phases(whole.codes, sum);
    Match {
        main,
        level: Level::Note,
        cost: Cost { accesses: sum.events as f64, busy: Some(sum.busy) },
        certainty: 0.4,
        text: format!(
            "{} reads all elements of {} in {}, {} reads, and fills nothing meanwhile",
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

const RECOMMENDATION: &str =
    "if the order of combining does not matter: `par_iter()` with sum, reduce or max";

/// Calls of methods that reduce.
fn calls(whole: &Whole<'_>) -> Vec<Found> {
    let long = |protocol: &Protocol| protocol.max_length as f64 >= whole.thresholds.reduction_events;
    let called = |(site, protocol): (usize, &Protocol)| {
        let each = protocol.counts.kind(Kind::ForEach);
        let codes = reducing(whole.codes, &each.codes);
        let share = codes.total() as f64 / each.events.max(1) as f64;
        let found = (codes.total() > 0 && long(protocol))
            .then(|| of_calls(whole, protocol, codes, each.cost * share))?;
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

fn of_calls(whole: &Whole<'_>, protocol: &Protocol, codes: Tally<CodeId>, cost: f64) -> Match {
    Match {
        // The call has the loop.
        main: Main::Cause,
        level: Level::Note,
        cost: Cost { accesses: cost, busy: None },
        certainty: 0.7,
        text: format!(
            "{} combines all elements of {} {} times, with up to {} elements",
            cause(whole.codes, &codes),
            subject(whole.codes, protocol),
            format_count(codes.total() as f64),
            format_count(protocol.max_length as f64)
        ),
        data: vec![("calls", codes.total() as f64), ("length", protocol.max_length as f64)],
        recommendation: RECOMMENDATION.to_owned(),
        codes,
    }
}

#[cfg(test)]
mod tests {
    use crate::container::{Container, Kind};
    use crate::rules::fixture::{History, found, text};

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
    fn calls_that_reduce_count() {
        let calls = |length| History::filled(Container::Vec, length).jump(1000).whole(Kind::ForEach, 5);
        assert!(fires(vec![calls(1000)]));
        assert!(!fires(vec![calls(999)]));
        assert!(!fires(vec![History::filled(Container::Vec, 1000).jump(1000).by(9).whole(Kind::ForEach, 5)]));
    }

    #[test]
    fn the_sentence() {
        let expected = "reduction: main.rs:13 reads all elements of the Vec created at main.rs:10 in 1 pass, 1,000 reads, and fills \
                        nothing meanwhile";
        assert_eq!(text(ID, vec![history(1000, 1000)]), expected);
    }
}
