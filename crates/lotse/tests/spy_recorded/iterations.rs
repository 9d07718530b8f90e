//! Which iterations of loops are independent; the loops are found in the machine code.

use std::collections::BTreeSet;

use super::{Package, has_cargo};

const LOOPS: &str = include_str!("loops.rs");
const IMAGES: &str = include_str!("images.rs");

/// Lines of the findings of a rule.
fn lines(package: &Package, rule: &str) -> BTreeSet<u64> {
    // Loops of tens of microseconds are long enough on any machine, those of one microsecond are not.
    let thresholds = ["--threshold", "spy-history.grain=5000"];
    let output = package
        .lotse()
        .args(["spy", "analyze", "--json", "--limit", "0", "a.lotse-history"])
        .args(thresholds)
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["silent"], serde_json::json!([]), "no rule lacks what it needs");
    let findings = answer["findings"].as_array().unwrap().iter();
    let of_rule = findings.filter(|finding| finding["rule"]["id"] == rule || finding["rule"] == rule);
    of_rule.map(|finding| finding["sites"][0]["line"].as_u64().unwrap_or_default()).collect()
}

#[test]
fn independent_iterations_are_found_and_others_are_not() {
    check(LOOPS, &["1", "2", "3", "0"], 7);
}

#[test]
fn images_grids_and_clusters() {
    check(IMAGES, &["2", "3"], 4);
}

/// Records a program at levels of optimisation, and compares what is found with the marks of its lines.
fn check(source: &str, levels: &[&str], least: usize) {
    if !has_cargo() {
        return;
    }
    let package = Package::new(source);
    let numbered = || (1_u64..).zip(source.lines());
    let wanted: BTreeSet<u64> =
        numbered().filter(|(_, line)| line.ends_with("// INDEPENDENT")).map(|(at, _)| at).collect();
    let open: BTreeSet<u64> =
        numbered().filter(|(_, line)| line.contains("INDEPENDENT or too short")).map(|(at, _)| at).collect();
    let inlined: BTreeSet<u64> =
        numbered().filter(|(_, line)| line.contains("seen where it is inlined")).map(|(at, _)| at).collect();
    for &level in levels {
        let output = package.record(&[("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)], &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut found = lines(&package, "spy-independent-iterations");
        found.retain(|line| !open.contains(line) && (level != "0" || !inlined.contains(line)));
        assert!(found.is_subset(&wanted), "level {level}: {found:?}");
        // Without optimisation, paths through an iterator that exclude each other look as if a loop carried a value between them.
        let missed: BTreeSet<u64> = wanted.difference(&found).copied().filter(|_| level >= "2").collect();
        assert_eq!(missed, BTreeSet::new(), "level {level}");
        assert!(found.len() >= least, "level {level}: {found:?}");
    }
}
