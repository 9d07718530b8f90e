//! The example of the tutorial and the programs of the thesis, recorded and analysed with the command line.

use std::collections::BTreeMap;

use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use super::{Package, has_cargo};

const WAREHOUSE: &str = include_str!("../../../../examples/warehouse/src/main.rs");

/// Figure 4 of the thesis: ten insertions at the front, a forward read, ten insertions at the front, a backward read.
const FIGURE_4: &str = r"
use std::hint::black_box;
fn main() {
    let mut list: Vec<u64> = Vec::with_capacity(32);
    for i in 0..10 { list.insert(0, black_box(i)) }
    for i in 0..list.len() { black_box(list[i]); }
    for i in 0..10 { list.insert(0, black_box(i)) }
    for i in (0..list.len()).rev() { black_box(list[i]); }
}
";

/// The example program of the thesis (its source text 1).
const THESIS: &str = r#"
use std::hint::black_box;
struct Program { l: Vec<i32> }
impl Program {
    #[inline(never)]
    fn method1(&mut self) -> Vec<i32> {
        let mut list: Vec<[u64; 1]> = Vec::new();
        for _ in 0..100 { list.push([black_box(7)]) } // PUSH
        self.l = method2(0).to_vec();
        while !list.is_empty() { black_box(list.remove(0)); } // REMOVE
        method2(1).to_vec()
    }
}
#[inline(never)]
fn method2(x: i32) -> Box<[i32]> {
    let values = [1, 2, 3, x];
    vec![0; black_box(values).len()].into_boxed_slice()
}
fn main() {
    let mut program = Program { l: Vec::new() };
    println!("{} {}", program.method1().len(), program.l.len());
}
"#;

impl Package {
    /// What a command about the history prints.
    #[track_caller]
    pub(super) fn answer(&self, words: &[&str]) -> String {
        let output = self.lotse().arg("spy").args(words).env_remove("COLUMNS").output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    pub(super) fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.answer(words)).unwrap()
    }
}

#[track_caller]
pub(super) fn recorded(source: &str) -> Package {
    let package = Package::new(source);
    let output = package.record(&[], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    package
}

/// The number of the line of a source that contains a text.
fn line(source: &str, text: &str) -> u64 {
    source.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}")) as u64 + 1
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list under {key} in {value}"))
}

/// The lines that findings name first, by rule.
fn lines_by_rule(answer: &Value) -> BTreeMap<String, Vec<u64>> {
    let mut lines: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for finding in list(answer, "findings") {
        let rule = finding["rule"]["id"].as_str().unwrap().to_owned();
        let site = &finding["sites"][0];
        let line = site["line"].as_u64().unwrap_or_else(|| panic!("no line in {site}"));
        lines.entry(rule).or_default().push(line);
    }
    lines
}

#[test]
fn the_example_has_the_findings_that_it_was_written_for() {
    if !has_cargo() {
        return;
    }
    let package = recorded(WAREHOUSE);
    let answer = package.json(&["analyze", "--json", "a.lotse-history"]);
    assert_eq!(answer["schema"], "lotse.spy.analyze/1");
    let found = lines_by_rule(&answer);
    // Rules that fire at one place only.
    for (rule, text) in [
        ("spy-map-into-new-vec", "weights.push("),
        ("spy-vec-as-set", "known.push("),
        ("spy-double-lookup", "sold.contains_key("),
        ("spy-queue", "waiting.push("),
        ("spy-front-access", "waiting.push("),
        ("spy-remove-front", "waiting.remove(0)"),
        ("spy-linear-search-in-sorted", "regulars.contains("),
        ("spy-sort-after-insert", "customers.iter().copied()"),
    ] {
        assert_eq!(found.get(rule), Some(&vec![line(WAREHOUSE, text)]), "{rule}: {found:?}");
    }
    for (rule, text) in [
        ("spy-long-insert", "weights.push("),
        ("spy-missing-capacity", "weights.push("),
        ("spy-reduction", "sum += weight"),
        ("spy-frequent-search", "known.contains("),
    ] {
        assert!(found.get(rule).is_some_and(|it| it.contains(&line(WAREHOUSE, text))), "{rule}: {found:?}");
    }
    for rule in ["spy-stack", "spy-write-without-read"] {
        assert_eq!(found.get(rule), None);
    }
    check_width_and_form_of_every_answer(&package);
}

