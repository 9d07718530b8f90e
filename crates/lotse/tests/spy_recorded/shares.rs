//! Shares of loops are those of the program, not those of its recording.

use serde_json::Value;

use super::{Package, has_cargo};

const UNEVEN: &str = include_str!("uneven.rs");

fn line(mark: &str) -> u64 {
    UNEVEN.lines().position(|line| line.ends_with(&format!("// {mark}"))).unwrap() as u64 + 1
}

/// The share of a loop that can run in parallel, and what it is a share of.
fn severity(package: &Package, mark: &str) -> (f64, String) {
    let output = package
        .lotse()
        .args(["spy", "analyze", "--json", "--limit", "0", "a.lotse-history"])
        .args(["--threshold", "spy-history.grain=1000"])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = answer["findings"].as_array().unwrap().iter();
    let is_about = |finding: &&Value| {
        finding["rule"]["id"] == "spy-independent-iterations" && finding["sites"][0]["line"] == line(mark)
    };
    let found = findings.clone().find(is_about).unwrap_or_else(|| panic!("{mark}: {answer:#}"));
    let severity = &found["severity"];
    (severity["share"].as_f64().unwrap(), severity["of"].as_str().unwrap().to_owned())
}

#[test]
fn shares_of_loops_are_those_without_recording() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(UNEVEN);
    // The second run overwrites what the recorded one wrote.
    let output = package
        .lotse()
        .args([
            "spy",
            "run",
            "-o",
            "a.lotse-history",
            "--",
            "cargo",
            "run",
            "--release",
            "--offline",
            "--",
            "share",
        ])
        .output()
        .unwrap();
    let remarks = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{remarks}");
    let clocked: f64 = std::fs::read_to_string(package.path().join("share")).unwrap().parse().unwrap();
    let (heavy, of) = severity(&package, "HEAVY");
    if remarks.contains("shares of loops are those of the recorded run") {
        println!("skipped: {remarks}");
        assert!(of.starts_with("of the recorded run"), "{of}");
        return;
    }
    assert!(of.starts_with("of the processor time without recording, by "), "{of}");
    // Recorded, the other loop takes a third of the time and more. The clock counts when others run.
    assert!((heavy - (1.0 - clocked)).abs() < 0.15, "{heavy} {of}, by the clock {}", 1.0 - clocked);
}
