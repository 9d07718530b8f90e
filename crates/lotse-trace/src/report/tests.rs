//! Reports as text.

mod tables;

use expect_test::{Expect, expect};
use lotse_model::trace::{Event, EventKind};
use lotse_model::work::Sequential;
use lotse_report::{Document, Options as Rendering};

use super::{first_rows, grouped, plural, share};
use crate::analyze::{
    EfficiencyAnswer, Options, PhasesAnswer, Request, Subject, analyze, critical, efficiency_of, what_if,
};
use crate::answer::InfoAnswer;
use crate::fixture::{Script, WORLD};
use crate::levels::{Level, at_level};
use crate::scaling::{Scaling, scaling};

#[test]
fn numbers_are_readable() {
    assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    assert_eq!(share(1.0, 4.0).text, "25.0 %");
    assert_eq!(share(1.0, 0.0).value, None);
    assert_eq!([1, 2].map(|number| plural(number, "process")), ["1 process", "2 processes"]);
}

#[test]
fn nothing_is_cut_if_all_rows_are_requested() {
    assert_eq!(
        (first_rows(&[1, 2, 3], 0).len(), first_rows(&[1, 2, 3], 2).len(), first_rows(&[1], 5).len()),
        (3, 2, 1)
    );
}

/// Two phases with barriers, longest on different ranks.
fn script() -> Script {
    let mut script = Script::processes(2);
    for (location, (first, second)) in [(800, 500), (500, 900)].into_iter().enumerate() {
        script.enter(location, 0, "main").call(location, 0, first, "phaseA").barrier(location, first, 800);
        script.call(location, 800, 800 + second, "phaseB").barrier(location, 800 + second, 1700);
        script.leave(location, 1700, "main");
    }
    script
}

fn subject() -> Subject {
    Subject::new(script().trace(), &Options::usual("t"), &Sequential).unwrap()
}

fn check(document: &Document, expected: Expect) {
    let terminal = lotse_report::format::named("terminal").unwrap();
    let text = terminal.to_string(document, Rendering::default()).unwrap();
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    expected.assert_eq(&(trimmed.join("\n") + "\n"));
}

