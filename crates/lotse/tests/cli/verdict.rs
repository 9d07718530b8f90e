//! When measuring stops and what is then said. Only what holds on any machine is asserted.

use crate::session::Session;

#[test]
fn a_clear_difference_is_found_long_before_the_budget() {
    let session = Session::new();
    let answer =
        session.lotse(&["bench", "--json", "--budget", "10s", "sleep 0.002", "sleep 0.03"]).exits(0).json();
    let wall = &answer["comparisons"][0];
    assert_eq!((&wall["verdict"], &wall["stopped_by"]), (&"slower".into(), &"verdict".into()));
}

#[test]
fn until_the_ratio_is_known_well_enough() {
    let session = Session::new();
    let args = ["bench", "--json", "--until", "±20%", "--budget", "10s", "sleep 0.02", "sleep 0.02"];
    let answer = session.lotse(&args).json();
    let wall = &answer["comparisons"][0];
    assert_eq!(wall["stopped_by"], "precision", "{wall}");
    let interval = crate::session::numbers(&wall["interval"]);
    assert!(interval[1] / interval[0] < 1.25 / 0.75, "{wall}");
}

#[test]
fn noise_is_undecided_when_the_budget_is_spent() {
    let session = Session::new();
    // The shell's own process number is as good as random from run to run.
    session.script("noisy", "sleep 0.0$(($$ % 7))");
    let args = [
        "bench",
        "--json",
        "--budget",
        "400ms",
        "--until",
        "±1%",
        "-n",
        "a",
        "-n",
        "b",
        "./noisy a",
        "./noisy b",
    ];
    let answer = session.lotse(&args).exits(5);
    let wall = &answer.json()["comparisons"][0];
    assert_eq!((&wall["verdict"], &wall["stopped_by"]), (&"undecided".into(), &"budget".into()), "{wall}");
    let human =
        session.lotse(&["bench", "--budget", "300ms", "--until", "±1%", "./noisy a", "./noisy b"]).exits(5);
    assert!(
        human.stdout.to_lowercase().contains("undecided") || human.stdout.contains("cannot tell"),
        "{}",
        human.stdout
    );
}

#[test]
fn one_program_alone_has_no_verdict() {
    let answer = Session::new().lotse(&["bench", "--json", "--budget", "300ms", "sleep 0.001"]).exits(0);
    assert_eq!(answer.json()["comparisons"], serde_json::json!([]));
}
