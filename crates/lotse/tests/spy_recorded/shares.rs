//! Shares of loops and calls are those of the program, not those of its recording or of a model.

use serde_json::Value;

use super::{Package, has_cargo};

const KNOWN_SHARES: &str = include_str!("known_shares.rs");

fn line(mark: &str) -> u64 {
    KNOWN_SHARES.lines().position(|line| line.ends_with(&format!("// {mark}"))).unwrap() as u64 + 1
}

fn analysed(package: &Package) -> Value {
    let output = package
        .lotse()
        .args(["spy", "analyze", "--json", "--limit", "0", "a.lotse-history"])
        .args(["--threshold", "spy-history.grain=1000"])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The share that a finding of a rule has, and what it is a share of.
fn severity(answer: &Value, rule: &str, mark: &str) -> (f64, String) {
    let mut findings = answer["findings"].as_array().unwrap().iter();
    let is_about =
        |finding: &&Value| finding["rule"]["id"] == rule && finding["sites"][0]["line"] == line(mark);
    let found = findings.find(is_about).unwrap_or_else(|| panic!("{rule} {mark}: {answer:#}"));
    let severity = &found["severity"];
    (severity["share"].as_f64().unwrap(), severity["of"].as_str().unwrap().to_owned())
}

/// Rules and the marks of their lines, in the order in which the program writes its shares, without the first.
const EXPECTED: [(&str, &str); 4] = [
    ("spy-independent-iterations", "HEAVY"),
    ("spy-remove-front", "FRONT"),
    ("spy-vec-as-set", "SET"),
    ("spy-double-lookup", "TWICE"),
];

#[test]
fn shares_are_those_without_recording() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(KNOWN_SHARES);
    // The second run overwrites what the recorded one wrote.
    let output = package
        .lotse()
        .args(["spy", "run", "-o", "a.lotse-history", "--"])
        .args(["cargo", "run", "--release", "--offline", "--", "shares"])
        .output()
        .unwrap();
    let remarks = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{remarks}");
    let clocked = std::fs::read_to_string(package.path().join("shares")).unwrap();
    let clocked = clocked.split(' ').skip(1).map(|share| share.parse::<f64>().unwrap());
    let is_sampled = !remarks.contains("shares of loops are those of the recorded run");
    if !is_sampled {
        test_support::skip_here(remarks);
    }
    let answer = analysed(&package);
    for ((rule, mark), clocked) in EXPECTED.into_iter().zip(clocked) {
        let (share, of) = severity(&answer, rule, mark);
        if !is_sampled {
            let expected =
                if mark == "HEAVY" { "of the recorded run" } else { "of the run time, by a model" };
            assert!(of.starts_with(expected), "{mark}: {of}");
            continue;
        }
        assert!(of.starts_with("of the processor time without recording, by "), "{mark}: {of}");
        // By the model, `remove(0)` takes all of the time, and the Vec and the map next to nothing.
        assert!((share - clocked).abs() < 0.15, "{mark}: {share} {of}, by the clock {clocked}");
    }
}
