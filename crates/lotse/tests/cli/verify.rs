//! The command that a finding prints for its verification: run as printed, it measures or reads the same as the user's
//! command.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::profile_forms::CALLS;
use crate::session::{Answer, LOTSE, Session, list};
use crate::trace::sample;

/// The command that the finding of a rule prints.
#[track_caller]
fn printed(answer: &Value, rule: &str) -> String {
    let found = list(&answer["findings"]).iter().find(|finding| finding["rule"]["id"] == rule);
    let found = found.unwrap_or_else(|| panic!("no {rule} in {}", answer["findings"]));
    found["verification"].as_str().unwrap().to_owned()
}

/// Runs a line in a shell that finds the `lotse` under test.
fn run(session: &Session, line: &str) -> Answer {
    let directory = Path::new(LOTSE).parent().unwrap().display().to_string();
    let path = format!("{directory}:{}", std::env::var("PATH").unwrap());
    let lotse = session.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(lotse.get_current_dir().unwrap());
    for (name, value) in lotse.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    Answer::from_output(shell.env("PATH", path).output().unwrap())
}

#[test]
fn a_failed_run_fails_in_the_same_way_again() {
    let session = Session::new();
    session.write("sub/x", "");
    session.script("sub/work", "cat x; echo \"it's $A\"; exit 4");
    let options = [
        "bench",
        "--json",
        "--runs=2",
        "--out",
        "log",
        "--timeout=20s",
        "--cwd",
        "sub",
        "--env",
        "A=1",
        "--expect-contains",
        "it's 2",
        "--expect-code=4,5",
        "-n",
        "the work",
        "./work",
    ];
    let first = session.lotse(&options).exits(3).json();
    let line = printed(&first, "bench-failed-runs");
    let expected = "lotse bench --show-output --runs 1 --timeout 20s --cwd sub --env A=1 \
                    --expect-contains 'it'\\''s 2' --expect-code 4,5 --command-name 'the work' ./work";
    assert_eq!(line, expected);
    let again = run(&session, &format!("{line} --json")).exits(3);
    let start = again.stdout.find("{\n").unwrap();
    let again: Value = serde_json::from_str(&again.stdout[start..]).unwrap();
    assert_eq!(first["runs"][0]["problem"], again["runs"][0]["problem"]);
    assert_eq!(again["programs"][0]["name"], "the work");
}

#[test]
fn limits_of_the_first_measurement_do_not_forbid_the_check() {
    let session = Session::new();
    let args = ["bench", "--json", "--min-runs=2", "--max-runs=3", "--level=90%", "-S", "true | true"];
    let line = printed(&session.lotse(&args).json(), "bench-too-few-runs");
    assert_eq!(line, "lotse bench --min-runs 30 --level 90% -S 'true | true'");
    let again = run(&session, &format!("{line} --json")).json();
    assert!(list(&again["runs"]).len() >= 30);
}

#[test]
fn a_suite_is_measured_again() {
    let session = Session::new();
    session.write("suite.yaml", "- attributes: {description: one}\n  run_config: {run_cmd: 'exit 3'}\n");
    let first = session.lotse(&["bench", "--json", "-f", "suite.yaml", "--runs", "3"]).exits(3).json();
    let line = printed(&first, "bench-failed-runs");
    assert_eq!(line, "lotse bench --show-output --runs 1 --file suite.yaml");
    run(&session, &line).exits(3);
}

#[test]
fn results_of_other_tools_lack_the_options_of_the_measurement() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "2", "--export-json", "x.json", "sleep 0.01"]);
    let read = session.lotse(&["bench", "report", "--json", "x.json"]).json();
    let line = printed(&read, "bench-too-few-runs");
    assert_eq!(line, "lotse bench --min-runs 30 'sleep 0.01'  # and the options of the first measurement");
}

#[test]
fn a_profile_is_read_as_it_was() {
    let session = Session::new();
    session.write("it's.out", &CALLS.replace("summary: 1110 12", "summary: 2220 12"));
    let args =
        ["profile", "top", "it's.out", "--json", "--cycles", "raw", "-e", "D1mr", "--format=callgrind"];
    let line = printed(&session.lotse(&args).exits(0).json(), "profile-totals-mismatch");
    assert_eq!(line, r"lotse profile parts 'it'\''s.out' --cycles raw --format callgrind");
    run(&session, &line).exits(0).says("1,110");
}

#[test]
fn a_comparison_is_made_as_it_was() {
    let session = crate::profile_forms::session();
    let args = ["profile", "diff", "a.out", "b.out", "--json", "-n", "1", "--event", "Ir", "--no-index"];
    let line = printed(&session.lotse(&args).exits(0).json(), "profile-cost-moved");
    assert_eq!(line, "lotse profile diff --calls a.out b.out --event Ir --no-index");
    run(&session, &line).exits(0).says("work::run(int)");
}

#[test]
fn a_trace_is_read_with_the_same_clocks() {
    let session = Session::new();
    let trace = sample("heat-4");
    let args = ["trace", "analyze", &trace, "--json", "--clock", "raw", "--threads", "1", "--min-share=2%"];
    let answer = session.lotse(&args).exits(0).json();
    let line = printed(&answer, "trace-imbalance");
    assert!(line.contains("heat-4 --clock raw --balance main/step/stencil"), "{line}");
    run(&session, &line).exits(0);
}
