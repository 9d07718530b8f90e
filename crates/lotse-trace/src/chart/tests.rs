//! Charts of small runs, worked out by hand.

use lotse_model::id::LocationId;
use lotse_model::progress::check_interruptions;
use lotse_model::rule::Thresholds;
use lotse_model::work::Sequential;

use super::columns::Columns;
use super::{ChartAnswer, ChartColumns, ChartIndex, ChartPiece, View, cells, chart, lanes};
use crate::critical::critical_path;
use crate::filter::Filter;
use crate::fixture::Script;

mod brute_force;

fn drawn(script: &Script, view: View) -> ChartAnswer {
    let trace = script.trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    chart(&trace, &waits, &critical_path(&trace, &waits), (view, &Filter::default()), &Sequential)
}

/// Rank 0 computes 700 and sends; rank 1 waits for it from 300 on, receives until 720 and computes until 1000.
fn late_sender() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 0, 700, "work").send(0, 700, 705, 1, 0).leave(0, 800, "main");
    script.enter(1, 0, "main").call(1, 0, 300, "work").recv(1, 300, 720, 0, 0).call(1, 720, 1000, "work");
    script.leave(1, 1000, "main");
    script
}

fn spans(chart: &ChartAnswer, lane: usize) -> Vec<(u32, u32, &str)> {
    let name = |region: u32| chart.regions[region as usize].name.as_str();
    chart.lanes[lane].spans.iter().map(|span| (span.from, span.to, name(span.region))).collect()
}

#[test]
fn a_late_sender_column_by_column() {
    let chart = drawn(&late_sender(), View { columns: 10, ..View::default() });
    assert_eq!((chart.begin, chart.end, chart.columns), (0.0, 1.0, 10));
    assert_eq!(spans(&chart, 0), [(0, 7, "work"), (7, 8, "main")]);
    assert_eq!(spans(&chart, 1), [(0, 3, "work"), (3, 7, "MPI_Recv"), (7, 10, "work")]);
    assert_eq!(chart.lanes[1].waits, [ChartColumns { from: 3, to: 7 }]);
    assert!(chart.lanes[0].waits.is_empty());
    let path = [ChartPiece { lane: 0, from: 0, to: 7 }, ChartPiece { lane: 1, from: 7, to: 10 }];
    assert_eq!(chart.critical_path, path);
    let [message] = chart.messages[..] else { panic!("{:?}", chart.messages) };
    assert_eq!((message.from_lane, message.to_lane, message.count, chart.message_count), (0, 1, 1, 1));
    assert!(message.sent >= 0.7 && message.sent <= 0.705 && message.received <= 0.72, "{message:?}");
    assert_eq!((chart.regions[0].name.as_str(), chart.regions[0].cells), ("work", 13));
}

#[test]
fn a_part_of_the_run_is_shown_in_more_detail() {
    let view = View { from: 690, to: 730, columns: 8, ..View::default() };
    let chart = drawn(&late_sender(), view);
    assert_eq!((chart.begin, chart.end), (0.69, 0.73));
    assert_eq!(spans(&chart, 0), [(0, 2, "work"), (2, 3, "MPI_Send"), (3, 8, "main")]);
    assert_eq!(spans(&chart, 1), [(0, 6, "MPI_Recv"), (6, 8, "work")]);
    assert_eq!(chart.lanes[1].waits, [ChartColumns { from: 0, to: 2 }]);
}

#[test]
fn many_locations_are_drawn_in_groups() {
    let mut script = Script::processes(5);
    for rank in 0..5 {
        script.call(rank, 0, if rank < 2 { 100 } else { 10 }, "work");
    }
    let chart = drawn(&script, View { columns: 10, lanes: 3, ..View::default() });
    let names: Vec<&str> = chart.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["rank 0 to rank 1 (2)", "rank 2 to rank 3 (2)", "rank 4"]);
    assert_eq!(spans(&chart, 0), [(0, 10, "work")]);
    assert_eq!(spans(&chart, 2), [(0, 1, "work")]);
}

