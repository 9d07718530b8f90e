//! Calls, lines, parts, data structures, event types and comparisons as a table for people, as comma-separated values
//! and as JSON.

use expect_test::expect;

use crate::profile_forms::{fixture, profile, session, shows};
use crate::session::{list, texts};

#[test]
fn callers() {
    shows(
        &["callers", "a.out", "leaf"],
        expect![[r#"
            leaf takes 9.0 % of 1,110 Ir (with its callees), 100.0 % of that in calls from
            work::run(int)

            cost  % of total  calls  function        where
            ────  ──────────  ─────  ──────────────  ────────────
             100       9.0 %     50  work::run(int)  prog: main.c
        "#]],
    );
    shows(
        &["callers", "a.out", "leaf", "--all", "-n", "1"],
        expect![[r#"
            leaf takes 9.0 % of 1,110 Ir (with its callees), 100.0 % of that in calls from
            work::run(int)

            cost  % of total  calls  function        where
            ────  ──────────  ─────  ──────────────  ────────────
             100       9.0 %     50  work::run(int)  prog: main.c
            note: shown: 1 of 2 callers; --limit 0 shows all
        "#]],
    );
    shows(
        &["callers", "a.out", "main"],
        expect![[r#"
            main takes 100.0 % of 1,110 Ir (with its callees)

            cost  % of total  calls  function
            ────  ──────────  ─────  ────────
            note: nothing calls main
        "#]],
    );
    shows(
        &["callers", "a.out", "leaf", "--csv"],
        expect![[r#"
            function,object,file,line,column,calls,distance,exact,recursive,Ir cost,Ir cost share,D1mr cost,D1mr cost share
            work::run(int),/bin/prog,src/main.c,,,50,1,yes,no,100,0.09009009009009009,1,0.08333333333333333
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
            main takes 100.0 % of 1,110 Ir (with its callees), 99.1 % of that in calls of
            work::run(int)

             cost  % of function  calls  function        where
            ─────  ─────────────  ─────  ──────────────  ────────────
            1,100         99.1 %      2  work::run(int)  prog: main.c
        "#]],
    );
    shows(
        &["callees", "a.out", "leaf"],
        expect![[r#"
            leaf takes 9.0 % of 1,110 Ir (with its callees)

            cost  % of total  calls  function
            ────  ──────────  ─────  ────────
            note: leaf calls nothing
        "#]],
    );
    shows(
        &["callees", "a.out", "run", "--csv", "-e", "D1mr"],
        expect![[r#"
            function,object,file,line,column,calls,distance,exact,recursive,D1mr cost,D1mr cost share
            leaf,/bin/prog,src/main.c,,,50,1,yes,no,1,0.08333333333333333
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
            note: source file src/main.c is not there; name its folder with --source-dir DIR
        "#]],
    );
    shows(
        &["annotate", "a.out", "run", "--csv", "--source"],
        expect![[r#"
            file,line,Ir self,D1mr self,text
            src/main.c,20,1000,10,
            src/main.c,21,0,0,
            note: source file src/main.c is not there; name its folder with --source-dir DIR
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
            part  name    Ir total  D1mr total  samples  process
            ────  ──────  ────────  ──────────  ───────  ───────
               1  part 1     1,110          12                 7
        "#]],
    );
    shows(
        &["parts", "a.out", "--csv"],
        expect![[r#"
            part,name,counted,Ir total,D1mr total,samples,process,thread,file,written because
            1,part 1,yes,1110,12,,7,,,
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
            total_bytes: 34.60 KiB in all

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
            allocated in,file,line,called from,total_bytes cost [bytes],total_bytes cost share,total_blocks cost,total_blocks cost share,at_t_gmax_bytes cost [bytes],at_t_gmax_bytes cost share,at_t_gmax_blocks cost,at_t_gmax_blocks cost share,at_t_end_bytes cost [bytes],at_t_end_bytes cost share,at_t_end_blocks cost,at_t_end_blocks cost share,lifetimes cost,lifetimes cost share,reads_bytes cost [bytes],reads_bytes cost share,writes_bytes cost [bytes],writes_bytes cost share
            add,words.c,51,count,18864,0.5324902613899396,786,0.4993646759847522,18864,0.6021066070858602,786,0.4996821360457724,18864,0.7532944652982989,786,0.5,88901258287,0.49999880528973084,39009632,0.7562120224500745,66864,0.5168072098253967
            qsort_r,msort.c,221,report.constprop.0,6288,0.17749675379664653,1,0.0006353240152477764,6288,0.2007022023619534,1,0.0006357279084551812,0,0,0,0,472799,0.0000026591179888479487,56272,0.001090847586752692,56272,0.43493920960897825
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
            note: shown unless another is chosen: Ir
        "#]],
    );
    shows(
        &["events", "a.out", "-e", "D1mr,Ir", "--csv"],
        expect![[r#"
            event type,unit,total in that unit,title,formula
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
            note: shown unless another is chosen: Ir
        "#]],
    );
    assert_eq!(profile(&["events", "a.out", "--json"]).json()["schema"], "lotse.profile.events/1");
}

#[test]
fn two_profiles() {
    shows(
        &["diff", "a.out", "b.out", "--no-findings"],
        expect![[r#"
            b.out costs 9.01 % less than a.out: 1,110 Ir became 1,010 Ir; most changed
            work::run(int) (-45.0 % of the old total)

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
            function,object,file,line,column,status,inclusive is exact,Ir self old,Ir self new,Ir self difference,Ir self ratio,Ir inclusive old,Ir inclusive new,Ir inclusive difference,Ir inclusive ratio
            work::run(int),/bin/prog,src/main.c,,,matched,yes,1000,500,-500,0.5,1100,600,-500,0.5454545454545454
            leaf,/bin/prog,src/main.c,,,matched,yes,100,500,400,5,100,500,400,5
        "#]],
    );
    shows(
        &["diff", "a.out", "a.out"],
        expect![[r#"
            a.out costs as much as a.out: 1,110 Ir became 1,110 Ir

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
