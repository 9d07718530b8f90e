//! A tree of costs, as flame graphs and treemaps draw it.
//!
//! For any input, a node of the tree costs at least as much as its children together, no cost is negative, and all costs
//! are finite. Nothing here is recursive, since trees can be very deep.

use std::borrow::Cow;

use super::Labels;
use super::canvas::shortened;
use super::key_colour::Palette;
use crate::format::html::escaped;
use crate::number::{format_percent, format_value};

/// A row of the table that describes a tree of costs. Parents must come before their children; a row whose parent does not
/// come before it is a root.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostNode<'a> {
    /// The index of the parent's row; `None` for a root.
    pub parent: Option<usize>,
    /// The name; shortened in the picture, in full in the tooltip.
    pub label: Cow<'a, str>,
    /// The inclusive cost. It is raised to the sum of the children if that is larger.
    pub value: f64,
    /// Further lines of the tooltip, after cost and share. May be empty.
    pub detail: Cow<'a, str>,
    /// Nodes with the same key (a module, an object) have the same colour.
    pub key: Cow<'a, str>,
    /// On the first node: what written shares are of, if all nodes together are only a part of it.
    pub whole: Option<f64>,
}

/// Costs are clamped to this, so that their sum does not overflow.
const LARGEST: f64 = 1e290;
/// The length of names in tooltips; templates can expand to names longer than a screen.
const TIP_LETTERS: usize = 1000;

/// A consistent tree of costs.
pub(super) struct CostTree<'a> {
    pub(super) nodes: &'a [CostNode<'a>],
    /// The cost of each node, at least the sum of its children.
    pub(super) values: Vec<f64>,
    /// The sum over all roots.
    pub(super) total: f64,
    /// The share of the whole that the tree has.
    part: f64,
}

impl<'a> CostTree<'a> {
    pub(super) fn new(nodes: &'a [CostNode<'a>]) -> Self {
        let mut values: Vec<f64> = vec![0.0; nodes.len()];
        let mut total = 0.0;
        for (i, node) in nodes.iter().enumerate().rev() {
            // Children come later in the list, so `values[i]` already holds the sum of the children here.
            values[i] = values[i].max(cost(node.value));
            match node.parent.filter(|&parent| parent < i) {
                Some(parent) => values[parent] += values[i],
                None => total += values[i],
            }
        }
        let whole = nodes.first().and_then(|first| first.whole).filter(|&whole| cost(whole) > total);
        Self { nodes, values, total, part: whole.map_or(1.0, |whole| total / whole) }
    }

    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent.filter(|&parent| parent < node)
    }

    /// A node's share of the total cost.
    pub(super) fn share(&self, node: usize) -> f64 {
        if self.total > 0.0 { self.values[node] / self.total } else { 0.0 }
    }

    /// A share of the tree as text: as a percentage of the whole, of which the tree may be a part.
    pub(super) fn percent(&self, share: f64) -> String {
        percent(share * self.part)
    }

    /// The colours of its keys.
    pub(super) fn palette(&self) -> Palette<'a> {
        Palette::from_keys(self.nodes.iter().map(|node| &*node.key))
    }

    /// The share of the total cost of the nodes that are not shown. Only the topmost hidden nodes are added, since their
    /// costs include those of their descendants.
    pub(super) fn hidden_share(&self, shown: impl Iterator<Item = usize>) -> f64 {
        let mut is_shown = vec![false; self.nodes.len()];
        shown.for_each(|node| is_shown[node] = true);
        let under_shown = |node: &usize| self.parent(*node).is_none_or(|parent| is_shown[parent]);
        let hidden = (0..self.nodes.len()).filter(|&node| !is_shown[node]);
        hidden.filter(under_shown).map(|node| self.share(node)).sum()
    }

    /// The children of every node, and the roots, by counting sort.
    pub(super) fn children(&self) -> Children {
        let slot = |i: usize| self.parent(i).unwrap_or(self.nodes.len());
        let mut starts = vec![0; self.nodes.len() + 2];
        (0..self.nodes.len()).for_each(|i| starts[slot(i) + 1] += 1);
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = starts.clone();
        let mut list = vec![0; self.nodes.len()];
        for i in 0..self.nodes.len() {
            list[next[slot(i)]] = i;
            next[slot(i)] += 1;
        }
        Children { starts, list }
    }

    /// The tooltip of a node, escaped: name, cost, share and detail.
    pub(super) fn tip(&self, node: usize, labels: &Labels) -> String {
        let row = &self.nodes[node];
        let quantity = if labels.quantity.is_empty() { "cost" } else { &labels.quantity };
        let cost = format_value(self.values[node], labels.unit);
        let cost = format!("{quantity}: {cost} ({})", self.percent(self.share(node)));
        let details = row.detail.lines().take(8);
        let lines = [&*row.label, &cost].into_iter().chain(details);
        let lines: Vec<String> = lines.map(|line| escaped(&shortened(line, TIP_LETTERS))).collect();
        lines.join("\n")
    }
}

