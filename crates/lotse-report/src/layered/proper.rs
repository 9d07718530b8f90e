//! A proper layered graph: every link leads from one row to the next, since long links have a bend in each row they pass.
//!
//! Nodes are in rows 0, 2, 4 and so on; the odd rows are for labels.

use super::layers::Layering;
use super::{Link, Size};

/// The limit for the number of bends, which bounds the time of the layout.
const MOST_BENDS: usize = 20_000;
/// The least room at either side of a bend.
const BEND: f64 = 5.0;
/// The gap between a link and its label.
pub(super) const LABEL_GAP: f64 = 5.0;
/// How far a loop reaches out of its node.
pub(super) const LOOP: f64 = 26.0;

/// A node or a bend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vertex {
    pub(super) row: usize,
    /// The room it needs at the left of its centre.
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) height: f64,
    pub(super) is_bend: bool,
}

/// A proper layered graph.
pub(super) struct ProperGraph {
    /// The nodes first, then bends.
    pub(super) vertices: Vec<Vertex>,
    /// The vertices of each row from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// Neighbours in the row above.
    pub(super) above: Vec<Vec<usize>>,
    /// Neighbours in the row below.
    pub(super) below: Vec<Vec<usize>>,
    /// The vertices of each link; `None` for loops and for links from or to missing nodes.
    pub(super) chains: Vec<Option<Chain>>,
}

/// The vertices of a link.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// From the upper end to the lower end.
    pub(super) vertices: Vec<usize>,
    /// The bend at which the label is drawn; `None` if the link has no bends.
    pub(super) labelled: Option<usize>,
}

impl ProperGraph {
    /// Puts every node into the row of its layer and every link onto a chain of bends; short links first, so that the
    /// longest links go without bends if there are too many.
    pub(super) fn new(nodes: &[Size], links: &[Link], layering: &Layering) -> Self {
        let vertices = nodes.iter().zip(&layering.layers).map(|(size, layer)| Vertex {
            row: 2 * layer,
            left: size.width / 2.0,
            right: size.width / 2.0,
            height: size.height,
            is_bend: false,
        });
        let mut proper = Self {
            vertices: vertices.collect(),
            rows: Vec::new(),
            above: vec![Vec::new(); nodes.len()],
            below: vec![Vec::new(); nodes.len()],
            chains: vec![None; links.len()],
        };
        proper.make_room_for_loops(links);
        for link in by_span(layering) {
            proper.add_chain(link, links[link].label, layering);
        }
        proper.fill_rows(&layering.discovered);
        proper
    }

    /// Widens nodes with a loop at their right side.
    fn make_room_for_loops(&mut self, links: &[Link]) {
        for link in links.iter().filter(|link| link.from == link.to) {
            if let Some(vertex) = self.vertices.get_mut(link.from) {
                vertex.right = vertex.right.max(vertex.left + LOOP + LABEL_GAP + link.label.width);
            }
        }
    }

    /// Adds the bends of a link, one in each row between its ends; the bend nearest to the middle has room for the label.
    fn add_chain(&mut self, link: usize, label: Size, layering: &Layering) {
        let Some((upper, lower)) = layering.ends[link] else { return };
        let (first, last) = (self.vertices[upper].row + 1, self.vertices[lower].row);
        if self.vertices.len() + (last - first) > layering.layers.len() + MOST_BENDS {
            self.chains[link] = Some(Chain { vertices: vec![upper, lower], labelled: None });
            return;
        }
        // The odd row that is nearest to the middle.
        let label_row = first + (last - first) / 4 * 2;
        let mut chain = vec![upper];
        for row in first..last {
            let (right, height) =
                if row == label_row { (LABEL_GAP + label.width, label.height) } else { (0.0, 0.0) };
            let right = right.max(BEND);
            let previous = chain[chain.len() - 1];
            let bend = self.vertices.len();
            self.vertices.push(Vertex { row, left: BEND, right, height, is_bend: true });
            self.above.push(vec![previous]);
            self.below.push(Vec::new());
            self.below[previous].push(bend);
            chain.push(bend);
        }
        let (previous, labelled) = (chain[chain.len() - 1], chain[1 + label_row - first]);
        self.below[previous].push(lower);
        self.above[lower].push(previous);
        chain.push(lower);
        self.chains[link] = Some(Chain { vertices: chain, labelled: Some(labelled) });
    }

    /// The initial order of the rows: nodes in the order of discovery, each followed by the bends of its links downwards.
    fn fill_rows(&mut self, discovered: &[usize]) {
        let rows = self.vertices.iter().map(|vertex| vertex.row + 1).max().unwrap_or(0);
        self.rows = vec![Vec::new(); rows];
        for &node in discovered {
            self.rows[self.vertices[node].row].push(node);
            for &start in &self.below[node] {
                let mut bend = start;
                while self.vertices[bend].is_bend {
                    self.rows[self.vertices[bend].row].push(bend);
                    bend = self.below[bend][0];
                }
            }
        }
    }
}

/// The links between different nodes, by the number of layers they span.
fn by_span(layering: &Layering) -> Vec<usize> {
    let span = |&link: &usize| {
        layering.ends[link].map(|(upper, lower)| layering.layers[lower] - layering.layers[upper])
    };
    let mut links: Vec<usize> = (0..layering.ends.len()).filter(|link| span(link).is_some()).collect();
    links.sort_by_key(span);
    links
}
