//! What a graph shows and hides.

use lotse_report::svg::CallGraph;

use super::{Graph, GraphQuery, graph};
use crate::analysis::tests::summed;
use crate::analysis::{Analysis, CycleMode, Grouping};
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
    let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
    let start = start.map(|start| find(&analysis, start).unwrap().function);
    let query = GraphQuery {
        column: &columns[0],
        start,
        depth: None,
        node_share,
        edge_share: 0.005,
        nodes: Some(100),
        group,
    };
    let drawn = graph(&analysis, &query, "test").unwrap();
    assert_eq!(drawn.with_legend().nodes.last().unwrap().label, "Ir: 1,000 in all");
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

/// A recursion of two levels, and a cycle whose calls are counted repeatedly.
fn recursive() -> lotse_model::Profile {
    summed(
        &[("main", 10), ("fac", 20), ("fac'2", 470), ("eval", 300), ("apply", 195), ("cheap", 5)],
        &[
            ("main", "fac", 1, 490),
            ("fac", "fac'2", 1, 470),
            ("fac'2", "fac'2", 50, 9000),
            ("main", "eval", 1, 500),
            ("eval", "apply", 40, 7000),
            ("apply", "eval", 39, 6900),
            ("apply", "cheap", 2, 1),
            ("cheap", "eval", 2, 800),
        ],
    )
}

fn graph_of(profile: &lotse_model::Profile, node_share: f64, nodes: Option<usize>) -> Graph {
    let columns = EventTypes::new(profile, &[]).unwrap().own();
    let analysis = Analysis::of_default_parts(profile, CycleMode::Folded);
    let query = GraphQuery {
        column: &columns[0],
        start: None,
        depth: None,
        node_share,
        edge_share: 0.005,
        nodes,
        group: None,
    };
    graph(&analysis, &query, "test").unwrap()
}

fn boxes(graph: &Graph) -> Vec<(&str, &str, &str)> {
    let nodes = graph.graph.nodes.iter();
    nodes.map(|node| (&*node.label, &*node.details[0], &*node.details[1])).collect()
}

#[test]
fn levels_of_recursion_are_drawn_with_their_function() {
    let graph = graph_of(&recursive(), 0.01, None);
    let expected = [
        ("main", "incl. 100.0 % · 1,000", "self 1.0 % · 10"),
        ("fac", "incl. 49.0 % · 490", "self, all levels: 49.0 % · 490"),
        // 500 enter the cycle there; which member spends them is unknown.
        ("eval", "incl. 50.0 % · 500", "self 30.0 % · 300"),
        ("apply", "incl. ≥ 19.5 % · 195", "self 19.5 % · 195"),
    ];
    assert_eq!(boxes(&graph), expected);
    assert!(graph.graph.nodes[1].is_cycle);
}

#[test]
fn calls_inside_a_cycle_cost_no_more_than_the_cycle() {
    let graph = graph_of(&recursive(), 0.01, None).graph;
    let arrow = |from: &str, to: &str| {
        let named = |at: usize, name: &str| graph.nodes[at].label == name;
        graph.edges.iter().find(|edge| named(edge.from, from) && named(edge.to, to)).unwrap()
    };
    assert_eq!(arrow("fac", "fac").label, "≤ 49.0 %");
    assert_eq!(arrow("fac", "fac").count, Some(51));
    assert_eq!(arrow("eval", "apply").label, "≤ 50.0 %");
    assert_eq!((arrow("main", "eval").label.as_str(), arrow("main", "eval").share), ("", 0.5));
    assert!(graph.edges.iter().all(|edge| edge.share <= 1.0), "{graph:?}");
}

#[test]
fn the_threshold_holds_for_members_of_a_cycle() {
    // Calls back into the cycle cost 800, but its self cost is 5.
    let names = |graph: &Graph| graph.graph.nodes.iter().map(|node| node.label.clone()).collect::<Vec<_>>();
    assert_eq!(names(&graph_of(&recursive(), 0.01, None)), ["main", "fac", "eval", "apply"]);
    assert_eq!(names(&graph_of(&recursive(), 0.005, None)), ["main", "fac", "eval", "apply", "cheap"]);
}

#[test]
fn the_costliest_functions_are_drawn_and_hidden_ones_are_counted() {
    let graph = graph_of(&recursive(), 0.01, Some(2));
    assert_eq!(boxes(&graph).iter().map(|it| it.0).collect::<Vec<_>>(), ["main", "eval"]);
    let legend = graph.with_legend().nodes.pop().unwrap();
    let expected = [
        "functions ≥ 1 %, at most 2",
        "calls ≥ 0.5 %",
        "hidden: 3 functions",
        "(69.0 % of self cost), 6 calls",
    ];
    assert_eq!(legend.details, expected);
    assert!(graph.title.contains("hidden: 3 functions, (69.0 % of self cost)"), "{}", graph.title);
    let expected = "the graph hides 3 functions with 69.0 % of the self cost, and 6 calls; --nodes 0 shows more, with \
                    --to dot all of them";
    assert_eq!(graph.hidden.as_deref(), Some(expected));
    let all = graph_of(&recursive(), 0.0, None).hidden;
    assert_eq!(all.as_deref(), Some("the graph hides 1 call; --edge-share 0 shows all"));
}
