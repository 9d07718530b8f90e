//! Every verb of `lotse profile` as a table for people, as comma-separated values and as JSON: the words and the
//! numbers, to the letter.

use expect_test::{Expect, expect};

use crate::session::{Answer, Session, list, texts};

/// main calls `work::run`, which calls leaf; a number of calls, two event types, costs by line.
pub(crate) const CALLS: &str = "# callgrind format\nversion: 1\ncreator: test\npid: 7\ncmd: ./prog -x\npart: 1\n\n\
    positions: line\nevents: Ir D1mr\nsummary: 1110 12\n\n\
    ob=(1) /bin/prog\nfl=(1) src/main.c\nfn=(1) main\n3 10 1\ncfn=(2) _ZN4work3runEi\ncalls=2 20\n4 1100 11\n\n\
    fn=(2)\n20 1000 10\ncfn=(3) leaf\ncalls=50 40\n21 100 1\n\nfn=(3)\n40 100 1\n\ntotals: 1110 12\n";

/// The same after leaf became dearer and main calls it as well.
const CHANGED: &str = "# callgrind format\nversion: 1\ncmd: ./prog -x\npositions: line\nevents: Ir D1mr\n\n\
    ob=(1) /bin/prog\nfl=(1) src/main.c\nfn=(1) main\n3 10 1\ncfn=(2) _ZN4work3runEi\ncalls=2 20\n4 600 11\n\
    cfn=(3) leaf\ncalls=5 40\n5 400 0\n\nfn=(2)\n20 500 10\ncfn=(3) leaf\ncalls=50 40\n21 100 1\n\nfn=(3)\n40 500 1\n";

/// Two that call each other.
const CIRCLE: &str = "events: Ir\nfn=main\n1 10\ncfn=walk\ncalls=1 1\n1 90\nfn=walk\n1 40\ncfn=visit\ncalls=9 1\n1 80\n\
    fn=visit\n1 50\ncfn=walk\ncalls=8 1\n1 60\n";

fn session() -> Session {
    let session = Session::new();
    session.write("a.out", CALLS).write("b.out", CHANGED).write("circle.out", CIRCLE);
    session
}

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/profile/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn profile(args: &[&str]) -> Answer {
    session().lotse(&[&["profile"], args].concat()).exits(0)
}

/// What a terminal shows: the answer, then what is said about it.
#[expect(clippy::needless_pass_by_value, reason = "as the macro makes it")]
#[track_caller]
fn shows(args: &[&str], expected: Expect) {
    let answer = profile(args);
    // Lines of comma-separated values end as RFC 4180 wants it, which no source text can hold.
    let table = args.contains(&"--csv");
    assert!(!table || answer.stdout.lines().count() == answer.stdout.matches("\r\n").count());
    expected.assert_eq(&(answer.stdout.replace("\r\n", "\n") + &answer.stderr));
}