#[test]
fn a_window_beyond_the_run_is_empty_and_harmless() {
    for (from, to) in [(5000, 6000), (900, 100), (1000, 1000)] {
        let chart = drawn(&late_sender(), View { from, to, ..View::default() });
        assert!(chart.columns >= 1 && chart.end > chart.begin, "{chart:?}");
    }
    let nothing = drawn(&Script::processes(1), View::default());
    assert!(nothing.lanes.is_empty() && nothing.critical_path.is_empty());
}

/// Every part of a chart is what all events, looked at one by one, give.
#[test]
fn charts_agree_with_all_events() {
    let trace = Script::ring(400).trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let path = critical_path(&trace, &waits);
    let index = ChartIndex::new(&trace, &waits, &Sequential);
    let end = trace.runtime();
    let hides = Filter { exclude: vec!["f1".to_owned()], ..Filter::default() };
    for (from, to) in
        [(0, end), (12_345, end - 7), (100_000, 180_001), (5_000, 9_000), (777, 790), (end - 3, end)]
    {
        for (columns, most, filter) in [
            (1, 200, &Filter::default()),
            (97, 200, &hides),
            (1400, 200, &Filter::default()),
            (300, 2, &hides),
        ] {
            let view = View { from, to, columns, lanes: most, ..View::default() };
            let what = format!("{view:?} {}", filter.options());
            let columns = Columns::new(&trace, &view);
            let (answer, _) = index.chart((&trace, &path), (view, filter), &Sequential);
            let lanes = lanes::lanes(&index, most);
            let drawn = filter.drawn(&trace);
            for lane in &lanes {
                let cells = cells::cells((&trace, &drawn), &index, &columns, lane);
                let (regions, waiting, hidden) = brute_force::cells((&trace, &drawn), &waits, &columns, lane);
                assert!(cells.regions == regions, "{what}: {}", lane.name);
                assert!(cells.waits == waiting, "{what}: waits of {}", lane.name);
                assert_eq!(cells.hidden, hidden, "{what}");
            }
            let rows = lanes::rows(&trace, &lanes);
            assert_eq!(
                (answer.messages, answer.message_count),
                brute_force::messages(&trace, &columns, &rows),
                "{what}"
            );
            assert_eq!(answer.critical_path, brute_force::pieces(&path, &columns, &rows), "{what}");
        }
    }
}

/// Lanes that are asked for alone are those of the whole chart, with the messages that they send or receive.
#[test]
fn some_lanes_are_those_of_the_whole_chart() {
    let trace = Script::ring(60).trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let path = critical_path(&trace, &waits);
    let index = ChartIndex::new(&trace, &waits, &Sequential);
    let ask = |drawn| {
        let view = View { columns: 50, drawn, ..View::default() };
        index.chart((&trace, &path), (view, &Filter::default()), &Sequential)
    };
    let (all, count) = ask(0..usize::MAX);
    let (some, same) = ask(1..3);
    assert_eq!((count, same, some.lanes.len()), (4, 4, 2));
    for (lane, whole) in [(0, 1), (1, 2)] {
        assert_eq!(some.lanes[lane].name, all.lanes[whole].name);
        assert_eq!(spans(&some, lane), spans(&all, whole));
        assert_eq!(some.lanes[lane].waits, all.lanes[whole].waits);
    }
    let touching =
        all.messages.iter().filter(|it| [it.from_lane, it.to_lane].iter().any(|lane| (1..3).contains(lane)));
    assert_eq!(some.messages, touching.copied().collect::<Vec<_>>());
    assert_eq!(some.critical_path, all.critical_path);
    let (none, _) = ask(9..12);
    assert!(none.lanes.is_empty() && none.messages.is_empty() && none.message_count == 0);
}

#[test]
fn a_chart_that_nobody_waits_for_is_not_drawn() {
    let trace = Script::ring(300).trace();
    let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
    let (path, index) = (critical_path(&trace, &waits), ChartIndex::new(&trace, &waits, &Sequential));
    check_interruptions("index", || {
        ChartIndex::new(&trace, &waits, &Sequential).label(LocationId(0)).to_owned()
    });
    for merged in [1, 200] {
        let view = View { columns: 100, lanes: merged, ..View::default() };
        let drawn = || index.chart((&trace, &path), (view.clone(), &Filter::default()), &Sequential);
        check_interruptions("chart", drawn);
    }
}
