//! The collector, Lotse and the program are stopped and killed; disks are full. All processes are the test's own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Package, has_cargo};

const WAITS: &str = include_str!("waits.rs");
/// Longer than any wait of Lotse's, with slow builds.
const DEADLINE: Duration = Duration::from_secs(300);

/// `lotse spy run` whose program has filled its vector and waits for a line.
struct Waiting {
    lotse: Child,
    input: ChildStdin,
    output: BufReader<std::process::ChildStdout>,
    collector: u32,
    rings: PathBuf,
}

impl Waiting {
    fn start(package: &Package, further: &[&str]) -> Self {
        let mut command = package.lotse();
        command.args(["spy", "run", "--no-second-run", "-o", "a.lotse-history"]).args(further);
        command.args(["--", "cargo", "run", "--release", "--offline"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut lotse = command.spawn().unwrap();
        let input = lotse.stdin.take().unwrap();
        let mut output = BufReader::new(lotse.stdout.take().unwrap());
        let mut line = String::new();
        while line.trim() != "ready" {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the program did not start");
        }
        let (collector, rings) = collector_of(lotse.id());
        Self { lotse, input, output, collector, rings }
    }

    /// Sends a line and waits for the end: exit status, standard output, standard error.
    fn finish(mut self, line: &str) -> (Option<i32>, String, String) {
        writeln!(self.input, "{line}").unwrap();
        drop(self.input);
        let mut text = String::new();
        let since = Instant::now();
        self.output.read_to_string(&mut text).unwrap();
        let status = self.lotse.wait().unwrap();
        assert!(since.elapsed() < DEADLINE, "Lotse hung");
        let mut errors = String::new();
        self.lotse.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(!self.rings.exists(), "shared memory stays: {}", self.rings.display());
        (status.code(), text, errors)
    }
}

/// The collector among the children of a process, and the directory of its rings.
fn collector_of(lotse: u32) -> (u32, PathBuf) {
    let children = std::fs::read_to_string(format!("/proc/{lotse}/task/{lotse}/children")).unwrap();
    let collector = |child: &str| {
        let line = std::fs::read_to_string(format!("/proc/{child}/cmdline")).ok()?;
        let words: Vec<&str> = line.split('\0').collect();
        let at = words.iter().position(|word| *word == "--rings")?;
        Some((child.parse().ok()?, PathBuf::from(words[at + 1])))
    };
    children.split_whitespace().find_map(collector).expect("Lotse has a collector")
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap();
    assert!(status.success());
}

fn analyze(package: &Package) -> String {
    let output = package.lotse().args(["spy", "analyze", "a.lotse-history"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn assert_incomplete(package: &Package, reason: &str) {
    let text = analyze(package);
    let first: String = text.chars().take(600).collect();
    assert!(first.contains("The recording is incomplete: ") && first.contains(reason), "{reason}: {text}");
}

#[test]
fn a_collector_that_is_killed_or_stopped_does_not_hang_the_program() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(WAITS);
    let cases = [("KILL", "the collector was ended by signal 9"), ("STOP", "the collector made no progress")];
    for (name, reason) in cases {
        let run = Waiting::start(&package, &[]);
        signal(name, run.collector);
        let (status, text, errors) = run.finish("jump");
        assert!(text.contains("end\n"), "the program goes on: {text}");
        assert_eq!(status, Some(4), "{errors}");
        assert_incomplete(&package, reason);
    }
}

#[test]
fn a_collector_that_is_stopped_for_a_while_loses_nothing() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(WAITS);
    let run = Waiting::start(&package, &[]);
    let collector = run.collector;
    signal("STOP", collector);
    let waker = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        signal("CONT", collector);
    });
    let (status, _, errors) = run.finish("jump");
    waker.join().unwrap();
    assert_eq!(status, Some(0), "{errors}");
    assert!(!analyze(&package).contains("incomplete"));
}

#[test]
fn lotse_killed_leaves_a_history_and_nothing_else() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(WAITS);
    let mut run = Waiting::start(&package, &[]);
    writeln!(run.input, "sleep").unwrap();
    // The collector has read what was written before.
    std::thread::sleep(Duration::from_millis(300));
    run.lotse.kill().unwrap();
    run.lotse.wait().unwrap();
    let since = Instant::now();
    let collector = PathBuf::from(format!("/proc/{}", run.collector));
    // The program holds the other end of its standard output until it is gone.
    let mut rest = String::new();
    run.output.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("end\n"), "the program was ended: {rest}");
    while collector.exists() || run.rings.exists() {
        assert!(since.elapsed() < DEADLINE, "the collector or its rings stay");
        std::thread::sleep(Duration::from_millis(20));
    }
    let found = package.operations();
    let line = WAITS.lines().position(|line| line.ends_with("// FILL")).unwrap() + 1;
    assert_eq!(found[&(line, "Vec".to_owned(), "Insert".to_owned())].0, 1000);
    assert_incomplete(&package, "it was cut off before its end");
}

#[test]
fn signals_end_a_run_and_keep_what_was_recorded() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(WAITS);
    for name in ["INT", "TERM"] {
        let run = Waiting::start(&package, &[]);
        signal(name, run.lotse.id());
        let (status, text, errors) = run.finish("sleep");
        assert_eq!(status, Some(130), "{name}: {errors}");
        assert!(!text.contains("end\n"), "{name}: the program was asked to end: {text}");
        assert_incomplete(&package, "the program was ended by signal 15 (SIGTERM)");
    }
}

#[test]
fn a_full_disk_keeps_what_was_written() {
    if !has_cargo() {
        return;
    }
    if !Command::new("prlimit").arg("--version").output().is_ok_and(|output| output.status.success()) {
        test_support::skip_missing("prlimit not found");
        return;
    }
    let package = Package::new(WAITS);
    let run = Waiting::start(&package, &[]);
    let limit = Command::new("prlimit")
        .args(["--pid", &run.collector.to_string(), "--fsize=200000"])
        .status()
        .unwrap();
    assert!(limit.success());
    let (status, text, errors) = run.finish("jump");
    assert!(text.contains("end\n"), "the program goes on: {text}");
    assert_eq!(status, Some(4), "{errors}");
    assert!(std::fs::metadata(package.path().join("a.lotse-history")).unwrap().len() <= 200_000);
    assert_incomplete(&package, "File too large");
}

#[test]
fn records_that_are_dropped_are_counted() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(WAITS);
    let run = Waiting::start(&package, &["--drop"]);
    let collector = run.collector;
    signal("STOP", collector);
    let waker = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(3));
        signal("CONT", collector);
    });
    let (status, _, errors) = run.finish("jump");
    waker.join().unwrap();
    assert_eq!(status, Some(0), "{errors}");
    assert_incomplete(&package, "records were lost");
}