#[test]
fn formats_of_a_file() {
    shows(
        &["formats", "a.out"],
        expect![[r#"
        format     what it is          claim
        ─────────  ──────────────────  ───────
        callgrind  Callgrind out file  certain
    "#]],
    );
    shows(
        &["formats", "a.out", "--csv"],
        expect![[r#"
        format,what it is,claim
        callgrind,Callgrind out file,certain
    "#]],
    );
    let answer = profile(&["formats", "a.out", "--json"]).json();
    assert_eq!(answer["schema"], "lotse.profile.formats/1");
    assert_eq!(answer["formats"][0]["confidence"], "certain");
}

#[test]
fn formats_read_and_written() {
    let table = profile(&["formats", "--csv"]).stdout;
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["format", "what it is", "written"]);
    let written: Vec<&str> = rows.iter().filter(|row| row[2] == "yes").map(|row| row[0]).collect();
    assert_eq!(written, ["callgrind", "pprof", "collapsed", "speedscope", "csv"]);
    let json = profile(&["formats", "--json"]).json();
    assert_eq!(texts(&json["formats"], "id"), rows[1..].iter().map(|row| row[0]).collect::<Vec<_>>());
}

#[test]
fn the_costliest_functions() {
    shows(
        &["top", "a.out"],
        expect![[r#"
         self       %  incl.        %  calls  function        where
        ─────  ──────  ─────  ───────  ─────  ──────────────  ────────────
        1,000  90.1 %  1,100   99.1 %      2  work::run(int)  prog: main.c
          100   9.0 %    100    9.0 %     50  leaf            prog: main.c
           10   0.9 %  1,110  100.0 %      0  main            prog: main.c
    "#]],
    );
    shows(
        &["top", "a.out", "-n", "1", "--percent", "off"],
        expect![[r#"
         self  incl.  calls  function        where
        ─────  ─────  ─────  ──────────────  ────────────
        1,000  1,100      2  work::run(int)  prog: main.c
        note: shown: 1 of 3 functions; --limit 0 shows all
    "#]],
    );
    shows(
        &["top", "a.out", "-e", "D1mr,Ir", "--sort", "inclusive"],
        expect![[r#"
        D1mr self       %  D1mr incl.        %  Ir self       %  Ir incl.        %  calls  function        where
        ─────────  ──────  ──────────  ───────  ───────  ──────  ────────  ───────  ─────  ──────────────  ────────────
                1   8.3 %          12  100.0 %       10   0.9 %     1,110  100.0 %      0  main            prog: main.c
               10  83.3 %          11   91.7 %    1,000  90.1 %     1,100   99.1 %      2  work::run(int)  prog: main.c
                1   8.3 %           1    8.3 %      100   9.0 %       100    9.0 %     50  leaf            prog: main.c
    "#]],
    );
    shows(
        &["top", "a.out", "--csv", "-e", "Ir"],
        expect![[r#"
        self,%,incl.,%,calls,function,where
        1000,0.9009009009009009,1100,0.990990990990991,2,work::run(int),/bin/prog: src/main.c
        100,0.09009009009009009,100,0.09009009009009009,50,leaf,/bin/prog: src/main.c
        10,0.009009009009009009,1110,1,0,main,/bin/prog: src/main.c
    "#]],
    );
}

#[test]
fn a_list_that_is_cut_or_empty_says_so() {
    shows(
        &["top", "a.out", "-n", "1", "--filter", "/a/"],
        expect![[r#"
        self      %  incl.      %  calls  function  where
        ────  ─────  ─────  ─────  ─────  ────────  ────────────
         100  9.0 %    100  9.0 %     50  leaf      prog: main.c
        note: shown: the first 1 of the functions that fit; --limit 0 shows all
    "#]],
    );
    shows(
        &["top", "a.out", "--filter", "nowhere"],
        expect![[r#"
        self  %  incl.  %  calls  function  where
        ────  ─  ─────  ─  ─────  ────────  ─────
        note: none of 3 functions is what was filtered for
    "#]],
    );
    shows(
        &["top", "a.out", "--filter", "leaf"],
        expect![[r#"
        self      %  incl.      %  calls  function  where
        ────  ─────  ─────  ─────  ─────  ────────  ────────────
         100  9.0 %    100  9.0 %     50  leaf      prog: main.c
    "#]],
    );
    shows(
        &["top", "a.out", "-n", "1", "--csv", "-e", "Ir", "--percent", "off"],
        expect![[r#"
        self,incl.,calls,function,where
        1000,1100,2,work::run(int),/bin/prog: src/main.c
        note: shown: 1 of 3 functions; --limit 0 shows all
    "#]],
    );
    let answer = profile(&["top", "a.out", "-n", "1", "--json"]);
    assert_eq!(answer.stderr, "");
    assert_eq!(answer.json()["function_count"], 3);
}

#[test]
fn a_profile_of_nothing_says_so() {
    let session = Session::new();
    session.write("nothing.out", "# callgrind format\nevents: Ir\n");
    let told = |args: &[&str]| session.lotse(&[&["profile"], args].concat()).exits(0).stderr;
    let nothing = "note: the profile has no function with costs\n";
    assert_eq!(told(&["top", "nothing.out"]), nothing);
    assert_eq!(told(&["top", "nothing.out", "--csv"]), nothing);
    assert_eq!(told(&["top", "nothing.out", "--json"]), "");
    assert!(told(&["tree", "nothing.out"]).ends_with(nothing));
    assert_eq!(told(&["top", "nothing.out", "--group", "object"]), nothing);
}

#[test]
fn functions_put_together() {
    shows(
        &["top", "a.out", "--group", "object", "-e", "Ir"],
        expect![[r#"
         self        %  incl.        %  functions  group
        ─────  ───────  ─────  ───────  ─────────  ─────────
        1,110  100.0 %  1,110  100.0 %          3  /bin/prog
    "#]],
    );
    shows(
        &["top", "circle.out", "--group", "cycle"],
        expect![[r#"
        self       %  incl.       %  functions  group
        ────  ──────  ─────  ──────  ─────────  ─────────
          90  90.0 %     90  90.0 %          2  <cycle 1>
    "#]],
    );
    shows(
        &["top", "a.out", "--group", "cycle"],
        expect![[r#"
        self  %  incl.  %  functions  group
        ────  ─  ─────  ─  ─────────  ─────
        note: no functions call each other in circles
    "#]],
    );
    shows(
        &["top", "a.out", "--group", "class", "-n", "1", "--csv", "-e", "Ir"],
        expect![[r#"
        self,%,incl.,%,functions,group
        1000,0.9009009009009009,1100,0.990990990990991,1,work
        note: shown: 1 of 2 groups; --limit 0 shows all
    "#]],
    );
}

#[test]
fn raw_costs_of_circles_say_that_they_are_raw() {
    shows(
        &["top", "circle.out"],
        expect![[r#"
        self       %  incl.        %  calls  function         where
        ────  ──────  ─────  ───────  ─────  ───────────────  ─────
          50  50.0 %     50   50.0 %      9  visit <cycle 1>
          40  40.0 %     40   40.0 %      9  walk <cycle 1>
          10  10.0 %    100  100.0 %      0  main
    "#]],
    );
    shows(
        &["top", "circle.out", "--cycles", "raw"],
        expect![[r#"
        self       %  incl.        %  calls  function         where
        ────  ──────  ─────  ───────  ─────  ───────────────  ─────
          50  50.0 %    110  110.0 %      9  visit <cycle 1>
          40  40.0 %    120  120.0 %      9  walk <cycle 1>
          10  10.0 %    100  100.0 %      0  main
        note: raw inclusive costs count recursive calls again: 2 functions exceed the total
    "#]],
    );
    let answer = profile(&["top", "circle.out", "--cycles", "raw", "--json"]).json();
    assert_eq!(answer["cycles"], "raw");
    assert_eq!(list(&answer["diagnostics"]).len(), 1);
    let answer = profile(&["top", "circle.out", "--cycles", "gprof", "--json"]).json();
    assert_eq!(answer["cycles"], "gprof");
}

#[test]
fn callers() {
    shows(
        &["callers", "a.out", "leaf"],
        expect![[r#"
        callers of leaf

        cost  % of total  calls  function        where
        ────  ──────────  ─────  ──────────────  ────────────
         100       9.0 %     50  work::run(int)  prog: main.c
    "#]],
    );
    shows(
        &["callers", "a.out", "leaf", "--all", "-n", "1"],
        expect![[r#"
        callers of leaf

        cost  % of total  calls  function        where
        ────  ──────────  ─────  ──────────────  ────────────
         100       9.0 %     50  work::run(int)  prog: main.c
        note: shown: 1 of 2 callers; --limit 0 shows all
    "#]],
    );
    shows(
        &["callers", "a.out", "main"],
        expect![[r#"
        callers of main

        cost  % of total  calls  function  where
        ────  ──────────  ─────  ────────  ─────
        note: nothing calls main
    "#]],
    );
    shows(
        &["callers", "a.out", "leaf", "--csv"],
        expect![[r#"
        Ir cost,% of total,D1mr cost,% of total,calls,function,where
        100,0.09009009009009009,1,0.08333333333333333,50,work::run(int),/bin/prog: src/main.c
    "#]],
    );
    let answer = profile(&["callers", "a.out", "leaf", "--json"]).json();
    assert_eq!((&answer["schema"], &answer["side"]), (&"lotse.profile.calls/1".into(), &"callers".into()));
    assert_eq!(answer["rows"][0]["cost"], serde_json::json!([100, 1]));
}

#[test]
fn callees() {
    shows(
        &["callees", "a.out", "main", "--percent", "parent"],
        expect![[r#"
        callees of main

         cost  % of function  calls  function        where
        ─────  ─────────────  ─────  ──────────────  ────────────
        1,100         99.1 %      2  work::run(int)  prog: main.c
    "#]],
    );
    shows(
        &["callees", "a.out", "leaf"],
        expect![[r#"
        callees of leaf

        cost  % of total  calls  function  where
        ────  ──────────  ─────  ────────  ─────
        note: leaf calls nothing
    "#]],
    );
    shows(
        &["callees", "a.out", "run", "--csv", "-e", "D1mr"],
        expect![[r#"
        cost,% of total,calls,function,where
        1,0.08333333333333333,50,leaf,/bin/prog: src/main.c
    "#]],
    );
    let answer = profile(&["callees", "a.out", "main", "--all", "--json"]).json();
    assert_eq!(texts(&answer["rows"], "display"), ["work::run(int)", "leaf"]);
}

#[test]
fn lines_of_a_function() {
    shows(
        &["annotate", "a.out", "run"],
        expect![[r#"
        work::run(int)  prog: main.c
        Ir: self 1,000 (90.1 %), inclusive 1,100 (99.1 %), called 2 times

        src/main.c
           Ir       % line
        1,000  90.1 %   20 │ 
                        21 │ 
                           │ → leaf  50 calls  100 (9.0 %)
        note: source file src/main.c is not there; --source-dir DIR tells where to look
    "#]],
    );
    shows(
        &["annotate", "a.out", "run", "--csv", "--source"],
        expect![[r#"
        file,line,Ir self,D1mr self,text
        src/main.c,20,1000,10,
        src/main.c,21,0,0,

        file,line,callee,calls,Ir cost,D1mr cost
        src/main.c,21,leaf,50,100,1
        note: source file src/main.c is not there; --source-dir DIR tells where to look
    "#]],
    );
    let answer = profile(&["annotate", "a.out", "run", "--json"]).json();
    assert_eq!(answer["schema"], "lotse.profile.annotate/1");
    let lines = list(&answer["files"][0]["lines"]);
    let costs: Vec<(u64, u64)> = lines
        .iter()
        .map(|line| (line["line"].as_u64().unwrap(), line["self"][0].as_u64().unwrap()))
        .filter(|(_, cost)| *cost > 0)
        .collect();
    assert_eq!(costs, [(20, 1000)]);
}

#[test]
fn lines_with_their_text() {
    let session = session();
    let text: String = (1..=40).map(|line| format!("line {line};\n")).collect();
    session.write("src/main.c", &text);
    let answer = session.lotse(&["profile", "annotate", "a.out", "run", "--context", "1"]).exits(0);
    expect![[r#"
        work::run(int)  prog: main.c
        Ir: self 1,000 (90.1 %), inclusive 1,100 (99.1 %), called 2 times

        src/main.c
           Ir       % line
                        19 │ line 19;
        1,000  90.1 %   20 │ line 20;
                        21 │ line 21;
                           │ → leaf  50 calls  100 (9.0 %)
                        22 │ line 22;
    "#]]
    .assert_eq(&answer.stdout);
}

#[test]
fn parts() {
    shows(
        &["parts", "a.out"],
        expect![[r#"
        part  name    Ir total  D1mr total  samples  process  thread  file  written because
        ────  ──────  ────────  ──────────  ───────  ───────  ──────  ────  ───────────────
           1  part 1     1,110          12                 7
    "#]],
    );
    shows(
        &["parts", "a.out", "--csv"],
        expect![[r#"
        part,name,Ir total,D1mr total,samples,process,thread,file,written because
        1,part 1,1110,12,,7,,,
    "#]],
    );
    let crew = fixture("crew.callgrind-01");
    let answer = profile(&["parts", &crew, "--json"]).json();
    let totals: Vec<u64> =
        list(&answer["parts"]).iter().map(|part| part["totals"][0].as_u64().unwrap()).collect();
    assert_eq!(totals, [5_781, 20_012, 60_013]);
    let chosen = profile(&["top", &crew, "--parts", "2-3", "--json", "-n", "1"]).json();
    assert_eq!(chosen["events"][0]["total"], 80_025);
}

#[test]
fn data_structures() {
    let words = fixture("words.dhat.json");
    shows(
        &["data", &words, "-n", "2"],
        expect![[r#"
             cost       %  allocated in  at           called from
        ─────────  ──────  ────────────  ───────────  ──────────────────
        18.42 KiB  53.2 %  add           words.c:51   count
        6.141 KiB  17.7 %  qsort_r       msort.c:221  report.constprop.0
        note: shown: 2 of 4 data structures; --limit 0 shows all
    "#]],
    );
    shows(
        &["data", &words, "--csv", "-n", "2"],
        expect![[r#"
        total_bytes cost,%,total_blocks cost,at_t_gmax_bytes cost,at_t_gmax_blocks cost,at_t_end_bytes cost,at_t_end_blocks cost,lifetimes cost,reads_bytes cost,writes_bytes cost,allocated in,at,called from
        18864,0.5324902613899396,786,18864,786,18864,786,88901258287,39009632,66864,add,words.c:51,count
        6288,0.17749675379664653,1,6288,1,0,0,472799,56272,56272,qsort_r,msort.c:221,report.constprop.0
        note: shown: 2 of 4 data structures; --limit 0 shows all
    "#]],
    );
    let answer = profile(&["data", &words, "--json"]).json();
    assert_eq!((&answer["schema"], &answer["count"]), (&"lotse.profile.data/1".into(), &4.into()));
}

#[test]
fn event_types() {
    shows(
        &["events", "circle.out"],
        expect![[r#"
        event type  unit   total  title  formula
        ──────────  ─────  ─────  ─────  ───────
        Ir          count    100
    "#]],
    );
    shows(
        &["events", "a.out", "-e", "D1mr,Ir", "--csv"],
        expect![[r#"
        event type,unit,total,title,formula
        D1mr,count,12,,
        Ir,count,1110,,
    "#]],
    );
    shows(
        &["events", "a.out", "-d", "Twice = 2 * Ir", "-e", "Twice"],
        expect![[r#"
        event type  unit   total  title  formula
        ──────────  ─────  ─────  ─────  ───────
        Twice       count  2,220         2 * Ir
    "#]],
    );
    assert_eq!(profile(&["events", "a.out", "--json"]).json()["schema"], "lotse.profile.events/1");
}

#[test]
fn two_profiles() {
    shows(
        &["diff", "a.out", "b.out", "--no-findings"],
        expect![[r#"
             profile  format        Ir  difference  ratio
        ───  ───────  ─────────  ─────  ──────────  ─────
        old  a.out    callgrind  1,110
        new  b.out    callgrind  1,010        -100  0.910

        self cost
          old  new  difference  % of old  ratio  function        where
        ─────  ───  ──────────  ────────  ─────  ──────────────  ────────────
        1,000  500        -500   -45.0 %  0.500  work::run(int)  prog: main.c
          100  500        +400   +36.0 %  5.000  leaf            prog: main.c

        • not shown: 1 function that did not change
    "#]],
    );
    shows(
        &["diff", "a.out", "b.out", "--csv", "-e", "Ir"],
        expect![[r#"
        function,object,file,status,self old,self new,self difference,self ratio,inclusive old,inclusive new,inclusive difference,inclusive ratio
        work::run(int),/bin/prog,src/main.c,matched,1000,500,-500,0.5,1100,600,-500,0.5454545454545454
        leaf,/bin/prog,src/main.c,matched,100,500,400,5,100,500,400,5
    "#]],
    );
    shows(
        &["diff", "a.out", "a.out"],
        expect![[r#"
             profile  format        Ir  difference  ratio
        ───  ───────  ─────────  ─────  ──────────  ─────
        old  a.out    callgrind  1,110
        new  a.out    callgrind  1,110           0  1.000

        nothing changed

        • not shown: 3 functions that did not change
    "#]],
    );
    let answer = profile(&["diff", "a.out", "b.out", "--json"]).json();
    assert_eq!(answer["schema"], "lotse.profile.diff/1");
}

#[test]
fn options_that_mean_nothing_are_refused() {
    for verb in ["parts", "events", "data"] {
        let answer = session().lotse(&["profile", verb, "a.out", "--percent", "off"]).exits(2);
        assert!(answer.stderr.contains("unexpected argument '--percent'"), "{}", answer.stderr);
    }
}
