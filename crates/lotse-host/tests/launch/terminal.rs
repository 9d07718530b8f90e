//! Runs that inherit a terminal, which the program `script` provides.

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use lotse_host::{End, Input, Interrupt, Job, Launcher, LauncherOptions};

use super::{ALL, eventually, launcher, stdout};

/// Starts an ignored test of this file in a terminal and types `keys`. Returns whether it passed.
fn in_terminal(test: &str, directory: &Path, keys: &[u8]) -> Option<bool> {
    let own = std::env::current_exe().unwrap();
    // A shell's background jobs ignore SIGINT, and so would everything that the test starts.
    let own = format!("env --default-signal=INT '{}'", own.display());
    let command = format!("{own} --ignored --exact --nocapture terminal::{test}");
    let script = Command::new("script")
        .current_dir(directory)
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let Ok(mut script) = script else {
        test_support::skip_missing("there is no program `script` to provide a terminal");
        return None;
    };
    let mut keyboard = script.stdin.take().unwrap();
    eventually("the start in the terminal", || directory.join("ready").exists());
    // The pipe of keys stays open, since its end would be taken for Ctrl-D.
    let passed = loop {
        keyboard.write_all(keys).unwrap();
        keyboard.flush().unwrap();
        // Keys typed while the terminal changes its foreground group may be lost, so they are typed again.
        if let Some(status) = ended_soon(&mut script) {
            break status.success();
        }
    };
    drop(keyboard);
    Some(passed)
}

/// How a program ended, if it does within two seconds.
fn ended_soon(program: &mut Child) -> Option<ExitStatus> {
    (0..40).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        program.try_wait().unwrap()
    })
}

#[test]
#[ignore = "started by another test"]
fn reads_a_line() {
    let mut launcher = launcher();
    std::fs::write("ready", "").unwrap();
    for _ in 0..2 {
        let job = Job { stdin: Input::Inherit, stdout: ALL, ..Job::new(["head", "-c", "6"]) };
        assert_eq!(stdout(&launcher.run(&job).unwrap()), "hello");
    }
    // If the test were not in the foreground again, this would stop it.
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "end");
}

#[test]
fn a_run_may_read_the_terminal_and_gives_it_back() {
    let directory = tempfile::tempdir().unwrap();
    let passed = in_terminal("reads_a_line", directory.path(), b"hello\nhello\nend\n");
    assert_ne!(passed, Some(false));
}

#[test]
#[ignore = "started by another test"]
fn is_interrupted() {
    let interrupt = Interrupt::new().unwrap();
    let options = LauncherOptions { interrupt: Some(interrupt.clone()), ..Default::default() };
    let mut launcher = Launcher::start(&options).unwrap();
    // Before the run has the terminal, Ctrl-C would end this process instead.
    let script = ": > ready; sleep 1000";
    let job = Job { stdin: Input::Inherit, ..Job::new(["/bin/sh", "-c", script]) };
    assert_eq!(launcher.run(&job).unwrap().end, End::Interrupted);
    assert!(interrupt.is_set());
}

#[test]
fn control_c_in_the_foreground_interrupts_lotse() {
    let directory = tempfile::tempdir().unwrap();
    let passed = in_terminal("is_interrupted", directory.path(), b"\x03");
    assert_ne!(passed, Some(false));
}
