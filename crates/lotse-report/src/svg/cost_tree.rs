//! A tree of costs, as flame graphs and treemaps draw it: plain rows in, a consistent tree out.

use std::borrow::Cow;

/// One node of a tree of costs. The rows of a tree stand in any order in which parents come before their children;
/// rows that name a parent at or behind themselves are taken for roots.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostNode<'a> {
    /// The index of the row it belongs under; nothing for a root.
    pub parent: Option<usize>,
    /// Its name, cut where it does not fit and whole in the tip.
    pub label: Cow<'a, str>,
    /// Its cost with everything below it. Where what is below costs more, that counts.
    pub value: f64,
    /// More for the tip, lines as given; the cost and its share need not be in it. May be empty.
    pub detail: Cow<'a, str>,
    /// Nodes of the same key (a module, an object) have the same colour.
    pub key: Cow<'a, str>,
}
