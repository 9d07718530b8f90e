//! Results that are read again, and options that must mean the same the second time.

use crate::session::{Session, WORK, has, list, numbers, texts};

/// Two programs of which the second prints more.
fn two_workers() -> Session {
    let session = Session::new();
    session.worker("small", &[10, 11, 12, 10, 11]);
    session.worker("large", &[20, 21, 22, 20, 21]);
    session
}

#[test]
fn a_report_answers_the_question_of_the_measurement() {
    let session = two_workers();
    let args = [
        &["bench", "--runs", "12", "--reference", "./large", "--out", "log"],
        &WORK[..],
        &["./small", "./large"],
    ];
    session.lotse(&args.concat()).exits(0);
    let read = session.lotse(&["bench", "report", "--json", "log"]).exits(0).json();
    let primary = list(&read["comparisons"]).iter().find(|comparison| comparison["primary"] == true).unwrap();
    assert_eq!((&primary["metric"], &primary["reference"]), (&"work".into(), &"./large".into()));
    assert_eq!(primary["verdict"], "faster");
}

#[test]
fn a_log_of_counted_instructions_can_be_read() {
    if !has("valgrind") {
        test_support::skip_missing("valgrind is not installed");
        return;
    }
    let session = Session::new();
    session.lotse(&["bench", "--runner", "valgrind", "--runs", "2", "--out", "log", "true", "true"]).exits(0);
    let read = session.lotse(&["bench", "report", "--json", "log"]).exits(0).json();
    assert_eq!(numbers(&read["programs"][0]["samples"]["instructions"]).len(), 2);
    assert_eq!(read["metrics"][0]["unit"], "count");
}

#[test]
fn the_control_arm_is_compared_with_its_original() {
    let session = two_workers();
    let args = [
        &["bench", "--runs", "12", "--aa", "--reference", "./large", "--out", "log"],
        &WORK[..],
        &["./small", "./large"],
    ];
    session.lotse(&args.concat()).exits(0);
    let read = session.lotse(&["bench", "report", "--json", "--reference", "./small", "log"]).json();
    assert_eq!(read["self_check"]["program"], "./large");
    assert_eq!(read["self_check"]["alarms"], 0);
}

#[test]
fn logs_with_a_control_arm_are_joined_without_it() {
    let session = two_workers();
    for (log, program) in [("one", "./small"), ("two", "./large")] {
        let args = [&["bench", "--runs", "6", "--aa", "--out", log], &WORK[..], &[program]].concat();
        session.lotse(&args);
    }
    let read = session.lotse(&["bench", "report", "--json", "one", "two"]).json();
    assert_eq!(texts(&read["programs"], "name"), ["./small", "./large"]);
    assert_eq!(list(&read["runs"]).len(), 12);
    let exported = session.lotse(&["bench", "report", "--to", "temci", "one"]).stdout;
    assert!(!exported.contains("control"), "{exported}");
}

#[test]
fn metrics_under_the_names_of_hyperfine() {
    let session = Session::new();
    let answer =
        session.bench(&["--runs", "12", "--metrics", "time_cpu,memory_peak_resident:MiB", "true", "true"]);
    let metrics = texts(&answer["comparisons"], "metric");
    assert_eq!(metrics, ["cpu", "peak_memory"]);
}

#[test]
fn every_repeat_of_the_self_check_has_its_hooks() {
    let session = Session::new();
    session.script("work", "test -e built || exit 1");
    let args = [
        "--runs",
        "6",
        "--aa=2",
        "--setup",
        "echo x >> setups; touch built",
        "--cleanup",
        "rm -f built",
        "./work",
    ];
    let answer = session.bench(&args);
    assert_eq!(answer["self_check"]["repeats"], 2);
    // Once for the program, and in each repeat once for it and once for its copy.
    assert_eq!(session.lines("setups").len(), 5);
}

#[test]
fn a_self_check_of_sequential_runs_is_refused() {
    let session = Session::new();
    session
        .lotse(&["bench", "--aa", "--order", "sequential", "--runs", "3", "true"])
        .exits(2)
        .complains("--aa");
}

