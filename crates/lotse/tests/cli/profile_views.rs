//! `lotse profile tree`, `flame`, `treemap` and `graph`: what they say and what they write.

use std::process::{Command, Stdio};

use expect_test::expect;

use crate::session::{Answer, Session};

const STACKS: &str =
    "main;parse;read 30\nmain;parse 10\nmain;sort;compare 50\nmain;sort;sort;compare 5\nidle 5\n";

const CALLS: &str = "events: Ir\nfn=main\n1 10\ncfn=walk\ncalls=1 1\n1 85\ncfn=once\ncalls=1 1\n1 5\nfn=walk\n1 20\n\
    cfn=visit\ncalls=9 1\n1 80\nfn=visit\n1 50\ncfn=walk\ncalls=8 1\n1 70\ncfn=leaf\ncalls=3 1\n1 15\nfn=leaf\n1 15\n\
    fn=once\n1 5\n";

fn session() -> Session {
    let session = Session::new();
    session.write("stacks.txt", STACKS).write("callgrind.out.1", CALLS);
    session
}

/// A verb of `lotse profile` that succeeds.
fn profile(session: &Session, args: &[&str]) -> Answer {
    session.lotse(&[&["profile"], args].concat()).exits(0)
}

/// All texts of a picture, which must be well-formed: every element is closed, in order, and nothing is left over.
fn texts(svg: &str) -> Vec<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut texts = Vec::new();
    for piece in svg.trim().split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        let name = tag.split([' ', '\n']).next().unwrap();
        assert!(!open.is_empty() || name == "svg", "{name} is outside");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(name),
        }
        let entities = text.matches('&').count();
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#"].map(|entity| text.matches(entity).count());
        assert_eq!(entities, known.iter().sum::<usize>(), "{text}");
        if name == "text" {
            texts.push(text.replace("&lt;", "<").replace("&gt;", ">"));
        }
    }
    assert_eq!(open, [""; 0]);
    texts
}

