//! When measuring stops, and with which verdict, on numbers that do not depend on the machine.

use serde_json::Value;

use crate::session::{Answer, Session, WORK, list, numbers};

/// About 100, a few percent to either side.
const HUNDRED: &[u32] = &[100, 104, 98, 101, 99];
/// Values without a trend, with the same median as [`WILD_TOO`].
const WILD: &[u32] = &[10, 90, 30, 70, 50];
const WILD_TOO: &[u32] = &[50, 10, 90, 30, 70];

fn measure(old: &[u32], new: &[u32], args: &[&str]) -> Answer {
    let session = Session::new();
    session.worker("old", old).worker("new", new);
    // The programs print the same numbers every time, and with a seed the order of runs is the same, too.
    session.lotse(&[&["bench", "--seed", "1"], args, &WORK, &["./old", "./new"]].concat())
}

/// The comparison of the primary metric.
fn primary_comparison(answer: &Answer) -> Value {
    let json = answer.json();
    list(&json["comparisons"]).iter().find(|it| it["primary"] == true).unwrap().clone()
}

#[test]
fn a_difference_ends_the_measurement() {
    let answer = measure(HUNDRED, &[52, 50, 49, 51, 48], &["--json", "--budget", "5s"]).exits(0);
    let comparison = primary_comparison(&answer);
    assert_eq!(
        (&comparison["verdict"], &comparison["stopped_by"]),
        (&"faster".into(), &"verdict".into()),
        "{comparison}"
    );
}

#[test]
fn equivalence_ends_it_too() {
    let answer = measure(&[1000, 1001], &[1001, 1000], &["--json", "--budget", "5s"]).exits(0);
    let comparison = primary_comparison(&answer);
    assert_eq!(
        (&comparison["verdict"], &comparison["stopped_by"]),
        (&"equivalent".into(), &"verdict".into()),
        "{comparison}"
    );
}

#[test]
fn until_the_ratio_is_known_well_enough() {
    let answer = measure(HUNDRED, &[98, 101, 99, 104, 100], &["--json", "--until", "±10%", "--budget", "5s"]);
    let comparison = primary_comparison(&answer);
    assert_eq!(comparison["stopped_by"], "precision", "{comparison}");
    let interval = numbers(&comparison["interval"]);
    assert!(interval[1] / interval[0] < 1.1 / 0.9, "{comparison}");
}

#[test]
fn noise_is_undecided_when_the_budget_is_spent() {
    let answer = measure(WILD, WILD_TOO, &["--json", "--budget", "300ms", "--until", "±1%"]).exits(5);
    let comparison = primary_comparison(&answer);
    assert_eq!(
        (&comparison["verdict"], &comparison["stopped_by"]),
        (&"undecided".into(), &"budget".into()),
        "{comparison}"
    );
}

#[test]
fn the_screen_says_undecided() {
    let answer = measure(WILD, WILD_TOO, &["--runs", "20"]).exits(5);
    assert!(answer.stdout.starts_with("undecided: ./new needs "), "{}", answer.stdout);
}

#[test]
fn a_difference_smaller_than_delta_still_has_a_direction() {
    let slower: Vec<u32> = HUNDRED.iter().map(|value| value * 10 + 20).collect();
    let reference: Vec<u32> = HUNDRED.iter().map(|value| value * 10).collect();
    let verdict = |delta: &str| {
        primary_comparison(&measure(&reference, &slower, &["--json", "--runs", "20", "--delta", delta]))["verdict"].clone()
    };
    assert_eq!(verdict("1%"), "slower");
    // The whole interval is on one side of 1: the difference is small, but it exists.
    assert_eq!(verdict("5%"), "slower");
}

#[test]
fn several_programs_are_all_compared() {
    let session = Session::new();
    session.worker("a", HUNDRED).worker("b", &[202, 200, 197, 205, 196]).worker("c", &[52, 50, 49, 51, 48]);
    let args =
        [&["bench", "--json", "--seed", "1", "--runs", "20"], &WORK[..], &["./a", "./b", "./c"]].concat();
    let answer = session.lotse(&args).exits(0).json();
    let verdicts: Vec<&Value> = list(&answer["comparisons"])
        .iter()
        .filter(|it| it["primary"] == true)
        .map(|it| &it["verdict"])
        .collect();
    assert_eq!(verdicts, ["slower", "faster"]);
}

#[test]
fn one_program_alone_has_no_verdict() {
    let answer = Session::new().lotse(&["bench", "--json", "--budget", "300ms", "sleep 0.001"]).exits(0);
    assert_eq!(answer.json()["comparisons"], serde_json::json!([]));
}
