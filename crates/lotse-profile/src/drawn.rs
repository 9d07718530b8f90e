//! What drawings as data have in common: the functions that they show, and the tree of costs without any texts.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;
use lotse_report::svg::CostNode;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::answer::FunctionName;
use crate::names::{FunctionLabels, display};
use crate::unfold::{CallTree, ColourKeys, UnfoldQuery, label, value};

/// A function of a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DrawnFunction {
    /// Its number in the profile, which is the same in all answers about one reading of it.
    pub id: u32,
    /// Its name without arguments, and with what distinguishes it from others of the same name.
    pub label: String,
    /// The place that tells it from others of exactly the same name.
    #[serde(skip)]
    pub place: Option<String>,
    /// Functions with the same key have the same colour: object, file or class, whichever distinguishes functions first.
    pub colour_key: String,
    /// Its names and place.
    #[serde(flatten)]
    pub function: FunctionName,
}

/// Describes functions, in the order given.
pub fn describe(analysis: &Analysis<'_>, functions: impl Iterator<Item = FunctionId>) -> Vec<DrawnFunction> {
    let mut drawn = DrawnFunctions::new(analysis);
    functions.for_each(|function| drawn.push(function));
    drawn.list
}

/// Collects the functions of a drawing, each once.
pub(crate) struct DrawnFunctions<'a> {
    analysis: &'a Analysis<'a>,
    keys: ColourKeys<'a>,
    labels: FunctionLabels<'a>,
    places: HashMap<FunctionId, usize>,
    pub(crate) list: Vec<DrawnFunction>,
}

impl<'a> DrawnFunctions<'a> {
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Self {
        let (keys, labels) = (ColourKeys::new(analysis), FunctionLabels::of_analysis(analysis));
        Self { analysis, keys, labels, places: HashMap::new(), list: Vec::new() }
    }

    /// The index of a function in the list.
    pub(crate) fn index(&mut self, function: FunctionId) -> usize {
        if let Some(&place) = self.places.get(&function) {
            return place;
        }
        self.places.insert(function, self.list.len());
        self.push(function);
        self.list.len() - 1
    }

    fn push(&mut self, function: FunctionId) {
        let name = label(&display(self.analysis.profile, function));
        self.list.push(DrawnFunction {
            id: function.0,
            label: format!("{name}{}", self.labels.suffix(function)),
            place: self.labels.distinct_place(function),
            colour_key: self.keys.key(function),
            function: FunctionName::new(self.analysis.profile, function),
        });
    }
}

/// The tree as rows below one root, which stands for the whole. Row `i + 1` is node `i` of the tree.
pub(crate) fn bare_rows(
    analysis: &Analysis<'_>,
    tree: &CallTree,
    query: &UnfoldQuery<'_>,
) -> Vec<CostNode<'static>> {
    let drawn = |costs: &[u64]| value(analysis, query.weight, costs, None).as_f64();
    let whole = query.weight.total(&tree.totals).as_f64();
    let row = |(place, node): (usize, &crate::unfold::CallTreeNode)| CostNode {
        parent: Some(node.parent.map_or(0, |parent| parent as usize + 1)),
        value: drawn(tree.inclusive.row(place)),
        ..CostNode::default()
    };
    let root = CostNode { value: whole, ..CostNode::default() };
    [root].into_iter().chain(tree.nodes.iter().enumerate().checked().map(row)).collect()
}
