//! Every table, for people and for programs.

use expect_test::expect;
use lotse_profile::analysis::Grouping;
use lotse_profile::answer::{EventAnswer, FunctionAnswer};
use lotse_profile::calls::{CallsAnswer, Side, all, direct};
use lotse_profile::data::{DataAnswer, StructureGrouping, structures};
use lotse_profile::events::EventTypes;
use lotse_profile::filter::Filter;
use lotse_profile::groups::groups;
use lotse_profile::report::{self, Numbers, Relative};
use lotse_profile::top::{TopOrder, TopQuery, top};
use lotse_profile::unfold::{Direction, Limits, UnfoldQuery, unfold};
use lotse_profile::{parts, tree};

use crate::input::{CALLGRIND, COLLAPSED, csv, function, terminal, with};

fn top_of(text: &str, order: TopOrder, look: (Numbers, Relative)) -> String {
    with(text, |opened, analysis, columns| {
        let query = TopQuery { columns, order, limit: None, filter: &Filter::default() };
        let rows = top(&opened.profile, &analysis.summary(), &query);
        let document = report::top(
            columns,
            &EventAnswer::for_columns(columns, &analysis.totals),
            &rows,
            analysis.origin,
            look,
        );
        if look.0 == Numbers::Bare { csv(&document) } else { terminal(&document) }
    })
}

