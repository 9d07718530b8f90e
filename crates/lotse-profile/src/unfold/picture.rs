//! A call tree as rows of a picture: one column of costs, below a root that describes the picture.

use std::borrow::Cow;

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;
use lotse_report::svg::{CostNode, Labels};

use super::{CallTree, Direction, UnfoldQuery, label, value};
use crate::analysis::Analysis;
use crate::events::{Column, Cost};
use crate::names::{FunctionLabels, display};
use crate::report::{Numbers, base_name};

/// The share of a total that may be missing, and of all costs that may be negative.
const IGNORED_SHARE: f64 = 0.01;

/// Why costs cannot be drawn as parts of a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAdditive {
    /// A ratio, or a cost per call.
    #[error(
        "{name} does not add up over functions, so that there is no whole to draw shares of; choose another event type"
    )]
    Ratio { name: String },
    /// The difference of two profiles.
    #[error(
        "{name} has costs above and below zero, as the difference of two profiles, so that there is no whole to draw shares of; `lotse profile top`, `callers` and `callees` list them"
    )]
    Signs { name: String },
    /// An event type that callers do not inherit.
    #[error(
        "{name} has no inclusive costs: the file counts it by function, and callers do not inherit it; choose another event type"
    )]
    SelfOnly { name: String },
    /// A formula whose value is negative for some functions.
    #[error(
        "{name} is below zero in {functions}, so that there is no whole to draw shares of; the list of functions has its values"
    )]
    Negative { name: String, functions: String },
}

/// The labels and rows of a picture.
pub(crate) struct Picture<'a> {
    pub(crate) labels: Labels,
    pub(crate) rows: Vec<CostNode<'a>>,
}

impl<'a> Picture<'a> {
    /// The picture of a tree that was unfolded by the query.
    pub(crate) fn new(
        analysis: &'a Analysis<'_>,
        tree: &CallTree,
        query: &UnfoldQuery<'_>,
        title: &str,
    ) -> Result<Self, NotAdditive> {
        adds_up(analysis, query.weight)?;
        let note = note(analysis, tree, query);
        let labels = Labels {
            title: title.to_owned(),
            description: format!("{}; {note}", subject(analysis, query)),
            quantity: query.weight.name.clone(),
            unit: query.weight.base,
        };
        Ok(Self { labels, rows: rows(analysis, tree, query, note) })
    }
}

/// A root with the note, then one row for each node.
fn rows<'a>(
    analysis: &'a Analysis<'_>,
    tree: &CallTree,
    query: &UnfoldQuery<'_>,
    note: String,
) -> Vec<CostNode<'a>> {
    let column = query.weight;
    let keys = ColourKeys::new(analysis);
    let labels = FunctionLabels::new(analysis.profile);
    let mut names: HashMap<FunctionId, Cow<'a, str>> = HashMap::new();
    let scale = 10_f64.powi(i32::from(column.exponent));
    let drawn = |costs: &[u64]| value(analysis, column, costs, None).as_f64() * scale;
    let whole = column.total(&tree.totals).as_f64() * scale;
    let of = analysis.is_selection().then(|| column.total(&analysis.totals).as_f64() * scale);
    let root = CostNode { label: note.into(), value: whole, whole: of, ..CostNode::default() };
    let row = |(place, node): (usize, &super::CallTreeNode)| CostNode {
        parent: Some(node.parent.map_or(0, |parent| parent as usize + 1)),
        label: names
            .entry(node.function)
            .or_insert_with(|| {
                let name = label(&display(analysis.profile, node.function));
                format!("{name}{}", labels.suffix(node.function)).into()
            })
            .clone(),
        value: drawn(tree.inclusive.row(place)),
        detail: tooltip(analysis, tree, query, place).into(),
        key: keys.key(node.function).into(),
        whole: None,
    };
    [root].into_iter().chain(tree.nodes.iter().enumerate().map(row)).collect()
}

/// The lines of a tooltip: what the label and the picture do not show.
fn tooltip(analysis: &Analysis<'_>, tree: &CallTree, query: &UnfoldQuery<'_>, place: usize) -> String {
    let node = &tree.nodes[place];
    let profile = analysis.profile;
    let own = value(analysis, query.weight, tree.own.row(place), None);
    let mut lines = Vec::new();
    let name = display(profile, node.function);
    if label(&name) != name {
        lines.push(name.into_owned());
    }
    if query.direction == Direction::Callees {
        lines.push(format!("self: {}", Numbers::Readable.cost(query.weight, own)));
    }
    lines.extend(node.calls.map(|calls| format!("calls: {}", Numbers::Readable.count(calls))));
    lines.extend(profile.function_object(node.function).map(str::to_owned));
    lines.extend(profile.function_file(node.function).map(str::to_owned));
    lines.join("\n")
}

