//! Detects repeated linear reads over most of a structure.

use std::collections::BTreeSet;

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::{format_count, format_share};

use super::{HistoryContext, ParallelLoop, PrimarySite, RuleMatch, THESIS_PRIOR, counted, subject};
use crate::nesting::IterationOrder;
use crate::places::{cause_at, order_of_phases, place_of_phases};
use crate::settings::FREQUENT_LONG_READ;
use crate::severity::{FindingCost, ParallelTime};

pub(super) const RULE: Rule = Rule {
    id: "spy-frequent-long-read",
    version: 1,
    title: "a structure is read from end to end again and again",
    meaning: "Loops read most of the structure in order, and this is most of what is done with it. It may be a search written by \
              hand; whatever it is, reading needs no order and can be done by several threads.",
    computation: "A strict linear read phase is long when it has at least `events` accesses and passes over at least `coverage` of \
                  the structure. Fires when the accesses of long phases are at least `share` of the history.",
    example: "`for i in 0..v.len() { if v[i].key == key { return i } }`, called often.",
    picture: "index\n  |  /  /  /  /  /\n  | /  /  /  /  /\n  |/  /  /  /  /\n  +--------------- time",
    advice: "If the loop looks for an element, use a search structure (HashMap, BTreeMap, binary_search). Else let the loop run \
             in parallel: `par_iter()` with find_any, map, filter or reduce.",
    thresholds: FREQUENT_LONG_READ,
    prior: THESIS_PRIOR,
    references: &["rayon, ParallelIterator::find_any"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, reads) = (context.protocol, &context.protocol.long_reads);
    let share = protocol.share(reads.events);
    // The loop that reads is what becomes parallel, or another kind of search.
    let primary_site = place_of_phases(context.codes, reads);
    let busy = ParallelTime { has_alternative: true, ..ParallelTime::from_phases(reads) };
    (reads.phases > 0 && share >= context.thresholds.long_read_share).then(|| RuleMatch {
        primary_site,
        parallel_loop: ParallelLoop::from_phases(context.codes, reads),
        level: Level::Note,
        cost: FindingCost::from_phases(reads.events as f64, busy),
        certainty: if reads.phases >= 10 { 0.6 } else { 0.4 },
        text: format!(
            "{} {} in {} over most of its elements, {} reads ({} of its accesses)",
            readers(context, primary_site),
            subject(context.codes, protocol),
            counted(reads.phases, "phase"),
            format_count(reads.events as f64),
            format_share(share, 0)
        ),
        data: vec![("phases", reads.phases as f64), ("events", reads.events as f64), ("share", share)],
        recommendation: recommendation(order_of_phases(context.codes, reads)).to_owned(),
        codes: reads.codes.clone(),
    })
}

fn recommendation(order: Option<IterationOrder>) -> &'static str {
    match order {
        Some(IterationOrder::Required) => {
            "if the loop looks for an element, use a search structure; else each iteration uses what an earlier one left: a sum, a \
             count or an extreme can be divided among threads (`par_iter()` with reduce), other values cannot"
        }
        Some(_) => {
            "if the loop looks for an element, use a search structure; else run it in parallel with `par_iter()`"
        }
        None => {
            "if the loop looks for an element, use a search structure; else, if no iteration needs an earlier one, run it in \
             parallel with `par_iter()`"
        }
    }
}

/// `main.rs:12 reads`, `main.rs:12 and 2 other lines read`.
fn readers(context: &HistoryContext<'_>, primary_site: PrimarySite) -> String {
    let codes = &context.protocol.long_reads.codes;
    let sites = codes.sorted().into_iter().filter_map(|(code, _)| context.codes.site(code));
    let lines: BTreeSet<_> = sites.map(|site| (&site.file, site.line)).collect();
    let place = cause_at(context.codes, codes, primary_site);
    match lines.len() {
        0 | 1 => format!("{place} reads"),
        count => format!("{place} and {} read", counted(count as u64 - 1, "other line")),
    }
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::instance::LoopId;
    use crate::rules::fixture::{History, fires, found_in, text};

    const ID: &str = "spy-frequent-long-read";

    #[test]
    fn half_of_the_history_is_often() {
        let history = |others| {
            History::filled(Container::Vec, 100)
                .repeat(10, |it| it.scan(AccessKind::Read, 0, 99))
                .jump(others)
        };
        assert!(fires(ID, history(1000)));
        assert!(!fires(ID, history(1001)));
    }

    #[test]
    fn half_of_the_structure_is_long_in_both_directions() {
        let history =
            |to| History::filled(Container::Vec, 100).repeat(40, |it| it.scan(AccessKind::Read, 0, to));
        assert!(!fires(ID, history(48)));
        assert!(fires(ID, history(49)));
        assert!(fires(
            ID,
            History::filled(Container::Vec, 100).repeat(40, |it| it.scan(AccessKind::Read, 99, 40))
        ));
    }

    #[test]
    fn ten_reads_are_the_least() {
        let history = |reads: u64| {
            let whole = |it: History| it.long(2 * reads).scan(AccessKind::Read, 0, reads - 1);
            History::new(Container::Vec).push(60).repeat(200, whole)
        };
        assert!(fires(ID, history(10)));
        assert!(!fires(ID, history(9)));
    }

    #[test]
    fn a_loop_that_needs_its_order_is_not_to_run_in_parallel() {
        let advice = |depends: bool| {
            let read = |it: History| it.iterate(7, 1000, |i| vec![(AccessKind::Read, i)]);
            let history = History::filled(Container::Vec, 1000).repeat(20, read);
            let found = found_in(ID, vec![history], |loops| {
                (0..20).for_each(|_| {
                    loops.record_entry(LoopId(7), None);
                    loops.record_exit(LoopId(7), 1000, 100_000);
                });
                if depends {
                    loops.record_dependence(LoopId(7));
                }
            });
            found[0].finding.recommendation.clone()
        };
        assert!(advice(false).contains("else run it in parallel"), "{}", advice(false));
        assert!(advice(true).contains("each iteration uses what an earlier one left"), "{}", advice(true));
    }

    #[test]
    fn the_sentence() {
        let history = History::filled(Container::Vec, 100).repeat(20, |it| it.scan(AccessKind::Read, 0, 99));
        let expected = "frequent long read: main.rs:13 reads the Vec created at main.rs:10 in 20 phases over most of its \
                        elements, 2,000 reads (100 % of its accesses)";
        assert_eq!(text(ID, vec![history]), expected);
        let by_two = History::filled(Container::Vec, 100).repeat(20, |it| it.scan(AccessKind::Read, 0, 99));
        let by_two = by_two.by(12).repeat(10, |it| it.scan(AccessKind::Read, 0, 99));
        assert!(text(ID, vec![by_two]).contains("main.rs:13 and 1 other line read the Vec"));
    }
}
