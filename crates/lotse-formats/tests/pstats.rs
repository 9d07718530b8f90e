//! Python pstats: files of other people, files made while testing, and the output of Python's own module about them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test makes files")]

#[path = "heap/check.rs"]
mod check;

use std::collections::BTreeSet;

use check::{check, fixture, scratch, tool};
use expect_test::expect;
use lotse_model::Profile;
use lotse_model::id::FunctionId;

#[test]
fn pstats_of_others() {
    let Some(bytes) = fixture("pstats/gprof2dot__memtrail.pstats") else { return };
    check(
        "memtrail.pstats",
        &bytes,
        "pstats",
        &expect![[r#"
            functions 493 files 32 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator None
            calls count 36414262
            time ns 13120819961
            primitive_calls count 36414028
            part 1: own 493 calls 817 samples 0
        "#]],
    );
    let Some(bytes) = fixture("pstats/gprof2dot__print1.pstats") else { return };
    check(
        "print1.pstats",
        &bytes,
        "pstats",
        &expect![[r#"
            functions 11 files 2 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator None
            calls count 52
            time ns 67269
            primitive_calls count 52
            part 1: own 11 calls 9 samples 0
        "#]],
    );
    let Some(bytes) = fixture("pstats/gprof2dot__print2.pstats") else { return };
    check(
        "print2.pstats",
        &bytes,
        "pstats",
        &expect![[r#"
            functions 11 files 2 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator None
            calls count 220
            time ns 385301
            primitive_calls count 220
            part 1: own 11 calls 9 samples 0
        "#]],
    );
}

/// A program with direct and mutual recursion, functions of the same name, and built-in functions.
const PROGRAM: &str = "
import cProfile, marshal, profile, pstats
def fibonacci(n): return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
class Zwölf: pass
def main():
    fibonacci(10); even(20); sorted(range(100), key=lambda x: -x); list(map(lambda x: x, range(9))); Zwölf()
cProfile.run('main()', 'c.pstats')
profile.run('main()', 'plain.pstats')
stats = pstats.Stats('c.pstats').stats
for version in range(5):
    with open(f'v{version}.pstats', 'wb') as file: marshal.dump(stats, file, version)
";

/// A line per function and per call, with numbers as in Python and times in whole nanoseconds.
const PRINT: &str = "
import pstats, sys
name = lambda key: f'{\"\" if key[0] == \"~\" else key[0]}:{key[1]}({key[2]})'
ns = lambda seconds: round(seconds * 1e9)
for key, (cc, nc, tt, ct, callers) in pstats.Stats(sys.argv[1]).stats.items():
    print(f'{name(key)} {nc} {ns(tt)} {cc} {ns(ct)}')
    for caller, value in callers.items():
        value = f'{value[0]} {ns(value[3])} {value[1]}' if isinstance(value, tuple) else value
        print(f'{name(caller)} -> {name(key)} {value}')
";

fn as_lines(profile: &Profile) -> BTreeSet<String> {
    let name = |id: FunctionId| {
        let file = profile.function_file(id).unwrap_or("");
        format!("{file}:{}({})", profile.functions.line[id.index()], profile.function_name(id))
    };
    let part = &profile.parts[0];
    let own = part.own.function.iter().enumerate().map(|(row, &function)| {
        let cost = |event| part.own.costs.value(row, event);
        let inclusive = part.inclusive.costs.value(row, 1);
        assert_eq!(part.inclusive.function[row], function);
        format!("{} {} {} {} {inclusive}", name(function), cost(0), cost(1), cost(2))
    });
    let calls = (0..part.calls.len()).map(|row| {
        let (caller, callee) = (name(part.calls.caller[row]), name(part.calls.callee[row]));
        let count = part.calls.count[row];
        match part.calls.has_costs() {
            true => {
                let cost = |event| part.calls.costs.value(row, event);
                format!("{caller} -> {callee} {count} {} {}", cost(1), cost(2))
            }
            false => format!("{caller} -> {callee} {count}"),
        }
    });
    own.chain(calls).collect()
}

#[test]
fn python_prints_the_same() {
    let place = scratch("pstats");
    std::fs::write(place.join("program.py"), PROGRAM).unwrap();
    if tool(&place, "python3", &["program.py"]).is_none() {
        return;
    }
    for file in ["c", "plain", "v0", "v1", "v2", "v3", "v4"].map(|name| format!("{name}.pstats")) {
        let bytes = std::fs::read(place.join(&file)).unwrap();
        let profile = check::read(&file, &bytes, "pstats");
        check::damage(&bytes, "pstats");
        let printed = tool(&place, "python3", &["-c", PRINT, &file]).unwrap();
        let theirs: BTreeSet<String> = printed.lines().map(str::to_owned).collect();
        assert_eq!(as_lines(&profile), theirs, "{file}");
        assert!(theirs.iter().any(|line| line.contains("fibonacci) -> ")), "{theirs:?}");
    }
}

#[test]
fn python_prints_the_same_about_files_of_others() {
    for name in ["memtrail", "print1", "print2"] {
        let Some(bytes) = fixture(&format!("pstats/gprof2dot__{name}.pstats")) else { return };
        let place = scratch(name);
        std::fs::write(place.join(name), &bytes).unwrap();
        let Some(printed) = tool(&place, "python3", &["-c", PRINT, name]) else { return };
        let theirs: BTreeSet<String> = printed.lines().map(str::to_owned).collect();
        assert_eq!(as_lines(&check::read(name, &bytes, "pstats")), theirs, "{name}");
    }
}
