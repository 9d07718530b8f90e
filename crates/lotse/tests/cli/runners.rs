//! Runners: valgrind, perf, counters of the kernel, the program's own output.

use std::process::Command;

use serde_json::Value;

use crate::session::{Answer, Session, has, list, numbers, texts};

fn comparison<'a>(answer: &'a Value, metric: &str) -> &'a Value {
    list(&answer["comparisons"]).iter().find(|it| it["metric"] == metric).unwrap()
}

#[test]
fn a_constant_metric_is_compared_exactly() {
    if !has("valgrind") {
        return;
    }
    let session = Session::new();
    let args = ["bench", "--json", "--runner", "valgrind", "--runs", "2", "/bin/true", "/bin/sleep 0"];
    let answer = session.lotse(&args).json();
    let samples: Vec<Vec<f64>> =
        list(&answer["programs"]).iter().map(|it| numbers(&it["samples"]["instructions"])).collect();
    let constant = samples.iter().all(|counts| counts[0] == counts[1]);
    if !constant {
        test_support::skip_here(format!("these programs do not repeat exactly under valgrind: {samples:?}"));
        return;
    }
    let compared = comparison(&answer, "instructions");
    let ratio = samples[1][0] / samples[0][0];
    assert_eq!(compared["primary"], true);
    assert_eq!(compared["estimator"], "exact", "{compared}");
    // The ratio is computed from its logarithm, so its last digits may differ.
    let near = |value: f64| (value / ratio - 1.0).abs() < 1e-12;
    assert!(near(compared["ratio"].as_f64().unwrap()), "{compared}");
    assert!(numbers(&compared["interval"]).into_iter().all(near), "{compared}");
    assert!(answer["programs"][0]["samples"].get("wall").is_none());
}

#[test]
fn the_program_s_own_numbers() {
    let session = Session::new();
    session
        .script("own", "echo 'throughput: 250'; echo 'latency: [1, 2.5]'; test -n \"$1\" || echo 'extra: 1'");
    let args = [
        "bench",
        "--json",
        "--runner",
        "output",
        "--metric",
        "throughput",
        "--runs",
        "3",
        "./own",
        "./own x",
    ];
    let answer = session.lotse(&args).json();
    let samples = &answer["programs"][0]["samples"];
    assert_eq!(numbers(&samples["throughput"]), [250.0, 250.0, 250.0]);
    assert_eq!(numbers(&samples["latency"]), [1.75, 1.75, 1.75]);
    assert_eq!(numbers(&samples["extra"]).len(), 3);
    assert_eq!(numbers(&samples["wall"]).len(), 3);
    let compared = comparison(&answer, "throughput");
    assert_eq!((&compared["primary"], &compared["ratio"]), (&true.into(), &1.0.into()));
}

#[test]
fn the_program_s_own_numbers_as_json() {
    let session = Session::new();
    session.script("own", "echo '{\"score\": 3.5}'");
    let answer = session.bench(&["--runner", "output", "--runs", "2", "./own"]);
    assert_eq!(numbers(&answer["programs"][0]["samples"]["score"]), [3.5, 3.5]);
}

