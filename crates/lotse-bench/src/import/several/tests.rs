//! Names, pairs and levels of several files.

use lotse_model::results::Design;
use lotse_model::rule::Thresholds;
use lotse_stats::sequential::Plan;

use super::{ImportError, ReportChoice, analyse_several};
use crate::answer::{Answer, Verdict};
use crate::import::{Imported, PlannedQuestion};
use crate::rules::fixture::{Fixture, noise};
use crate::trial::{Conclusion, StoppedBy};

fn file(label: &str, programs: &[(&str, &[f64])]) -> Imported {
    let set = Fixture::paired(programs).set;
    let conclusion = Conclusion::single_look(Plan::default(), programs.len() - 1, 100, StoppedBy::Verdict);
    Imported {
        label: label.to_owned(),
        set,
        conclusion: Some(conclusion),
        question: PlannedQuestion::default(),
    }
}

fn answer(files: Vec<Imported>, reference: Option<&str>) -> Result<Answer, ImportError> {
    let thresholds = Thresholds::default();
    let choice = ReportChoice { reference, metric: None, delta: None, thresholds: &thresholds };
    analyse_several(files, choice).map(|(_, answer)| answer)
}

fn pairs(answer: &Answer) -> Vec<(&str, &str)> {
    answer.comparisons.iter().map(|row| (row.reference.as_str(), row.program.as_str())).collect()
}

/// Values of a machine that becomes slower and faster again: pairs are not affected by that, means are.
fn sawtooth(factor: f64, seed: u64) -> Vec<f64> {
    let wave = |(i, x): (usize, f64)| factor * x * (1.0 + 0.1 * (i % 10) as f64);
    noise(40, 0.001, seed).into_iter().enumerate().map(wave).collect()
}

#[test]
fn new_is_compared_with_old_by_name_and_pairs_are_kept_inside_a_file() {
    let [old_x, old_y] = [sawtooth(1.0, 1), sawtooth(1.03, 2)];
    let [new_x, new_y] = [sawtooth(0.5, 3), sawtooth(0.515, 4)];
    let old = file("old", &[("x", &old_x), ("y", &old_y)]);
    let new = file("new", &[("x", &new_x), ("y", &new_y)]);
    let answer = answer(vec![old, new], None).unwrap();
    let expected =
        [("x (old)", "x (new)"), ("y (old)", "y (new)"), ("x (old)", "y (old)"), ("x (new)", "y (new)")];
    assert_eq!(pairs(&answer), expected);
    let estimators: Vec<&str> = answer.comparisons.iter().map(|row| row.estimator.as_str()).collect();
    let paired = "paired-hodges-lehmann";
    assert_eq!(estimators, ["welch-log", "welch-log", paired, paired]);
    // Three percent are lost in the sawtooth unless the pairs are kept.
    let verdicts: Vec<Verdict> = answer.comparisons.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Faster, Verdict::Faster, Verdict::Slower, Verdict::Slower]);
    assert!(answer.comparisons.iter().all(|row| row.primary && row.level == 0.95));
    assert_eq!((answer.comparisons[2].stopped_by.as_str(), answer.design), ("verdict", Design::Sequential));
    let apart = answer.findings.iter().filter(|finding| finding.rule.id == "bench-not-interleaved");
    assert_eq!(apart.count(), 1);
}

#[test]
fn comparisons_across_files_share_the_error() {
    let values: Vec<Vec<f64>> = (0..4).map(|seed| noise(20, 0.01, seed)).collect();
    let width = |names: &[&str]| {
        let programs: Vec<(&str, &[f64])> =
            names.iter().zip(&values).map(|(name, values)| (*name, values.as_slice())).collect();
        let answer = answer(vec![file("old", &programs), file("new", &programs)], None).unwrap();
        let [Some(low), Some(high)] = answer.comparisons[0].interval else { panic!("{answer:?}") };
        high / low
    };
    assert!(width(&["a", "b", "c"]) > width(&["a"]));
}

#[test]
fn without_a_common_name_the_first_reference_is_that_of_all() {
    let values: Vec<Vec<f64>> = (0..4).map(|seed| noise(20, 0.01, seed)).collect();
    let files = || {
        let one = file("one", &[("a", &values[0]), ("b", &values[1])]);
        vec![one, file("two", &[("c", &values[2]), ("d", &values[3])])]
    };
    assert_eq!(pairs(&answer(files(), None).unwrap()), [("a", "c"), ("a", "d"), ("a", "b"), ("c", "d")]);
    assert_eq!(pairs(&answer(files(), Some("b")).unwrap()), [("b", "c"), ("b", "d"), ("b", "a")]);
    let missing = answer(files(), Some("e")).unwrap_err();
    assert_eq!(missing.to_string(), "there is no program 'e'; there are a, b, c, d");
}

#[test]
fn names_stay_distinct_and_a_plain_name_means_the_first_file_s() {
    let values = noise(20, 0.01, 1);
    let files = ["x", "x", "x"].map(|label| file(label, &[("a", &values)])).into();
    let answer = answer(files, Some("a")).unwrap();
    let names: Vec<&str> = answer.programs.iter().map(|program| program.name.as_str()).collect();
    assert_eq!(names, ["a (x)", "a (x) 2", "a (x) 3"]);
    assert_eq!(pairs(&answer), [("a (x)", "a (x) 2"), ("a (x)", "a (x) 3")]);
}

#[test]
fn files_without_a_measurement_give_no_report() {
    let empty = || Imported {
        label: "x".to_owned(),
        set: Default::default(),
        conclusion: None,
        question: PlannedQuestion::default(),
    };
    assert_eq!(answer(vec![empty(), empty()], None).unwrap_err(), ImportError::Empty);
}
