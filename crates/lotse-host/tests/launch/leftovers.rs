//! Nothing outlives its run, and no run outlives Lotse.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use lotse_host::{End, Job};

use super::{eventually, is_running, launcher, run, shell, stdout};

fn assert_gone(pids: &str, expected: usize) {
    assert_eq!(pids.split_whitespace().count(), expected, "{pids:?}");
    for pid in pids.split_whitespace() {
        assert!(!is_running(pid), "{pid} still runs");
    }
}

#[test]
fn a_process_group_that_ignores_signals_is_killed_after_its_time_out() {
    let script =
        "trap '' TERM; sleep 1000 & echo $!; (sleep 1000 & echo $!; wait) & echo $! $$; wait; sleep 1000";
    let report = run(&Job { timeout: Some(Duration::from_millis(500)), ..shell(script) });
    assert_eq!(report.end, End::TimedOut);
    assert_gone(stdout(&report), 4);
}

#[test]
fn a_stopped_program_is_ended_by_its_time_out() {
    let report = run(&Job { timeout: Some(Duration::from_millis(100)), ..shell("kill -STOP $$") });
    assert_eq!(report.end, End::TimedOut);
}

#[test]
fn a_child_left_behind_is_killed_and_reported() {
    let mut launcher = launcher();
    let report = launcher.run(&shell("sleep 1000 & echo $!")).unwrap();
    assert_eq!(report.end, End::Exited(0));
    assert!(report.left_behind);
    assert_gone(stdout(&report), 1);
    assert!(!launcher.run(&shell("sleep 0 & wait")).unwrap().left_behind);
}

#[test]
fn a_daemon_in_its_own_session_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let daemon = "setsid sh -c 'sleep 1000 & echo $$ $! > pids.new; mv pids.new pids; wait' </dev/null &";
    let script = format!("({daemon}); while [ ! -e pids ]; do sleep 0.01; done");
    let report = run(&Job { directory: Some(directory.path().to_owned()), ..shell(&script) });
    assert_eq!(report.end, End::Exited(0));
    assert!(report.left_behind);
    assert_gone(&fs::read_to_string(directory.path().join("pids")).unwrap(), 2);
}

#[test]
fn an_orphan_that_had_ended_was_not_left_behind() {
    let report = run(&shell("(true &); sleep 0.2"));
    assert!(!report.left_behind);
}

/// Not a test of its own: the process that `a_run_ends_when_lotse_is_killed` starts.
#[test]
#[ignore = "started by another test"]
fn run_for_ever() {
    run(&Job::new(["/bin/sh", "-c", "sleep 1000 & echo $$ $! > pids.new; mv pids.new pids; wait"]));
}

#[test]
fn a_run_ends_when_lotse_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let mut lotse = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "leftovers::run_for_ever"])
        .current_dir(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let file = directory.path().join("pids");
    eventually("the start of the run", || file.exists());
    let pids = fs::read_to_string(&file).unwrap();
    assert!(pids.split_whitespace().all(is_running));
    let launcher = parent(pids.split_whitespace().next().unwrap());
    // `Child::kill` is SIGKILL.
    lotse.kill().unwrap();
    lotse.wait().unwrap();
    eventually("the end of the run", || !pids.split_whitespace().any(is_running));
    eventually("the end of the launcher", || !is_running(&launcher));
}

fn parent(pid: &str) -> String {
    let status = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap();
    status.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn a_dropped_launcher_is_gone() {
    let mut launcher = launcher();
    let report = launcher.run(&shell("echo $PPID")).unwrap();
    assert!(is_running(stdout(&report)));
    drop(launcher);
    assert!(!is_running(stdout(&report)));
}

/// Only the main process of the run is killed, since its other processes are not known.
#[test]
fn a_killed_launcher_is_an_error_and_ends_its_run() {
    let mut launcher = launcher();
    let directory = tempfile::tempdir().unwrap();
    let script = "echo $$ > pid.new; mv pid.new pid; kill -KILL $PPID; exec sleep 1000";
    let job = Job { directory: Some(directory.path().to_owned()), ..shell(script) };
    let error = launcher.run(&job).unwrap_err();
    assert!(error.to_string().contains("ended unexpectedly"), "{error}");
    let pid = fs::read_to_string(directory.path().join("pid")).unwrap();
    eventually("the end of the run", || !is_running(pid.trim()));
}
