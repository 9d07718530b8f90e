//! Lists of formats, functions and groups as a table for people, as comma-separated values and as JSON: the words
//! and the numbers, to the letter.

use expect_test::{Expect, expect};

use crate::session::{Answer, Session, list, texts};

/// main calls `work::run`, which calls leaf; a number of calls, two event types, costs by line.
pub(crate) const CALLS: &str = "# callgrind format\nversion: 1\ncreator: test\npid: 7\ncmd: ./prog -x\npart: 1\n\n\
    positions: line\nevents: Ir D1mr\nsummary: 1110 12\n\n\
    ob=(1) /bin/prog\nfl=(1) src/main.c\nfn=(1) main\n3 10 1\ncfn=(2) _ZN4work3runEi\ncalls=2 20\n4 1100 11\n\n\
    fn=(2)\n20 1000 10\ncfn=(3) leaf\ncalls=50 40\n21 100 1\n\nfn=(3)\n40 100 1\n\ntotals: 1110 12\n";

/// The same, but leaf costs more and main calls it as well.
const CHANGED: &str = "# callgrind format\nversion: 1\ncmd: ./prog -x\npositions: line\nevents: Ir D1mr\n\n\
    ob=(1) /bin/prog\nfl=(1) src/main.c\nfn=(1) main\n3 10 1\ncfn=(2) _ZN4work3runEi\ncalls=2 20\n4 600 11\n\
    cfn=(3) leaf\ncalls=5 40\n5 400 0\n\nfn=(2)\n20 500 10\ncfn=(3) leaf\ncalls=50 40\n21 100 1\n\nfn=(3)\n40 500 1\n";

/// Two functions that call each other.
const CYCLE: &str = "events: Ir\nfn=main\n1 10\ncfn=walk\ncalls=1 1\n1 90\nfn=walk\n1 40\ncfn=visit\ncalls=9 1\n1 80\n\
    fn=visit\n1 50\ncfn=walk\ncalls=8 1\n1 60\n";

pub(crate) fn session() -> Session {
    let session = Session::new();
    session.write("a.out", CALLS).write("b.out", CHANGED).write("circle.out", CYCLE);
    session
}

pub(crate) fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/profile/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn profile(args: &[&str]) -> Answer {
    session().lotse(&[&["profile"], args].concat()).exits(0)
}

/// Checks what a terminal shows: the answer, followed by remarks.
#[expect(clippy::needless_pass_by_value, reason = "as the macro makes it")]
#[track_caller]
pub(crate) fn shows(args: &[&str], expected: Expect) {
    let answer = profile(args);
    // Lines of comma-separated values end in CR LF (RFC 4180), which the expected texts of this file cannot contain.
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
    let written: Vec<&str> =
        rows.iter().filter(|row| ["yes", "only written"].contains(&row[2])).map(|row| row[0]).collect();
    assert_eq!(written, ["callgrind", "pprof", "collapsed", "speedscope", "csv"]);
    assert_eq!(
        rows.last().unwrap()[..],
        ["csv", "comma-separated values of functions and calls", "only written"]
    );
    let json = profile(&["formats", "--json"]).json();
    assert_eq!(texts(&json["formats"], "id"), rows[1..].iter().map(|row| row[0]).collect::<Vec<_>>());
}

