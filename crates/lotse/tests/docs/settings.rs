//! `lotse.toml` at the root holds every setting, its default and its meaning, and nothing else.

use std::fs;
use std::process::Command;

use expect_test::expect_file;
use serde_json::Value;

use crate::program::{self, entries, repository, text};

const HEAD: &str = "\
# Every setting of Lotse with its default; `lotse config` shows the values in force and where they come from.
# Copy this file into a project, or to ~/.config/lotse/lotse.toml, and take the # off a line to change it.
# The project's file wins over the user's, and the command line over both.
# Thresholds of rules: `lotse explain RULE` says what each rule is about.
";

/// A setting's section and its key within it.
fn split(key: &str) -> (&str, &str) {
    key.rsplit_once('.').unwrap()
}

/// A setting's value as TOML: numbers in their shortest form, else a text.
fn value(setting: &Value) -> String {
    let value = text(setting, "value");
    value.parse::<f64>().map_or_else(|_| format!("{value:?}"), |number| number.to_string())
}

fn file(settings: &[Value]) -> String {
    let mut file = HEAD.to_owned();
    let mut current = "";
    for setting in settings {
        let (section, key) = split(text(setting, "key"));
        if section != current {
            file = format!("{file}\n[{section}]\n");
            current = section;
        }
        file = format!("{file}# {}\n#{key} = {}\n", text(setting, "meaning"), value(setting));
    }
    file
}

/// The file with every setting in force.
fn uncommented(file: &str) -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
        _ => format!("{line}\n"),
    };
    file.lines().map(line).collect()
}

#[test]
fn the_example_holds_every_setting() {
    let answer = program::json(&["config", "--json"]);
    expect_file![repository("lotse.toml")].assert_eq(&file(entries(&answer, "settings")));
}

#[test]
fn the_example_can_be_used() {
    let directory = tempfile::tempdir().unwrap();
    let example = fs::read_to_string(repository("lotse.toml")).unwrap();
    fs::write(directory.path().join("lotse.toml"), uncommented(&example)).unwrap();
    let mut command = Command::new(program::executable());
    command.args(["config", "--json"]);
    let output = program::in_directory(command, directory.path());
    let used: Value = serde_json::from_slice(&output.stdout).unwrap();
    let defaults = program::json(&["config", "--json"]);
    for (used, default) in entries(&used, "settings").iter().zip(entries(&defaults, "settings")) {
        assert_eq!((&used["key"], value(used)), (&default["key"], value(default)));
        assert!(text(used, "origin").ends_with("lotse.toml"), "{used} is not in the example");
    }
}
