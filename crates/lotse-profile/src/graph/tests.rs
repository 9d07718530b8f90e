//! What a graph shows and what it leaves out.

use lotse_report::svg::CallGraph;

use super::{GraphQuery, graph};
use crate::analysis::tests::summed;
use crate::analysis::{Analysis, Grouping, Way};
use crate::events::EventTypes;
use crate::names::find;

/// Boxes, and arrows between them.
fn drawn(start: Option<&str>, group: Option<Grouping>, node_share: f64) -> (Vec<String>, Vec<String>) {
    let profile = summed(
        &[("main", 100), ("a", 300), ("b", 500), ("leaf", 90), ("rare", 10)],
        &[
            ("main", "a", 1, 890),
            ("a", "b", 5, 800),
            ("b", "a", 4, 700),
            ("b", "leaf", 7, 90),
            ("main", "rare", 1, 10),
        ],
    );
    let columns = EventTypes::new(&profile, &[]).unwrap().own();
    let analysis = Analysis::of_default_parts(&profile, Way::Folded);
    let start = start.map(|start| find(&analysis, start).unwrap().function);
    let query = GraphQuery { column: &columns[0], start, depth: None, node_share, edge_share: 0.005, group };
    let drawn = graph(&analysis, &query, "test").unwrap();
    assert_eq!(drawn.pictured().nodes.last().unwrap().label, "Ir: 1,000 in all");
    let CallGraph { nodes, edges } = drawn.graph;
    let name = |at: usize| nodes[at].label.as_str();
    let arrows =
        edges.iter().map(|edge| format!("{} > {} {:.2}", name(edge.from), name(edge.to), edge.share));
    let marked = |mark: bool, name: &str| if mark { format!("{name}*") } else { name.to_owned() };
    (nodes.iter().map(|node| marked(node.is_cycle, &node.label)).collect(), arrows.collect())
}

#[test]
fn what_costs_too_little_is_left_out() {
    let (boxes, arrows) = drawn(None, None, 0.02);
    assert_eq!(boxes, ["main", "a*", "b*", "leaf"]);
    assert_eq!(arrows, ["main > a 0.89", "a > b 0.80", "b > a 0.70", "b > leaf 0.09"]);
    assert_eq!(drawn(None, None, 0.001).0.len(), 5);
}

#[test]
fn a_cycle_can_be_one_box() {
    let (boxes, arrows) = drawn(None, Some(Grouping::Cycle), 0.02);
    assert_eq!(boxes, ["main", "<cycle 1>*", "leaf"]);
    assert_eq!(arrows, ["main > <cycle 1> 0.89", "<cycle 1> > leaf 0.09"]);
}

#[test]
fn around_a_function_are_its_callers_and_callees() {
    let (boxes, arrows) = drawn(Some("rare"), None, 0.02);
    assert_eq!((boxes, arrows), (vec!["main".into(), "rare".into()], vec!["main > rare 0.01".into()]));
    let (boxes, _) = drawn(Some("leaf"), None, 0.02);
    assert_eq!(boxes, ["main", "a*", "b*", "leaf"]);
}