#[test]
fn a_tree_of_stacks() {
    expect![[r#"
        The costliest way is main > sort > compare: 50.0 % of a weight of 100
        (inclusive)

        incl.  incl. %  self  self %  function
        ─────  ───────  ────  ──────  ─────────────
           95   95.0 %     0   0.0 %  main
           55   55.0 %     0   0.0 %    sort
           50   50.0 %    50  50.0 %      compare
            5    5.0 %     0   0.0 %      sort
            5    5.0 %     5   5.0 %        compare
           40   40.0 %    10  10.0 %    parse
           30   30.0 %    30  30.0 %      read
            5    5.0 %     5   5.0 %  idle
    "#]]
    .assert_eq(&profile(&session(), &["tree", "stacks.txt"]).stdout);
}

#[test]
fn a_tree_of_calls_says_that_it_is_an_estimate() {
    let answer = profile(&session(), &["tree", "callgrind.out.1"]);
    expect![[r#"
        The costliest way is main > walk > visit: 65.0 % of 100 Ir (inclusive)

        incl.  incl. %  self  self %  calls  function
        ─────  ───────  ────  ──────  ─────  ──────────
          100  100.0 %    10  10.0 %         main
           85   85.0 %    20  20.0 %      1    walk
           65   65.0 %    50  50.0 %             visit
           15   15.0 %    15  15.0 %      3        leaf
            5    5.0 %     5   5.0 %      1    once
        note: the inclusive cost of 1 function in cycles is a lower bound: calls do not tell what recursion costs; `top --group cycle` shows each cycle as a whole
        note: estimated: the file tells calls and not stacks, so costs are shared out among callers in proportion
    "#]].assert_eq(&(answer.stdout + &answer.stderr));
}

#[test]
fn callers_of_a_function_and_what_was_cut() {
    let args = ["tree", "stacks.txt", "compare", "--callers", "--percent", "parent", "--min-share", "20%"];
    let answer = profile(&session(), &args);
    expect![[r#"
        The costliest way is main > sort > compare: 50.0 % of a weight of 100
        (inclusive)

        cost   cost %  function
        ────  ───────  ────────
          55  100.0 %  compare
          55  100.0 %    sort
          50   90.9 %      main
        note: branches left out: 1 below 20 %; together 9.1 %
    "#]]
    .assert_eq(&(answer.stdout + &answer.stderr));
}

#[test]
fn the_tree_as_json_is_flat() {
    let answer = profile(&session(), &["tree", "stacks.txt", "--depth", "1", "--json"]).json();
    assert_eq!(answer["schema"], "lotse.profile.tree/1");
    assert_eq!((&answer["estimated"], &answer["direction"]), (&false.into(), &"callees".into()));
    let nodes = answer["nodes"].as_array().unwrap();
    let shown: Vec<String> = nodes
        .iter()
        .map(|node| format!("{} {} {} {}", node["depth"], node["name"], node["self"], node["inclusive"]))
        .collect();
    let expected =
        ["0 \"main\" [0] [95]", "1 \"sort\" [0] [55]", "1 \"parse\" [10] [40]", "0 \"idle\" [5] [5]"];
    assert_eq!(shown, expected);
    assert_eq!((&answer["omitted"]["deep"], &answer["omitted"]["cost"]), (&3.into(), &vec![85].into()));
    assert_eq!(nodes[1]["left_out_cost"], serde_json::json!([55]));
}

#[test]
fn the_tree_as_a_table() {
    let answer = profile(&session(), &["tree", "callgrind.out.1", "once", "--csv"]);
    expect![[r#"
        depth,function,object,file,line,column,calls,Ir inclusive,Ir inclusive share,Ir self,Ir self share
        0,once,,,,,,5,0.05,5,0.05
    "#]]
    .assert_eq(&answer.stdout.replace("\r\n", "\n"));
}

#[test]
fn a_function_that_is_not_there() {
    for verb in ["tree", "flame", "treemap", "graph"] {
        let answer = session().lotse(&["profile", verb, "stacks.txt", "sotr"]).exits(2);
        assert_eq!(answer.stdout, "");
        expect![[r#"
            error: no function is called "sotr"; did you mean sort?
        "#]]
        .assert_eq(&answer.stderr);
    }
}

#[test]
fn a_flame_graph_names_the_event_and_its_total() {
    let session = session();
    let up = profile(&session, &["flame", "stacks.txt"]).stdout;
    let shown = texts(&up);
    for expected in ["weight: 100 in all", "main", "compare", "width: share of weight, 100 in all"] {
        assert!(shown.iter().any(|text| text == expected), "{expected} not in {shown:?}");
    }
    let answer = profile(&session, &["flame", "stacks.txt", "--icicle", "--callers", "-o", "flame.svg"]);
    assert_eq!(answer.stdout, "");
    assert!(texts(&session.read("flame.svg")).iter().any(|text| text == "compare"));
}

#[test]
fn a_picture_of_an_estimate_says_so() {
    let answer = profile(&session(), &["flame", "callgrind.out.1", "--min-share", "10%"]);
    let expected = "Ir: 100 in all · estimated from calls · members of a cycle are on the shortest paths · without branches below \
                    10 % (5.0 %)";
    assert!(texts(&answer.stdout).iter().any(|text| text == expected), "{:?}", texts(&answer.stdout));
}

#[test]
fn a_treemap_of_callees_and_of_callers() {
    for args in [&["treemap", "callgrind.out.1"][..], &["treemap", "stacks.txt", "compare", "--callers"]] {
        let shown = texts(&profile(&session(), args).stdout);
        assert!(shown.iter().any(|text| text.contains("main")), "{shown:?}");
    }
}

#[test]
fn a_ratio_cannot_be_drawn() {
    let answer = session().lotse(&["profile", "flame", "callgrind.out.1", "-e", "Ir / calls"]).exits(2);
    expect![[r#"
        note: the inclusive cost of 1 function in cycles is a lower bound: calls do not tell what recursion costs; `top --group cycle` shows each cycle as a whole
        error: Ir / calls does not add up over functions, so that there is no whole to draw shares of; choose another event type
    "#]].assert_eq(&answer.stderr);
}

#[test]
fn a_call_graph_as_a_picture() {
    let session = session();
    profile(&session, &["graph", "callgrind.out.1", "-o", "graph.svg"]);
    let shown = texts(&session.read("graph.svg"));
    for expected in ["main", "↻ walk", "↻ visit", "Ir: 100 in all", "functions ≥ 1 %"] {
        assert!(shown.iter().any(|text| text == expected), "{expected} not in {shown:?}");
    }
    let folded = texts(&profile(&session, &["graph", "callgrind.out.1", "--group", "cycle"]).stdout);
    assert!(folded.iter().any(|text| text == "↻ <cycle 1>"), "{folded:?}");
    assert!(!folded.iter().any(|text| text.contains("walk")));
}

#[test]
fn a_call_graph_for_graphviz() {
    let session = session();
    profile(&session, &["graph", "callgrind.out.1", "leaf", "-o", "graph.dot"]);
    let text = session.read("graph.dot");
    assert!(text.starts_with("digraph ") && text.contains("leaf") && !text.contains("once"), "{text}");
    assert_eq!(profile(&session, &["graph", "callgrind.out.1", "leaf", "--to", "dot"]).stdout, text);
    let dot =
        Command::new("dot").arg("-Tsvg").arg(session.file("graph.dot")).stderr(Stdio::inherit()).output();
    match dot {
        Ok(output) => {
            assert!(output.status.success());
            assert!(String::from_utf8(output.stdout).unwrap().contains("leaf"));
        }
        Err(_) => test_support::skip_missing("Graphviz is not installed"),
    }
}

/// A formula that is negative for some functions has no whole that its parts are shares of.
#[test]
fn costs_below_zero_are_not_drawn() {
    let session = session();
    let calls = "cfn=load\ncalls=1 1\n1 10 50\n";
    let text = format!("# callgrind format\nevents: Ir Dr\n\nfn=main\n1 100 10\n{calls}\nfn=load\n1 10 50\n");
    session.write("two.out", &text);
    for picture in ["flame", "treemap", "graph", "tree"] {
        let answer = session.lotse(&["profile", picture, "two.out", "-e", "Ir - 2 Dr"]).exits(2);
        assert!(
            answer.stderr.contains("is below zero in 1 function, so that there is no whole"),
            "{picture}: {}",
            answer.stderr
        );
        session.lotse(&["profile", picture, "two.out", "-e", "Ir + Dr"]).exits(0);
    }
}
