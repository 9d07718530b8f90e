//! Who allocates, in profiles that valgrind and heaptrack recorded while testing: functions of the program come first.
//!
//! Needs compilers, valgrind and heaptrack; without them the tests are skipped with a note.

use serde_json::Value;

use crate::session::{Answer, Session};
use crate::tools::tool;

/// `copy` allocates 2,000 blocks of 1,000 bytes that are not freed; containers allocate for others.
const CPP: &str = r#"
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
volatile size_t sink;
std::vector<char *> kept;
__attribute__((noinline)) char *copy(int size) {
    char *block = new char[size];
    block[0] = 1;
    return block;
}
__attribute__((noinline)) void fill_table(int count) {
    std::map<int, std::string> table;
    for (int i = 0; i < count; i++) table[i] = std::string(100, 'x');
    sink += table.size();
}
__attribute__((noinline)) void grow(int count) {
    std::vector<int> numbers;
    for (int i = 0; i < count; i++) numbers.push_back(i);
    sink += numbers.size();
}
int main() {
    for (int i = 0; i < 2000; i++) kept.push_back(copy(1000));
    fill_table(300);
    grow(1000);
    return 0;
}
"#;

/// `boxes` makes 2,000 boxes of 1,000 bytes that are not freed.
const RUST: &str = r#"
#[inline(never)]
fn boxes(count: usize) -> Vec<Box<[u8; 1000]>> {
    let mut all = Vec::with_capacity(count);
    for number in 0..count {
        all.push(Box::new([number as u8; 1000]));
    }
    all
}
#[inline(never)]
fn words(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("word number {number}")).collect()
}
fn main() {
    let kept = boxes(2000);
    let words = words(300);
    std::process::exit((std::hint::black_box(&kept).len() + words.len()) as i32 & 0);
}
"#;

/// The C++ program, compiled without inlining, so that functions of the standard library have frames.
fn cpp() -> Option<Session> {
    cpp_with("-O0")
}

/// The C++ program, compiled at an optimisation level.
fn cpp_with(level: &str) -> Option<Session> {
    let session = Session::new();
    session.write("program.cpp", CPP);
    tool(&session, "g++", &[level, "-g", "-std=c++17", "-o", "program", "program.cpp"])?;
    Some(session)
}

fn rust() -> Option<Session> {
    let session = Session::new();
    session.write("program.rs", RUST);
    tool(&session, "rustc", &["-g", "--edition", "2021", "-o", "program", "program.rs"])?;
    Some(session)
}

fn profile(session: &Session, args: &[&str]) -> Answer {
    session.lotse(&[&["profile"], args].concat()).exits(0)
}

/// Name and self cost of the first function, and the remarks about the file.
fn first(session: &Session, file: &str, event: &str, options: &[&str]) -> (String, u64, String) {
    let answer = profile(session, &[&["top", file, "-e", event, "--json"], options].concat());
    let json: Value = serde_json::from_str(&answer.stdout).unwrap();
    let function = &json["functions"][0];
    let name = function["display"].as_str().unwrap().to_owned();
    (name, function["self"][0].as_u64().unwrap(), json["diagnostics"].to_string())
}

/// Checks that the function is first, with exactly the bytes that it requested, and that `--allocators` shows the allocator
/// instead.
#[track_caller]
fn check_first(session: &Session, file: &str, event: &str, function: &str) {
    let (name, own, remarks) = first(session, file, event, &[]);
    assert!(name.contains(function), "{file}: {name}");
    // What containers allocate for the function counts as its own.
    assert!((2_000_000..2_100_000).contains(&own), "{file}: {own}");
    assert!(remarks.contains("allocators are looked through"), "{remarks}");
    let (name, _, remarks) = first(session, file, event, &["--allocators"]);
    assert!(["operator new", "malloc", "alloc"].iter().any(|word| name.contains(word)), "{file}: {name}");
    assert!(!remarks.contains("looked through"), "{remarks}");
}

const DHAT: [&str; 4] = ["-q", "--tool=dhat", "--dhat-out-file=dhat.out", "./program"];
const MASSIF: [&str; 4] = ["-q", "--tool=massif", "--massif-out-file=massif.out", "./program"];
const CALLGRIND: [&str; 4] = ["-q", "--tool=callgrind", "--callgrind-out-file=callgrind.out", "./program"];

