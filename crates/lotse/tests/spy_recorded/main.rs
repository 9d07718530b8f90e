//! Programs whose operations are known are built by the real compiler, recorded and decoded.
//!
//! `known.rs` states at each line which operation is done there and how often. `ends.rs` ends in many ways.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod attribution;
mod choice;
mod copies;
mod index;
mod iterations;
mod names;
mod places;
mod shares;
mod stacks;
mod survival;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod example;

const KNOWN: &str = include_str!("known.rs");
const ENDS: &str = include_str!("ends.rs");
const ORDERS: &str = include_str!("orders.rs");
const LAST_CALL: &str = include_str!("last_call.rs");

/// A package in a directory of its own, with a cache of its own.
struct Package {
    folder: tempfile::TempDir,
}

impl Package {
    fn new(source: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
        std::fs::write(folder.path().join("src/main.rs"), source).unwrap();
        Self { folder }
    }

    fn lotse(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lotse"));
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        // Settings of the test's own build must not reach the build of the sample.
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"CARGO_PROFILE"))
        {
            command.env_remove(name);
        }
        command
    }

    fn record(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = self.lotse();
        command.envs(environment.iter().copied());
        command.args([
            "spy",
            "run",
            "--no-second-run",
            "-o",
            "a.lotse-history",
            "--",
            "cargo",
            "run",
            "--release",
            "--offline",
            "--",
        ]);
        command.args(arguments).output().unwrap()
    }

    /// Count, first and last by line, container and kind.
    fn operations(&self) -> BTreeMap<(usize, String, String), (u64, String, String)> {
        let output = self.lotse().args(["spy", "coverage", "--places", "a.lotse-history"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut found = BTreeMap::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let Some((_, at)) = fields[0].split_once("src/main.rs:") else { continue };
            let number = at.split(':').next().unwrap().parse().unwrap();
            let key = (number, fields[2].to_owned(), fields[3].to_owned());
            let entry = found.entry(key).or_insert_with(|| (0, fields[5].to_owned(), String::new()));
            entry.0 += fields[4].parse::<u64>().unwrap();
            entry.2 = fields[6].to_owned();
        }
        found
    }

    fn path(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }
}

fn has_cargo() -> bool {
    let found = Command::new("cargo").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        test_support::skip_missing("cargo not found");
    }
    found
}

/// Differences between what the comments of a source such as `known.rs` say and what was found.
fn differences(package: &Package, source: &str) -> Vec<String> {
    let found = package.operations();
    let mut differences = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let Some((_, wanted)) = line.split_once("//~ ") else { continue };
        for wanted in wanted.split(" | ") {
            let words: Vec<&str> = wanted.split_whitespace().collect();
            let key = (number + 1, words[0].to_owned(), words[1].to_owned());
            let got = found.get(&key);
            let counted = got.map_or(0, |got| got.0).to_string() == words[2];
            let placed = words.len() < 5 || got.is_some_and(|got| got.1 == words[3] && got.2 == words[4]);
            if !(counted && placed) {
                differences.push(format!("line {}: {wanted}: found {got:?}", number + 1));
            }
        }
    }
    differences
}

#[test]
fn known_operations_are_named_counted_and_placed() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(KNOWN);
    for (name, value) in [
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "2"),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3"),
        ("CARGO_PROFILE_RELEASE_LTO", "fat"),
    ] {
        let output = package.record(&[(name, value)], &[]);
        assert!(output.status.success(), "{name}={value}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(differences(&package, KNOWN), Vec::<String>::new(), "{name}={value}");
    }
}

#[test]
fn what_was_recorded_survives_every_end() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(ENDS);
    let line = ENDS.lines().position(|line| line.ends_with("// FILL")).unwrap() + 1;
    let cases = [
        ("nothing", 1200),
        ("fork", 1700),
        ("abort", 1000),
        ("kill", 1000),
        ("exec", 2200),
        ("child", 2400),
        ("threads", 17_200),
        ("exit", 1100),
    ];
    for (how, wanted) in cases {
        let output = package.record(&[], &[how]);
        let ends_well = !["abort", "kill"].contains(&how);
        assert_eq!(output.status.success(), ends_well, "{how}: {}", String::from_utf8_lossy(&output.stderr));
        let found = package.operations();
        let count = found.get(&(line, "Vec".to_owned(), "Insert".to_owned())).map(|found| found.0);
        assert_eq!(count, Some(wanted), "{how}");
    }
    for (how, reason) in [("abort", "signal 6 (SIGABRT)"), ("kill", "signal 9 (SIGKILL)")] {
        package.record(&[], &[how]);
        survival::assert_incomplete(&package, reason);
    }
    assert!(!package.path().join("target").exists(), "the project's own target directory stays as it is");
}

/// The first search is in an empty row and accesses only the value that is looked for: it may be missed or attributed to the
/// wrong structure.
#[test]
fn a_search_is_attributed_to_the_row_that_is_searched() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(ORDERS);
    let line = ORDERS.lines().position(|line| line.ends_with("// SEARCH")).unwrap() + 1;
    for level in ["0", "1", "2", "3"] {
        let output = package.record(&[("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)], &[]);
        assert!(output.status.success(), "{level}: {}", String::from_utf8_lossy(&output.stderr));
        let found = package.operations();
        let (count, _, last) = &found[&(line, "Vec".to_owned(), "Search".to_owned())];
        assert!((298..=300).contains(count), "{level}: {count}");
        assert_eq!(last.as_str(), "29/30", "{level}");
    }
}

#[test]
fn functions_that_the_c_library_calls_need_no_frame() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(LAST_CALL);
    let output = package.record(&[], &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_history_that_was_cut_is_read_up_to_the_cut() {
    if !has_cargo() {
        return;
    }
    let package = Package::new(ENDS);
    assert!(package.record(&[], &["threads"]).status.success());
    let path = package.path().join("a.lotse-history");
    let whole = std::fs::read(&path).unwrap();
    cut(&path, &whole[..whole.len() / 2]);
    let found: u64 = package.operations().values().map(|found| found.0).sum();
    assert!(found > 1000, "{found}");
}

fn cut(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}
