use lotse_model::rule::Thresholds;
use lotse_model::work::Sequential;

use super::{Change, Graph, WHOLE, longest};
use crate::critical::critical_path;
use crate::fixture::Script;
use crate::store::Trace;
use crate::waits::Waits;

fn opened(script: &Script) -> (Trace, Waits, Graph) {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let graph = Graph::new(&trace, &waits);
    (trace, waits, graph)
}

/// Two phases with barriers: (800, 500), then (400, 900).
fn phases() -> Script {
    let mut script = Script::processes(2);
    for (rank, first, second) in [(0, 800, 400), (1, 500, 900)] {
        script.enter(rank, 0, "main").call(rank, 0, first, "a").barrier(rank, first, 800);
        script.call(rank, 800, 800 + second, "b").barrier(rank, 800 + second, 1700).leave(rank, 1700, "main");
    }
    script
}

fn length(script: &Script, change: &Change) -> u64 {
    let (trace, _, graph) = opened(script);
    graph.run(&trace, std::slice::from_ref(change))[0].length
}

fn scaled(script: &Script, path: &str, factor: u32) -> u64 {
    let (trace, _, graph) = opened(script);
    let change = Change::scaled(trace.paths_named(path), factor);
    graph.run(&trace, &[change])[0].length
}

#[test]
fn without_a_change_nothing_changes() {
    assert_eq!(length(&phases(), &Change::none()), 1700);
}

#[test]
fn a_phase_that_vanishes_leaves_the_other() {
    assert_eq!(scaled(&phases(), "main/a", 0), 900);
    assert_eq!(scaled(&phases(), "main/b", 0), 800);
    assert_eq!(scaled(&phases(), "main/a", WHOLE / 2), 400 + 900);
    assert_eq!(scaled(&phases(), "main/b", 2 * WHOLE), 800 + 1800);
}

#[test]
fn changes_do_not_disturb_each_other() {
    let (trace, _, graph) = opened(&phases());
    let of = |name: &str, factor| Change::scaled(trace.paths_named(name), factor);
    let mut changes = vec![Change::none(), of("main/a", 0), of("main/b", 0)];
    changes.extend((0..9).map(|tenth| of("main/a", tenth * WHOLE / 10)));
    let lengths: Vec<u64> = graph.run(&trace, &changes).iter().map(|it| it.length).collect();
    let alone: Vec<u64> =
        changes.iter().map(|change| graph.run(&trace, std::slice::from_ref(change))[0].length).collect();
    assert_eq!(lengths, alone);
    assert_eq!(lengths[..3], [1700, 900, 800]);
}

/// Rank 0 works 700 and sends, rank 1 works 300, waits, receives until 720 and works 280 more.
fn late_sender() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 705, 1, 0).leave(0, 800, "main");
    script.enter(1, 0, "main").call(1, 0, 300, "own").recv(1, 300, 720, 0, 0).call(1, 720, 1000, "rest");
    script.leave(1, 1000, "main");
    script
}

#[test]
fn a_receive_ends_with_its_message_or_its_own_work() {
    assert_eq!(scaled(&late_sender(), "main/work", WHOLE / 2), 350 + 20 + 280);
    // From then on the receiver's own work bounds the run.
    assert_eq!(scaled(&late_sender(), "main/work", 0), 300 + 20 + 280);
    assert_eq!(scaled(&late_sender(), "main/own", 0), 1000);
}

#[test]
fn an_ideal_network_takes_no_time() {
    assert_eq!(length(&late_sender(), &Change::ideal_network()), 700 + 280);
}

#[test]
fn messages_can_take_longer_but_not_less_than_nothing() {
    assert_eq!(length(&late_sender(), &Change { latency: 50, ..Change::none() }), 1050);
    assert_eq!(length(&late_sender(), &Change { latency: -5, ..Change::none() }), 995);
    assert_eq!(length(&late_sender(), &Change { latency: -500, ..Change::none() }), 980);
}

#[test]
fn a_wait_can_be_removed() {
    let (trace, waits, graph) = opened(&late_sender());
    let removed = waits.by_location.iter().flatten().map(|wait| wait.call).collect();
    assert_eq!(graph.run(&trace, &[Change { removed, ..Change::none() }])[0].length, 800);
}

#[test]
fn the_nearest_rival_is_found_with_the_critical_path_gone() {
    let (trace, waits, graph) = opened(&late_sender());
    let spans = critical_path(&trace, &waits).segments;
    let rival = longest(&graph, &trace, &Change { spans, ..Change::none() });
    // Rank 1's own 300, then the transfer and the rest, which are on the path already; rank 0 after its send: 100.
    assert_eq!(rival.length, 300);
    let names: Vec<(String, u64)> =
        rival.rows.iter().map(|row| (trace.path_name(row.path), row.ticks)).collect();
    assert_eq!(names, [("main/own".to_owned(), 300)]);
}

#[test]
fn a_circle_is_cut_and_told() {
    // Each receives before it sends: only possible with wrong records, and played to the end all the same.
    let mut script = Script::processes(2);
    for rank in [0, 1] {
        let peer = 1 - rank as u32;
        script
            .enter(rank, 0, "main")
            .recv(rank, 10, 20, peer, 0)
            .send(rank, 30, 40, peer, 0)
            .leave(rank, 50, "main");
    }
    let (trace, _, graph) = opened(&script);
    let outcome = &graph.run(&trace, &[Change::none()])[0];
    assert!(outcome.cut > 0);
    assert!(outcome.length >= 50);
}