fn check_width_and_form_of_every_answer(package: &Package) {
    let history = "a.lotse-history";
    let site = format!("main.rs:{}", line(WAREHOUSE, "waiting.push("));
    for words in [
        &["analyze", history][..],
        &["sites", history],
        &["phases", history],
        &["history", history, &site],
        &["coverage", history],
    ] {
        for row in package.answer(words).lines() {
            assert!(row.width() <= 80, "{words:?} prints {} columns:\n{row}", row.width());
        }
        let answer = package.json(&[words, &["--json"]].concat());
        assert_eq!(answer["schema"], format!("lotse.spy.{}/1", words[0]));
    }
    for verb in ["sites", "phases"] {
        let text = package.answer(&[verb, history, "--csv"]);
        let cells = |row: &str| row.split(',').count();
        let rows: Vec<&str> = text.lines().collect();
        assert!(rows.len() > 5 && rows.iter().all(|row| cells(row) == cells(rows[0])), "{text}");
        assert!(package.answer(&[verb, history, "--csv", "--limit", "2"]).lines().count() == 3);
    }
    // Each access of the queue, as a table and as a picture.
    package.answer(&["history", history, &site, "--csv", "a.csv", "--svg", "a.svg"]);
    let read = |name| std::fs::read_to_string(package.path().join(name)).unwrap();
    let answer = package.json(&["history", history, &site, "--json"]);
    assert_eq!(read("a.csv").lines().count() as u64, answer["events"].as_u64().unwrap() + 1);
    assert!(read("a.svg").contains("when-deleting-front"));
    check_times_advance(&read("a.csv"));
    // The structure can also be chosen by its number.
    let instance = answer["instance"].to_string();
    let named = ["history", history, &site, "--instance", &instance];
    package.answer(&[&named[..], &["--csv", "b.csv", "--svg", "b.svg"]].concat());
    assert_eq!((read("b.csv"), read("b.svg")), (read("a.csv"), read("a.svg")));
    assert_eq!(package.json(&[&named[..], &["--json"]].concat()), answer);
}

/// Times of accesses are known at the beginnings of segments and interpolated in between: there are never many equal times.
fn check_times_advance(csv: &str) {
    let time = |row: &str| row.split(',').nth(1).unwrap().parse::<u64>().unwrap();
    let times: Vec<u64> = csv.lines().skip(1).map(time).collect();
    assert!(times.is_sorted());
    let different = times.chunk_by(|a, b| a == b).count();
    assert!(different > times.len() / 4, "{different} times of {} accesses", times.len());
}

#[test]
fn thresholds_are_changed_on_the_command_line_and_in_the_settings() {
    if !has_cargo() {
        return;
    }
    let package = recorded(THESIS);
    let rules = |words: &[&str]| -> Vec<String> {
        let answer = package.json(&[&["analyze", "--json", "a.lotse-history"], words].concat());
        lines_by_rule(&answer).into_keys().collect()
    };
    // 200 accesses to a list of up to 100 elements are too few by default.
    assert_eq!(rules(&[]), Vec::<String>::new());
    let expected = ["spy-front-access", "spy-long-insert", "spy-missing-capacity", "spy-queue"];
    assert_eq!(rules(&["--threshold", "spy-history.min-accesses=200"]), expected);
    assert_eq!(
        rules(&["--threshold", "spy-history.min-accesses=200", "--threshold", "spy-long-insert.events=101"]),
        ["spy-front-access", "spy-missing-capacity", "spy-queue"]
    );
    std::fs::write(package.path().join("lotse.toml"), "[rules.spy-history]\nmin-accesses = 200\n").unwrap();
    assert_eq!(rules(&[]), expected);
    assert_eq!(rules(&["--threshold", "spy-history.min-accesses=201"]), Vec::<String>::new());
    let phases = phases(&package, &format!("main.rs:{}", line(THESIS, "// PUSH")));
    let expected = [
        ("insert-back", 0, 99, 100),
        ("delete-front", 100, 199, 100),
        ("when-inserting-back", 0, 99, 100),
        ("when-deleting-front", 100, 199, 100),
    ];
    assert_eq!(phases, expected.map(|(name, first, last, events)| (name.to_owned(), first, last, events)));
}

/// Name, first and last access, and number of accesses of the phases of the structure of a site.
fn phases(package: &Package, site: &str) -> Vec<(String, u64, u64, u64)> {
    let answer = package.json(&["phases", "--json", "a.lotse-history", site]);
    let row = |phase: &Value| {
        let number = |key: &str| phase[key].as_u64().unwrap();
        let name = phase["characteristic"].as_str().unwrap().to_owned();
        (name, number("first_event"), number("last_event"), number("events"))
    };
    list(&list(&answer, "structures")[0], "phases").iter().map(row).collect()
}

#[test]
fn figure_4_of_the_thesis_as_a_program() {
    if !has_cargo() {
        return;
    }
    let package = recorded(FIGURE_4);
    let site = format!("main.rs:{}", line(FIGURE_4, "with_capacity"));
    let expected = [
        ("linear-read-forward", 10, 19, 10),
        ("linear-read-backward", 30, 49, 20),
        ("insert-front", 0, 9, 10),
        ("insert-front", 20, 29, 10),
        // From 0 to 9 and on to 19, where the second read begins.
        ("when-reading-forward", 10, 30, 11),
        ("when-reading-backward", 30, 49, 20),
        ("when-inserting-front", 0, 29, 20),
    ];
    let expected = expected.map(|(name, first, last, events)| (name.to_owned(), first, last, events));
    assert_eq!(phases(&package, &site), expected);
    let sites = package.json(&["sites", "--json", "a.lotse-history", &site]);
    let found = &list(&sites, "sites")[0];
    assert_eq!((&found["events"], &found["max_length"]), (&50.into(), &20.into()));
    assert_eq!(found["kinds"], serde_json::json!({"insert": 20, "read": 30}));
}
