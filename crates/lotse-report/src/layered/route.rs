//! The ways of links along their bends, from a place at the bottom of a box to one at the top of another.

use super::place::Coordinates;
use super::proper::{Chain, LABEL_GAP, LOOP, ProperGraph};
use super::{Course, GraphLayout, Link, Route, Size};

/// Between links where they leave a box.
const PORT_GAP: f64 = 16.0;

pub(super) fn layout(nodes: &[Size], links: &[Link], graph: &ProperGraph, places: &Coordinates) -> GraphLayout {
    let mut layout = GraphLayout::default();
    let y = |node: usize| {
        let (top, bottom) = places.rows[graph.vertices[node].row];
        (top + bottom) / 2.0
    };
    layout.centres = (0..nodes.len()).map(|node| (places.x[node], y(node))).collect();
    let leaving = Ports::new(nodes, graph, places, |chain| (chain.vertices[0], chain.vertices[1]));
    let entering = Ports::new(nodes, graph, places, |chain| {
        let end = chain.vertices.len() - 1;
        (chain.vertices[end], chain.vertices[end - 1])
    });
    for (i, link) in links.iter().enumerate() {
        let route = match &graph.chains[i] {
            Some(chain) => {
                let ends = (leaving.x[i], entering.x[i]);
                Some(along(link, chain, ends, (nodes, graph, places), &layout.centres))
            }
            None if link.from == link.to && link.from < nodes.len() => {
                Some(around(nodes[link.from], layout.centres[link.from]))
            }
            None => None,
        };
        layout.routes.push(route);
    }
    at_origin(layout, graph, places)
}

/// Where links touch one side of their boxes: side by side, in the order in which they go on.
struct Ports {
    /// By link.
    x: Vec<f64>,
}

impl Ports {
    fn new(nodes: &[Size], graph: &ProperGraph, places: &Coordinates, end: impl Fn(&Chain) -> (usize, usize)) -> Self {
        let mut by_node: Vec<Vec<(f64, usize)>> = vec![Vec::new(); nodes.len()];
        for (link, chain) in graph.chains.iter().enumerate() {
            if let Some((node, next)) = chain.as_ref().map(&end) {
                by_node[node].push((places.x[next], link));
            }
        }
        let mut x = vec![0.0; graph.chains.len()];
        for (node, mut ports) in by_node.into_iter().enumerate() {
            ports.sort_by(|a, b| a.0.total_cmp(&b.0));
            let gap = PORT_GAP.min(0.8 * nodes[node].width / ports.len().max(1) as f64);
            let first = places.x[node] - gap * (ports.len().max(1) - 1) as f64 / 2.0;
            ports.iter().enumerate().for_each(|(i, (_, link))| x[*link] = first + gap * i as f64);
        }
        Self { x }
    }
}

fn along(
    link: &Link,
    chain: &Chain,
    (start, end): (f64, f64),
    (nodes, graph, places): (&[Size], &ProperGraph, &Coordinates),
    centres: &[(f64, f64)],
) -> Route {
    let (upper, lower) = (chain.vertices[0], chain.vertices[chain.vertices.len() - 1]);
    let row = |vertex: usize| places.rows[graph.vertices[vertex].row];
    // Straight through each row: what stands beside a bend has left it that much room, and no more.
    let bottom = (centres[upper].1 + nodes[upper].height / 2.0).min(row(upper).1);
    let top = (centres[lower].1 - nodes[lower].height / 2.0).max(row(lower).0);
    let mut points = vec![(start, bottom), (start, row(upper).1)];
    for &bend in &chain.vertices[1..chain.vertices.len() - 1] {
        points.extend([(places.x[bend], row(bend).0), (places.x[bend], row(bend).1)]);
    }
    points.extend([(end, row(lower).0), (end, top)]);
    points.dedup();
    let label = chain.labelled.map_or_else(
        || ((start + end) / 2.0, (row(upper).1 + row(lower).0) / 2.0),
        |bend| (places.x[bend], (row(bend).0 + row(bend).1) / 2.0),
    );
    let course = if upper == link.from { Course::Down } else { Course::Up };
    if course == Course::Up {
        points.reverse();
    }
    Route { points, label: (label.0 + LABEL_GAP, label.1), course }
}

fn around(node: Size, (x, y): (f64, f64)) -> Route {
    let (side, quarter) = (x + node.width / 2.0, node.height / 4.0);
    let points = vec![(side, y - quarter), (side + LOOP, y), (side, y + quarter)];
    Route { points, label: (side + LOOP + LABEL_GAP, y), course: Course::Loop }
}

/// Moves all of it to the right of nought.
fn at_origin(mut layout: GraphLayout, graph: &ProperGraph, places: &Coordinates) -> GraphLayout {
    let sides = graph.vertices.iter().zip(&places.x);
    let (low, high) = sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (vertex, x)| {
        (low.min(x - vertex.left), high.max(x + vertex.right))
    });
    let height = places.rows.last().map_or(0.0, |row| row.1);
    layout.size = Size { width: (high - low).max(0.0), height };
    layout.centres.iter_mut().for_each(|centre| centre.0 -= low);
    for route in layout.routes.iter_mut().flatten() {
        route.points.iter_mut().for_each(|point| point.0 -= low);
        route.label.0 -= low;
    }
    layout
}
