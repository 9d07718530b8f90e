//! The layered layout of directed graphs (Sugiyama, Tagawa and Toda, 1981): boxes in rows, arrows downwards.
//!
//! 1. `layers`: cycles are broken by reversing a few links, then each node gets a layer below all nodes that link to it.
//! 2. `proper`: a link over several layers gets a bend in each row that it passes. Rows of labels lie between the layers,
//!    so that labels cover nothing.
//! 3. `order`: sweeps over the rows reduce the number of crossings.
//! 4. `place`: every vertex moves as near to its neighbours as order and room allow.
//! 5. `route`: links are routed along their bends.
//!
//! ```text
//! links a→b, b→c, a→c:       row 0    [a]
//!                            row 1     │ ╲ label     bend of a→c
//!                            row 2    [b] │          bend of a→c
//!                            row 3     │  │
//!                            row 4    [c]◂┘
//! ```
//!
//! A pure function: the same graph gives the same picture. It does not panic or recurse, and its work is bounded: links
//! that would need too many bends are drawn straight.
//!
//! Written here because rust-sugiyama 0.4 places nodes but neither links nor labels, layout-rs 0.1 reserves no room for
//! labels, and dagre 0.1 has no bound on its work.

mod layers;
mod order;
mod place;
mod proper;
mod route;

use proper::ProperGraph;

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A directed link between two nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Link {
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it enters.
    pub to: usize,
    /// The size of its label; zero for no label.
    pub label: Size,
}

/// The positions of the nodes and links of a graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphLayout {
    /// The size of the whole drawing, whose upper left corner is the origin.
    pub size: Size,
    /// The centre of each node.
    pub centres: Vec<(f64, f64)>,
    /// The route of each link; `None` for a link from or to a missing node.
    pub routes: Vec<Option<Route>>,
}

/// The route of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The points from the source to the target. Links are vertical at their points, except loops.
    pub points: Vec<(f64, f64)>,
    /// The left end of the label's middle line.
    pub label: (f64, f64),
    pub course: Course,
}

/// The direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// To a lower layer.
    Down,
    /// To a higher layer: it closes a cycle.
    Up,
    /// From a node to itself, drawn at its right side.
    Loop,
}

/// Computes the layout of nodes of these sizes and the links between them.
pub fn layered(nodes: &[Size], links: &[Link]) -> GraphLayout {
    let nodes: Vec<Size> = nodes.iter().map(|size| size.clean()).collect();
    let links: Vec<Link> = links.iter().map(|link| Link { label: link.label.clean(), ..*link }).collect();
    let layering = layers::assign_layers(nodes.len(), &links);
    let mut proper = ProperGraph::new(&nodes, &links, &layering);
    order::reduce_crossings(&mut proper);
    let coordinates = place::coordinates(&proper);
    route::layout(&nodes, &links, &proper, &coordinates)
}

impl Route {
    /// The route moved by (dx, dy).
    pub fn moved(&self, (dx, dy): (f64, f64)) -> Self {
        let moved = |(x, y): (f64, f64)| (x + dx, y + dy);
        let points = self.points.iter().copied().map(moved).collect();
        Self { points, label: moved(self.label), course: self.course }
    }
}

impl Size {
    /// Negative sizes and NaN become 0; very large ones are limited.
    fn clean(&self) -> Self {
        let clean = |length: f64| if length > 0.0 { length.min(10_000.0) } else { 0.0 };
        Self { width: clean(self.width), height: clean(self.height) }
    }
}

#[cfg(test)]
mod tests;
