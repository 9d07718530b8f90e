//! A small chart is as expected, and very large and degenerate charts can be drawn.

use super::super::tests::{is_inside, labels};
use super::{TimeArrow, TimeChart, TimeLane, TimeSpan, time_chart};
use expect_test::expect_file;

fn span(from: u32, to: u32, key: u32) -> TimeSpan {
    TimeSpan { from, to, key }
}

fn small() -> TimeChart<'static> {
    TimeChart {
        begin: 0.0,
        end: 1.0,
        columns: 10,
        keys: vec!["work", "MPI_Recv", "main <b>"],
        lanes: vec![
            TimeLane { name: "rank 0", spans: vec![span(0, 7, 0), span(7, 8, 2)], hatched: vec![] },
            TimeLane {
                name: "rank 1",
                spans: vec![span(0, 3, 0), span(3, 7, 1), span(7, 10, 0)],
                hatched: vec![(3, 7)],
            },
        ],
        arrows: vec![TimeArrow { from: (0.7, 0), to: (0.72, 1) }],
        path: vec![(0, 0, 7), (1, 7, 10)],
        note: "1 message".to_owned(),
    }
}

#[test]
fn a_small_chart_is_as_expected() {
    let svg = time_chart(&labels(), &small());
    assert!(is_inside(&svg));
    expect_file!["../../../tests/golden/time_chart.svg"].assert_eq(svg.as_str());
}

#[test]
fn many_lanes_and_keys_share_names_and_colours() {
    let names: Vec<String> = (0..200).map(|i| format!("region {i}")).collect();
    let lanes = (0..200).map(|i| TimeLane {
        name: &names[i],
        spans: (0..1000).map(|column| span(column, column + 1, (column + i as u32) % 200)).collect(),
        hatched: vec![],
    });
    let chart = TimeChart {
        begin: 0.0,
        end: 1.0,
        columns: 1000,
        keys: names.iter().map(String::as_str).collect(),
        lanes: lanes.collect(),
        ..TimeChart::default()
    };
    let svg = time_chart(&labels(), &chart);
    assert!(svg.as_str().contains(">189 others</text>"));
    assert!(svg.as_str().len() < 30_000_000 && is_inside(&svg));
}

#[test]
fn nothing_and_nonsense_are_drawn_as_nothing() {
    let nonsense = [
        TimeChart::default(),
        TimeChart { end: f64::NAN, ..small() },
        TimeChart { columns: 0, ..small() },
        TimeChart { lanes: vec![], ..small() },
    ];
    for chart in &nonsense {
        assert!(time_chart(&labels(), chart).as_str().contains(">no values</text>"));
    }
    let mut beyond = small();
    beyond.path.push((99, 500, 900));
    beyond.lanes[0].spans.push(span(50, 60, 77));
    beyond.arrows.push(TimeArrow { from: (-5.0, 7), to: (f64::INFINITY, 0) });
    assert!(is_inside(&time_chart(&labels(), &beyond)));
}