/// All numbers of a list are in the answer and in the result file, and their spread is that of a level below the run.
#[test]
fn lists_that_a_program_prints_are_a_level_of_their_own() {
    let session = Session::new();
    session.script("own", "echo 'score: [3, 4, 8]'");
    let answer = session.bench(&["--runner", "output", "--runs", "4", "--out", "log", "./own"]);
    let again = session.lotse(&["bench", "report", "--json", "log"]).json();
    for answer in [&answer, &again] {
        assert_eq!(numbers(&answer["programs"][0]["samples"]["score"]), [5.0; 4]);
        for run in list(&answer["runs"]) {
            assert_eq!(numbers(&run["within"]["score"]), [3.0, 4.0, 8.0]);
        }
        let levels = &answer["levels"][0];
        assert_eq!((&levels["program"], &levels["metric"]), (&"./own".into(), &"score".into()));
        assert_eq!(texts(&levels["levels"], "level"), ["run", "value"]);
        assert_eq!(levels["levels"][1]["count"], 12);
    }
    let text = session.lotse(&["bench", "report", "log"]).exits(0).stdout;
    let printed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "./own: score varies by nothing measurable between 4 runs, by ± 50.42 % between 12 values within runs";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn output_without_numbers_makes_the_run_invalid() {
    let session = Session::new();
    let answer =
        session.lotse(&["bench", "--json", "--runner", "output", "--runs", "2", "echo just words"]).exits(4);
    let runs = answer.json()["runs"].clone();
    assert_eq!(texts(&runs, "status"), ["invalid", "invalid"]);
    assert!(runs[0]["problem"].as_str().unwrap().contains("output"), "{}", runs[0]);
}

#[test]
fn events_of_the_kernel() {
    let session = Session::new();
    let args = [
        "bench",
        "--json",
        "--runner",
        "perf-events",
        "--events",
        "page-faults,task-clock",
        "--runs",
        "3",
        "true",
    ];
    let answer = session.lotse(&args);
    if answer.status == 4 && answer.stderr.contains("does not offer") {
        test_support::skip_here("this machine offers no counters");
        return;
    }
    let answer = answer.exits(0).json();
    let samples = &answer["programs"][0]["samples"];
    assert!(numbers(&samples["page-faults"]).iter().all(|&count| count > 0.0), "{samples}");
    assert_eq!(numbers(&samples["wall"]).len(), 3);
}

#[test]
fn events_of_perf_stat() {
    let probe = Command::new("perf").args(["stat", "-e", "page-faults", "true"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        test_support::skip_here("perf stat does not run here");
        return;
    }
    let session = Session::new();
    // After subtracting the overhead of perf, the time of a program that ends at once may be 0.
    let (runner, events) = (["--runner", "perf-stat"], ["--events", "page-faults"]);
    let args = [&["bench", "--json", "--runs", "3"][..], &runner, &events, &["sleep 0.1"]].concat();
    let answer = session.lotse(&args).exits(0).json();
    let samples = &answer["programs"][0]["samples"];
    assert!(numbers(&samples["page-faults"]).iter().all(|&count| count > 0.0), "{samples}");
    assert!(numbers(&samples["wall"]).iter().all(|&wall| wall > 0.0 && wall < 10.0), "{samples}");
}

#[test]
fn runners_and_events_that_do_not_exist() {
    let session = Session::new();
    let bad =
        |args: &[&str]| session.lotse(&[&["bench", "--runs", "2"], args, &["true"]].concat()).exits(2).stderr;
    assert_eq!(
        bad(&["--runner", "valgirnd"]),
        "error: there is no runner 'valgirnd': choose one of rusage, perf-events, perf-stat, valgrind, output\n"
    );
    let stderr = bad(&["--runner", "perf-events", "--events", "page-fautls"]);
    assert!(
        stderr.starts_with("error: perf-events knows no event 'page-fautls': it counts cycles,"),
        "{stderr}"
    );
    assert_eq!(
        bad(&["--runner", "rusage", "--events", "cycles"]),
        "error: the runner rusage takes no --events\n"
    );
}

#[test]
fn a_metric_nobody_measures_is_named() {
    let session = Session::new();
    for option in ["--metric", "--metrics"] {
        let answer = session.lotse(&["bench", "--runs", "3", option, "wallclock", "true", "true"]);
        assert_eq!(answer.status, 2, "{option}: {}{}", answer.stdout, answer.stderr);
        answer.complains("wallclock");
    }
}

#[test]
fn the_time_a_missing_tool_would_take_is_not_wasted() {
    let session = Session::new();
    session.script("work", "echo x >> ran");
    let mut command = session.command(&["bench", "--runner", "valgrind", "./work"]);
    Answer::from_output(command.env("PATH", "/nowhere").output().unwrap()).exits(4);
    assert!(session.lines("ran").is_empty());
}
