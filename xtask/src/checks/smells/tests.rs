//! Each smell in lines that have it and in lines that only look similar.

use super::super::tests::assert_complaints;
use super::{ALLOWANCES, Allowance, SMELLS, judge};
use crate::Repository;

/// Which smells a file has, by name.
fn smells(path: &str, code: &str) -> Vec<String> {
    let complaints = judge(&Repository::from_files(&[(path, code)]), &[]);
    let names = complaints.iter().map(|complaint| {
        let text = complaint.to_string();
        SMELLS
            .iter()
            .find(|smell| text.contains(&format!(": {}: ", smell.name)))
            .map(|smell| smell.name.to_owned())
    });
    names.map(Option::unwrap).collect()
}

#[track_caller]
fn check(smell: &str, path: &str, bad: &[&str], good: &[&str]) {
    for code in bad {
        assert_eq!(smells(path, code), [smell], "{code}");
    }
    for code in good {
        assert!(smells(path, code).is_empty(), "{code}: {:?}", smells(path, code));
    }
}

const BENCH: &str = "crates/lotse-bench/src/a.rs";

#[test]
fn swallowed_failures() {
    check(
        "let _ =",
        BENCH,
        &["let _ = write(x);", "let _ =\n  a.b();"],
        &["let _ = x;", "let _a = f();", "\"let _ = f();\""],
    );
    check(".ok();", BENCH, &["f().ok();"], &["f().ok()?;", "// f().ok();"]);
    check("unwrap_or_default", BENCH, &["f().unwrap_or_default()"], &["f().unwrap_or(0)"]);
}

#[test]
fn leftovers() {
    check("#[allow", BENCH, &["#[allow(dead_code)]", "#![allow(dead_code)]"], &["#[expect(dead_code)]"]);
    check("todo!", BENCH, &["todo!()", "unimplemented!()"], &["my_todo!()"]);
    check("word of regret", BENCH, &["// TODO: x", "/* FIXME */", "//! XXX"], &["// TODOS", "\"TODO\""]);
}

#[test]
fn names() {
    check("vague file name", "crates/a/src/utils.rs", &[""], &[]);
    check("vague file name", "crates/a/src/helpers/a.rs", &[""], &[]);
    check("vague file name", "crates/a/src/utility_meter.rs", &[], &[""]);
    check("mod.rs", "crates/a/src/b/mod.rs", &[""], &[]);
}

#[test]
fn untyped_errors() {
    let boxed = ["Box<dyn Error>", "Box<dyn std::error::Error + Send>"];
    check("boxed error", BENCH, &boxed, &["Box<dyn Fn(Error) -> u8>", "Box<dyn Errors>"]);
    let strings = ["Result<(), String>", "Result<Vec<(u8, u8)>,\n String>", "Result<fn(u8) -> u8, String>"];
    check("string error", BENCH, &strings, &["Result<String, E>", "Result<String>", "HashMap<u8, String>"]);
    check("boxed error", "crates/lotse/src/a.rs", &[], &["Box<dyn Error>", "Result<(), String>"]);
}

#[test]
fn effects() {
    let bad = [
        "use std::fs;",
        "std::process::id()",
        "use std::{fmt, net::IpAddr};",
        "use std::time::Instant;",
        "SystemTime::now()",
    ];
    let good = ["use std::{fmt::{self, Write}, io};", "use std::time::Duration;", "use std::fmt;", "mod fs;"];
    for path in
        ["crates/lotse-stats/src/a.rs", "crates/lotse-model/src/a.rs", "crates/lotse-formats/src/a.rs"]
    {
        check("effect", path, &bad, &good);
    }
    check("effect", "crates/lotse-host/src/a.rs", &[], &bad);
}

#[test]
fn printing() {
    let bad = ["println!(\"\")", "eprint!(\"\")", "std::process::exit(1)"];
    check("printing", BENCH, &bad, &["writeln!(out)", "#[cfg(test)]\nmod tests { fn a() { println!() } }"]);
    check("printing", "xtask/src/main.rs", &[], &bad);
    check("printing", "crates/lotse-host/build.rs", &[], &bad);
    check("printing", "crates/lotse-stats/examples/a.rs", &[], &bad);
}

#[test]
fn allowances_fit_exactly() {
    let allowance = |count| [Allowance { smell: ".ok();", path: BENCH, count, reason: "why" }];
    let repository = Repository::from_files(&[(BENCH, "a().ok();\nb().ok();")]);
    assert_complaints(&judge(&repository, &allowance(2)), &[]);
    assert_eq!(judge(&repository, &allowance(1)).len(), 2);
    let found = judge(&repository, &allowance(3));
    assert_complaints(
        &found,
        &["crates/lotse-bench/src/a.rs: allows 3 of `.ok();` (why), has 2: lower the allowance"],
    );
    let found = judge(&Repository::from_files(&[]), &allowance(1));
    assert_complaints(
        &found,
        &["crates/lotse-bench/src/a.rs: allows 1 of `.ok();` (why), has 0: lower the allowance"],
    );
}

#[test]
fn an_allowance_can_be_for_a_folder() {
    let allowance = [Allowance { smell: ".ok();", path: "crates/a/", count: 2, reason: "why" }];
    let code = "x().ok();";
    let files = [("crates/a/b.rs", code), ("crates/a/c.rs", code), ("crates/ab.rs", code)];
    let found = judge(&Repository::from_files(&files), &allowance);
    assert_complaints(&found, &["crates/ab.rs:1: .ok();: handle the error"]);
}

#[test]
fn allowances_name_smells_that_exist() {
    assert!(ALLOWANCES.iter().all(|allowance| SMELLS.iter().any(|smell| smell.name == allowance.smell)));
}
