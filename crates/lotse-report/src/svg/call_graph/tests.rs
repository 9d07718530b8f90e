//! Call graphs are well-formed, inside the picture, and state what they leave out.

use super::super::tests::{is_inside, labels};
use super::selection::{MOST_BOXES, MOST_EDGES};
use super::{CallEdge, CallGraph, CallNode, call_graph};
use expect_test::expect_file;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Strategy, any, prop_assert, prop_oneof, proptest};

fn node(label: &str, share: f64) -> CallNode {
    CallNode { label: label.into(), details: vec![format!("{share} s")], share, is_cycle: false }
}

fn edge(from: usize, to: usize, share: f64) -> CallEdge {
    CallEdge { from, to, label: String::new(), share, count: Some(1000) }
}

#[test]
fn a_small_call_graph_is_as_expected() {
    let mut nodes = vec![node("main", 1.0), node("<T as Iterator>::fold & \"more\"", 0.6), node("walk", 0.3)];
    nodes[2].is_cycle = true;
    let edges = vec![edge(0, 1, 0.6), edge(1, 2, 0.3), edge(2, 0, 0.0), edge(2, 2, 0.1), edge(0, 7, 1.0)];
    let svg = call_graph(&labels(), &CallGraph { nodes, edges });
    assert!(is_inside(&svg));
    expect_file!["../../../tests/golden/call_graph.svg"].assert_eq(svg.as_str());
}

#[test]
fn a_large_graph_is_truncated_with_a_note() {
    let nodes: Vec<CallNode> = (0..2000).map(|i| node(&format!("f{i}"), f64::from(i) / 2000.0)).collect();
    let edges = (0..2000).flat_map(|i| (1..5).map(move |k| edge(i, (i * k + k) % 2000, 0.1))).collect();
    let svg = call_graph(&labels(), &CallGraph { nodes, edges });
    let text = svg.as_str();
    assert!(text.contains(">f1999</text>") && !text.contains(">f998</text>"));
    assert!(text.contains(&format!("not shown: {} functions", 2000 - MOST_BOXES)));
    assert!(text.matches("<path").count() <= MOST_EDGES);
}

#[test]
fn an_empty_picture_says_no_values() {
    let graph = CallGraph { nodes: vec![], edges: vec![edge(0, 0, 1.0)] };
    assert!(call_graph(&labels(), &graph).as_str().contains(">no values</text>"));
}

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![6 => 0.0..1.0f64, 1 => any::<f64>()]
}

pub(crate) fn graphs() -> impl Strategy<Value = CallGraph> {
    let node = ("\\PC{0,60}", vec("\\PC{0,50}", 0..6), share(), any::<bool>());
    let node =
        node.prop_map(|(label, details, share, is_cycle)| CallNode { label, details, share, is_cycle });
    let edge = (0..14usize, 0..14usize, "\\PC{0,40}", share(), option::of(any::<u64>()));
    let edge = edge.prop_map(|(from, to, label, share, count)| CallEdge { from, to, label, share, count });
    (vec(node, 0..12), vec(edge, 0..30)).prop_map(|(nodes, edges)| CallGraph { nodes, edges })
}

proptest! {
    #[test]
    fn call_graphs_stay_in_their_picture(graph in graphs()) {
        prop_assert!(is_inside(&call_graph(&labels(), &graph)));
    }
}
