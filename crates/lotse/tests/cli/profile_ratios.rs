//! Ratios such as costs per call: they have units, no shares, and no place in a tree; where they have no value, the
//! answer says why.

use crate::recorded::recorded;
use crate::session::Session;

const SPANS: &str = r#"[{"name":"g","ph":"X","ts":600,"dur":300,"pid":1,"tid":1},
{"name":"f","ph":"X","ts":700,"dur":100,"pid":1,"tid":1}]"#;

/// Two recordings of cProfile; the second does less.
fn python() -> Option<Session> {
    let session = Session::new();
    session.write(
        "app.py",
        "import cProfile, sys\ndef leaf(n): return sum(range(n))\ndef main(n):\n    for _ in range(50): leaf(n)\n\
         cProfile.run(f'main({sys.argv[2]})', sys.argv[1])\n",
    );
    for (file, size) in [("a.prof", "20000"), ("b.prof", "10")] {
        recorded(&session, &["python3", "app.py", file, size])?;
    }
    Some(session)
}

#[test]
fn a_cost_per_call_has_the_unit_of_the_cost() {
    let session = Session::new();
    session.write("spans.json", SPANS);
    let top = session.lotse(&["profile", "top", "spans.json", "-e", "time/calls"]).exits(0).stdout;
    assert!(top.contains("200.0 µs  300.0 µs      1  g"), "{top}");
    // Columns for shares, which ratios do not have, take no space; the total has no cost per call either.
    assert!(!top.contains('%') && !top.contains("in all"), "{top}");
    let both =
        session.lotse(&["profile", "top", "spans.json", "-e", "time", "-e", "time/calls"]).exits(0).stdout;
    let sheet = session.lotse(&["profile", "top", "spans.json", "-e", "time/calls", "--csv"]).exits(0).stdout;
    assert!(sheet.lines().nth(1).unwrap().ends_with(",200000,,300000,"), "{sheet}");
    assert_eq!((both.matches("self %").count(), both.matches("incl. %").count()), (1, 1), "{both}");
}

#[test]
fn costs_per_call_of_a_file_without_calls_say_why_they_are_missing() {
    let session = Session::new();
    session.write("a.collapsed", "main;f 3\nmain;g 4\n");
    let why = "weight/calls has no values: the file does not count calls";
    for verb in [
        &["top", "a.collapsed"][..],
        &["callers", "a.collapsed", "f"],
        &["diff", "a.collapsed", "a.collapsed"],
    ] {
        let line = [&["profile"], verb, &["-e", "weight/calls"]].concat();
        session.lotse(&line).exits(0).complains(why);
        let answer = session.lotse(&[line.as_slice(), &["--json"]].concat()).exits(0).json();
        assert!(answer["diagnostics"].to_string().contains(why), "{answer}");
    }
    let groups = session.lotse(&["profile", "top", "a.collapsed", "-g", "file", "-e", "weight/calls"]);
    groups.exits(0).complains("calls are counted for functions, not for groups");
}

#[test]
fn a_tree_of_ratios_is_refused_like_a_flame_graph() {
    let Some(session) = python() else { return };
    for verb in ["tree", "flame", "treemap", "graph"] {
        let answer = session.lotse(&["profile", verb, "a.prof", "-e", "time/calls"]);
        answer.exits(2).complains("time/calls does not add up over functions");
    }
    // Beside a cost that adds up, a ratio is shown without a share.
    let tree =
        session.lotse(&["profile", "tree", "a.prof", "-e", "time", "-e", "time/calls", "--wide"]).exits(0);
    assert!(!tree.stdout.contains("time/calls incl. %"), "{}", tree.stdout);
}

#[test]
fn compared_ratios_are_no_shares_of_a_total() {
    let Some(session) = python() else { return };
    let line = ["profile", "diff", "a.prof", "b.prof", "-e", "time/calls"];
    let diff = session.lotse(&line).exits(0).stdout;
    assert!(!diff.contains('%') && diff.contains(" became "), "{diff}");
    let answer = session.lotse(&[&line[..], &["--json"]].concat()).exits(0).json();
    let change = &answer["functions"][0]["versus"][0]["self"][0];
    assert!(change["old_share"].is_null() && change["new_share"].is_null(), "{change}");
    let shares = session.lotse(&[&line[..], &["--by", "share"]].concat());
    shares.exits(2).complains("there are no shares to compare");
}

#[test]
fn a_cost_divided_by_a_number_has_shares() {
    let session = Session::new();
    session.write("a.collapsed", "main;f 30\nmain;g 10\n");
    let top = |define: &str| session.lotse(&["profile", "top", "a.collapsed", "-d", define]).exits(0).stdout;
    assert!(top("X=weight/1e1").contains("75.0 %"), "{}", top("X=weight/1e1"));
    assert_eq!(top("X=weight/1e1"), top("X=weight/10"));
    assert_eq!(top("X=weight*1.5E+1"), top("X=weight*15"));
    assert_eq!(top("X=weight*25e-1"), top("X=weight*2.5"));
    session.lotse(&["profile", "top", "a.collapsed", "-d", "X=weight/1e"]).exits(2);
}
