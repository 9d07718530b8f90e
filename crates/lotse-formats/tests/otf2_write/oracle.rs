//! Reads an archive with the OTF2 library; `None` if it is not installed.

use std::path::Path;
use std::process::{Command, Output};

const SCRIPT: &str = "
import sys, otf2
with otf2.reader.open(sys.argv[1]) as trace:
    print('events', sum(1 for _, event in trace.events if event.time is not None))
";

/// Everything that `otf2-print` prints: anchor, definitions, events.
pub(super) fn print(folder: &Path) -> Option<String> {
    let anchor = folder.join("t.otf2");
    let Ok(output) = Command::new("otf2-print").args(["-A", "-G"]).arg(anchor).output() else {
        test_support::skip_missing("otf2-print is not installed");
        return None;
    };
    Some(quiet(output).lines().map(|line| format!("{}\n", line.trim_end())).collect())
}

/// The number of events that python3-otf2 reads.
pub(super) fn python(folder: &Path) -> Option<String> {
    let anchor = folder.join("t.otf2");
    // The bindings belong to the system's Python, which need not be the first one on the PATH.
    let is_there = Command::new("/usr/bin/python3").args(["-c", "import otf2"]).output();
    if !is_there.is_ok_and(|it| it.status.success()) {
        test_support::skip_missing("python3-otf2 is not installed");
        return None;
    }
    let output = Command::new("/usr/bin/python3").args(["-W", "error", "-c", SCRIPT]).arg(anchor).output();
    Some(quiet(output.unwrap()))
}

/// The output of a program, which must succeed and print no warning.
fn quiet(output: Output) -> String {
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}
