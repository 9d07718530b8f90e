//! Cycles of calls that hardly recurse, such as those of lazy initialisation: what callgrind states is used.

use serde_json::Value;

use crate::recorded::recorded;
use crate::session::{Session, has, list};

/// `init` works once and is called a thousand times more by `alloc_`, which it needs itself.
const LAZY: &str = r#"
static volatile long s; static int done;
__attribute__((noinline)) void burn(long n) { for (long i = 0; i < n; i++) s += i; }
void init(void);
__attribute__((noinline)) void *alloc_(int n) { init(); s += n; return (void *)s; }
__attribute__((noinline)) void reg(void) { alloc_(3); burn(300000); s++; }
__attribute__((noinline)) void os_init(void) { reg(); s += 2; }
__attribute__((noinline)) void init(void) { if (done) return; done = 1; os_init(); s += 5; }
int main(void) { init(); for (int i = 0; i < 1000; i++) alloc_(i); return 0; }
"#;

/// A real recursion: what `even` and `odd` cost is not known from calls.
const TURNS: &str = r#"
static volatile long s;
int odd(int n);
__attribute__((noinline)) int even(int n) { for (int i = 0; i < 500; i++) s += i; return n == 0 ? 1 : odd(n - 1) + 1; }
__attribute__((noinline)) int odd(int n) { s++; return n == 0 ? 0 : even(n - 1) + 1; }
int main(void) { return even(400) == 0; }
"#;

fn recording(program: &str) -> Option<Session> {
    if !has("valgrind") {
        test_support::skip_here("valgrind does not run");
        return None;
    }
    let session = Session::new();
    session.write("p.c", program);
    recorded(&session, &["gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "p", "p.c"])?;
    recorded(&session, &["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=p.out", "./p"])?;
    Some(session)
}

fn function<'a>(answer: &'a Value, name: &str) -> &'a Value {
    list(&answer["functions"]).iter().find(|row| row["display"] == name).unwrap()
}

/// The cost on the line after the only call of a function.
fn stated_call(file: &str, name: &str) -> u64 {
    let begin = file.lines().position(|line| line.starts_with("cfn=") && line.ends_with(&format!(" {name}")));
    let lines: Vec<&str> = file.lines().skip(begin.unwrap()).take(3).collect();
    assert!(lines[1].starts_with("calls=1 "), "{lines:?}");
    lines[2].split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_function_that_is_called_once_costs_what_its_call_costs() {
    let Some(session) = recording(LAZY) else { return };
    let expected = stated_call(&session.read("p.out"), "os_init");
    let answer = session.lotse(&["profile", "top", "p.out", "--json", "-n", "0"]).exits(0).json();
    assert_eq!(function(&answer, "os_init")["inclusive"][0], expected);
    let total = answer["events"][0]["total"].as_u64().unwrap();
    let costs = list(&answer["functions"]).iter().map(|row| row["inclusive"][0].as_u64().unwrap());
    assert!(costs.max().unwrap() <= total);
    let callers = session.lotse(&["profile", "callers", "p.out", "os_init", "--json"]).exits(0).json();
    assert_eq!(callers["lower_bound"], false);
    session.lotse(&["profile", "graph", "p.out", "-o", "x.dot", "--to", "dot"]).exits(0);
    assert!(session.read("x.dot").contains("os_init"));
}

#[test]
fn calls_that_enter_a_cycle_elsewhere_are_not_called_recursion() {
    let Some(session) = recording(LAZY) else { return };
    let answer = session.lotse(&["profile", "top", "p.out", "--json"]).exits(0).json();
    let rules = list(&answer["findings"]).iter().map(|it| it["rule"].as_str().unwrap_or("").to_owned());
    let rules: Vec<String> = rules.collect();
    assert!(!rules.iter().any(|rule| rule.contains("recursion")), "{rules:?}");
}

#[test]
fn a_lower_bound_is_named_as_one_for_the_function_asked_about() {
    let Some(session) = recording(TURNS) else { return };
    let odd = session.lotse(&["profile", "callers", "p.out", "odd'2"]).exits(0);
    let answer = session.lotse(&["profile", "callers", "p.out", "odd'2", "--json"]).exits(0).json();
    assert_eq!(answer["lower_bound"], true);
    assert!(odd.stdout.contains("odd'2 takes at least "), "{}", odd.stdout);
    assert!(!odd.stdout.contains("of that"), "{}", odd.stdout);
    odd.complains("the inclusive cost of odd'2, which is in a cycle, is a lower bound");
}
