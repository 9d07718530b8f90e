//! The layered layout of directed graphs (Sugiyama, Tagawa and Toda, 1981): boxes in rows, arrows downwards.
//!
//! Cycles are broken by turning a few links round; nodes get layers, long links a bend in every layer they pass;
//! sweeps over the layers lower the number of crossings, and then everything moves as near to its neighbours as the
//! room allows. Labels have rows of their own between the layers, so that they cover nothing.
//!
//! A pure function: the same graph gives the same picture. No input makes it panic, recurse or run long: links
//! that would need too many bends are drawn straight.
//!
//! Written here because of the crates at hand rust-sugiyama 0.4 places nodes but neither links nor labels,
//! layout-rs 0.1 has no room for labels either, and dagre 0.1 promises no bound on its work.

mod layers;
mod order;
mod place;
mod proper;
mod route;

use proper::ProperGraph;

/// Width and height.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// A directed link between two nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Link {
    /// Index of the node it leaves.
    pub from: usize,
    /// Index of the node it enters.
    pub to: usize,
    /// The room its label needs; none for nothing.
    pub label: Size,
}

/// A graph with places.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphLayout {
    /// The room all of it takes, from the origin on.
    pub size: Size,
    /// The middle of each node.
    pub centres: Vec<(f64, f64)>,
    /// The way of each link; nothing for a link from or to what is not there.
    pub routes: Vec<Option<Route>>,
}

/// The way of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Through these points from the source to the target. At each the link runs upright, but for a loop's.
    pub points: Vec<(f64, f64)>,
    /// The left end of the label's middle line.
    pub label: (f64, f64),
    /// Where it leads.
    pub course: Course,
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Course {
    /// To a lower layer.
    Down,
    /// To a higher layer: it closes a cycle.
    Up,
    /// Back to the node it comes from, at its right side.
    Loop,
}

/// Places nodes of these sizes, and the links among them.
pub fn layered(nodes: &[Size], links: &[Link]) -> GraphLayout {
    let nodes: Vec<Size> = nodes.iter().map(|size| size.clean()).collect();
    let links: Vec<Link> = links.iter().map(|link| Link { label: link.label.clean(), ..*link }).collect();
    let ranking = layers::rank(nodes.len(), &links);
    let mut proper = ProperGraph::new(&nodes, &links, &ranking);
    order::reduce_crossings(&mut proper);
    let places = place::places(&proper);
    route::layout(&nodes, &links, &proper, &places)
}

impl Route {
    /// The same way elsewhere.
    pub fn moved(&self, (dx, dy): (f64, f64)) -> Self {
        let moved = |(x, y): (f64, f64)| (x + dx, y + dy);
        let points = self.points.iter().copied().map(moved).collect();
        Self { points, label: moved(self.label), course: self.course }
    }
}

impl Size {
    /// Sizes that are none become nothing; absurd ones are cut.
    fn clean(&self) -> Self {
        let clean = |length: f64| if length > 0.0 { length.min(10_000.0) } else { 0.0 };
        Self { width: clean(self.width), height: clean(self.height) }
    }
}

#[cfg(test)]
mod tests;