#[test]
fn what_a_trace_contains() {
    check(
        &super::info(&InfoAnswer::from_trace(&script().trace())),
        expect![[r#"
            script: 28 events in 1.700 s over 2 locations in 2 processes, 4 call paths, 1,000 ticks per second

            0 messages, 2 collective operations, stacks up to 2 deep

            Locations
            location  name        process  kind  events  begin      end
            ────────  ──────────  ───────  ────  ──────  ─────  ───────
                   0  location 0  rank 0   cpu       14    0 s  1.700 s
                   1  location 1  rank 1   cpu       14    0 s  1.700 s

            Records
            kind of record      records
            ──────────────────  ───────
            Enter                    10
            Leave                    10
            MpiCollectiveBegin        4
            MpiCollectiveEnd          4
        "#]],
    );
}

#[test]
fn why_it_waits() {
    let answer = analyze(script().trace(), &Options::usual("t"), &Sequential).unwrap();
    check(
        &super::analyze(&answer, 10),
        expect![[r#"
            20.6 % of the time of all locations in the whole run is waiting; the largest part is wait at barrier
            in main/MPI_Barrier (700.0 ms), caused by main/phaseB on rank 1; if that took no time there the run
            would be 400.0 ms shorter.

            rank 1 causes 57 % of all waiting: main/phaseB.

            1.700 s on 2 locations; parallel efficiency 79.4 %, load balance 96.4 %, serialisation 82.4 %,
            transfer 100.0 %

            Who makes others wait, over all kinds of waits; shares of the waiting with a known cause
              caused   share  who     by
            ────────  ──────  ──────  ───────────
            400.0 ms  57.1 %  rank 1  main/phaseB
            300.0 ms  42.9 %  rank 0  main/phaseA

            Time lost by waiting; shares of the time of all locations in the whole run
                lost   share  cause            call path         mostly because of  on      reachable gain
            ────────  ──────  ───────────────  ────────────────  ─────────────────  ──────  ──────────────
            700.0 ms  20.6 %  wait at barrier  main/MPI_Barrier  main/phaseB        rank 1        400.0 ms
            (--wide also shows: who)

            Critical path, 1.700 s
                time   share  call path    location  gain if it took no time anywhere
            ────────  ──────  ───────────  ────────  ────────────────────────────────
            900.0 ms  52.9 %  main/phaseB  rank 1                            900.0 ms
            800.0 ms  47.1 %  main/phaseA  rank 0                            800.0 ms

            Time of all locations in the whole run
            what                         time    share       alone
            ─────────────────────  ──────────  ───────  ──────────
            time                     3.400 s   100.0 %    0     s
            · MPI                  700.0   ms   20.6 %    0     s
            · · MPI collective     700.0   ms   20.6 %    0     s
            · · · wait at barrier  700.0   ms   20.6 %  700.0   ms
            · computation            2.700 s    79.4 %    2.700 s
        "#]],
    );
    check(
        &super::severities(&answer, &answer.severities, 1),
        expect![[r#"
            metric           location  name    call path             time  bound
            ───────────────  ────────  ──────  ────────────────  ────────  ─────
            wait_at_barrier         0  rank 0  main/MPI_Barrier  400.0 ms  exact
        "#]],
    );
}

#[test]
fn what_bounds_it() {
    check(
        &super::critical_path(&critical(&subject()), 10),
        expect![[r#"
            The critical path is 1.700 s long. Without it the run would still take 1.000 s: shortening it alone
            gains at most 700.0 ms.

            On the path
                time   share  call path    location
            ────────  ──────  ───────────  ────────
            900.0 ms  52.9 %  main/phaseB  rank 1
            800.0 ms  47.1 %  main/phaseA  rank 0

            By process
            process  computing  communicating
            ───────  ─────────  ─────────────
            rank 1    900.0 ms            0 s
            rank 0    800.0 ms            0 s

            From location to location
            from    to      times  transfer
            ──────  ──────  ─────  ────────
            rank 0  rank 1      1       0 s
            rank 1  rank 0      1       0 s

            Imbalance on the path
            beyond the mean  others idle  those without it idle  call path
            ───────────────  ───────────  ─────────────────────  ───────────
                   200.0 ms     400.0 ms                    0 s  main/phaseB
                   150.0 ms     300.0 ms                    0 s  main/phaseA

            The nearest rival
                time   share  call path    location
            ────────  ──────  ───────────  ────────
            500.0 ms  50.0 %  main/phaseA  rank 1
            500.0 ms  50.0 %  main/phaseB  rank 0
        "#]],
    );
}

#[test]
fn what_a_change_gives() {
    let subject = subject();
    let request = Request { scaled: vec![("phaseA".to_owned(), 0.5)], ..Request::default() };
    let answer = what_if(&subject, &request).unwrap();
    check(
        &super::what_if(&answer, &subject.facts.location_labels, 10),
        expect![[r#"
            1.700 s would become 1.300 s: 23.5 % less, 1.308 times as fast

            Changed
            call path    on       was   becomes
            ───────────  ───  ───────  ────────
            main/phaseA  all  1.300 s  650.0 ms

            What bounds the run then
                time   share  call path    location
            ────────  ──────  ───────────  ────────
            900.0 ms  69.2 %  main/phaseB  rank 1
            400.0 ms  30.8 %  main/phaseA  rank 0
        "#]],
    );
}

#[test]
fn phases_without_iterations() {
    let phases = subject().phases(crate::phases::Options::default(), &Sequential);
    let answer = PhasesAnswer { schema: "lotse.trace.phases/1", phases, iterations: None };
    let document = super::phases(&answer);
    let terminal = lotse_report::format::named("terminal").unwrap();
    let text = terminal.to_string(&document, Rendering::default()).unwrap();
    assert!(text.contains("main/phaseA") && text.contains("No loop was found"), "{text}");
}

#[test]
fn runs_beside_each_other() {
    let efficiency = efficiency_of(&subject()).unwrap();
    let runs = vec![("before".to_owned(), efficiency.clone()), ("after".to_owned(), efficiency)];
    let answer = EfficiencyAnswer {
        schema: "lotse.trace.efficiency/1",
        runs: scaling(runs, Scaling::Strong),
        cautions: Vec::new(),
    };
    check(
        &super::efficiency(&answer),
        expect![[r#"
            before: parallel efficiency is 79.4 %, limited most by serialisation (82.4 %).

                                  before    after
            ───────────────────  ───────  ───────
            processes                  2        2
            threads                    2        2
            run time             1.700 s  1.700 s
            time outside MPI     2.700 s  2.700 s
            parallel efficiency   79.4 %   79.4 %
            · of MPI              79.4 %   79.4 %
            · · load balance      96.4 %   96.4 %
            · · communication     82.4 %   82.4 %
            · · · serialisation   82.4 %   82.4 %
            · · · transfer       100.0 %  100.0 %
            computation scaling  100.0 %  100.0 %
            global efficiency     79.4 %   79.4 %
            speed-up               1.000    1.000
            ideal speed-up         1.000    1.000
        "#]],
    );
}

#[test]
fn what_being_parallel_costs() {
    let mut one = Script::processes(1);
    one.enter(0, 0, "main").call(0, 0, 1300, "phaseA").call(0, 1300, 2700, "phaseB").leave(0, 2700, "main");
    let parallel = subject();
    let overheads = crate::overheads::overheads(&one.trace(), &parallel.trace, &parallel.waits);
    check(
        &super::overheads(&overheads, 5),
        expect![[r#"
            350.0 ms of the parallel run of 1.700 s (20.6 %) is overhead, most of it synchronisation (350.0 ms).

            T_s: sequential time, T_p: parallel time, T_o: overhead per location (T_p - T_s / 2)
            region           T_s         T_p       T_o  data movement  synchronisation  control  additional
            ───────────  ───────  ──────────  ────────  ─────────────  ───────────────  ───────  ──────────
            (whole run)  2.700 s    1.700 s   350.0 ms            0 s         350.0 ms      0 s         0 s
            main         2.700 s    1.700 s   350.0 ms            0 s         350.0 ms      0 s         0 s
            phaseB       1.400 s  900.0   ms  200.0 ms            0 s           0   s       0 s         0 s
            phaseA       1.300 s  800.0   ms  150.0 ms            0 s           0   s       0 s         0 s

            region       loss of parallelism  unidentified
            ───────────  ───────────────────  ────────────
            (whole run)               0   s            0 s
            main                      0   s            0 s
            phaseB                  200.0 ms           0 s
            phaseA                  150.0 ms           0 s
        "#]],
    );
}

#[test]
fn one_level() {
    let subject = subject();
    let rows = at_level(&subject.trace, &subject.waits, Level::Process);
    check(
        &super::levels(&rows, 0),
        expect![[r#"
        part of                        item    metric                 time
        ─────────────────────────────  ──────  ───────────────  ──────────
        (program) > (unknown machine)  rank 0  computation        1.300 s
        (program) > (unknown machine)  rank 0  mpi_collective   400.0   ms
        (program) > (unknown machine)  rank 0  wait_at_barrier  400.0   ms
        (program) > (unknown machine)  rank 1  computation        1.400 s
        (program) > (unknown machine)  rank 1  mpi_collective   300.0   ms
        (program) > (unknown machine)  rank 1  wait_at_barrier  300.0   ms
    "#]],
    );
}

#[test]
fn overlapped_waits_are_reported_below_the_tree() {
    let mut script = Script::processes(2);
    let (communicator, tag, length) = (WORLD, 0, 8);
    let send = Event::MpiSend { receiver: 1, communicator, tag, length };
    let receive = Event::MpiRecv { sender: 1, communicator, tag, length };
    script.enter(0, 0, "main").enter(0, 100, "MPI_Sendrecv").event(0, 100, EventKind::MpiSend, send);
    script.event(0, 600, EventKind::MpiRecv, receive).leave(0, 600, "MPI_Sendrecv").leave(0, 700, "main");
    script.enter(1, 0, "main").recv(1, 300, 310, 0, 0).send(1, 500, 510, 0, 0).leave(1, 700, "main");
    let answer = analyze(script.trace(), &Options::usual("t"), &Sequential).unwrap();
    let document = super::one_table(super::analyze(&answer, 10), Some("time"));
    check(
        &document,
        expect![[r#"
            Time of all locations in the whole run
            what                                                 time    share     alone
            ─────────────────────────────────────────────  ──────────  ───────  ────────
            time                                             1.400 s   100.0 %    0   s
            mpi                                            520.0   ms   37.1 %    0   s
            mpi_point_to_point                             520.0   ms   37.1 %  120.0 ms
            late_sender                                    400.0   ms   28.6 %  400.0 ms
            late_receiver                                    0     s     0.0 %    0   s
            computation                                    880.0   ms   62.9 %  880.0 ms
            (waits during a longer wait of the same call)  200.0   ms
        "#]],
    );
    let tree = |id: &str| answer.time_tree.iter().find(|node| node.id == id).unwrap();
    assert_eq!((tree("late_sender").inclusive, tree("late_sender").overlap), (0.4, 0.0));
    assert_eq!((tree("late_receiver").inclusive, tree("late_receiver").overlap), (0.0, 0.2));
}

#[test]
fn a_row_for_each_run() {
    let efficiency = efficiency_of(&subject()).unwrap();
    let runs = vec![("before".to_owned(), efficiency.clone()), ("after".to_owned(), efficiency)];
    let answer = EfficiencyAnswer {
        schema: "lotse.trace.efficiency/1",
        runs: scaling(runs, Scaling::Strong),
        cautions: Vec::new(),
    };
    let csv = lotse_report::format::named("csv").unwrap();
    let text = csv.to_string(&super::efficiency_rows(&answer), Rendering::default()).unwrap();
    assert_eq!(
        text.lines().next(),
        Some(
            "run,processes,threads,run time [s],time outside MPI [s],parallel efficiency,efficiency of MPI,\
             load balance,communication,serialisation,transfer,computation scaling,global efficiency,speed-up,\
             ideal speed-up"
        )
    );
    assert!(text.lines().nth(2).is_some_and(|line| line.starts_with("after,2,2,1.7,2.7,0.79")), "{text}");
}

#[test]
fn time_outside_of_calls_is_reported_too() {
    let mut answer =
        what_if(&subject(), &Request { scaled: vec![("main".into(), 0.0)], ..Request::default() }).unwrap();
    (answer.predicted, answer.gain) = (3.4, -1.7);
    let names = ["a".to_owned(), "b".to_owned()];
    check(
        &super::what_if(&answer, &names, 1),
        expect![[r#"
            1.700 s would become 3.400 s: 100.0 % more, 1.000 times as fast

            Changed
            call path  on   was  becomes
            ─────────  ───  ───  ───────
            main       all  0 s      0 s

            It is the own time of a call path that changes, not that of what it calls.

            What bounds the run then
                  time   share  call path                                                 location
            ──────────  ──────  ────────────────────────────────────────────────────────  ────────
            900.0   ms  26.5 %  main/phaseB                                               b
              1.700 s   50.0 %  (messages on their way, and before what bounds it began)
        "#]],
    );
}
