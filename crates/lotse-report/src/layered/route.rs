//! The routes of links along their bends, from a port at the bottom of a box to a port at the top of another.

use super::place::Coordinates;
use super::proper::{Chain, LABEL_GAP, LOOP, ProperGraph};
use super::{Course, GraphLayout, Link, Route, Size};

/// The distance of neighbouring ports.
const PORT_GAP: f64 = 16.0;

/// The finished layout: centres of nodes and routes of links, moved so that the upper left corner is the origin.
pub(super) fn layout(
    nodes: &[Size],
    links: &[Link],
    graph: &ProperGraph,
    coordinates: &Coordinates,
) -> GraphLayout {
    let mut layout = GraphLayout::default();
    let y = |node: usize| {
        let (top, bottom) = coordinates.rows[graph.vertices[node].row];
        (top + bottom) / 2.0
    };
    layout.centres = (0..nodes.len()).map(|node| (coordinates.x[node], y(node))).collect();
    let leaving = Ports::new(nodes, graph, coordinates, |chain| (chain.vertices[0], chain.vertices[1]));
    let entering = Ports::new(nodes, graph, coordinates, |chain| {
        let end = chain.vertices.len() - 1;
        (chain.vertices[end], chain.vertices[end - 1])
    });
    for (i, link) in links.iter().enumerate() {
        let route = match &graph.chains[i] {
            Some(chain) => {
                let ends = (leaving.x[i], entering.x[i]);
                Some(route_along_bends(link, chain, ends, (nodes, graph, coordinates), &layout.centres))
            }
            None if link.from == link.to && link.from < nodes.len() => {
                Some(loop_route(nodes[link.from], layout.centres[link.from]))
            }
            None => None,
        };
        layout.routes.push(route);
    }
    moved_to_origin(layout, graph, coordinates)
}

/// The points at which links touch the bottom or the top of their boxes.
struct Ports {
    /// The x coordinate for each link.
    x: Vec<f64>,
}

impl Ports {
    /// Puts the ports of a node side by side, sorted by the next vertex of each link. `end` returns the node and that next
    /// vertex of a chain.
    fn new(
        nodes: &[Size],
        graph: &ProperGraph,
        coordinates: &Coordinates,
        end: impl Fn(&Chain) -> (usize, usize),
    ) -> Self {
        let mut by_node: Vec<Vec<(f64, usize)>> = vec![Vec::new(); nodes.len()];
        for (link, chain) in graph.chains.iter().enumerate() {
            if let Some((node, next)) = chain.as_ref().map(&end) {
                by_node[node].push((coordinates.x[next], link));
            }
        }
        let mut x = vec![0.0; graph.chains.len()];
        for (node, mut ports) in by_node.into_iter().enumerate() {
            ports.sort_by(|a, b| a.0.total_cmp(&b.0));
            let gap = PORT_GAP.min(0.8 * nodes[node].width / ports.len().max(1) as f64);
            let first = coordinates.x[node] - gap * (ports.len().max(1) - 1) as f64 / 2.0;
            ports.iter().enumerate().for_each(|(i, (_, link))| x[*link] = first + gap * i as f64);
        }
        Self { x }
    }
}

/// The route of a link from the port at `start` through its bends to the port at `end`; reversed if the link closes a cycle.
fn route_along_bends(
    link: &Link,
    chain: &Chain,
    (start, end): (f64, f64),
    (nodes, graph, coordinates): (&[Size], &ProperGraph, &Coordinates),
    centres: &[(f64, f64)],
) -> Route {
    let (upper, lower) = (chain.vertices[0], chain.vertices[chain.vertices.len() - 1]);
    let row = |vertex: usize| coordinates.rows[graph.vertices[vertex].row];
    // Vertical through each row, since the vertices beside a bend leave only the room of a vertical line.
    let bottom = (centres[upper].1 + nodes[upper].height / 2.0).min(row(upper).1);
    let top = (centres[lower].1 - nodes[lower].height / 2.0).max(row(lower).0);
    let mut points = vec![(start, bottom), (start, row(upper).1)];
    for &bend in &chain.vertices[1..chain.vertices.len() - 1] {
        points.extend([(coordinates.x[bend], row(bend).0), (coordinates.x[bend], row(bend).1)]);
    }
    points.extend([(end, row(lower).0), (end, top)]);
    points.dedup();
    let label = chain.labelled.map_or_else(
        || ((start + end) / 2.0, (row(upper).1 + row(lower).0) / 2.0),
        |bend| (coordinates.x[bend], (row(bend).0 + row(bend).1) / 2.0),
    );
    let course = if upper == link.from { Course::Down } else { Course::Up };
    if course == Course::Up {
        points.reverse();
    }
    Route { points, label: (label.0 + LABEL_GAP, label.1), course }
}

/// The route of a loop at the right side of a node.
fn loop_route(node: Size, (x, y): (f64, f64)) -> Route {
    let (side, quarter) = (x + node.width / 2.0, node.height / 4.0);
    let points = vec![(side, y - quarter), (side + LOOP, y), (side, y + quarter)];
    Route { points, label: (side + LOOP + LABEL_GAP, y), course: Course::Loop }
}

/// Moves the layout so that its left edge is at 0, and computes its size.
fn moved_to_origin(mut layout: GraphLayout, graph: &ProperGraph, coordinates: &Coordinates) -> GraphLayout {
    let sides = graph.vertices.iter().zip(&coordinates.x);
    let (low, high) = sides.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (vertex, x)| {
        (low.min(x - vertex.left), high.max(x + vertex.right))
    });
    let height = coordinates.rows.last().map_or(0.0, |row| row.1);
    layout.size = Size { width: (high - low).max(0.0), height };
    layout.centres.iter_mut().for_each(|centre| centre.0 -= low);
    for route in layout.routes.iter_mut().flatten() {
        route.points.iter_mut().for_each(|point| point.0 -= low);
        route.label.0 -= low;
    }
    layout
}
