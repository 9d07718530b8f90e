//! `lotse profile graph` on a program that callgrind recorded while testing: recursion, a cycle, many functions.
//!
//! Needs gcc and valgrind; without them the tests are skipped with a note.

use std::fmt::Write as _;

use crate::session::{Answer, Session};
use crate::tools::tool;

/// A recursion, a parser whose functions call each other, and functions that all cost about the same.
fn program() -> String {
    let mut code = String::from(
        "#include <stdio.h>\nvolatile unsigned sink;\n\
         __attribute__((noinline)) unsigned fac(unsigned n) { return n < 2 ? 1 : n * fac(n - 1) + sink; }\n\
         static const char *at; unsigned sum(void);\n\
         __attribute__((noinline)) unsigned factor(void) {\n\
           if (*at == '(') { at++; unsigned x = sum(); at++; return x; }\n\
           return *at++ - '0'; }\n\
         __attribute__((noinline)) unsigned product(void) {\n\
           unsigned x = factor(); while (*at == '*') { at++; x *= factor(); } return x; }\n\
         __attribute__((noinline)) unsigned sum(void) {\n\
           unsigned x = product(); while (*at == '+') { at++; x += product(); } return x; }\n",
    );
    for number in 0..300 {
        writeln!(
            code,
            "__attribute__((noinline)) void step{number}(void) {{ for (int i = 0; i < {}; i++) sink += i; }}",
            400 + number
        )
        .unwrap();
    }
    code.push_str("int main(void) {\n for (int i = 0; i < 40; i++) { sink += fac(60); at = \"((1+2)*(3+4)*(5+(6*7)))+8\"; sink += sum(); }\n");
    (0..300).for_each(|number| writeln!(code, " step{number}();").unwrap());
    code.push_str(" return 0;\n}\n");
    code
}

/// The profile in a session; `None` where it cannot be made.
fn recorded() -> Option<Session> {
    let session = Session::new();
    session.write("many.c", &program());
    tool(&session, "gcc", &["-O1", "-fno-optimize-sibling-calls", "-g", "-o", "many", "many.c"])?;
    tool(&session, "valgrind", &["-q", "--tool=callgrind", "--callgrind-out-file=many.out", "./many"])?;
    Some(session)
}

fn profile(session: &Session, args: &[&str]) -> Answer {
    session.lotse(&[&["profile"], args].concat()).exits(0)
}

/// The labels of boxes in DOT, each with its lines.
fn boxes(dot: &str) -> Vec<Vec<String>> {
    let labels = dot.lines().filter(|line| line.starts_with("  n") && !line.contains(" -> "));
    let label = |line: &str| Some(line.split_once("[label=\"")?.1.split_once("\", ")?.0.to_owned());
    labels.filter_map(label).map(|label| label.split("\\n").map(str::to_owned).collect()).collect()
}

fn percents(text: &str) -> Vec<f64> {
    let before = text.split(" %").filter_map(|piece| piece.rsplit([' ', '"', '>', '(', '\\', 'n']).next());
    before.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn recursion_cycles_and_many_functions_recorded_by_callgrind() {
    let Some(session) = recorded() else { return };
    assert!(session.read("many.out").contains("fac'2"), "callgrind tells levels of recursion apart");
    let answer = profile(&session, &["graph", "many.out", "--to", "dot", "--node-share", "0"]);
    let drawn = boxes(&answer.stdout);
    assert_eq!(drawn.len(), 100, "{}", answer.stdout);
    assert!(!answer.stdout.contains("fac'2"), "{}", answer.stdout);
    let shares = percents(&answer.stdout);
    assert!(shares.len() > 100 && shares.iter().all(|share| *share <= 100.0), "{shares:?}");
    assert!(answer.stdout.contains("at most 100") && answer.stdout.contains("hidden: "), "{}", answer.stdout);
    assert!(
        answer.stderr.contains("the graph hides ") && answer.stderr.contains("--nodes 0"),
        "{}",
        answer.stderr
    );
    let all = profile(&session, &["graph", "many.out", "--to", "dot", "--node-share", "0", "--nodes", "0"]);
    assert!(boxes(&all.stdout).len() > 300);
    assert!(!all.stdout.contains("at most"), "{}", all.stdout);
}

#[test]
fn a_recursive_function_costs_what_callgrind_says() {
    let Some(session) = recorded() else { return };
    let options = ["--inclusive=yes", "--threshold=100", "--show-percs=no", "many.out"];
    let Some(printed) = tool(&session, "callgrind_annotate", &options) else { return };
    let line = printed.lines().find(|line| line.contains(":fac [")).unwrap();
    let expected = line.split_whitespace().next().unwrap();
    let answer = profile(&session, &["graph", "many.out", "--to", "dot"]);
    let fac = boxes(&answer.stdout).into_iter().find(|lines| lines[0].ends_with("fac")).unwrap();
    assert!(fac[1].ends_with(&format!(" · {expected}")), "{fac:?} {line}");
}

#[test]
fn the_picture_says_what_it_hides() {
    let Some(session) = recorded() else { return };
    profile(&session, &["graph", "many.out", "--node-share", "0", "-o", "many.svg"]);
    let picture = session.read("many.svg");
    assert!(picture.contains("of self cost)") && picture.contains("at most 100"), "{picture}");
    let shares = percents(&picture);
    assert!(shares.iter().all(|share| *share <= 100.0), "{shares:?}");
}
