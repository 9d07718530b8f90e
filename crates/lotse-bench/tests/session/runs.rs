//! The record of a single run.

use std::time::Duration;

use lotse_bench::command::Shell;
use lotse_bench::options::{Options, ProgramSpec, RunnerChoice};
use lotse_bench::trial::StoppedBy;
use lotse_model::results::{Outcome, Run, Status};
use lotse_model::suite::Expected;

use crate::rig::{Rig, options};

/// The one run of a program under a runner.
fn run_under(runner: &str, body: &str) -> Run {
    let rig = Rig::new();
    let runner = RunnerChoice { id: runner.to_owned(), events: vec![] };
    let finished = rig.bench(&Options { runner, ..options(vec![rig.program("a", body)], 1) });
    finished.set.runs.into_iter().next().unwrap()
}

#[track_caller]
fn check_output(printed: &str, status: Status, values: &[(&str, f64)]) {
    let run = run_under("output", &format!("printf '{printed}'"));
    assert_eq!(run.outcome.status, status, "{printed}: {:?}", run.outcome.problem);
    let own = run.values.iter().filter(|(name, _)| name.starts_with('x'));
    let own: Vec<(&str, f64)> = own.map(|(name, &value)| (name.as_str(), value)).collect();
    assert_eq!(own, values, "{printed}");
    // Times are kept whether or not the program printed numbers.
    assert!(run.values.contains_key("wall"));
    let problem = run.outcome.problem.unwrap_or_default();
    assert_eq!(problem.starts_with("output: "), status == Status::Invalid, "{printed}: {problem}");
}

#[test]
fn lists_a_program_prints_are_kept_and_an_empty_one_is_refused_with_its_place() {
    let run = run_under("output", "printf 'x: [2, 3, 7]\\ny: 1\\nz: [4, 4]'");
    assert_eq!(
        run.within.into_iter().collect::<Vec<_>>(),
        [("x".to_owned(), vec![2.0, 3.0, 7.0]), ("z".to_owned(), vec![4.0, 4.0])]
    );
    assert_eq!((run.values["x"], run.values["z"]), (4.0, 4.0));
    let problem = run_under("output", "printf 'x: 1\\ny: []'").outcome.problem.unwrap();
    assert!(
        problem.contains("line 2, column 4: expected at least one number, found an empty list"),
        "{problem}"
    );
}

#[test]
fn numbers_a_program_prints_are_values_or_make_the_run_invalid() {
    check_output("x: 3", Status::Ok, &[("x", 3.0)]);
    check_output("x: [2, 3]\\nxy: {z: -1e3}", Status::Ok, &[("x", 2.5), ("xy.z", -1000.0)]);
    check_output("[{\"x\": 1}, {\"x\": 2}]", Status::Ok, &[("x", 1.5)]);
    check_output("x: []", Status::Invalid, &[]);
    check_output("x: 1\\nxy: []", Status::Invalid, &[]);
    check_output("", Status::Invalid, &[]);
    check_output("x", Status::Invalid, &[]);
    check_output("x: fast", Status::Invalid, &[]);
    check_output("x: .inf", Status::Invalid, &[]);
    check_output("x: 1\\ny: [1, two]", Status::Invalid, &[]);
    check_output("x: [1", Status::Invalid, &[]);
    // A name that Lotse measures itself.
    check_output("x: 1\\nwall: 2", Status::Invalid, &[]);
}

#[test]
fn the_numbers_of_a_failed_run_are_not_read() {
    let run = run_under("output", "echo 'x: 1'; exit 3");
    assert_eq!((run.outcome.status, run.outcome.exit_code), (Status::Failed, Some(3)));
    assert!(!run.values.contains_key("x"));
}

#[test]
fn a_run_that_takes_too_long_is_stopped_and_says_so() {
    let rig = Rig::new();
    let timeout = Some(Duration::from_millis(40));
    let hanging = ProgramSpec { timeout, ..rig.program("hanging", "sleep 1000") };
    let finished = rig.bench(&options(vec![rig.program("good", "true"), hanging], 20));
    assert_eq!(finished.conclusion.stopped_by, StoppedBy::Failure { program: "hanging".to_owned() });
    let stopped = Outcome {
        status: Status::Timeout,
        exit_code: None,
        signal: None,
        problem: Some("took longer than 40ms and was stopped".to_owned()),
    };
    let ends: Vec<&Outcome> =
        finished.set.runs.iter().filter(|run| run.program.0 == 1).map(|run| &run.outcome).collect();
    assert_eq!(ends, [&stopped; 3]);
    assert_eq!(finished.answer.programs[0].samples["wall"].len(), 3);
    assert!(!finished.answer.programs[1].samples.contains_key("wall"));
}

#[test]
fn standard_error_is_checked_on_request() {
    let rig = Rig::new();
    let status = |expected: Expected| {
        let program = ProgramSpec { expected, ..rig.program("a", "echo out; echo a warning >&2") };
        rig.bench(&options(vec![program], 1)).set.runs[0].outcome.status
    };
    let words = |word: &str| vec![word.to_owned()];
    let lacks = |word| Expected { error_lacks: words(word), ..Expected::default() };
    assert_eq!(status(lacks("warning")), Status::Invalid);
    assert_eq!(status(lacks("out")), Status::Ok);
    assert_eq!(status(Expected { error_contains: words("warn"), ..Expected::default() }), Status::Ok);
    assert_eq!(status(Expected { output_contains: words("warn"), ..Expected::default() }), Status::Invalid);
}

#[test]
fn the_cost_of_the_shell_is_subtracted_from_times() {
    let rig = Rig::new();
    // A shell that takes longer than any run; the runs themselves do not use it.
    let slow = ["sh", "-c", "sleep 0.02", "slow"].map(str::to_owned);
    let options = Options { shell: Shell::Words(slow.into()), ..options(vec![rig.program("a", "true")], 5) };
    let finished = rig.bench(&options);
    assert!(finished.answer.shell_cost.unwrap() >= 0.02, "{:?}", finished.answer.shell_cost);
    // The program is started directly here, so that nothing but its CPU time is left after the subtraction.
    let run = &finished.set.runs[0].values;
    assert!(run["wall"] < 0.02 && run["wall"] >= run["cpu"], "{run:?}");
    // Counts add up as times do; a maximum does not.
    let cost = finished.set.start_cost.unwrap();
    assert!(cost.subtracted["minor_faults"] > 0.0 && cost.peaks["peak_memory"] > 0.0, "{cost:?}");
    assert!(finished.set.runs.iter().all(|run| run.values["peak_memory"] > 0.0));
}

#[test]
fn successful_and_failed_runs_have_all_known_metrics() {
    for body in ["true", "exit 3"] {
        let run = run_under("rusage", body);
        let missing: Vec<&str> = lotse_model::metric::KNOWN
            .iter()
            .map(|known| known.name)
            .filter(|name| !run.values.contains_key(*name) && !["run_delay", "migrations"].contains(name))
            .collect();
        assert!(missing.is_empty(), "{body}: {missing:?}");
        assert!(run.values["cpu"] <= run.values["user"] + run.values["system"] + 1e-12);
        assert!(run.values["peak_memory"] > 0.0);
    }
}
