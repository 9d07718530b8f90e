//! The test programs of the workspace, as many at the same time as there are processors.
//!
//! `cargo test` runs one program after the other, so that a program with one long test leaves the other processors idle.
//! Here Cargo only builds; what it built is run from a queue, with the folder and the variables that Cargo would give.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use serde::Deserialize;

use crate::failure::Failure;

/// Programs with tests of a minute and more. They start first, so that none is left to run alone at the end.
const LONG: &[&str] = &["spy_recorded", "docs", "cli", "sequential"];

/// Programs that compare predicted with measured times. They run when nothing else does.
const ALONE: &[&str] = &["what_if_reality", "locks_recorded"];

/// A test program that Cargo built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestProgram {
    /// The name of the target.
    name: String,
    package: String,
    /// The folder of the package, in which the tests run.
    folder: PathBuf,
    executable: PathBuf,
}

/// Builds the tests with Cargo's `options`; the programs in the order of Cargo.
pub(super) fn build(root: &Path, options: &[&str]) -> Result<Vec<TestProgram>, Failure> {
    let line = [&["test", "--no-run", "--message-format=json-render-diagnostics"], options].concat();
    let output = Command::new("cargo")
        .args(&line)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| xtask::Error::Start { program: "cargo".to_owned(), source })?;
    if !output.status.success() {
        return Err(Failure::Step { line: format!("cargo {}", line.join(" ")), status: output.status });
    }
    let programs = test_programs(&String::from_utf8_lossy(&output.stdout));
    some(programs, "any test program", "Cargo names those it built: have its messages changed?")
}

/// The list; an empty one is a failure, because a check of nothing would always pass.
pub(crate) fn some<T>(list: Vec<T>, what: &'static str, remedy: &'static str) -> Result<Vec<T>, Failure> {
    if list.is_empty() { Err(Failure::Missing { what, remedy }) } else { Ok(list) }
}

/// The test programs among Cargo's messages.
fn test_programs(messages: &str) -> Vec<TestProgram> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages.filter(|message| message.profile.test).filter_map(Message::into_program).collect()
}

/// Runs all programs; prints the output of each when it has ended. A failed one does not stop the others.
pub(super) fn run(programs: Vec<TestProgram>, environment: &[(&str, &str)]) -> Result<(), Failure> {
    let (alone, mut together): (Vec<_>, Vec<_>) =
        programs.into_iter().partition(|program| ALONE.contains(&program.name.as_str()));
    together.sort_by_key(|program| LONG.iter().position(|name| *name == program.name).unwrap_or(LONG.len()));
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut failed = run_queue(together, environment, processors)?;
    failed.extend(run_queue(alone, environment, 1)?);
    if failed.is_empty() { Ok(()) } else { Err(Failure::Tests(failed)) }
}

/// Runs programs, `at_once` of them at the same time; the names of those that failed.
fn run_queue(
    programs: Vec<TestProgram>,
    environment: &[(&str, &str)],
    at_once: usize,
) -> Result<Vec<String>, Failure> {
    let queue = Mutex::new(programs.into_iter());
    let next = || queue.lock().expect("no thread panics with the queue").next();
    let work = || -> Result<Vec<String>, Failure> {
        let mut failed = Vec::new();
        while let Some(program) = next() {
            if !run_program(&program, environment)? {
                failed.push(format!("{} {}", program.package, program.name));
            }
        }
        Ok(failed)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().expect("running a program does not panic"));
        ends.collect::<Result<Vec<_>, _>>().map(|failed| failed.concat())
    })
}

/// Whether the tests of a program passed.
fn run_program(program: &TestProgram, environment: &[(&str, &str)]) -> Result<bool, Failure> {
    let start = Instant::now();
    let output = Command::new(&program.executable)
        .envs(environment.iter().copied())
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .env("CARGO_PKG_NAME", &program.package)
        .current_dir(&program.folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| xtask::Error::Start {
            program: program.executable.display().to_string(),
            source,
        })?;
    let verdict = if output.status.success() { "passed" } else { "FAILED" };
    // One call, so that the output of two programs does not mix.
    println!(
        "-- {} {}: {verdict} after {:.1} s\n{}{}",
        program.package,
        program.name,
        start.elapsed().as_secs_f64(),
        String::from_utf8_lossy(&output.stdout).trim_end(),
        String::from_utf8_lossy(&output.stderr),
    );
    Ok(output.status.success())
}

/// What is needed of a message of Cargo about something built.
#[derive(Deserialize)]
struct Message {
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

impl Message {
    /// `None` for what is built for the tests, but is no program.
    fn into_program(self) -> Option<TestProgram> {
        let folder = self.manifest_path.parent()?.to_owned();
        let package = folder.file_name()?.to_string_lossy().into_owned();
        Some(TestProgram { name: self.target.name, package, folder, executable: self.executable? })
    }
}

#[cfg(test)]
mod tests {
    use super::{TestProgram, run, run_queue, some, test_programs};
    use crate::failure::Failure;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    #[test]
    fn only_test_programs_are_run() {
        let artifact = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","target":{{"name":"t"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let other = r#"{"reason":"build-finished","success":true}"#;
        let lines =
            [&artifact(false, r#""/w/a""#), &artifact(true, "null"), &artifact(true, r#""/w/t""#), other];
        let found = test_programs(&lines.join("\n"));
        let expected = TestProgram {
            name: "t".to_owned(),
            package: "a".to_owned(),
            folder: "/w/crates/a".into(),
            executable: "/w/t".into(),
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn nothing_to_test_is_a_failure() {
        assert!(matches!(some(Vec::<u8>::new(), "x", "y"), Err(Failure::Missing { what: "x", .. })));
        assert_eq!(some(vec![1], "x", "y").unwrap(), [1]);
    }

    fn script(folder: &Path, name: &str, body: &str) -> TestProgram {
        let executable = folder.join(name);
        fs::write(&executable, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&executable, fs::Permissions::from_mode(0o755)).unwrap();
        TestProgram {
            name: name.to_owned(),
            package: "made-up".to_owned(),
            folder: folder.to_owned(),
            executable,
        }
    }

    #[test]
    fn a_failure_does_not_stop_the_others_and_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let programs =
            vec![script(folder.path(), "bad", "exit 1"), script(folder.path(), "good", "touch \"$SEEN\"")];
        let ended = run(programs, &[("SEEN", "seen")]);
        assert!(matches!(ended, Err(Failure::Tests(names)) if names == ["made-up bad"]));
        assert!(folder.path().join("seen").exists());
    }

    #[test]
    fn programs_run_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        // Each waits for the other's file, at most ten seconds.
        let meet = |mine: &str, other: &str| {
            let body = format!(
                "touch {mine}; i=0; until [ -e {other} ]; do i=$((i+1)); [ $i -lt 1000 ] || exit 1; sleep 0.01; done"
            );
            script(folder.path(), &format!("wait-{mine}"), &body)
        };
        let failed = run_queue(vec![meet("a", "b"), meet("b", "a")], &[], 2).unwrap();
        assert!(failed.is_empty(), "{failed:?}");
    }
}