/// A description of what is drawn.
fn subject(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>) -> String {
    let name = query.start.map(|start| FunctionLabels::new(analysis.profile).label(start));
    match (query.direction, name) {
        (Direction::Callees, None) => "what is called".to_owned(),
        (Direction::Callers, None) => "who calls what has self cost".to_owned(),
        (Direction::Callees, Some(name)) => format!("what {name} calls"),
        (Direction::Callers, Some(name)) => format!("who calls {name}"),
    }
}

/// The event type, the whole, whether it is an estimate, and what was left out.
fn note(analysis: &Analysis<'_>, tree: &CallTree, query: &UnfoldQuery<'_>) -> String {
    let column = query.weight;
    let whole = column.total(&tree.totals);
    let mut words = vec![whole_note(analysis, column, whole)];
    if tree.estimated {
        words.push("estimated from calls".to_owned());
        words
            .extend(analysis.cycle_note().map(|_| "members of a cycle are on the shortest paths".to_owned()));
    }
    if tree.omitted.count() > 0 {
        let share = Numbers::Readable.share(column.total(&tree.omitted.costs), whole);
        let least = threshold(query.limits.min_share);
        let deep = query.limits.depth.filter(|_| tree.omitted.deep > 0);
        let deep = deep.map_or_else(String::new, |depth| format!(" or deeper than {depth}"));
        words.push(format!("without branches below {least}{deep} ({share})"));
    }
    words.join(" · ")
}

/// The event type and the whole, with its share of the profile if it is only a part.
pub(crate) fn whole_note(analysis: &Analysis<'_>, column: &Column, whole: Cost) -> String {
    let total = column.total(&analysis.totals);
    let cost = Numbers::Readable.cost(column, whole);
    if whole == total {
        return format!("{}: {cost} in all", column.name);
    }
    format!("{}: {cost}, {} of the profile", column.name, Numbers::Readable.share(whole, total))
}

/// A share as the user gave it: `0.5 %`.
pub(crate) fn threshold(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

/// Checks that the costs of functions add up to the total, unlike ratios and costs per call.
pub(crate) fn adds_up(analysis: &Analysis<'_>, column: &Column) -> Result<(), NotAdditive> {
    let name = || column.name.clone();
    if column.is_mixed() {
        return Err(NotAdditive::Signs { name: name() });
    }
    if !column.has_inclusive() {
        return Err(NotAdditive::SelfOnly { name: name() });
    }
    if column.event().is_some() {
        return Ok(());
    }
    // Totals after a selection are those of the whole profile, to which its functions do not add up.
    let selected = analysis.is_selection().then(|| analysis.own.totals());
    let total = column.total(selected.as_ref().unwrap_or(&analysis.totals)).as_f64();
    let own =
        |function: FunctionId| value(analysis, column, analysis.own.row(function.index()), None).as_f64();
    let (mut sum, mut below, mut negative) = (0.0, 0.0, 0);
    for own in analysis.active().checked().map(own).filter(|own| own.is_finite()) {
        sum += own;
        if own < 0.0 {
            below -= own;
            negative += 1;
        }
    }
    // Small differences are allowed, because of rounding and samples without a stack.
    let near = (sum - total).abs() <= IGNORED_SHARE * total.abs();
    if !near {
        return Err(NotAdditive::Ratio { name: name() });
    }
    // The sum of all magnitudes is what is below zero twice, and the sum.
    if below > IGNORED_SHARE * (sum + 2.0 * below) {
        let functions = if negative == 1 { "1 function".to_owned() } else { format!("{negative} functions") };
        return Err(NotAdditive::Negative { name: name(), functions });
    }
    Ok(())
}

/// The keys that decide the colours of functions.
pub(crate) struct ColourKeys<'a> {
    analysis: &'a Analysis<'a>,
    by: ColourBy,
}

enum ColourBy {
    Object,
    File,
    Class,
}

impl<'a> ColourKeys<'a> {
    /// Colours by object, or by file if there is only one object, or by class if there is only one file.
    pub(crate) fn new(analysis: &'a Analysis<'_>) -> Self {
        let profile = analysis.profile;
        let several = |name: &dyn Fn(FunctionId) -> Option<&'a str>| {
            let mut names = analysis.active().filter_map(name);
            let first = names.next();
            names.any(|name| Some(name) != first)
        };
        let by = if several(&|id| profile.function_object(id)) {
            ColourBy::Object
        } else if several(&|id| profile.function_file(id)) {
            ColourBy::File
        } else {
            ColourBy::Class
        };
        Self { analysis, by }
    }

    /// The key of a function.
    pub(crate) fn key(&self, function: FunctionId) -> String {
        let profile = self.analysis.profile;
        let end = |path: Option<&str>| path.map_or("", base_name).to_owned();
        match self.by {
            ColourBy::Object => end(profile.function_object(function)),
            ColourBy::File => end(profile.function_file(function)),
            ColourBy::Class => {
                let name = display(profile, function);
                lotse_symbols::class(&name).unwrap_or(lotse_symbols::short(&name)).to_owned()
            }
        }
    }
}
