//! Addresses of the kernel: they get names if the running kernel is the recorded one (compared with perf), else they are one row.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::session::{Session, has, list, texts};

/// Calls the kernel often.
const PROGRAM: &str = "#include <unistd.h>\n#include <fcntl.h>\nint main(void) {\n  char buffer[4096];\n  \
                       int file = open(\"/dev/zero\", O_RDONLY);\n  for (int i = 0; i < 300000; i++) \
                       if (read(file, buffer, sizeof buffer) < 0) return 1;\n  return 0;\n}\n";

/// A session with a recording that has samples of the kernel, and the kernel's build id.
fn recorded() -> Option<(Session, String)> {
    if !has("gcc") || !has("perf") {
        return None;
    }
    let session = Session::new();
    session.write("read.c", PROGRAM);
    let run = |command: &[&str]| {
        let output =
            Command::new(command[0]).args(&command[1..]).current_dir(session.file("")).output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    run(&["gcc", "-O1", "-o", "read", "read.c"])?;
    let record = ["perf", "record", "-N", "-e", "cpu-clock", "-g", "-o", "perf.data", "./read"];
    let ids = run(&record).and_then(|_| run(&["perf", "buildid-list", "-i", "perf.data"]));
    let id = ids.and_then(|ids| {
        let line = ids.lines().find(|line| line.ends_with("[kernel.kallsyms]"))?.to_owned();
        Some(line.split_whitespace().next()?.to_owned())
    });
    let Some(id) = id else {
        test_support::skip_here("perf does not record the kernel here");
        return None;
    };
    Some((session, id))
}

fn top(session: &Session, file: &str) -> Value {
    session.lotse(&["profile", "top", file, "--json", "-n", "0", "--no-findings"]).exits(0).json()
}

/// Samples of the kernel's functions by name.
fn samples(answer: &Value) -> BTreeMap<String, u64> {
    let period = answer["events"][0]["total"].as_u64().unwrap() / answer["samples"].as_u64().unwrap();
    let rows = list(&answer["functions"]).iter().filter(|it| it["object"] == "[kernel.kallsyms]");
    let row = |it: &Value| {
        (it["display"].as_str().unwrap().to_owned(), it["self"][0].as_u64().unwrap() / period.max(1))
    };
    rows.map(row).filter(|(_, count)| *count > 0).collect()
}

/// The same samples by perf.
fn samples_by_perf(session: &Session) -> BTreeMap<String, u64> {
    let report = [
        "report",
        "-i",
        "perf.data",
        "--stdio",
        "--no-children",
        "-g",
        "none",
        "-F",
        "sample,dso,sym",
        "-t;",
    ];
    let output = Command::new("perf").args(report).current_dir(session.file("")).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let &[count, "[kernel.kallsyms]", name] = &fields[..] else { return None };
        Some((name.strip_prefix("[k] ")?.to_owned(), count.parse().ok()?))
    };
    printed.lines().filter_map(row).collect()
}

#[test]
fn the_running_kernel_names_what_it_was_recorded_with() {
    let Some((session, _)) = recorded() else { return };
    let expected = samples_by_perf(&session);
    if expected.is_empty() || expected.keys().any(|name| name.starts_with("0x")) {
        test_support::skip_here("the kernel hides its symbols here");
        return;
    }
    let found = samples(&top(&session, "perf.data"));
    // perf and we may choose different names for one address that has several.
    let common: u64 =
        expected.iter().map(|(name, count)| found.get(name).map_or(0, |it| *it.min(count))).sum();
    let all: u64 = expected.values().sum();
    assert_eq!(all, found.values().sum::<u64>(), "{found:?}\n{expected:?}");
    assert!(common * 100 >= all * 99, "{found:?}\n{expected:?}");
}

#[test]
fn another_kernel_is_one_row() {
    let Some((session, id)) = recorded() else { return };
    let mut bytes = std::fs::read(session.file("perf.data")).unwrap();
    let id: Vec<u8> =
        (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect();
    let places: Vec<usize> =
        (0..bytes.len() - id.len()).filter(|&at| bytes[at..at + id.len()] == id[..]).collect();
    assert_eq!(places.len(), 1);
    bytes[places[0]] ^= 0xff;
    std::fs::write(session.file("other.data"), bytes).unwrap();
    let (ours, other) = (samples(&top(&session, "perf.data")), top(&session, "other.data"));
    let found = samples(&other);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["kernel"]);
    assert_eq!(found["kernel"], ours.values().sum::<u64>());
    let printed = texts(&other["diagnostics"], "message").join("\n");
    assert!(printed.contains("of [kernel.kallsyms] are the one function `kernel`"), "{printed}");
    assert!(printed.contains("this machine has"), "{printed}");
    // Calls inside the kernel are not recursive calls of this row.
    let callers = session.lotse(&["profile", "callers", "other.data", "kernel", "--json"]).exits(0).json();
    let callers = texts(&callers["rows"], "display");
    assert!(!callers.is_empty() && !callers.contains(&"kernel"), "{callers:?}");
}
