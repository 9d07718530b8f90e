//! Properties of all rules.

use std::sync::Arc;

use super::fixture::{History, codes, outcome};
use super::{RULES, all};
use crate::container::{AccessKind, Container};
use crate::instance::CodeId;
use crate::key_counts::KeyCounts;
use crate::program::Program;
use crate::settings::Settings;
use crate::severity::RunTime;

#[test]
fn rules_have_distinct_names_and_full_texts() {
    let mut ids: Vec<&str> = all().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), RULES.len()), (17, 16));
    for rule in all() {
        assert!(rule.id.starts_with("spy-"), "{}", rule.id);
        assert!(rule.title.len() > 10, "{}", rule.id);
        for text in [rule.meaning, rule.computation, rule.example, rule.advice] {
            assert!(text.len() > 10, "{}: {text:?} says too little", rule.id);
        }
        for threshold in rule.thresholds {
            assert!(
                rule.computation.contains(&format!("`{}`", threshold.name)) || rule.id == "spy-history",
                "{}",
                rule.id
            );
        }
    }
}

/// Ten insertions at the front, a forward read, ten insertions at the front, a backward read: too short for a finding.
#[test]
fn the_example_of_the_thesis_is_too_short_for_findings() {
    let history = History::new(Container::Vec).insert_front(10).scan(AccessKind::Read, 0, 9);
    let history = history.insert_front(10).scan(AccessKind::Read, 19, 0);
    assert_eq!(outcome(vec![history]).findings, []);
}

#[test]
fn the_weightiest_comes_first_and_without_a_run_time_the_order_number_decides() {
    let histories = || {
        vec![
            History::numbered(Container::Vec, 1, 0).push(3000),
            History::numbered(Container::Vec, 2, 8)
                .push(2000)
                .by(9)
                .repeat(200, |it| it.long(100_000).remove_front(1)),
        ]
    };
    let program = || {
        let mut program = Program::new(&Arc::new(Settings::default()));
        histories().into_iter().for_each(|history| program.add(history.finish(), &codes()));
        program
    };
    let ids = |time: RunTime| -> Vec<(String, u64)> {
        let found = program().findings(&codes(), time).findings;
        found.into_iter().map(|found| (found.finding.rule.id, found.order)).collect()
    };
    let timed = ids(RunTime { unrecorded: Some(0.1), recorded: Some(0.4) });
    assert_eq!(timed[0], ("spy-remove-front".to_owned(), 2200));
    let untimed = ids(RunTime::default());
    assert_eq!(untimed[0], ("spy-long-insert".to_owned(), 3000));
    let found = program().findings(&codes(), RunTime::default()).findings;
    assert!(found.iter().all(|found| found.finding.severity.is_none()));
}

#[test]
fn findings_are_in_the_order_of_their_shares_whatever_their_certainty() {
    // Moving elements is certain but cheap; a pass concerns more of the run and is less certain.
    let histories = || {
        vec![
            History::numbered(Container::Vec, 1, 0).long(4000).scan(AccessKind::Read, 0, 3999),
            History::numbered(Container::Vec, 2, 8)
                .by(9)
                .repeat(150, |it| it.long(100).remove_front(1))
                .jump(900),
        ]
    };
    let found = |recorded: f64| -> Vec<(f64, f64)> {
        let mut program = Program::new(&Arc::new(Settings::default()));
        histories().into_iter().for_each(|history| program.add(history.finish(), &codes()));
        let time = RunTime { unrecorded: Some(recorded / 4.0), recorded: Some(recorded) };
        let found = program.findings(&codes(), time).findings.into_iter();
        found.map(|it| (it.finding.weight().unwrap(), it.finding.certainty.get())).collect()
    };
    // 39,990 ns of the pass are 1.1 % of the run: less than that of others if multiplied with its certainty.
    let close = found(3.6e-3);
    assert!(close.is_sorted_by(|a, b| a.0 >= b.0), "{close:?}");
    let (share, certainty) = close[0];
    assert!(close.iter().any(|it| it.0 < share && it.0 * it.1 > share * certainty), "{close:?}");
}

#[test]
fn one_estimate_out_of_scale_leaves_the_others_theirs() {
    let sorted = History::numbered(Container::Vec, 2, 8).long(400_000).without_index(AccessKind::Sort, 2000);
    let pushed = || History::new(Container::Vec).grown(4, 100_000).push(100_000);
    let share = |histories: Vec<History>| {
        let found = super::fixture::found("spy-missing-capacity", histories);
        found[0].finding.severity.as_ref().unwrap().share.get()
    };
    let (alone, beside) = (share(vec![pushed()]), share(vec![pushed(), sorted]));
    assert!(beside > 0.4 * alone, "{alone} {beside}");
}

#[test]
fn findings_say_where_why_and_what_to_do() {
    let found = outcome(vec![History::new(Container::Vec).push(2000)]).findings.remove(0);
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!(json["rule"]["id"], "spy-long-insert");
    assert_eq!((json["sites"][0]["line"].as_u64(), json["sites"][1]["line"].as_u64()), (Some(11), Some(10)));
    assert_eq!((json["order"].as_u64(), json["status"].as_str()), (Some(2000), Some("unverified")));
    assert!(json["recommendation"].as_str().is_some_and(|text| text.contains("collect")));
    assert_eq!(
        json["severity"]["of"],
        "of the recorded run, which took 4 times as long; recording slows loops down unevenly"
    );
}

#[test]
fn a_protocol_in_json_has_the_writes_that_nothing_reads() {
    let protocol = History::filled(Container::Vec, 100)
        .scan(AccessKind::Write, 0, 29)
        .scan(AccessKind::Read, 0, 9)
        .finish();
    assert_eq!(serde_json::to_value(&protocol).unwrap()["unread"]["writes"], 20);
}

#[test]
fn a_file_of_a_dependency_is_named_with_its_crate() {
    let file =
        super::file_of_dependency("/home/u/.cargo/registry/src/index-1949/delaunator-1.1.0/src/lib.rs");
    assert_eq!(file, Some("delaunator-1.1.0/src/lib.rs"));
    assert_eq!(super::file_of_dependency("/home/u/project/src/lib.rs"), None);
}

#[test]
fn calls_at_the_back_are_not_those_that_move_elements() {
    let (pop, remove) = (CodeId(2), CodeId(20));
    let mut calls = KeyCounts::default();
    calls.add(pop, 5000);
    assert_eq!(super::at_front(&codes(), &calls), calls, "no other name");
    calls.add(remove, 100);
    assert_eq!(super::at_front(&codes(), &calls).sorted(), [(remove, 100)]);
}
