//! Sorts the nodes of a tree in depth-first order (preorder).

use lotse_model::profile::Costs;

use super::{CallTree, CallTreeNode};

/// Sorts the nodes of a tree; siblings keep their order.
pub(super) fn in_preorder(tree: CallTree) -> CallTree {
    let order = order(&tree.nodes);
    let mut places = vec![0_u32; order.len()];
    order.iter().zip(0_u32..).for_each(|(&old, new)| places[old as usize] = new);
    let node = |&old: &u32| {
        let node = &tree.nodes[old as usize];
        CallTreeNode { parent: node.parent.map(|parent| places[parent as usize]), ..node.clone() }
    };
    let sorted = |costs: &Costs| {
        let mut sorted = Costs::new(costs.width(), costs.signed());
        order.iter().for_each(|&old| sorted.push(costs.row(old as usize)));
        sorted
    };
    CallTree {
        nodes: order.iter().map(node).collect(),
        own: sorted(&tree.own),
        inclusive: sorted(&tree.inclusive),
        ..tree
    }
}

/// The old numbers of nodes in their new order: sorts nodes by parent (counting sort), then walks the tree.
fn order(nodes: &[CallTreeNode]) -> Vec<u32> {
    let slot = |node: &CallTreeNode| node.parent.map_or(nodes.len(), |parent| parent as usize);
    let mut starts = vec![0_u32; nodes.len() + 2];
    nodes.iter().for_each(|node| starts[slot(node) + 1] += 1);
    (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
    let mut next = starts.clone();
    let mut listed = vec![0_u32; nodes.len()];
    for (place, node) in (0_u32..).zip(nodes) {
        let slot = &mut next[slot(node)];
        listed[*slot as usize] = place;
        *slot += 1;
    }
    let children = |slot: usize| listed[starts[slot] as usize..starts[slot + 1] as usize].iter().rev();
    let mut todo: Vec<u32> = children(nodes.len()).copied().collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(node) = todo.pop() {
        order.push(node);
        todo.extend(children(node as usize));
    }
    order
}
