//! Input, output, environment and directory of runs.

use std::fs;
use std::process::Command;

use lotse_host::{End, Environment, Input, Job, Output};

use super::{ALL, launcher, run, shell, stdout};

#[test]
fn stdout_and_stderr_are_captured_separately() {
    let report = run(&shell("echo out; echo err >&2"));
    assert_eq!(report.stdout.bytes, b"out\n");
    assert_eq!(report.stderr.bytes, b"err\n");
    assert_eq!((report.stdout.total, report.stdout.is_cut()), (4, false));
}

#[test]
fn a_gigabyte_is_counted_and_not_kept() {
    const GIGABYTE: u64 = 1_000_000_000;
    let argv = ["head", "-c", "1000000000", "/dev/zero"];
    let report = run(&Job { stdout: Output::Capture { limit: 1024 }, ..Job::new(argv) });
    assert_eq!(report.end, End::Exited(0));
    assert_eq!(report.stdout.total, GIGABYTE);
    assert_eq!(report.stdout.bytes, [0; 1024]);
    assert!(report.stdout.is_cut());
}

#[test]
fn with_a_limit_of_0_output_is_only_counted() {
    let report = run(&Job { stdout: Output::Capture { limit: 0 }, ..shell("echo hello") });
    assert_eq!((report.stdout.bytes.len(), report.stdout.total), (0, 6));
}

#[test]
fn output_of_one_run_does_not_leak_into_the_next() {
    let mut launcher = launcher();
    for text in ["first", "second", "third"] {
        assert_eq!(stdout(&launcher.run(&shell(&format!("echo {text}"))).unwrap()), text);
    }
}

#[test]
fn streams_can_be_files() {
    let directory = tempfile::tempdir().unwrap();
    let (from, to) = (directory.path().join("in"), directory.path().join("out"));
    fs::write(&from, "words").unwrap();
    fs::write(&to, "much more than that").unwrap();
    let job = Job { stdin: Input::File(from), stdout: Output::File(to.clone()), ..Job::new(["cat"]) };
    assert_eq!(run(&job).end, End::Exited(0));
    assert_eq!(fs::read(&to).unwrap(), b"words");
}

#[test]
fn input_is_empty_unless_given() {
    let report = run(&Job { stdout: ALL, ..Job::new(["cat"]) });
    assert_eq!((report.end, report.stdout.total), (End::Exited(0), 0));
}

/// The output of the same script when the standard library starts it.
fn started_by_std(script: &str) -> String {
    let output = Command::new("/bin/sh").args(["-c", script]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[test]
fn no_pipe_of_lotse_is_open_in_a_run() {
    let script = "ls /proc/self/fd";
    assert_eq!(stdout(&run(&shell(script))), started_by_std(script));
}

#[test]
fn no_signal_is_blocked_or_ignored_that_was_not_before() {
    // The C library handles its own two real-time signals differently.
    const NAMED: u64 = 0x7fff_ffff;
    let script = "grep -E 'SigBlk|SigIgn' /proc/self/status | cut -f 2";
    let masks = |text: &str| -> Vec<u64> {
        text.lines().map(|line| u64::from_str_radix(line, 16).unwrap() & NAMED).collect()
    };
    let (ours, before) = (masks(stdout(&run(&shell(script)))), masks(&started_by_std(script)));
    assert_eq!((ours.len(), before.len()), (2, 2));
    // Fewer may be ignored than before: of a test in the background, the shell lets SIGINT and SIGQUIT be ignored.
    assert!(
        ours.iter().zip(&before).all(|(ours, before)| ours & !before == 0),
        "{ours:x?}, before {before:x?}"
    );
}

#[test]
fn the_environment_is_inherited_with_changes() {
    let mut job = shell("echo \"$LOTSE_TEST|${PATH:+path}|$HOME|${LOTSE_UNSET-none}\"");
    job.environment.set("LOTSE_TEST", "a b").set("HOME", "/x").set("LOTSE_UNSET", "").remove("LOTSE_UNSET");
    assert_eq!(stdout(&run(&job)), "a b|path|/x|none");
}

#[test]
fn an_empty_environment_is_empty() {
    let mut environment = Environment::empty();
    environment.set("ONLY", "this");
    let report = run(&Job { environment, stdout: ALL, ..Job::new(["/usr/bin/env"]) });
    assert_eq!(stdout(&report), "ONLY=this");
}

#[test]
fn unchanged_environments_arrive_complete() {
    let report = run(&Job { stdout: ALL, ..Job::new(["/usr/bin/env", "-0"]) });
    let expected: usize = std::env::vars_os().map(|(name, value)| name.len() + value.len() + 2).sum();
    assert_eq!(report.stdout.total, expected as u64);
}

#[test]
fn big_requests_arrive_complete() {
    let words: Vec<String> = (0..3000).map(|word| format!("{word:050}")).collect();
    let mut argv = vec!["-c".to_owned(), "echo $# ${3000}".into(), "sh".into()];
    argv.extend(words.iter().cloned());
    argv.insert(0, "/bin/sh".into());
    assert_eq!(stdout(&run(&Job { stdout: ALL, ..Job::new(argv) })), format!("3000 {}", words[2999]));
}

#[test]
fn programs_run_in_the_directory_of_the_job() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    let job = Job { directory: Some(path.clone()), ..shell("pwd -P") };
    assert_eq!(stdout(&run(&job)), path.to_str().unwrap());
}

#[test]
fn paths_are_relative_to_the_directory_of_the_job() {
    let directory = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/echo", directory.path().join("say")).unwrap();
    let directory = Some(directory.path().to_owned());
    let job = Job { directory: directory.clone(), stdout: ALL, ..Job::new(["./say", "hi"]) };
    assert_eq!(stdout(&run(&job)), "hi");
    let mut job = Job { directory, stdout: ALL, ..Job::new(["say", "hi"]) };
    job.environment.set("PATH", "");
    assert_eq!(stdout(&run(&job)), "hi");
}
