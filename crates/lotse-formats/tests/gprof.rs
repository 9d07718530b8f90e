//! gprof: texts of other people, files of programs built while testing, and gprof's own output about them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test makes files")]

#[path = "heap/check.rs"]
mod check;

use std::collections::BTreeMap;

use check::{check, fixture, scratch, tool};
use expect_test::expect;
use lotse_model::Profile;
use lotse_model::id::FunctionId;

#[test]
fn texts_of_others() {
    let Some(bytes) = fixture("gprof-text/gprof2dot__cycle.prof") else { return };
    check(
        "cycle.prof",
        &bytes,
        "gprof",
        &expect![[r#"
            functions 5 files 1 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator Some("gprof")
            time us 1930000
            part 1: own 5 calls 6 samples 0
        "#]],
    );
    let Some(bytes) = fixture("gprof-text/gprof2dot__gnu1.prof") else { return };
    check(
        "gnu1.prof",
        &bytes,
        "gprof",
        &expect![[r#"
            functions 153 files 1 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator Some("gprof")
            time us 330000
            part 1: own 153 calls 330 samples 0
        "#]],
    );
    let Some(bytes) = fixture("gprof-text/gprof2dot__gnu2.prof") else { return };
    check(
        "gnu2.prof",
        &bytes,
        "gprof",
        &expect![[r#"
            functions 94 files 1 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator Some("gprof")
            time us 1930000
            part 1: own 93 calls 118 samples 0
        "#]],
    );
    let Some(bytes) = fixture("gprof-text/gprof2dot__embedded.prof") else { return };
    check(
        "embedded.prof",
        &bytes,
        "gprof",
        &expect![[r#"
        functions 52 files 1 objects 1 stacks 0 parts 1 data 0 unresolved 0
        command None creator Some("gprof")
        cycles 1e1 6235804
        part 1: own 52 calls 79 samples 0
    "#]],
    );
    let Some(bytes) = fixture("gprof-text/gprof2dot__dan.skorupski.prof") else { return };
    check(
        "dan.skorupski.prof",
        &bytes,
        "gprof",
        &expect![[r#"
            functions 1055 files 1 objects 1 stacks 0 parts 1 data 0 unresolved 0
            command None creator Some("gprof")
            time us 14700000
            part 1: own 1053 calls 1557 samples 0
        "#]],
    );
}

/// A program with cycles, recursion and enough work for some samples.
const PROGRAM: &str = "
static int __attribute__((noinline)) leaf(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int even(int n);
int __attribute__((noinline)) odd(int n) { return n == 0 ? 0 : even(n - 1) + leaf(10000); }
int __attribute__((noinline)) even(int n) { return n == 0 ? 1 : odd(n - 1) + leaf(5000); }
int __attribute__((noinline)) factorial(int n) { leaf(1000); return n < 2 ? 1 : n * factorial(n - 1); }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 200; i++) { sum += leaf(200000); sum += even(6); sum += factorial(5); }
  return sum == 1;
}
";

/// The number of calls by names of caller and callee, from a text of gprof.
fn printed_calls(profile: &Profile) -> BTreeMap<(String, String), u64> {
    let calls = &profile.parts[0].calls;
    let name = |id| profile.function_name(id).to_owned();
    (0..calls.len())
        .map(|row| ((name(calls.caller[row]), name(calls.callee[row])), calls.count[row]))
        .collect()
}

/// The number of calls by names, from addresses and the output of `nm`.
fn named_calls(profile: &Profile, nm: &str) -> BTreeMap<(String, String), u64> {
    let symbols: BTreeMap<u64, &str> = nm
        .lines()
        .filter_map(|line| {
            let [address, kind, name] = <[&str; 3]>::try_from(line.split(' ').collect::<Vec<_>>()).ok()?;
            let address = u64::from_str_radix(address, 16).ok()?;
            ["t", "T"].contains(&kind).then_some((address, name))
        })
        .collect();
    let addresses: BTreeMap<FunctionId, u64> =
        profile.unresolved.iter().map(|it| (it.function, it.address)).collect();
    let name = |id: FunctionId| symbols.range(..=addresses[&id]).next_back().unwrap().1.to_string();
    let calls = &profile.parts[0].calls;
    let mut found = BTreeMap::new();
    for row in 0..calls.len() {
        *found.entry((name(calls.caller[row]), name(calls.callee[row]))).or_default() += calls.count[row];
    }
    found
}

#[test]
fn gprof_prints_the_same() {
    for (name, option) in [("pie", "-pie"), ("fixed", "-no-pie")] {
        let place = scratch(&format!("gmon-{name}"));
        std::fs::write(place.join("program.c"), PROGRAM).unwrap();
        let pie = if option == "-pie" { "-fpie" } else { "-fno-pie" };
        let options = ["-g", "-O0", "-pg", pie, option, "-falign-functions=16", "program.c", "-o", "program"];
        if tool(&place, "gcc", &options).is_none() || tool(&place, "./program", &[]).is_none() {
            return;
        }
        let bytes = std::fs::read(place.join("gmon.out")).unwrap();
        let binary = check::read("gmon.out", &bytes, "gmon");
        check::damage(&bytes, "gmon");
        let printed = tool(&place, "gprof", &["-b", "./program", "gmon.out"]).unwrap();
        let seconds = printed.split_once("% of ").unwrap().1.split_once(" seconds").unwrap().0;
        let text = check::read("x", printed.as_bytes(), "gprof");
        assert_eq!(format!("{:.2}", check::total(&binary, 0) as f64 / 1e6), seconds);
        let nm = tool(&place, "nm", &["program"]).unwrap();
        assert_eq!(named_calls(&binary, &nm), printed_calls(&text), "{name}");
        assert_eq!(printed_calls(&text)[&("factorial".to_owned(), "factorial".to_owned())], 800);
        for options in [["-p", "-b"], ["-q", "-b"], ["-p", "-z"]] {
            let printed = tool(&place, "gprof", &[options[0], options[1], "./program", "gmon.out"]).unwrap();
            let part = check::read("x", printed.as_bytes(), "gprof");
            assert!(check::total(&part, 0) > 0);
            check::damage(printed.as_bytes(), "gprof");
        }
    }
}
