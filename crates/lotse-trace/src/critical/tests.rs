//! Critical paths of small runs, worked out by hand.

use lotse_model::rule::Thresholds;
use lotse_model::trace::{Paradigm, RegionRole};
use lotse_model::work::Sequential;

use super::{CriticalPath, critical_path};
use crate::fixture::Script;
use crate::store::Trace;

fn path_of(script: &Script) -> (Trace, CriticalPath) {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let path = critical_path(&trace, &waits);
    (trace, path)
}

fn rows(trace: &Trace, path: &CriticalPath) -> Vec<(String, u32, u64)> {
    path.rows.iter().map(|row| (trace.path_name(row.path), row.location.0, row.ticks)).collect()
}

/// Rank 0 computes 700 and sends; rank 1 waits for it from 300 on, receives until 720 and computes until 1000.
fn late_sender() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 705, 1, 0).leave(0, 800, "main");
    script.enter(1, 0, "main").call(1, 0, 300, "work").recv(1, 300, 720, 0, 0).call(1, 720, 1000, "work");
    script.leave(1, 1000, "main");
    script
}

#[test]
fn the_path_leads_through_the_late_sender() {
    let (trace, path) = path_of(&late_sender());
    assert_eq!(path.length, 1000);
    let expected = [("main/work", 0, 700), ("main/work", 1, 280), ("main/MPI_Recv", 1, 20)];
    let mut got = rows(&trace, &path);
    got.sort();
    let mut expected: Vec<(String, u32, u64)> =
        expected.iter().map(|&(path, at, ticks)| (path.to_owned(), at, ticks)).collect();
    expected.sort();
    assert_eq!(got, expected);
    assert_eq!((path.pairs.len(), path.pairs[0].count, path.pairs[0].ticks), (1, 1, 20));
}

#[test]
fn its_time_sums_to_its_length() {
    let (_, path) = path_of(&late_sender());
    assert_eq!(path.rows.iter().map(|row| row.ticks).sum::<u64>(), path.length);
    assert_eq!(path.segments.iter().map(|piece| piece.to - piece.from).sum::<u64>(), path.length);
}

#[test]
fn what_is_wasted_divides_into_three() {
    let (trace, path) = path_of(&late_sender());
    let work = path.imbalance.iter().find(|row| trace.path_name(row.path) == "main/work").unwrap();
    // 980 on the path; 700 on rank 0, 580 on rank 1.
    assert_eq!(
        (work.on_path, work.critical, work.inter_partition, work.non_critical),
        (980, 280 + 400, 0, 0)
    );
    assert_eq!(work.excess, 340.0);
    let recv = path.imbalance.iter().find(|row| trace.path_name(row.path) == "main/MPI_Recv").unwrap();
    assert_eq!((recv.inter_partition, recv.non_critical), (20, 400));
    for row in &path.imbalance {
        let spent: u64 =
            trace.uses.iter().flatten().filter(|it| it.path == row.path).map(|it| it.exclusive).sum();
        let identity = row.critical + row.inter_partition + spent;
        assert_eq!(2 * row.on_path + row.non_critical, identity, "{}", trace.path_name(row.path));
    }
}

#[test]
fn a_trace_without_events_has_no_path() {
    let (_, path) = path_of(&Script::processes(2));
    assert_eq!(path, CriticalPath::default());
}

#[test]
fn records_without_calls_do_not_end_a_path() {
    let mut script = Script::processes(3);
    script.enter(0, 0, "main").call(0, 0, 1000, "work").leave(0, 1000, "main");
    let event = lotse_model::trace::Event::IoComplete { bytes: 1 };
    script.event(2, 5000, lotse_model::trace::EventKind::IoOperationComplete, event);
    assert_eq!(path_of(&script).1.length, 1000);
}

/// The master works 300 and forks at 300; thread 1 begins at 310 and works until 900, the master until 500; both leave
/// the barrier at 905.
#[test]
fn a_worker_leads_to_the_fork_and_not_to_its_idle_time() {
    let mut script = Script::threads(2);
    script.define("barrier", RegionRole::ImplicitBarrier, Paradigm::OpenMp);
    script.enter(0, 0, "main").call(0, 0, 300, "serial").fork(0, 300, 2);
    for (thread, begin, end) in [(0, 301, 500), (1, 310, 900)] {
        script.team_begin(thread, begin, 1);
        script.call(thread, begin, end, "work").call(thread, end, 905, "barrier").team_end(thread, 905, 1);
    }
    script.join(0, 905).leave(0, 1000, "main");
    let (trace, path) = path_of(&script);
    assert_eq!(path.length, 1000);
    let mut got = rows(&trace, &path);
    got.sort();
    let named = |path: &str, at, ticks| (path.to_owned(), at, ticks);
    let expected = [
        named("", 1, 10),
        named("main", 0, 95),
        named("main/barrier", 0, 5),
        named("main/serial", 0, 300),
        named("main/work", 1, 590),
    ];
    assert_eq!(got, expected);
}

/// Two processes of two threads. Masters: 100 and 60 of serial code, then a team that works (100, 60) and (40, 40), then
/// both synchronise. The path is all on the first thread.
#[test]
fn the_path_is_compared_with_the_mean_of_a_process_threads() {
    let mut script = Script::hybrid(&[2, 2]);
    script.define("barrier", RegionRole::ImplicitBarrier, Paradigm::OpenMp);
    for (master, team, serial, works) in [(0, 1, 100, [100, 60]), (2, 2, 60, [40, 40])] {
        let end = serial + works[0];
        script.call(master, 0, serial, "serial").fork(master, serial, 2);
        for (thread, work) in works.into_iter().enumerate() {
            let location = master + thread;
            script.team_begin(location, serial, team).call(location, serial, serial + work, "work");
            script.call(location, serial + work, end, "barrier").team_end(location, end, team);
        }
        script.join(master, end).barrier(master, end, 210);
    }
    let (trace, path) = path_of(&script);
    assert_eq!(path.length, 210);
    let imbalance_of =
        |name: &str| *path.imbalance.iter().find(|row| trace.path_name(row.path) == name).unwrap();
    let (serial, work) = (imbalance_of("serial"), imbalance_of("work"));
    // 100 and 60 of serial code, its workers having none; the teams work 80 and 40 on average.
    assert_eq!((serial.on_path, serial.excess, serial.critical), (100, 20.0, 40));
    assert_eq!((work.on_path, work.excess, work.critical), (100, 40.0, 20 + 60));
    assert_eq!((serial.inter_partition, work.inter_partition, work.non_critical), (0, 0, 0));
}
