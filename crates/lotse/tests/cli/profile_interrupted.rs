//! Samples in the kernel: the callers in the program, from the interrupted instruction on, are those that perf prints.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::recorded::{attempted, recorded};
use crate::session::{Session, list};

/// `touch` faults at its first instruction, and the byte before it belongs to `innocent`.
const PROGRAM: &str = r#"
#include <sys/mman.h>
__attribute__((noinline, aligned(16))) void innocent(char *p) {
  __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop;nop;nop;nop;nop;nop;nop;nop" ::: "memory");
}
__attribute__((noinline, aligned(16))) void touch(char *p) { *p = 1; }
int main(void) {
  unsigned long n = 16ul << 20;
  for (int k = 0; k < 15; k++) {
    char *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, n, MADV_NOHUGEPAGE);
    for (unsigned long i = 0; i < n; i += 4096) touch(p + i);
    innocent(p);
    munmap(p, n);
  }
  return 0;
}
"#;

/// A session with `perf.data` of that program.
fn session(call_graph: &[&str]) -> Option<Session> {
    let session = Session::new();
    session.write("pf.c", PROGRAM);
    recorded(&session, &["gcc", "-O1", "-g", "-o", "pf", "pf.c"])?;
    let record = ["perf", "record", "-q", "-F", "2000", "-e", "cpu-clock", "-o", "perf.data"];
    attempted(&session, &[&record[..], call_graph, &["./pf"]].concat())?;
    Some(session)
}

/// In how many samples each function of the program is, as `perf script` prints them.
fn perf_counts(session: &Session) -> BTreeMap<String, u64> {
    let printed = recorded(session, &["perf", "script", "-i", "perf.data", "-F", "ip,sym"]).unwrap();
    let mut counts = BTreeMap::new();
    for sample in printed.split("\n\n") {
        for name in ["touch", "innocent"] {
            let has = sample.lines().any(|line| line.split_whitespace().nth(1) == Some(name));
            *counts.entry(name.to_owned()).or_default() += u64::from(has);
        }
    }
    counts
}

/// The same in an answer of Lotse.
fn counts(answer: &Value) -> BTreeMap<String, u64> {
    let rows = list(&answer["functions"]);
    let count = |name: &str| {
        let row = rows.iter().find(|row| row["display"] == name);
        (name.to_owned(), row.map_or(0, |row| row["inclusive"][0].as_u64().unwrap()))
    };
    ["touch", "innocent"].map(count).into()
}

#[track_caller]
fn check(call_graph: &[&str]) {
    let Some(session) = session(call_graph) else { return };
    let expected = perf_counts(&session);
    if expected["touch"] < 20 {
        test_support::skip_here(format!("perf records no page faults here: {expected:?}"));
        return;
    }
    let top = ["profile", "top", "perf.data", "--json", "-n", "0", "--no-findings", "--event", "samples"];
    assert_eq!(counts(&session.lotse(&top).exits(0).json()), expected);
}

#[test]
fn the_first_address_below_the_kernel_is_where_the_program_was_interrupted() {
    check(&["-g"]);
}

#[test]
fn the_same_holds_for_copied_stacks() {
    check(&["--call-graph", "dwarf,8192"]);
}