#[test]
fn dhat_of_cpp() {
    cpp_with("-O0").iter().for_each(check_dhat_of_cpp);
}

#[test]
fn dhat_of_cpp_with_inlined_containers() {
    cpp_with("-O2").iter().for_each(check_dhat_of_cpp);
}

fn check_dhat_of_cpp(session: &Session) {
    let Some(_) = tool(session, "valgrind", &DHAT) else { return };
    check_first(session, "dhat.out", "total_bytes", "copy(int)");
    let answer = profile(session, &["top", "dhat.out", "-e", "total_blocks", "--json"]);
    let json: Value = serde_json::from_str(&answer.stdout).unwrap();
    let rows = json["functions"].as_array().unwrap();
    let row =
        |name: &str| rows.iter().find(|row| row["display"].as_str().unwrap().starts_with(name)).unwrap();
    assert_eq!(row("copy")["self"][0], 2000);
    // A node and a string for each of 300.
    assert_eq!(row("fill_table")["self"][0], 600);
    // 1, 2, 4, …, 1024 numbers.
    assert_eq!(row("grow")["self"][0], 11);
    let tree = profile(session, &["tree", "dhat.out", "-e", "total_bytes"]);
    assert!(tree.stderr.contains("--allocators shows them"), "{}", tree.stderr);
    let body =
        tree.stdout.lines().skip_while(|line| !line.starts_with('─')).find(|line| line.contains("copy(int)"));
    let body = body.unwrap();
    assert!(body.contains("1.907 MiB"), "{body}");
    assert!(!tree.stdout.contains("operator new"), "{}", tree.stdout);
    let callers = profile(session, &["callers", "dhat.out", "copy", "-e", "total_bytes"]);
    assert!(callers.stdout.contains("main"), "{}", callers.stdout);
}

#[test]
fn dhat_of_rust() {
    let Some(session) = rust() else { return };
    let Some(_) = tool(&session, "valgrind", &DHAT) else { return };
    check_first(&session, "dhat.out", "total_bytes", "program::boxes");
}

#[test]
fn massif_of_cpp_and_rust() {
    for (session, function) in [(cpp(), "copy(int)"), (rust(), "program::boxes")] {
        let Some(session) = session else { continue };
        let Some(_) = tool(&session, "valgrind", &MASSIF) else { return };
        let (name, own, remarks) = first(&session, "massif.out", "mem_heap_B", &[]);
        assert!(name.contains(function), "{name} {remarks}");
        assert!((2_000_000..2_100_000).contains(&own), "{own}");
    }
}

#[test]
fn heaptrack_of_cpp_and_rust() {
    for (session, function) in [(cpp(), "copy"), (rust(), "boxes")] {
        let Some(session) = session else { continue };
        let Some(_) = tool(&session, "heaptrack", &["-o", "heap", "./program"]) else { return };
        let file = ["heap.zst", "heap.gz"].into_iter().find(|name| session.file(name).exists()).unwrap();
        check_first(&session, file, "allocated_bytes", function);
    }
}

#[test]
fn callgrind_names_the_functions_that_allocate() {
    for (session, function) in [(cpp(), "copy"), (rust(), "boxes")] {
        let Some(session) = session else { continue };
        let Some(_) = tool(&session, "valgrind", &CALLGRIND) else { return };
        // Startup costs more than so small a program.
        session.write("lotse.toml", "[rules.profile-allocation-site]\ncost = 0.001\n");
        let answer = profile(&session, &["top", "callgrind.out", "--json"]);
        let json: Value = serde_json::from_str(&answer.stdout).unwrap();
        let findings = json["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["rule"]["id"] == "profile-allocation-site");
        let text = found.map_or(String::new(), |found| found["reason"]["text"].to_string());
        assert!(
            text.contains("of that is for calls by ") && text.contains(function),
            "{text:?} {findings:?}"
        );
    }
}

#[test]
fn a_conversion_keeps_allocators() {
    let Some(session) = cpp() else { return };
    let Some(_) = tool(&session, "valgrind", &DHAT) else { return };
    let answer = profile(&session, &["convert", "--to", "collapsed", "dhat.out"]);
    assert!(answer.stdout.contains("operator new"), "{}", answer.stdout);
}
