//! Profiles without calls: inclusive costs are unknown, and no view shows any.

use crate::recorded::{attempted, recorded};
use crate::session::{Session, has};

const PROGRAM: &str = "static volatile long s;\n\
                       __attribute__((noinline)) void inner(void) { for (long i = 0; i < 3000000; i++) s += i; }\n\
                       __attribute__((noinline)) void outer(void) { for (int i = 0; i < 9; i++) inner(); s++; }\n\
                       int main(void) { outer(); return 0; }\n";

fn session() -> Option<Session> {
    let session = Session::new();
    session.write("p.c", PROGRAM);
    recorded(&session, &["gcc", "-O1", "-g", "-o", "p", "p.c"])?;
    Some(session)
}

#[track_caller]
fn check(session: &Session, flat: &str, function: &str) {
    let top = session.lotse(&["profile", "top", flat]).exits(0).complains("the file has no calls");
    assert!(!top.stdout.contains("incl."), "{}", top.stdout);
    let groups = session.lotse(&["profile", "top", flat, "--group", "object"]).exits(0);
    assert!(!groups.stdout.contains("incl."), "{}", groups.stdout);
    let json = session.lotse(&["profile", "top", flat, "--json"]).exits(0).json();
    assert!(["nothing", "inlined"].contains(&json["inclusive_from"].as_str().unwrap()));
    session.lotse(&["profile", "callers", flat, function]).exits(2).complains("the file has no calls");
    session.lotse(&["profile", "callees", flat, function]).exits(2).complains("the file has no calls");
    let refusal = session.lotse(&["profile", "diff", "-i", flat, flat]).exits(2);
    refusal.complains(&format!("{flat} has no calls, so its inclusive costs are unknown"));
    session.lotse(&["profile", "diff", flat, flat]).exits(0);
}

#[test]
fn cachegrind_has_no_inclusive_costs() {
    let Some(session) = session().filter(|_| has("valgrind")) else { return };
    let valgrind = |tool: &str, out: &str| {
        recorded(&session, &["valgrind", "-q", &format!("--tool={tool}"), out, "./p"]).unwrap();
    };
    valgrind("cachegrind", "--cachegrind-out-file=cg.out");
    check(&session, "cg.out", "inner");
    valgrind("callgrind", "--callgrind-out-file=calls.out");
    let refusal = session.lotse(&["profile", "diff", "-i", "cg.out", "calls.out"]).exits(2);
    refusal.complains("cg.out has no calls, so its inclusive costs are unknown");
    let csv = session.lotse(&["profile", "top", "cg.out", "--csv", "-n", "1"]).exits(0).stdout;
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (titles, cells) = (lines.next().unwrap(), lines.next().unwrap());
    let at = titles.iter().position(|title| title.contains("inclusive")).unwrap();
    assert_eq!(cells[at], "", "{csv}");
    let answer = session.lotse(&["profile", "top", "calls.out", "--json"]).exits(0).json();
    assert_eq!(answer["inclusive_from"], "calls");
}

#[test]
fn perf_without_call_graphs_has_no_inclusive_costs() {
    let Some(session) = session() else { return };
    let record = ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", "perf.data", "./p"];
    let Some(_) = attempted(&session, &record) else { return };
    check(&session, "perf.data", "inner");
    let script = recorded(&session, &["perf", "script", "-i", "perf.data"]).unwrap();
    session.write("perf.txt", &script);
    check(&session, "perf.txt", "inner");
}