#[test]
fn the_costliest_functions() {
    shows(
        &["top", "a.out"],
        expect![[r#"
            work::run(int) takes 90.1 % of 1,110 Ir (self)

             self  self %  incl.  incl. %  calls  function        where
            ─────  ──────  ─────  ───────  ─────  ──────────────  ────────────
            1,000  90.1 %  1,100   99.1 %      2  work::run(int)  prog: main.c
              100   9.0 %    100    9.0 %     50  leaf            prog: main.c
               10   0.9 %  1,110  100.0 %      0  main            prog: main.c
        "#]],
    );
    shows(
        &["top", "a.out", "-n", "1", "--percent", "off"],
        expect![[r#"
            work::run(int) takes 90.1 % of 1,110 Ir (self)

             self  incl.  calls  function        where
            ─────  ─────  ─────  ──────────────  ────────────
            1,000  1,100      2  work::run(int)  prog: main.c
            note: shown: 1 of 3 functions; --limit 0 shows all
        "#]],
    );
    shows(
        &["top", "a.out", "-e", "D1mr,Ir", "--sort", "inclusive"],
        expect![[r#"
            D1mr: 12 in all; Ir: 1,110 in all

                D1mr      D1mr      D1mr            Ir self  Ir incl.
                self    self %   incl. %  Ir self         %         %  calls  function
            ────────  ────────  ────────  ───────  ────────  ────────  ─────  ──────────────
                   1     8.3 %   100.0 %       10     0.9 %   100.0 %      0  main
                  10    83.3 %    91.7 %    1,000    90.1 %    99.1 %      2  work::run(int)
                   1     8.3 %     8.3 %      100     9.0 %     9.0 %     50  leaf
            (--wide also shows: D1mr incl., Ir incl., where)
        "#]],
    );
    shows(
        &["top", "a.out", "--csv", "-e", "Ir"],
        expect![[r#"
            function,object,file,line,column,calls,cycle,inclusive is exact,Ir self,Ir self share,Ir inclusive,Ir inclusive share
            work::run(int),/bin/prog,src/main.c,,,2,,yes,1000,0.9009009009009009,1100,0.990990990990991
            leaf,/bin/prog,src/main.c,,,50,,yes,100,0.09009009009009009,100,0.09009009009009009
            main,/bin/prog,src/main.c,,,0,,yes,10,0.009009009009009009,1110,1
        "#]],
    );
}

#[test]
fn a_list_that_is_cut_or_empty_says_so() {
    shows(
        &["top", "a.out", "-n", "1", "--filter", "/a/"],
        expect![[r#"
            Ir: 1,110 in all

            self  self %  incl.  incl. %  calls  function  where
            ────  ──────  ─────  ───────  ─────  ────────  ────────────
             100   9.0 %    100    9.0 %     50  leaf      prog: main.c
            note: shown: the first 1 of the functions that fit; --limit 0 shows all
        "#]],
    );
    shows(
        &["top", "a.out", "--filter", "leaf"],
        expect![[r#"
            Ir: 1,110 in all

            self  self %  incl.  incl. %  calls  function  where
            ────  ──────  ─────  ───────  ─────  ────────  ────────────
             100   9.0 %    100    9.0 %     50  leaf      prog: main.c
        "#]],
    );
    shows(
        &["top", "a.out", "-n", "1", "--csv", "-e", "Ir", "--percent", "off"],
        expect![[r#"
            function,object,file,line,column,calls,cycle,inclusive is exact,Ir self,Ir inclusive
            work::run(int),/bin/prog,src/main.c,,,2,,yes,1000,1100
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
    let stderr_of = |args: &[&str]| session.lotse(&[&["profile"], args].concat()).exits(0).stderr;
    let nothing = "note: the profile has no function with costs\n";
    assert_eq!(stderr_of(&["top", "nothing.out"]), nothing);
    assert_eq!(stderr_of(&["top", "nothing.out", "--csv"]), nothing);
    assert_eq!(stderr_of(&["top", "nothing.out", "--json"]), "");
    assert!(stderr_of(&["tree", "nothing.out"]).ends_with(nothing));
    assert_eq!(stderr_of(&["top", "nothing.out", "--group", "object"]), nothing);
}

#[test]
fn functions_in_groups() {
    shows(
        &["top", "a.out", "--group", "object", "-e", "Ir"],
        expect![[r#"
            /bin/prog takes 100.0 % of 1,110 Ir (self)

             self   self %  incl.  incl. %  functions  group
            ─────  ───────  ─────  ───────  ─────────  ─────────
            1,110  100.0 %  1,110  100.0 %          3  /bin/prog
        "#]],
    );
    shows(
        &["top", "circle.out", "--group", "cycle"],
        expect![[r#"
            <cycle 1> takes 90.0 % of 100 Ir (self)

            self  self %  incl.  incl. %  functions  group
            ────  ──────  ─────  ───────  ─────────  ─────────
              90  90.0 %     90   90.0 %          2  <cycle 1>
            note: the inclusive cost of 1 function in cycles is a lower bound: calls do not tell what recursion costs; `top --group cycle` shows each cycle as a whole
        "#]],
    );
    shows(
        &["top", "a.out", "--group", "cycle"],
        expect![[r#"
            Ir: 1,110 in all

            self  self %  incl. %  group
            ────  ──────  ───────  ─────
            note: no functions call each other in circles
        "#]],
    );
    shows(
        &["top", "a.out", "--group", "class", "-n", "1", "--csv", "-e", "Ir"],
        expect![[r#"
            group,functions,inclusive is exact,Ir self,Ir self share,Ir inclusive,Ir inclusive share
            work,1,yes,1000,0.9009009009009009,1100,0.990990990990991
            note: shown: 1 of 2 groups; --limit 0 shows all
        "#]],
    );
}

#[test]
fn raw_costs_of_cycles_are_marked_as_raw() {
    shows(
        &["top", "circle.out"],
        expect![[r#"
            visit takes 50.0 % of 100 Ir (self); walk takes 90.0 % with its callees

            self  self %  incl.   incl. %  calls  function
            ────  ──────  ─────  ────────  ─────  ───────────────
              50  50.0 %   ≥ 50  ≥ 50.0 %      9  visit <cycle 1>
              40  40.0 %     90    90.0 %      9  walk <cycle 1>
              10  10.0 %    100   100.0 %      0  main
            note: the inclusive cost of 1 function in cycles is a lower bound: calls do not tell what recursion costs; `top --group cycle` shows each cycle as a whole
        "#]],
    );
    shows(
        &["top", "circle.out", "--cycles", "raw"],
        expect![[r#"
            visit takes 50.0 % of 100 Ir (self)

            self  self %  incl.  incl. %  calls  function
            ────  ──────  ─────  ───────  ─────  ───────────────
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
