//! Detects a sort directly after a long insert phase.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{HistoryContext, ParallelLoop, PrimarySite, RuleMatch, THESIS_PRIOR, cause, counted, subject};
use crate::container::AccessKind;
use crate::settings::SORT_AFTER_INSERT;
use crate::severity::{CallPart, FindingCost, ParallelTime};

pub(super) const RULE: Rule = Rule {
    id: "spy-sort-after-insert",
    version: 1,
    title: "a structure is filled and then sorted",
    meaning: "The order in which the elements were inserted does not survive the sort, so they may be inserted in any order, by \
              several threads. The sort itself can run in parallel too.",
    computation: "Fires when a sort directly follows a strict insert phase of at least `events` insertions.",
    example: "`for line in lines { keys.push(parse(line)) } keys.sort()`",
    picture: "[insert insert insert … insert][sort]",
    advice: "Fill it with a parallel iterator and sort it with `par_sort` or `par_sort_unstable`.",
    thresholds: SORT_AFTER_INSERT,
    prior: THESIS_PRIOR,
    references: &["rayon, ParallelSliceMut::par_sort"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, filled) = (context.protocol, &context.protocol.sorted_inserts);
    let sorts = protocol.counts.kind(AccessKind::Sort);
    let mut codes = sorts.codes.clone();
    codes.merge(&filled.codes);
    let busy = ParallelTime { time: filled.busy + sorts.cost as u64, ..ParallelTime::from_phases(filled) };
    (filled.phases > 0).then(|| RuleMatch {
        // The sort is replaced at the call, whichever loop is around it.
        primary_site: PrimarySite::Cause,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Note,
        cost: FindingCost { busy: Some(busy), ..FindingCost::from_calls(sorts.cost + filled.events as f64, CallPart::Whole) },
        certainty: 0.7,
        text: format!(
            "{} sorts {} directly after {} of insertions, {} elements",
            cause(context.codes, &sorts.codes),
            subject(context.codes, protocol),
            counted(filled.phases, "phase"),
            format_count(filled.events as f64)
        ),
        data: vec![("phases", filled.phases as f64), ("events", filled.events as f64), ("sorts", sorts.events as f64)],
        recommendation: "the order of insertion does not matter: insert in parallel, and sort with `par_sort_unstable` or \
                         `par_sort`"
            .to_owned(),
        codes,
    })
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-sort-after-insert";

    #[test]
    fn a_hundred_insertions_before_the_sort() {
        let history = |inserts| {
            History::filled(Container::Vec, 60).push(inserts).without_index(AccessKind::Sort, 1).jump(1000)
        };
        assert!(!fires(ID, history(99)));
        assert!(fires(ID, history(100)));
    }

    #[test]
    fn what_lies_between_spoils_it() {
        let between = |it: History| it.without_index(AccessKind::Sort, 1).jump(1000);
        assert!(!fires(ID, between(History::new(Container::Vec).push(200).scan(AccessKind::Read, 3, 3))));
        assert!(!fires(ID, History::new(Container::Vec).without_index(AccessKind::Sort, 1).push(2000)));
        assert!(fires(ID, between(History::new(Container::Vec).insert_front(200))));
    }

    #[test]
    fn the_sentence() {
        let history = History::new(Container::Vec).push(2000).without_index(AccessKind::Sort, 1);
        let expected = "sort after insert: main.rs:15 sorts the Vec created at main.rs:10 directly after 1 phase of insertions, \
                        2,000 elements";
        assert_eq!(text(ID, vec![history]), expected);
    }
}