/// A share as a percentage; small shares have more decimals.
pub(super) fn percent(share: f64) -> String {
    format_percent(share, if share >= 0.1 || share == 0.0 { 1 } else { 2 })
}

/// The children of all nodes, sorted by parent; the roots come last.
pub(super) struct Children {
    /// The start of each node's children in `list`.
    starts: Vec<usize>,
    list: Vec<usize>,
}

impl Children {
    /// The children of a node.
    pub(super) fn of_node(&self, node: usize) -> &[usize] {
        &self.list[self.starts[node]..self.starts[node + 1]]
    }

    pub(super) fn roots(&self) -> &[usize] {
        self.of_node(self.starts.len() - 2)
    }
}

fn cost(value: f64) -> f64 {
    if value > 0.0 { value.min(LARGEST) } else { 0.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{CostNode, CostTree};
    use proptest::collection::vec;
    use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

    pub(in crate::svg) fn row(parent: Option<usize>, label: &str, value: f64) -> CostNode<'_> {
        CostNode { parent, label: label.into(), value, detail: "".into(), key: label.into(), whole: None }
    }

    /// Trees of any shape, some with missing parents and costs that are not finite.
    pub(in crate::svg) fn trees() -> impl Strategy<Value = Vec<CostNode<'static>>> {
        let value = prop_oneof![8 => 0.0..100.0f64, 1 => any::<f64>(), 1 => Just(f64::NAN)];
        let parent = prop_oneof![1 => Just(None), 9 => any::<u16>().prop_map(Some)];
        vec((parent, "\\PC{0,40}", value), 0..60).prop_map(|rows| {
            let row = |(i, (parent, label, value)): (usize, (Option<u16>, String, f64))| CostNode {
                parent: parent.map(|parent| usize::from(parent) % (i + 2)),
                key: label.chars().take(1).collect::<String>().into(),
                whole: None,
                label: label.into(),
                value,
                detail: "<&>\n\"]]>".into(),
            };
            rows.into_iter().enumerate().map(row).collect()
        })
    }

    #[test]
    fn children_never_cost_more_than_their_parent() {
        let rows =
            [row(None, "a", 1.0), row(Some(0), "b", 2.0), row(Some(0), "c", -3.0), row(Some(9), "d", 1.0)];
        let tree = CostTree::new(&rows);
        assert_eq!(tree.values, [2.0, 2.0, 0.0, 1.0]);
        assert_eq!(tree.total, 3.0);
        let children = tree.children();
        assert_eq!(
            (children.of_node(0), children.of_node(1), children.roots()),
            (&[1, 2][..], &[][..], &[0, 3][..])
        );
    }

    proptest! {
        #[test]
        fn any_rows_make_a_tree(rows in trees()) {
            let tree = CostTree::new(&rows);
            let children = tree.children();
            let sum = |nodes: &[usize]| nodes.iter().map(|&node| tree.values[node]).sum::<f64>();
            let near = 1.0 + 1e-9;
            for i in 0..rows.len() {
                prop_assert!(tree.values[i].is_finite() && sum(children.of_node(i)) <= tree.values[i] * near);
                prop_assert!((0.0..=near).contains(&tree.share(i)));
            }
            prop_assert!((sum(children.roots()) - tree.total).abs() <= tree.total * 1e-9);
            let listed = (0..rows.len()).map(|i| children.of_node(i).len()).sum::<usize>() + children.roots().len();
            prop_assert_eq!(listed, rows.len());
        }
    }
}
