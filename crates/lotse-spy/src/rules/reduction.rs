//! Detects passes over all elements that compute a single result.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::map_into_new_vec::{LocatedPhase, located, nearby};
use super::{
    NotApplicable, PRIOR, ParallelLoop, PrimarySite, ProgramContext, RuleMatch, SiteMatch, cause, counted,
    subject,
};
use crate::container::AccessKind;
use crate::instance::{CodeId, CodeTable, LoopId};
use crate::key_counts::KeyCounts;
use crate::phases::Pattern;
use crate::places::{cause_at, loop_of_phases, place_of_phases};
use crate::protocol::{PhaseSum, Protocol};
use crate::settings::REDUCTION;
use crate::severity::{CallPart, FindingCost, ParallelTime};

pub(super) const RULE: Rule = Rule {
    id: "spy-reduction",
    version: 1,
    title: "all elements are read into one result",
    meaning: "A loop reads every element in order and was not seen to fill another structure at the same time: it may compute a \
              sum, a maximum, a count or another single result. If the order of combining does not matter, parts can be combined in parallel.",
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

/// Iterator methods that compute a single result.
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

pub(super) fn find(program: &ProgramContext<'_>) -> Result<Vec<SiteMatch>, NotApplicable> {
    Ok(passes(program).into_iter().chain(calls(program)).collect())
}

/// Read phases without a simultaneous write phase of the same thread, summed per instance and loop.
fn passes(program: &ProgramContext<'_>) -> Vec<SiteMatch> {
    let thresholds = program.thresholds;
    let reads = located(
        program,
        &[Pattern::LinearReadForward, Pattern::LinearReadBackward],
        thresholds.reduction_events,
    );
    let filled =
        located(program, &[Pattern::InsertBack, Pattern::InsertFront, Pattern::LinearWriteForward], 0.0);
    let alone = reads.into_iter().filter(|read| {
        read.phase.coverage() >= thresholds.reduction_coverage
            && !nearby(&filled, read, 0.5).any(|fill| fill.accompanies(read, 0.5))
    });
    let mut sums: Vec<(LocatedPhase<'_>, PhaseSum)> = Vec::new();
    for read in alone {
        // Each loop computes a result of its own.
        let same = |(known, _): &&mut (LocatedPhase<'_>, PhaseSum)| {
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
    let writing = writing_loops(program);
    let is_writing = |sum: &PhaseSum| {
        let carrying = loop_of_phases(program.codes, sum);
        carrying.into_iter().chain(sum.loops.most()).any(|it| writing.contains(&it))
    };
    sums.retain(|(_, sum)| !is_writing(sum));
    sums.iter().map(|(read, sum)| read.site_match(match_of_passes(program, read.protocol, sum))).collect()
}

/// The loops that write to a structure, themselves or in inner loops: they compute more than a single result.
fn writing_loops(program: &ProgramContext<'_>) -> BTreeSet<LoopId> {
    let uses = program.sites.iter().flat_map(|site| &site.loops.uses).filter(|used| used.writes > 0);
    uses.flat_map(|used| program.codes.loops.nest(used.loop_id)).collect()
}

fn match_of_passes(program: &ProgramContext<'_>, protocol: &Protocol, sum: &PhaseSum) -> RuleMatch {
    // The loop that makes a pass is what becomes parallel.
    let primary_site = place_of_phases(program.codes, sum);
    RuleMatch {
        primary_site,
        parallel_loop: ParallelLoop::from_phases(program.codes, sum),
        level: Level::Note,
        cost: FindingCost::from_phases(sum.events as f64, ParallelTime::from_phases(sum)),
        certainty: 0.4,
        text: format!(
            "{} reads all elements of {} in {}, {} reads",
            cause_at(program.codes, &sum.codes, primary_site),
            subject(program.codes, protocol),
            counted(sum.phases, "pass"),
            format_count(sum.events as f64)
        ),
        data: vec![("passes", sum.phases as f64), ("events", sum.events as f64)],
        recommendation: RECOMMENDATION.to_owned(),
        codes: sum.codes.clone(),
    }
}

const RECOMMENDATION: &str = "if it only combines them, in any order: `par_iter()` with sum, reduce or max";

/// Calls of iterator methods that compute a single result.
fn calls(program: &ProgramContext<'_>) -> Vec<SiteMatch> {
    let called = |(site, protocol): (usize, &Protocol)| {
        let each = protocol.counts.kind(AccessKind::ForEach);
        let codes = reducing(program.codes, &each.codes);
        let share = codes.total() as f64 / each.events.max(1) as f64;
        // The model counts half a nanosecond per element, so this is the mean number of elements.
        let mean = 2.0 * each.cost / each.events.max(1) as f64;
        let found = (codes.total() > 0 && mean >= program.thresholds.reduction_events)
            .then(|| match_of_calls(program, protocol, codes, (each.cost * share, mean)))?;
        Some((site, (protocol.events, protocol.instance.id), found))
    };
    program.relevant().filter_map(called).collect()
}

fn reducing(table: &CodeTable, codes: &KeyCounts<CodeId>) -> KeyCounts<CodeId> {
    let mut reducing = KeyCounts::default();
    let reduces = |code: CodeId| table.method(code).is_some_and(|method| METHODS.contains(&method));
    codes
        .sorted()
        .into_iter()
        .filter(|(code, _)| reduces(*code))
        .for_each(|(code, count)| reducing.add(code, count));
    reducing
}

fn match_of_calls(
    program: &ProgramContext<'_>,
    protocol: &Protocol,
    codes: KeyCounts<CodeId>,
    (cost, mean): (f64, f64),
) -> RuleMatch {
    RuleMatch {
        // The loop is inside of the call.
        primary_site: PrimarySite::Cause,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Note,
        cost: FindingCost::from_calls(cost, CallPart::Whole),
        certainty: 0.7,
        text: format!(
            "{} combines elements of {} {} times, {} of them on average",
            cause(program.codes, &codes),
            subject(program.codes, protocol),
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
    use crate::container::{AccessKind, Container};
    use crate::instance::LoopId;
    use crate::nesting::LoopTable;
    use crate::rules::fixture::{History, found, found_in, text};

    const ID: &str = "spy-reduction";

    fn history(length: u64, reads: u64) -> History {
        History::filled(Container::Vec, length).scan(AccessKind::Read, 0, reads - 1)
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
        let reads = |loop_id| {
            History::filled(Container::Vec, 1000).iterate(loop_id, 1000, |i| vec![(AccessKind::Read, i)])
        };
        let rows = |loop_id| {
            let writes = |i: u64| {
                if i.is_multiple_of(100) { vec![(AccessKind::Write, 7 * i % 300)] } else { Vec::new() }
            };
            History::numbered(Container::Vec, 2, 8).long(300).iterate(loop_id, 1000, writes).jump(1000)
        };
        let ran = |loops: &mut LoopTable| {
            for number in [3, 4] {
                loops.record_entry(LoopId(number), None);
                loops.record_exit(LoopId(number), 1000, 100_000);
            }
        };
        assert_eq!(found_in(ID, vec![reads(3), rows(4)], ran).len(), 1);
        assert_eq!(found_in(ID, vec![reads(3), rows(3)], ran).len(), 0);
    }

    #[test]
    fn calls_that_reduce_count() {
        let calls =
            |length| History::filled(Container::Vec, length).jump(1000).without_index(AccessKind::ForEach, 5);
        assert!(fires(vec![calls(1000)]));
        assert!(!fires(vec![calls(999)]));
        assert!(!fires(vec![
            History::filled(Container::Vec, 1000).jump(1000).by(9).without_index(AccessKind::ForEach, 5)
        ]));
    }

    #[test]
    fn the_sentence() {
        let expected = "reduction: main.rs:13 reads all elements of the Vec created at main.rs:10 in 1 pass, 1,000 reads";
        assert_eq!(text(ID, vec![history(1000, 1000)]), expected);
    }
}
