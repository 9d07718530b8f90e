//! Whoever asks for an answer may stop waiting at any time: there is no part of an answer, and the next one is whole.

use std::fmt::Debug;
use std::sync::Arc;

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::progress::{Cancelled, CancelledAt, NoProgress, check_interruptions, interruptible};
use lotse_profile::analysis::{Analysis, CycleMode, Grouping, PartChoice};
use lotse_profile::calls::{Side, all};
use lotse_profile::diff::{Basis, Comparison, DiffOrder, DiffQuery, DiffSide};
use lotse_profile::events::Column;
use lotse_profile::filter::{Filter, Pattern};
use lotse_profile::groups::groups;
use lotse_profile::open::{Request, open};
use lotse_profile::select::{Selection, select};
use lotse_profile::top::{TopOrder, TopQuery, top};
use lotse_profile::unfold::{Direction, Limits, UnfoldQuery};
use lotse_profile::{flame, graph, treemap};

use crate::input::{CALLGRIND, COLLAPSED, columns, function};

/// Calls `check` with a profile of calls and one of stacks.
fn each_profile(check: impl Fn(&str, &Profile, &[Column])) {
    for (what, text) in [("calls", CALLGRIND), ("stacks", COLLAPSED)] {
        let source = Memory { name: "x", bytes: text.as_bytes() };
        let opened = open(&source, &Request::default(), &mut NoProgress).unwrap();
        check(what, &opened.profile, &columns(&opened.profile));
    }
}

fn analysis(profile: &Profile) -> Analysis<'_> {
    Analysis::new(profile, &PartChoice::Default, CycleMode::Folded).unwrap()
}

#[test]
fn sums_and_lists() {
    each_profile(|what, profile, columns| {
        check_interruptions(&format!("analysis of {what}"), || analysis(profile).summary());
        let (analysis, filter) = (analysis(profile), Filter::default());
        let summary = analysis.summary();
        let query = TopQuery { columns, order: TopOrder::Own, limit: None, filter: &filter };
        check_interruptions(&format!("list of {what}"), || top(profile, &summary, &query));
        check_interruptions(&format!("groups of {what}"), || {
            groups(&analysis, columns, Grouping::Object, TopOrder::Own)
        });
        let main = function(profile, "main");
        check_interruptions(&format!("callees in {what}"), || all(&analysis, columns, main, Side::Callees));
    });
}

/// Checks questions about an analysis whose tables exist, and the first question, which makes them: an interruption there leaves
/// no table that is half filled. Returns the number of checkpoints of the first question.
fn check_first_and_later<T: PartialEq + Debug>(
    what: &str,
    profile: &Profile,
    ask: impl Fn(&Analysis<'_>) -> T,
) -> u64 {
    let prepared = analysis(profile);
    check_interruptions(what, || ask(&prepared));
    let whole = ask(&prepared);
    let counted = Arc::new(CancelledAt::never());
    let unprepared = analysis(profile);
    assert_eq!(interruptible(counted.clone(), || ask(&unprepared)).as_ref(), Ok(&whole), "{what}");
    for question in 1..=counted.asked() {
        let unprepared = analysis(profile);
        let interrupted = interruptible(Arc::new(CancelledAt::question(question)), || ask(&unprepared));
        assert_eq!(interrupted, Err(Cancelled), "{what}, checkpoint {question}");
        assert_eq!(ask(&unprepared), whole, "{what}: the answer after an interruption at {question}");
    }
    counted.asked()
}

#[test]
fn trees() {
    each_profile(|what, profile, columns| {
        for direction in [Direction::Callees, Direction::Callers] {
            let query =
                UnfoldQuery { start: None, direction, weight: &columns[0], limits: Limits::default() };
            check_first_and_later(&format!("flame graph of {what}"), profile, |analysis| {
                flame::answer(analysis, &query).unwrap()
            });
            check_first_and_later(&format!("treemap of {what}"), profile, |analysis| {
                treemap::answer(analysis, &query, (300.0, 200.0)).unwrap()
            });
        }
    });
}

#[test]
fn graphs_and_filters() {
    each_profile(|what, profile, columns| {
        let query = graph::GraphQuery {
            column: &columns[0],
            start: None,
            depth: None,
            node_share: 0.0,
            edge_share: 0.0,
            nodes: None,
            group: None,
        };
        let checkpoints = check_first_and_later(&format!("graph of {what}"), profile, |analysis| {
            graph::answer(analysis, &query).unwrap()
        });
        assert!(checkpoints > 20, "{what}: the layout has checkpoints too, not only {checkpoints}");
        let filter = Filter { name: Some(Pattern::parse("/e/").unwrap()), ..Filter::default() };
        check_first_and_later(&format!("filter of {what}"), profile, |analysis| filter.accepted(analysis));
    });
}

#[test]
fn selections_and_comparisons() {
    each_profile(|what, profile, columns| {
        let selection = Selection::parse([Some("e"), None, Some("main"), None]).unwrap();
        let analysis = analysis(profile);
        check_interruptions(&format!("selection in {what}"), || {
            select(&analysis, &selection).unwrap().profile.parts
        });
        let side = |file| DiffSide { file, format: "callgrind", analysis: &analysis, columns };
        let (sides, filter) = ([side("old"), side("new")], Filter::default());
        let query = DiffQuery {
            basis: Basis::Cost,
            order: DiffOrder::Difference,
            inclusive: false,
            limit: None,
            min_change: 0.0,
            filter: &filter,
        };
        check_interruptions(&format!("comparison of {what}"), || {
            Comparison::new(&sides, Basis::Cost).answer(&query)
        });
    });
}
