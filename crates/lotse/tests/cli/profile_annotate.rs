//! `lotse profile annotate` and names for addresses, compared with callgrind_annotate, objdump, gprof and perf.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::session::{Session, has, list};

const PROGRAM: &str = r#"#include <stdio.h>

__attribute__((noinline)) int mix(int value)
{
    int bits = 0;
    while (value) {
        bits += value & 1;
        value >>= 1;
    }
    return bits;
}

__attribute__((noinline)) long sum(const int *values, int count)
{
    long total = 0;
    for (int i = 0; i < count; i++) {
        if (values[i] & 1)
            total += values[i] % 7;
        else
            total += mix(values[i]);
    }
    return total;
}

int main(void)
{
    int values[1000];
    for (int i = 0; i < 1000; i++)
        values[i] = i * 37 % 1009;
    long total = 0;
    for (int round = 0; round < ROUNDS; round++)
        total += sum(values, 1000);
    printf("%ld\n", total);
    return 0;
}
"#;

/// Runs a tool in the session's directory and returns what it printed.
#[track_caller]
fn tool(session: &Session, command: &[&str]) -> String {
    let output = Command::new(command[0]).args(&command[1..]).current_dir(session.file("")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles the program and runs it under callgrind; `None` where that is not possible.
fn recorded() -> Option<Session> {
    if !["gcc", "valgrind", "objdump"].into_iter().all(has) {
        return None;
    }
    let session = Session::new();
    session.write("sum.c", PROGRAM);
    tool(&session, &["gcc", "-g", "-O1", "-DROUNDS=20", "-o", "sum", "sum.c"]);
    let options =
        ["--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes", "--callgrind-out-file=cg.out"];
    tool(&session, &[&["valgrind"], &options[..], &["./sum"]].concat());
    Some(session)
}

fn annotated(session: &Session, options: &[&str]) -> Value {
    let command = ["profile", "annotate", "cg.out", "sum", "--json", "-e", "Ir"];
    session.lotse(&[&command, options].concat()).exits(0).json()
}

/// Self costs by line of the program's source file.
fn lines(answer: &Value) -> BTreeMap<u64, u64> {
    let file = list(&answer["files"]).iter().find(|file| file["path"].as_str().unwrap().ends_with("sum.c"));
    let lines = list(&file.unwrap()["lines"]).iter();
    let costs = lines.map(|line| (line["line"].as_u64().unwrap(), line["self"][0].as_u64().unwrap()));
    costs.filter(|(_, cost)| *cost > 0).collect()
}

#[test]
fn costs_by_line_are_those_of_callgrind_annotate() {
    let Some(session) = recorded() else { return };
    let answer = annotated(&session, &["--source"]);
    let printed = tool(&session, &["callgrind_annotate", "--auto=yes", "--show-percs=no", "cg.out"]);
    let text: Vec<&str> = PROGRAM.lines().collect();
    let found = lines(&answer);
    assert!(found.len() >= 6, "{found:?}");
    for (line, cost) in &found {
        let code = text[*line as usize - 1];
        let expected = printed.lines().filter(|row| row.ends_with(&format!(" {code}")));
        let costs: Vec<u64> =
            expected.filter_map(|row| row.split_whitespace().next()?.replace(',', "").parse().ok()).collect();
        assert!(
            costs.contains(cost),
            "line {line} {code:?}: {cost}, callgrind_annotate says {costs:?}\n{printed}"
        );
    }
    assert_eq!(found.values().sum::<u64>(), answer["function"]["self"][0].as_u64().unwrap());
    let call =
        list(&answer["files"][0]["lines"]).iter().find(|line| !list(&line["calls"]).is_empty()).unwrap();
    assert_eq!((&call["line"], &call["calls"][0]["display"]), (&20.into(), &"mix".into()));
}

#[test]
fn every_instruction_is_there_with_costs_and_jumps() {
    let Some(session) = recorded() else { return };
    let answer = annotated(&session, &["--asm"]);
    let instructions = list(&answer["instructions"]);
    let found: Vec<String> = instructions
        .iter()
        .map(|it| it["address"].as_str().unwrap().trim_start_matches("0x").to_owned())
        .collect();
    let dump = tool(&session, &["objdump", "-d", "--no-show-raw-insn", "--disassemble=sum", "sum"]);
    let expected: Vec<String> = dump
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter_map(|line| Some(line.split_once(":\t")?.0.trim().to_owned()))
        .collect();
    assert_eq!(found, expected, "{dump}");
    let costs: u64 = instructions.iter().map(|it| it["self"][0].as_u64().unwrap()).sum();
    assert_eq!(costs, answer["function"]["self"][0].as_u64().unwrap());
    let jumps: Vec<&Value> = instructions.iter().flat_map(|it| list(&it["jumps"])).collect();
    assert!(jumps.iter().any(|jump| jump["executed"].as_u64() == Some(20_000)), "{jumps:?}");
    assert!(jumps.iter().all(|jump| jump["taken"].as_u64() <= jump["executed"].as_u64()), "{jumps:?}");
}

#[test]
fn the_text_shows_source_and_assembly_with_arrows() {
    let Some(session) = recorded() else { return };
    let command = ["profile", "annotate", "cg.out", "sum", "--asm", "--source"];
    let answer =
        session.lotse(&command).exits(0).says("┌").says("└").says("►").says("→ mix").says(" of 20,000");
    assert!(answer.stdout.contains("for (int i = 0; i < count; i++)"), "{}", answer.stdout);
    session.lotse(&["profile", "annotate", "cg.out", "sum"]).exits(0).says("line").says("address");
    session.lotse(&["profile", "annotate", "cg.out", "sum", "--asm", "--syntax", "att"]).exits(0).says("%r");
    session.lotse(&["profile", "annotate", "cg.out", "sum", "--csv"]).exits(0).says("file,line,");
}

#[test]
fn moved_source_is_found_in_the_source_directory() {
    let Some(session) = recorded() else { return };
    session.write("moved/sum.c", PROGRAM);
    std::fs::remove_file(session.file("sum.c")).unwrap();
    let command = ["profile", "annotate", "cg.out", "sum", "--source"];
    session.lotse(&command).exits(0).complains("--source-dir");
    let answer = session.lotse(&[&command[..], &["--source-dir", "moved"]].concat()).exits(0);
    assert!(answer.stdout.contains("total += mix(values[i]);"), "{}", answer.stdout);
    assert_eq!(answer.stderr, "");
}

#[test]
fn gmon_gets_the_numbers_of_gprof() {
    if !["gcc", "gprof"].into_iter().all(has) {
        return;
    }
    let session = Session::new();
    session.write("sum.c", PROGRAM);
    tool(&session, &["gcc", "-pg", "-g", "-O1", "-DROUNDS=60000", "-o", "sum", "sum.c"]);
    tool(&session, &["./sum"]);
    session.lotse(&["profile", "top", "gmon.out"]).exits(0).complains("--binary");
    let answer =
        session.lotse(&["profile", "top", "gmon.out", "--binary", "sum", "--json", "-n", "0"]).exits(0);
    let functions: BTreeMap<String, (f64, Option<u64>)> = list(&answer.json()["functions"])
        .iter()
        .map(|it| {
            let seconds = it["self"][0].as_f64().unwrap() / 1e6;
            (it["display"].as_str().unwrap().to_owned(), (seconds, it["calls"].as_u64()))
        })
        .collect();
    let printed = tool(&session, &["gprof", "-b", "-p", "sum", "gmon.out"]);
    let mut compared = 0;
    for row in printed.lines().filter(|row| row.starts_with(' ') && row.contains('.')) {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let (seconds, name) = (fields[2].parse::<f64>().unwrap(), fields[fields.len() - 1]);
        let (found, calls) =
            functions.get(name).unwrap_or_else(|| panic!("no {name} in {functions:?}\n{printed}"));
        // A bucket that spans two functions is divided between them by bytes, as gprof does.
        assert!((found - seconds).abs() < 0.0051, "{name}: {found}, gprof says {seconds}\n{printed}");
        if fields.len() > 4 {
            assert_eq!(*calls, fields[3].parse().ok(), "{name}\n{printed}");
        }
        compared += 1;
    }
    assert!(compared >= 2, "{printed}");
}

#[test]
fn perf_data_gets_the_names_that_perf_gives() {
    if !has("gcc") || !has("perf") {
        return;
    }
    let session = Session::new();
    session.write("sum.c", PROGRAM);
    let options = ["-g", "-O1", "-fno-omit-frame-pointer", "-DROUNDS=60000"];
    tool(&session, &[&["gcc"], &options[..], &["-o", "sum", "sum.c"]].concat());
    let record = ["record", "-e", "cpu-clock", "-F", "997", "-g", "-o", "perf.data", "./sum"];
    let recorded = Command::new("perf").args(record).current_dir(session.file("")).output().unwrap();
    if !recorded.status.success() {
        test_support::skip_here("perf record does not work here");
        return;
    }
    let printed = tool(&session, &["perf", "script", "-i", "perf.data", "--no-inline", "-G", "-F", "ip,sym"]);
    let count =
        |name: &str| printed.lines().filter(|row| row.split_whitespace().nth(1) == Some(name)).count();
    let answer = session.lotse(&["profile", "top", "perf.data", "--json", "-n", "0"]).exits(0).json();
    let sampled = |name: &str| {
        let of = |it: &&Value| {
            it["display"] == name && it["object"].as_str().is_some_and(|it| it.ends_with("/sum"))
        };
        list(&answer["functions"]).iter().find(of).map_or(0, |it| it["self"][0].as_u64().unwrap())
    };
    let period = answer["events"][0]["total"].as_u64().unwrap() / answer["samples"].as_u64().unwrap();
    for name in ["sum", "mix"] {
        let (found, expected) = (sampled(name) / period.max(1), count(name) as u64);
        assert!(expected > 0 && found == expected, "{name}: {found}, perf says {expected}\n{printed}");
    }
    session.lotse(&["profile", "annotate", "perf.data", "mix"]).exits(0).says("value >>= 1").says("►");
}
