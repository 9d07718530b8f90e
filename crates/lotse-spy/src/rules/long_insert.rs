//! Detects long phases of insertions at one end.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{HistoryContext, ParallelLoop, RuleMatch, THESIS_PRIOR, counted, is_fill, subject};
use crate::phases::{Characteristic, Pattern};
use crate::places::{Obstacle, cause_at, place_of_phases};
use crate::settings::LONG_INSERT;
use crate::severity::{FindingCost, ParallelTime};

pub(super) const RULE: Rule = Rule {
    id: "spy-long-insert",
    version: 2,
    title: "many elements are inserted in a row",
    meaning: "A loop does nothing with the structure but insert, element after element at the same end. What computes the \
              elements is often independent from one to the next and can then run in parallel.",
    computation: "Counts strict phases of insertions at the front or at the back with at least `events` accesses and fires \
                  at `phases` of them, unless most elements come from calls such as `resize` or `extend_from_slice`, which \
                  compute none. The severity is the time spent in these phases, work between the insertions \
                  included. Where an iteration of the loop uses what an earlier one wrote, carries a value in a register, or \
                  appends to another structure, too, the finding says so and is not certain.",
    example: "`for i in 0..n { v.push(f(i)) }` with a large n: one phase of n insertions at the back.",
    picture: "length\n  |         .:\n  |      .::::\n  |   .:::::::   each access inserts at the end\n  |.::::::::::\n  +------------ time",
    advice: "Compute the elements in parallel: `(0..n).into_par_iter().map(f).collect()` keeps the order. Check first that \
             f changes nothing that another call of it uses.",
    thresholds: LONG_INSERT,
    prior: THESIS_PRIOR,
    references: &["rayon, ParallelIterator::collect"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (long, thresholds) = (&context.protocol.long_inserts, context.thresholds);
    if long.phases == 0 || (long.phases as f64) < thresholds.long_insert_phases {
        return None;
    }
    let filled: u64 = long
        .codes
        .sorted()
        .iter()
        .filter(|(code, _)| is_fill(context.codes, *code))
        .map(|(_, count)| count)
        .sum();
    if 2 * filled > long.events {
        return None;
    }
    let (end, obstacle) = (end(context), Obstacle::of_phases(context.codes, long));
    // The loop that computes and inserts the elements is what becomes parallel.
    let primary_site = place_of_phases(context.codes, long);
    let text = format!(
        "{} inserts {} elements in {} at the {end} of {}",
        cause_at(context.codes, &long.codes, primary_site),
        format_count(long.events as f64),
        counted(long.phases, "phase"),
        subject(context.codes, context.protocol)
    );
    Some(RuleMatch {
        primary_site,
        parallel_loop: ParallelLoop::from_phases(context.codes, long),
        level: Level::Note,
        cost: FindingCost::from_phases(
            context.protocol.counts.kind(crate::AccessKind::Insert).cost,
            ParallelTime::from_phases(long),
        ),
        certainty: certainty(context, obstacle),
        text,
        data: vec![
            ("phases", long.phases as f64),
            ("events", long.events as f64),
            ("longest", long.longest as f64),
        ],
        recommendation: recommendation(obstacle),
        codes: long.codes.clone(),
    })
}

fn certainty(context: &HistoryContext<'_>, obstacle: Obstacle) -> f64 {
    match context.protocol.instance.container {
        // Characters of a text are rarely independent of each other.
        crate::Container::String => obstacle.certainty().min(0.2),
        _ => obstacle.certainty(),
    }
}

fn recommendation(obstacle: Obstacle) -> String {
    let order = if obstacle == Obstacle::Nothing { " keeps their order" } else { "" };
    format!(
        "{}: compute them in parallel and collect them, `into_par_iter().map(…).collect()`{order}",
        obstacle.condition()
    )
}

/// The end at which phases insert most elements.
fn end(context: &HistoryContext<'_>) -> &'static str {
    let events = |pattern| context.protocol.list(Characteristic::strict(pattern)).events;
    if events(Pattern::InsertFront) > events(Pattern::InsertBack) { "front" } else { "back" }
}

#[cfg(test)]
mod tests {
    use lotse_formats::history::CarriedVariable;

    use crate::container::{AccessKind, Container};
    use crate::instance::{CodeId, InstanceId, LoopId};
    use crate::nesting::LoopTable;
    use crate::rules::fixture::{History, codes, fires, found, found_in, text};

    const ID: &str = "spy-long-insert";

    fn history(inserts: u64) -> History {
        History::filled(Container::Vec, 60).push(inserts).jump(1000)
    }

    #[test]
    fn a_hundred_insertions_are_long() {
        assert!(!fires(ID, history(99)));
        assert!(fires(ID, history(100)));
    }

    #[test]
    fn both_ends_count_and_interruptions_split() {
        assert!(fires(ID, History::new(Container::Vec).insert_front(100).jump(900)));
        let split = History::new(Container::Vec).push(60).scan(AccessKind::Read, 0, 0).push(60).jump(900);
        assert!(!fires(ID, split));
    }

    #[test]
    fn elements_that_need_an_earlier_one_are_not_computed_in_parallel() {
        let certainty = |depends: bool, also: &dyn Fn(&mut LoopTable)| {
            let history = History::new(Container::Vec).iterate(7, 40_000, |i| vec![(AccessKind::Insert, i)]);
            let found = found_in(ID, vec![history], |loops| {
                loops.record_entry(LoopId(7), None);
                loops.record_exit(LoopId(7), 40_000, 1_000_000);
                loops.record_growth(LoopId(7), InstanceId(1));
                loops.set_carried(LoopId(7), Some(CarriedVariable::None));
                also(loops);
                loops.record_lines(LoopId(7), codes().site(CodeId(3)).into_iter().cloned().collect());
                if depends {
                    loops.record_dependence(LoopId(7));
                }
            });
            let finding = &found[0].finding;
            assert_eq!(finding.recommendation.contains("uses what an earlier one wrote"), depends);
            (finding.certainty.get(), finding.severity.as_ref().unwrap().share.get())
        };
        // The loop took one millisecond of four, with long pauses between insertions: all of it counts.
        let (independent, dependent) = (certainty(false, &|_| {}), certainty(true, &|_| {}));
        assert_eq!((independent.0, dependent.0), (0.6, 0.1));
        let arena = |loops: &mut LoopTable| loops.record_growth(LoopId(7), InstanceId(2));
        assert_eq!(certainty(false, &arena).0, 0.2, "another structure grows in the same loop");
        let random = |loops: &mut LoopTable| loops.set_carried(LoopId(7), Some(CarriedVariable::State));
        assert_eq!(certainty(false, &random).0, 0.2, "the state of a random number generator");
        assert_eq!(certainty(false, &|loops| loops.set_carried(LoopId(7), None)).0, 0.4, "not looked at");
        assert!((0.24..0.26).contains(&independent.1), "{independent:?}");
        assert!((0.24..0.26).contains(&dependent.1), "{dependent:?}");
    }

    #[test]
    fn what_is_too_short_for_threads_is_doubtful() {
        // Ten nanoseconds each while recording, which makes everything four times as slow.
        let short = found(ID, vec![history(7_999)]);
        let long = found(ID, vec![history(8_002)]);
        let advice = &short[0].finding.recommendation;
        assert!(advice.ends_with(", too short to start threads for"), "{advice}");
        assert!(!long[0].finding.recommendation.contains("too short"));
        assert_eq!(short[0].finding.certainty.get(), 0.2 * long[0].finding.certainty.get());
    }

    #[test]
    fn a_call_that_fills_computes_no_elements() {
        let filled = |inserts| History::new(Container::Vec).by(9).push(2000).by(1).push(inserts);
        assert!(!fires(ID, filled(1999)));
        assert!(fires(ID, filled(2001)));
    }

    #[test]
    fn the_filters_come_first() {
        assert!(!fires(ID, History::new(Container::Vec).push(999)));
        assert!(fires(ID, History::new(Container::Vec).push(1000)));
        let short = |most: u64| {
            History::new(Container::Vec).repeat(30, |it| it.push(most).without_index(AccessKind::Clear, 1))
        };
        let thresholds = crate::Thresholds { long_insert_events: 40.0, ..crate::Thresholds::default() };
        assert!(!fires(ID, short(49)) && short(49).finish().max_length == 49);
        let protocol = |most| {
            let history = History::with(Container::Vec, 1, thresholds.clone());
            history.repeat(30, |it| it.push(most).without_index(AccessKind::Clear, 1)).finish()
        };
        assert!(!protocol(49).is_relevant(&thresholds) && protocol(50).is_relevant(&thresholds));
        assert_eq!(protocol(50).long_inserts.phases, 30);
    }

    #[test]
    fn the_sentence_names_code_and_structure() {
        let history = History::new(Container::Vec).push(2000);
        let expected = "long insert: main.rs:11 inserts 2,000 elements in 1 phase at the back of the Vec created at main.rs:10";
        assert_eq!(text(ID, vec![history]), expected);
    }

    #[test]
    fn instances_of_one_site_are_one_finding() {
        let history = |id, pushes| History::numbered(Container::Vec, id, 0).push(pushes);
        let found = found(ID, vec![history(1, 2000), history(2, 3000)]);
        assert_eq!((found.len(), found[0].instances, found[0].order), (1, 2, 3000));
        assert!(
            found[0].finding.reason.text.ends_with("1 more instance of this site does so too"),
            "{found:?}"
        );
        // 1999 and 2999 gaps of 10 ns in a recording of 4 ms.
        let severity = found[0].finding.severity.as_ref().unwrap().share.get();
        assert!((severity - 4998.0 * 10.0 / 4e6).abs() < 1e-9, "{severity}");
    }
}
