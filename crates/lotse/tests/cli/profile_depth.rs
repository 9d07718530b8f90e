//! Stacks that valgrind's tools cut off: a remark says how many bytes lack callers, and the placeholder for them calls nothing.

use crate::recorded::recorded;
use crate::session::{Session, has};

/// Allocates below a recursion of 30 frames.
const PROGRAM: &str = r#"
#include <stdlib.h>
static void *volatile kept;
__attribute__((noinline)) void deep(int n) { if (n == 0) kept = malloc(4000); else deep(n - 1); kept = kept; }
__attribute__((noinline)) void *leaf(int n) { return malloc(n); }
__attribute__((noinline)) void a(void) { kept = leaf(90000); kept = kept; }
__attribute__((noinline)) void b(void) { kept = leaf(50); kept = kept; }
__attribute__((noinline)) void c(void) { kept = leaf(60); kept = kept; }
int main(void) { a(); b(); c(); deep(30); free(kept); return 0; }
"#;

fn session() -> Option<Session> {
    if !has("valgrind") {
        test_support::skip_here("valgrind does not run");
        return None;
    }
    let session = Session::new();
    session.write("p.c", PROGRAM);
    recorded(&session, &["gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "p", "p.c"])?;
    Some(session)
}

fn record(session: &Session, options: &[&str]) {
    recorded(session, &[&["valgrind", "-q"], options, &["./p"]].concat()).unwrap();
}

#[test]
fn dhat_cuts_stacks_at_a_number_of_frames() {
    let Some(session) = session() else { return };
    let tool = ["--tool=dhat", "--dhat-out-file=p.dhat"];
    record(&session, &tool);
    let cut = session.lotse(&["profile", "top", "p.dhat"]).exits(0);
    cut.complains("4000 of 94110 bytes (4.3 %) lack their outer callers");
    record(&session, &[&tool[..], &["--num-callers=60"]].concat());
    let whole = session.lotse(&["profile", "top", "p.dhat"]).exits(0);
    assert!(!whole.stderr.contains("lack their outer callers"), "{}", whole.stderr);
}

#[test]
fn massif_leaves_small_callers_out() {
    let Some(session) = session() else { return };
    let tool = ["--tool=massif", "--peak-inaccuracy=0", "--massif-out-file=p.massif"];
    record(&session, &tool);
    assert!(session.read("p.massif").contains("below massif's threshold"));
    let cut = session.lotse(&["profile", "top", "p.massif"]).exits(0);
    cut.complains("lack their outer callers, whose inclusive costs are lower bounds");
    let callers = session.lotse(&["profile", "callers", "p.massif", "leaf", "--json"]).exits(0);
    assert!(!callers.stdout.contains("threshold\""), "{}", callers.stdout);
    record(&session, &[&tool[..], &["--threshold=0"]].concat());
    let whole = session.lotse(&["profile", "top", "p.massif"]).exits(0);
    assert!(!whole.stderr.contains("lack their outer callers"), "{}", whole.stderr);
}
