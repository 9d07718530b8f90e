//! Frames, tiles and boxes of a small profile, computed by hand.

use lotse_model::Profile;

use super::{FlameAnswer, answer};
use crate::analysis::tests::stacked;
use crate::analysis::{Analysis, CycleMode};
use crate::events::EventTypes;
use crate::graph::GraphQuery;
use crate::unfold::{Direction, Limits, UnfoldQuery};
use crate::{graph, treemap};

/// main calls a (60, of them 20 in c) and b (40).
fn profile() -> Profile {
    stacked(&[("main;a", 40), ("main;a;c", 20), ("main;b", 40)])
}

fn flame_of(direction: Direction) -> FlameAnswer {
    let profile = profile();
    let columns = EventTypes::new(&profile, &[]).unwrap().own();
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let query = UnfoldQuery { start: None, direction, weight: &columns[0], limits: Limits::default() };
    answer(&analysis, &query).unwrap()
}

/// `name depth start share parent` of each frame.
fn shown(answer: &FlameAnswer) -> Vec<String> {
    let name = |index: usize| answer.functions[answer.frames[index].function].label.as_str();
    let line = |(index, frame): (usize, &super::FrameAnswer)| {
        let parent = frame.parent.map_or("-", name);
        format!("{} {} {:.2} {:.2} {parent}", name(index), frame.depth, frame.start, frame.share)
    };
    answer.frames.iter().enumerate().map(line).collect()
}

#[test]
fn frames_are_above_their_callers() {
    let answer = flame_of(Direction::Callees);
    assert_eq!(
        shown(&answer),
        ["main 0 0.00 1.00 -", "a 1 0.00 0.60 main", "c 2 0.00 0.20 a", "b 1 0.60 0.40 main"]
    );
    assert_eq!(answer.frames[1].own.as_f64(), 40.0);
    assert_eq!(answer.whole.as_f64(), 100.0);
}

#[test]
fn towards_callers_self_costs_come_first() {
    let shown = shown(&flame_of(Direction::Callers));
    let roots: Vec<&String> = shown.iter().filter(|line| line.ends_with(" -")).collect();
    assert_eq!(roots.len(), 3, "{shown:?}");
    assert!(shown.contains(&"main 2 0.80 0.20 a".to_owned()), "{shown:?}");
}

#[test]
fn tiles_fill_the_area_and_lie_in_their_callers() {
    let profile = profile();
    let columns = EventTypes::new(&profile, &[]).unwrap().own();
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let query = UnfoldQuery {
        start: None,
        direction: Direction::Callees,
        weight: &columns[0],
        limits: Limits::default(),
    };
    let answer = treemap::answer(&analysis, &query, (400.0, 300.0)).unwrap();
    let main = &answer.tiles[0];
    assert_eq!((main.x, main.y, main.width, main.height), (0.0, 0.0, 400.0, 300.0));
    for tile in &answer.tiles {
        let Some(outer) = tile.parent.map(|parent| &answer.tiles[parent]) else { continue };
        assert!(tile.x >= outer.x && tile.x + tile.width <= outer.x + outer.width);
        assert!(tile.y >= outer.y && tile.y + tile.height <= outer.y + outer.height);
    }
    assert_eq!(answer.tiles.len(), 4);
}

#[test]
fn boxes_do_not_overlap_and_arrows_lead_from_caller_to_callee() {
    let profile = profile();
    let columns = EventTypes::new(&profile, &[]).unwrap().own();
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let query = GraphQuery {
        column: &columns[0],
        start: None,
        depth: None,
        node_share: 0.3,
        edge_share: 0.0,
        nodes: Some(100),
        group: None,
    };
    let answer = graph::answer(&analysis, &query).unwrap();
    let names: Vec<&str> = answer.nodes.iter().map(|node| node.label.as_str()).collect();
    assert_eq!(names, ["main", "a", "b"]);
    assert_eq!(answer.hidden.functions, 1);
    for edge in &answer.edges {
        let (from, to) = (&answer.nodes[edge.from], &answer.nodes[edge.to]);
        assert!(from.y + from.height < to.y, "{edge:?}");
        assert_eq!(edge.course, "down");
    }
    assert_eq!(answer.edges.len(), 2);
}