#[test]
fn cleanup_runs_after_a_metric_that_does_not_exist() {
    let session = Session::new();
    let args = ["bench", "--metric", "typo", "--runs", "3", "--cleanup", "touch cleaned", "true"];
    session.lotse(&args).exits(2);
    assert!(session.file("cleaned").exists());
}

#[test]
fn exports_after_one_that_fails_are_written() {
    let session = Session::new();
    // The program deletes the folder of an export while it is measured.
    session.write("dir/file", "").script("work", "rm -rf dir");
    let args =
        ["bench", "-q", "--runs", "2", "--export-markdown", "dir/a", "--export-json", "ok.json", "./work"];
    session.lotse(&args).exits(4);
    assert_eq!(session.read_json("ok.json")["schema_version"], 2);
}

#[test]
fn a_dash_is_standard_output() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "-q", "--runs", "2", "--export-markdown", "-", "true"]);
    assert!(answer.stdout.contains("| Command |"), "{}", answer.stdout);
    assert!(!session.file("-").exists());
}

#[test]
fn a_measurement_becomes_a_suite_that_measures_the_same() {
    let session = two_workers();
    let args =
        [&["bench", "--runs", "3", "-n", "a,b", "--export-suite", "suite.yaml"], &WORK[..], &["./small"]]
            .concat();
    session.lotse(&args);
    let again = [&["bench", "--json", "-f", "suite.yaml"], &WORK[..]].concat();
    let answer = session.lotse(&again).json();
    assert_eq!(texts(&answer["programs"], "command"), ["./small"]);
    assert_eq!(texts(&answer["programs"], "name"), ["a,b"]);
    assert_eq!(list(&answer["runs"]).len(), 3);
}

#[test]
fn options_of_the_command_line_reach_a_suite() {
    let session = Session::new();
    session.write("suite.yaml", "- attributes: {description: one}\n  run_config: {run_cmd: 'exit 3'}\n");
    session.lotse(&["bench", "-f", "suite.yaml", "--runs", "3"]).exits(3);
    session.lotse(&["bench", "-f", "suite.yaml", "--runs", "3", "--expect-code", "3"]).exits(0);
    session.lotse(&["bench", "-f", "suite.yaml", "-P", "x", "1", "2"]).exits(2);
    session.lotse(&["bench", "-f", "suite.yaml", "true"]).exits(2);
}

#[test]
fn a_failing_hook_is_not_ignored_with_the_program_s_failures() {
    let session = Session::new();
    session
        .lotse(&["bench", "-i", "--runs", "2", "--prepare", "false", "true"])
        .exits(3)
        .complains("prepare");
}

#[test]
fn warm_up_runs_have_numbers_of_their_own() {
    let session = Session::new();
    let args =
        ["bench", "--runs", "2", "--warmup", "2", "--prepare", "echo $HYPERFINE_ITERATION >> seen", "true"];
    session.lotse(&args);
    assert_eq!(session.lines("seen"), ["warmup-0", "warmup-1", "0", "1"]);
}

#[test]
fn a_program_cannot_print_a_metric_that_lotse_measures() {
    let session = Session::new();
    session.script("work", "echo 'wall: 3'");
    let answer =
        session.lotse(&["bench", "--json", "--runner", "output", "--runs", "3", "./work"]).exits(4).json();
    assert_eq!(answer["runs"][0]["status"], "invalid");
}

#[test]
fn a_log_with_a_wrong_look_does_not_panic() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "45", "--out", "log", "true", "true"]);
    let log = session.read("log");
    let start = log.find("\"nominal_p\":").unwrap();
    let end = start + log[start..].find(']').unwrap();
    session.write("hostile", &format!("{}\"nominal_p\":[5{}", &log[..start], &log[end..]));
    let answer = session.lotse(&["bench", "report", "hostile"]);
    assert!(matches!(answer.status, 0 | 5), "{}", answer.stderr);
}