#[test]
fn functions_with_shares_of_the_total() {
    let found = top_of(CALLGRIND, TopOrder::Own, (Numbers::Readable, Relative::Total));
    expect![[r#"
                                   Ir
            Ir      Ir     Ir   incl.     Dw      Dw     Dw       Dw
          self  self %  incl.       %   self  self %  incl.  incl. %  calls  function                where
        ──────  ──────  ─────  ──────  ─────  ──────  ─────  ───────  ─────  ──────────────────────  ─────────────────
         5,000  50.0 %  5,000  50.0 %     30  50.0 %     30   50.0 %  2,500  app::compare(int, int)  prog: main.c
         3,000  30.0 %  8,000  80.0 %     20  33.3 %     50   83.3 %      1  qsort                   libc.so.6: sort.c
         1,000  10.0 %  9,000  90.0 %     10  16.7 %     60  100.0 %      0  main                    prog: main.c
         1,000  10.0 %  1,000  10.0 %      0   0.0 %      0    0.0 %      0  clean                   prog: main.c
    "#]].assert_eq(&found);
}

#[test]
fn functions_by_inclusive_cost_for_programs() {
    let found = top_of(CALLGRIND, TopOrder::Inclusive, (Numbers::Bare, Relative::Off));
    expect![[r#"
        Ir self,Ir incl.,Dw self,Dw incl.,calls,function,where
        1000,9000,10,60,0,main,/opt/bin/prog: /src/main.c
        3000,8000,20,50,1,qsort,/lib/libc.so.6: sort.c
        5000,5000,30,30,2500,"app::compare(int, int)",/opt/bin/prog: /src/main.c
        1000,1000,0,0,0,clean,/opt/bin/prog: /src/main.c
    "#]]
    .assert_eq(&found);
}

#[test]
fn functions_of_samples_with_their_cycle() {
    let found = top_of(COLLAPSED, TopOrder::Inclusive, (Numbers::Readable, Relative::Off));
    expect![[r#"
        self  incl.  function
        ────  ─────  ──────────────
           1     10  main
           4      7  even <cycle 1>
           0      4  odd <cycle 1>
           3      3  leaf
           2      2  idle
    "#]]
    .assert_eq(&found);
}

fn groups_of(text: &str, by: Grouping, look: (Numbers, Relative)) -> String {
    with(text, |_, analysis, columns| {
        let rows = groups(analysis, columns, by, TopOrder::Inclusive);
        let document = report::groups(
            columns,
            &EventAnswer::for_columns(columns, &analysis.totals),
            &rows,
            analysis.origin,
            look,
        );
        if look.0 == Numbers::Bare { csv(&document) } else { terminal(&document) }
    })
}

#[test]
fn objects_with_a_bound_where_one_is_entered_again() {
    let found = groups_of(CALLGRIND, Grouping::Object, (Numbers::Readable, Relative::Total));
    expect![[r#"
        Ir self  Ir self %  Ir incl.  Ir incl. %  Dw self  Dw self %  Dw incl.  Dw incl. %  functions  group
        ───────  ─────────  ────────  ──────────  ───────  ─────────  ────────  ──────────  ─────────  ──────────────
          7,000     70.0 %  ≤ 10,000   ≤ 100.0 %       40     66.7 %      ≤ 60   ≤ 100.0 %          3  /opt/bin/prog
          3,000     30.0 %     8,000      80.0 %       20     33.3 %        50      83.3 %          1  /lib/libc.so.6
    "#]]
    .assert_eq(&found);
}

#[test]
fn classes_for_programs() {
    let found = groups_of(CALLGRIND, Grouping::Class, (Numbers::Bare, Relative::Total));
    expect![[r#"
        Ir self,%,Ir incl.,% (2),Dw self,% (3),Dw incl.,% (4),functions,group
        5000,0.5,10000,1,30,0.5,60,1,3,(none)
        5000,0.5,5000,0.5,30,0.5,30,0.5,1,app
    "#]]
    .assert_eq(&found);
}

#[test]
fn cycles_of_stacks() {
    let found = groups_of(COLLAPSED, Grouping::Cycle, (Numbers::Readable, Relative::Off));
    expect![[r#"
        self  incl.  functions  group
        ────  ─────  ─────────  ─────────
           4      7          2  <cycle 1>
    "#]]
    .assert_eq(&found);
}

fn calls_of(text: &str, name: &str, side: Side, distant: bool, look: (Numbers, Relative)) -> String {
    with(text, |opened, analysis, columns| {
        let id = function(&opened.profile, name);
        let rows =
            if distant { all(analysis, columns, id, side) } else { direct(analysis, columns, id, side) };
        let answer = CallsAnswer {
            schema: "lotse.profile.calls/1",
            side,
            events: EventAnswer::for_columns(columns, &analysis.totals),
            default_event: None,
            function: FunctionAnswer::new(&opened.profile, &analysis.summary(), columns, id),
            lower_bound: analysis.is_lower_bound(id),
            rows,
            diagnostics: Vec::new(),
        };
        let document = report::calls(&answer, columns, look);
        if look.0 == Numbers::Bare { csv(&document) } else { terminal(&document) }
    })
}

#[test]
fn callers_at_any_distance() {
    let look = (Numbers::Readable, Relative::Total);
    let found = calls_of(CALLGRIND, "_ZN3app7compareEii", Side::Callers, true, look);
    expect![[r#"
        Ir cost  % of total  Dw cost  % of total  calls  distance  function  where
        ───────  ──────────  ───────  ──────────  ─────  ────────  ────────  ─────────────────
          5,000      50.0 %       30      50.0 %  2,500         1  qsort     libc.so.6: sort.c
        ≤ 5,000      50.0 %     ≤ 30      50.0 %                2  main      prog: main.c
    "#]]
    .assert_eq(&found);
}

#[test]
fn callees_relative_to_the_function() {
    let found = calls_of(CALLGRIND, "main", Side::Callees, false, (Numbers::Readable, Relative::Parent));
    expect![[r#"
        Ir cost  % of function  Dw cost  % of function  calls  function  where
        ───────  ─────────────  ───────  ─────────────  ─────  ────────  ─────────────────
          8,000         88.9 %       50         83.3 %      1  qsort     libc.so.6: sort.c
    "#]]
    .assert_eq(&found);
}

#[test]
fn recursive_callees_for_people_and_programs() {
    let found = calls_of(COLLAPSED, "even", Side::Callees, false, (Numbers::Readable, Relative::Off));
    expect![[r#"
        cost  calls  function
        ────  ─────  ───────────────
           4         odd (recursive)
           3         leaf
    "#]]
    .assert_eq(&found);
    let found = calls_of(COLLAPSED, "even", Side::Callees, true, (Numbers::Bare, Relative::Total));
    expect![[r#"
        cost,% of total,calls,function,where
        4,0.4,,odd,
        3,0.3,,leaf,
    "#]]
    .assert_eq(&found);
}

#[test]
fn parts_with_all_columns() {
    let found = with(CALLGRIND, |opened, analysis, columns| {
        let mut rows = parts::parts(&opened.profile, &analysis.summary());
        let mut other = rows[0].clone();
        (other.number, other.name, other.chosen) = (2, "peak".to_owned(), false);
        (other.process, other.thread, other.samples) = (Some(7), Some(8), Some(9));
        (other.source, other.trigger) = (Some("x.2".to_owned()), None);
        rows.push(other);
        terminal(&report::parts(&rows, columns, Numbers::Readable))
    });
    expect![[r#"
        part  name                Ir total  Dw total  samples  process  thread  file  written because
        ────  ──────────────────  ────────  ────────  ───────  ───────  ──────  ────  ───────────────────
           1  part 1                10,000        60                                  Program termination
           2  peak (not counted)    10,000        60        9        7       8  x.2
    "#]]
    .assert_eq(&found);
}

#[test]
fn event_types_with_formulas() {
    let found = with(CALLGRIND, |opened, analysis, _| {
        let definitions = ["Share = 100 Dw / Ir".to_owned()];
        let types = EventTypes::new(&opened.profile, &definitions).unwrap();
        let names = ["Ir", "Share"].map(str::to_owned);
        let columns = types.choose(&names).unwrap();
        let events = EventAnswer::for_columns(&columns, &analysis.totals);
        terminal(&report::events(&columns, &events, Numbers::Readable))
            + &csv(&report::events(&columns, &events, Numbers::Bare))
    });
    expect![[r#"
        event type  unit     total  title  formula
        ──────────  ──────  ──────  ─────  ───────────
        Ir          count   10,000
        Share       number  0.6000         100 Dw / Ir
        event type,unit,total,title,formula
        Ir,count,10000,,
        Share,number,0.6,,100 Dw / Ir
    "#]]
    .assert_eq(&found);
}

fn tree_of(text: &str, direction: Direction, limits: Limits, look: (Numbers, Relative)) -> String {
    with(text, |_, analysis, columns| {
        let query = UnfoldQuery { start: None, direction, weight: &columns[0], limits };
        let grown = unfold(analysis, &query);
        let answer = tree::answer(analysis, &columns[..1], &query, &grown);
        let document = report::tree(&answer, &columns[..1], look);
        let notes = tree::notes(analysis, &query, &grown).join("\n");
        let table = if look.0 == Numbers::Bare { csv(&document) } else { terminal(&document) };
        format!("{table}{notes}\n")
    })
}

#[test]
fn a_tree_of_stacks() {
    let look = (Numbers::Readable, Relative::Total);
    let found = tree_of(COLLAPSED, Direction::Callees, Limits::default(), look);
    expect![[r#"
        incl.  incl. %  self  self %  function
        ─────  ───────  ────  ──────  ──────────
           10  100.0 %     1  10.0 %  main
            7   70.0 %     0   0.0 %    even
            4   40.0 %     0   0.0 %      odd
            4   40.0 %     4  40.0 %        even
            3   30.0 %     3  30.0 %      leaf
            2   20.0 %     2  20.0 %    idle

    "#]]
    .assert_eq(&found);
}

#[test]
fn an_estimated_tree_that_was_cut() {
    let limits = Limits { depth: Some(1), ..Limits::default() };
    let found = tree_of(CALLGRIND, Direction::Callees, limits, (Numbers::Readable, Relative::Parent));
    expect![[r#"
        incl.  incl. %   self  self %  calls  function      where
        ─────  ───────  ─────  ──────  ─────  ────────────  ─────────────────
        9,000   90.0 %  1,000  10.0 %         main          prog: main.c
        8,000   88.9 %  3,000  33.3 %      1    qsort       libc.so.6: sort.c
        5,000   62.5 %                            (1 more)
        1,000   10.0 %  1,000  10.0 %         clean         prog: main.c
        estimated: the file tells calls and not stacks, so costs are shared out among callers in proportion
        branches left out: 1 deeper than 1 call; together 50.0 %
    "#]]
    .assert_eq(&found);
}

#[test]
fn a_tree_of_callers_for_programs() {
    let look = (Numbers::Bare, Relative::Off);
    let found = tree_of(COLLAPSED, Direction::Callers, Limits::default(), look);
    expect![[r#"
        depth,incl.,self,calls,function,where
        0,4,0,,even,
        1,4,0,,odd,
        2,4,0,,even,
        3,4,4,,main,
        0,3,0,,leaf,
        1,3,0,,even,
        2,3,3,,main,
        0,2,0,,idle,
        1,2,2,,main,
        0,1,1,,main,

    "#]]
    .assert_eq(&found);
}

/// What DHAT writes: two places that allocate, reached from one function.
const DHAT: &str = r#"{"dhatFileVersion":2,"mode":"rust-heap","verb":"Allocated","bklt":true,"bkacc":false,
    "tu":"µs","Mtu":"s","tuth":10,"cmd":"app","pid":3,"te":100,"tg":50,
    "pps":[{"tb":400,"tbk":4,"tl":9,"mb":100,"mbk":1,"gb":100,"gbk":1,"eb":0,"ebk":0,"fs":[1,2]},
           {"tb":100,"tbk":1,"tl":9,"mb":100,"mbk":1,"gb":100,"gbk":1,"eb":0,"ebk":0,"fs":[3,2]}],
    "ftbl":["[root]","0x1: app::load (src/load.rs:7:5)","0x2: app::main (src/main.rs:3:1)",
            "0x3: app::name (src/name.rs:9:5)"]}"#;

#[test]
fn data_structures_with_the_place_that_allocates() {
    let found = with(DHAT, |opened, analysis, columns| {
        let (totals, structures) =
            structures(&opened.profile, &analysis.parts, &columns[..1], StructureGrouping::Sites);
        let answer = DataAnswer {
            schema: "lotse.profile.data/1",
            format: opened.format.to_owned(),
            events: EventAnswer::for_columns(&columns[..1], &totals),
            default_event: None,
            count: structures.len(),
            structures,
            diagnostics: Vec::new(),
        };
        terminal(&report::data(&answer, &columns[..1], Numbers::Readable))
            + &csv(&report::data(&answer, &columns[..1], Numbers::Bare))
    });
    expect![[r#"
        total_bytes: 500 B in all

         cost       %  allocated in  at         called from
        ─────  ──────  ────────────  ─────────  ───────────
        400 B  80.0 %  app::load     load.rs:7  app::main
        100 B  20.0 %  app::name     name.rs:9  app::main
        cost,%,allocated in,at,called from
        400,0.8,app::load,src/load.rs:7,app::main
        100,0.2,app::name,src/name.rs:9,app::main
    "#]]
    .assert_eq(&found);
}
