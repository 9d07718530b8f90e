//! What the tests of all crates share: inputs made by others, programs that tests run, and skips that are counted.
//!
//! A test that lacks something calls [`skip_missing`] (or a function that does) and returns; a test of what this machine
//! cannot do calls [`skip_here`]. `cargo xtask test` names a file in [`SKIPS_VARIABLE`], to which every skip is added, and prints
//! them at its end. Where the inputs of others are beside the repository it fails if anything was missing: a test that is
//! silently green tests nothing.

#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Names the file to which skips are added, a line each: [`MISSING`] or [`MACHINE`], package, test and reason, with tabs between.
pub const SKIPS_VARIABLE: &str = "LOTSE_SKIPS";

/// The kind of skips for want of inputs or programs, which can be had.
pub const MISSING: &str = "missing";

/// The kind of skips for what this machine, or a program's version, cannot do.
pub const MACHINE: &str = "machine";

/// Says that the running test, or a part of it, is skipped for want of something that can be installed.
pub fn skip_missing(what: impl Display) {
    skip(MISSING, &what.to_string());
}

/// Says that the running test, or a part of it, is skipped because this machine cannot do what it tests.
pub fn skip_here(why: impl Display) {
    skip(MACHINE, &why.to_string());
}

fn skip(kind: &str, reason: &str) {
    println!("skipped: {reason}");
    let Some(path) = std::env::var_os(SKIPS_VARIABLE) else { return };
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "?".to_owned());
    add_note(Path::new(&path), [kind, &package, &test_name(), reason]);
}

/// The test that this thread runs: the test runner names its threads by them.
fn test_name() -> String {
    std::thread::current().name().unwrap_or("?").to_owned()
}

/// Adds a line by one write, so that tests which run at the same time do not mix theirs. A note that cannot be written fails
/// the test: nobody would count it.
fn add_note(path: &Path, fields: [&str; 4]) {
    let line = fields.map(|field| field.replace(['\n', '\t'], " ")).join("\t") + "\n";
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(written.is_ok(), "cannot note a skip in {}: {written:?}", path.display());
}

/// The CPU time that this thread takes for some work, which other load on the machine hardly changes; skips where the kernel
/// does not count it. The work must stay on this thread.
pub fn cpu_time(work: impl FnOnce()) -> Option<Duration> {
    let before = thread_cpu_time();
    work();
    let spent = before.and_then(|before| thread_cpu_time()?.checked_sub(before));
    if spent.is_none() {
        skip_here("the kernel does not count the CPU time of threads");
    }
    spent
}

/// What the scheduler has counted for this thread; the first number of `schedstat` is nanoseconds.
fn thread_cpu_time() -> Option<Duration> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    counts.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A file or folder made by others, by its path below `shared` beside the repository; skips where it is absent.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?.join("shared").join(path);
    if found.exists() {
        return Some(found);
    }
    skip_missing(format!("../shared/{path}"));
    None
}

/// Whether all programs are installed; skips where one is not.
pub fn have_programs(names: &[&str]) -> bool {
    match names.iter().find(|name| !is_installed(name)) {
        Some(missing) => {
            skip_missing(missing);
            false
        }
        None => true,
    }
}

/// Whether a program can be started.
fn is_installed(name: &str) -> bool {
    let mut command = Command::new(name);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{MACHINE, MISSING, add_note, is_installed, test_name};

    #[test]
    fn notes_are_lines_of_four_fields() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skips");
        add_note(&path, [MISSING, "p", &test_name(), "no\nperf\there"]);
        add_note(&path, [MACHINE, "p", "other", "one CPU"]);
        let text = std::fs::read_to_string(path).unwrap();
        let own = "missing\tp\ttests::notes_are_lines_of_four_fields\tno perf here\n";
        assert_eq!(text, format!("{own}machine\tp\tother\tone CPU\n"));
    }

    #[test]
    fn programs_are_found_by_starting_them() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }
}
