//! What `--separate` prints, what it does while programs run, and the remarks about values that something else changed.

use std::process::Output;

use serde_json::Value;

use crate::scene::{ACTIONS, ProcessState, Scene, eventually, kill};

#[track_caller]
fn text(output: &Output) -> [String; 2] {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap())
}

/// The words of one list of the record under one key.
fn record(answer: &Value, list: &str, key: &str) -> Vec<String> {
    let entries = answer["separation"][list].as_array().cloned().unwrap_or_default();
    entries.iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_answer_and_the_result_file_say_what_was_done() {
    let scene = Scene::new();
    let output =
        scene.separated("aslr,pause=1,turbo", &["--json", "--out", "r.jsonl", "--runs", "3", "true"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [applied, refused] = ["applied", "refused"].map(|list| record(&answer, list, "action"));
    assert_eq!([&applied[..], &refused[..]].concat().len(), 3, "{answer}");
    for action in &refused {
        let [_, stderr] = text(&output);
        assert!(stderr.contains(&format!("--separate {action}: not done: ")), "{stderr}");
    }
    assert!(applied.contains(&"aslr".to_owned()) && applied.contains(&"pause".to_owned()), "{answer}");
    let [report, _] = text(&scene.lotse(&["bench", "report", "r.jsonl"]));
    assert!(report.contains("separation: "), "{report}");
    assert!(report.contains("fixed addresses") && report.contains("pause of 1 ms"), "{report}");
}

#[test]
fn without_the_option_nothing_is_changed_or_reported() {
    let scene = Scene::new();
    for option in [&[][..], &["--separate", "none"]] {
        let answer = scene.lotse(&[&["bench", "--json", "--runs", "3", "true"], option].concat());
        let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
        assert!(answer.get("separation").is_none(), "{answer}");
    }
    assert!(scene.journal().is_empty());
}

#[test]
fn other_processes_are_stopped_while_programs_run() {
    let scene = Scene::new();
    let before = scene.pids().into_iter().map(ProcessState::from_pid).collect::<Vec<_>>();
    // The program prints the state of the other processes: T for stopped.
    let look = "sh -c 'for p in $(echo $0 | tr , \" \"); do cut -d\" \" -f3 /proc/$p/stat; done'";
    let pids: Vec<String> = scene.pids().iter().map(u32::to_string).collect();
    let command = format!("{look} {}", pids.join(","));
    let expect = ["--expect-output", "T\nT\n", "--runs", "3"];
    let output = scene.separated("stop-others", &[&expect[..], &[&command]].concat());
    assert!(output.status.success(), "{:?}", text(&output));
    assert!(text(&output)[0].contains("2 processes stopped"), "{:?}", text(&output));
    assert_eq!(scene.pids().into_iter().map(ProcessState::from_pid).collect::<Vec<_>>(), before);
}

#[test]
fn a_value_that_somebody_else_changed_is_kept_and_reported() {
    let scene = Scene::new();
    if !scene.offers("nice-others") {
        return;
    }
    let mut measurement = scene.start("nice-others", &["--runs", "10", "sleep 0.1"]);
    let victim = scene.pids()[0];
    let divided = ProcessState::from_pid(victim).autogroup_nice;
    let changed = move || {
        let now = ProcessState::from_pid(victim);
        now.autogroup_nice != divided || now.nice != "0"
    };
    eventually("a lower priority", changed);
    if ProcessState::from_pid(victim).autogroup_nice != "19" {
        return test_support::skip_here("this kernel does not divide by session");
    }
    std::fs::write(format!("/proc/{victim}/autogroup"), "5").unwrap();
    let mut stderr = String::new();
    std::io::Read::read_to_string(measurement.lotse.stderr.as_mut().unwrap(), &mut stderr).unwrap();
    assert!(stderr.contains("now it is 5: somebody else changed it"), "{stderr}");
    let after: Vec<String> =
        scene.pids().into_iter().map(|pid| ProcessState::from_pid(pid).autogroup_nice).collect();
    assert_eq!(after, ["5", "0"]);
}

#[test]
fn the_next_measurement_puts_back_what_a_killed_one_left() {
    let scene = Scene::new();
    let before = ProcessState::from_pid(scene.pids()[0]);
    let mut measurement = scene.start(ACTIONS, &["--runs", "100", "sleep 0.1"]);
    let pids = scene.pids();
    eventually("a stop", || pids.iter().all(|&pid| ProcessState::from_pid(pid).stopped));
    kill(scene.watchdog().unwrap());
    measurement.lotse.kill().unwrap();
    measurement.lotse.wait().unwrap();
    assert!(pids.iter().all(|&pid| ProcessState::from_pid(pid).stopped));
    let [_, stderr] = text(&scene.lotse(&["bench", "--runs", "3", "true"]));
    assert!(stderr.contains("was killed and left the machine changed"), "{stderr}");
    for state in scene.states(measurement.anchor) {
        assert_eq!(state, before);
    }
    let [stdout, _] = text(&scene.lotse(&["bench", "restore"]));
    assert!(stdout.contains("nothing to put back"), "{stdout}");
}

#[test]
fn a_running_measurement_is_not_undone_by_another() {
    let scene = Scene::new();
    let measurement = scene.start("stop-others", &["--runs", "100", "sleep 0.1"]);
    let pids = scene.pids();
    eventually("a stop", || pids.iter().all(|&pid| ProcessState::from_pid(pid).stopped));
    let [stdout, _] = text(&scene.lotse(&["bench", "restore", "--json"]));
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&answer["schema"], &answer["measurements"]),
        (&"lotse.restore/1".into(), &Value::Array(vec![]))
    );
    assert!(pids.iter().all(|&pid| ProcessState::from_pid(pid).stopped));
    let second = scene.separated("aslr", &["--runs", "3", "true"]);
    assert_eq!(second.status.code(), Some(4));
    assert!(text(&second)[1].contains("another measurement with --separate is under way"), "{second:?}");
    drop(measurement);
    eventually("the watchdog's work", || pids.iter().all(|&pid| !ProcessState::from_pid(pid).stopped));
}

#[test]
fn wrong_lists_are_refused() {
    let scene = Scene::new();
    let cases: [(&[&str], &str); 5] = [
        (&["--separate", "quieter"], "there is no action or preset 'quieter'"),
        (&["--separate", "nice=99"], "'99' does not fit the action nice"),
        (&["--separate", "aslr=1"], "it takes no value"),
        (&["--separate-keep", "sshd"], "--separate"),
        (&["--order", "duet", "--separate", "cpuset", "false"], "a duet chooses its CPUs itself"),
    ];
    for (arguments, reason) in cases {
        let output = scene.lotse(&[&["bench", "true"], arguments].concat());
        let [_, stderr] = text(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(reason), "{stderr}");
    }
}

#[test]
fn doctor_says_of_every_action_whether_it_would_work() {
    let scene = Scene::new();
    let output = scene.lotse(&["doctor", "--json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let actions = answer["separation"].as_array().unwrap();
    assert_eq!(actions.len(), 18);
    for action in actions {
        assert!(!action["detail"].as_str().unwrap().is_empty(), "{action}");
    }
    let works = |name: &str| actions.iter().find(|action| action["name"] == name).unwrap()["works"].clone();
    assert_eq!(works("pause"), true);
    assert_eq!(works("aslr"), true);
}
