//! Findings name the loop that uses a structure through other functions.

use serde_json::Value;

use super::{Package, has_cargo};

const ACCESSORS: &str = include_str!("accessors.rs");

/// Rules whose advice changes a loop.
const RULES: [&str; 4] =
    ["spy-frequent-long-read", "spy-reduction", "spy-independent-iterations", "spy-long-insert"];

fn line(mark: &str) -> u64 {
    let found = ACCESSORS.lines().position(|line| line.ends_with(&format!("// {mark}")));
    found.unwrap_or_else(|| panic!("no line is marked with {mark}")) as u64 + 1
}

fn findings(package: &Package) -> Vec<Value> {
    let output = package
        .lotse()
        .args(["spy", "analyze", "--json", "--limit", "0", "--export-sarif", "a.sarif", "a.lotse-history"])
        .output()
        .unwrap();
    let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let Value::Array(findings) = answer["findings"].take() else { panic!("{answer}") };
    findings.into_iter().filter(|found| RULES.iter().any(|rule| found["rule"]["id"] == *rule)).collect()
}

fn texts(findings: &[Value]) -> String {
    findings.iter().map(|found| format!("\n{}", found["reason"]["text"])).collect()
}

/// A loop is at its first line, or at the first of its body.
fn is_at_loop(found: &Value, name: &str) -> bool {
    let first = line(&format!("{name} LOOP"));
    found["sites"][0]["line"].as_u64().is_some_and(|at| at == first || at == first + 1)
}

fn check(findings: &[Value], name: &str, level: &str) {
    let access = line(&format!("{name} ACCESS"));
    let about: Vec<&Value> = findings
        .iter()
        .filter(|found| found["sites"].as_array().unwrap().iter().any(|site| site["line"] == access))
        .collect();
    assert!(!about.is_empty(), "level {level}: nothing about {name}: {}", texts(findings));
    for found in about {
        assert!(is_at_loop(found, name), "level {level}: {name}: {found:#}");
        assert_eq!(found["through"]["line"], access, "level {level}: {name}: {found:#}");
        assert_eq!(found["sites"][1]["line"], access, "level {level}: {name}: {found:#}");
        let text = found["reason"]["text"].as_str().unwrap();
        assert!(text.contains(&format!("(through main.rs:{access})")), "{text}");
    }
}

/// Lines that are a place although a loop is around them.
fn lines_without_loop() -> Vec<u64> {
    let marked = (1..).zip(ACCESSORS.lines()).filter(|(_, line)| line.contains("// NONE:"));
    marked.map(|(number, _)| number).collect()
}

#[test]
fn a_loop_in_a_function_further_out_is_the_place() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(ACCESSORS);
    for level in ["0", "2", "3"] {
        let output = package.record(&[("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)], &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let findings = findings(&package);
        for name in ["image", "table", "values", "log"] {
            check(&findings, name, level);
        }
        for line in lines_without_loop() {
            let mut named = findings.iter().filter(|found| found["sites"][0]["line"] == line).peekable();
            assert!(named.peek().is_some(), "level {level}: nothing at line {line}: {}", texts(&findings));
            assert!(named.all(|found| found.get("through").is_none()), "level {level}: line {line}");
        }
    }
    let sarif: Value =
        serde_json::from_slice(&std::fs::read(package.path().join("a.sarif")).unwrap()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let related =
        |result: &Value| result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"].clone();
    assert!(results.iter().any(|result| related(result) == line("values ACCESS")), "{sarif:#}");
}

const GRID: &str = "pub struct Grid(pub Vec<u64>);
impl Grid {
    pub fn get(&self, at: usize) -> u64 {
        self.0[at]
    }
}
";

const USES_GRID: &str = "use std::hint::black_box;
fn main() {
    let grid = grid::Grid(black_box(vec![1; 3000]));
    let mut sum = 0;
    for at in 0..3000 {
        sum += black_box(grid.get(at));
    }
    black_box(sum);
}
";

#[test]
fn an_accessor_may_be_in_another_crate() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(USES_GRID);
    let grid = package.path().join("grid");
    std::fs::create_dir_all(grid.join("src")).unwrap();
    std::fs::write(grid.join("Cargo.toml"), "[package]\nname = \"grid\"\nversion = \"0.1.0\"\n").unwrap();
    std::fs::write(grid.join("src/lib.rs"), GRID).unwrap();
    let manifest = package.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap() + "[dependencies]\ngrid = { path = \"grid\" }\n";
    std::fs::write(&manifest, text).unwrap();
    for level in ["0", "3"] {
        let output = package.record(&[("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)], &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let findings = findings(&package);
        assert!(!findings.is_empty(), "level {level}");
        for found in findings {
            let ends = |site: &Value, file: &str| site["file"].as_str().unwrap().ends_with(file);
            assert!(ends(&found["sites"][0], "src/main.rs"), "level {level}: {found:#}");
            assert!(matches!(found["sites"][0]["line"].as_u64(), Some(5 | 6)), "level {level}: {found:#}");
            assert!(ends(&found["through"], "grid/src/lib.rs"), "level {level}: {found:#}");
        }
    }
}
