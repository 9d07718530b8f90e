//! The table of a call tree: one row per node, indented by its depth.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

mod fold;

use self::fold::{Fold, folds};
use super::top::place;
use super::{Numbers, Relative, cost_column, place_column, share_column, table_names};
use crate::events::{Column, Cost, ranking};
use crate::tree::{NodeAnswer, TreeAnswer};
use crate::unfold::Direction;

/// Deeper nodes show their depth as a number instead of being indented further.
const DEEPEST_INDENT: u32 = 12;
/// The indentation of one level: no-break spaces, which a table does not collapse.
const INDENT: &str = "\u{a0}\u{a0}";

/// A row for each node, and one for the omitted children of a node if they cost enough.
pub fn tree(answer: &TreeAnswer, columns: &[Column], (numbers, relative): (Numbers, Relative)) -> Document {
    let builder = TreeTable { answer, columns, numbers, relative };
    let mut table = Table::new("", builder.headings());
    let mut above: Vec<&NodeAnswer> = Vec::new();
    let names = table_names(answer.nodes.iter().map(|node| &node.function), numbers);
    let folds =
        if numbers == Numbers::Readable { folds(&answer.nodes, ranking(columns)) } else { Vec::new() };
    for (at, (node, name)) in answer.nodes.iter().zip(&names).enumerate() {
        let fold = folds.iter().find(|fold| fold.nodes.contains(&at));
        if fold.is_some_and(|fold| fold.nodes.start < at) {
            continue;
        }
        for done in above.drain((node.depth as usize).min(above.len())..).rev() {
            table.rows.extend(builder.omitted_row(done));
        }
        if let Some(fold) = fold {
            table.rows.push(builder.folded_row(fold, above.last().copied()));
            continue;
        }
        table.rows.push(builder.row(node, name, above.last().copied()));
        above.push(node);
    }
    above.iter().rev().for_each(|done| table.rows.extend(builder.omitted_row(done)));
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}

/// Builds the rows of the table.
struct TreeTable<'a> {
    answer: &'a TreeAnswer,
    columns: &'a [Column],
    numbers: Numbers,
    relative: Relative,
}

impl TreeTable<'_> {
    /// Whether self costs are shown; in a tree of callers they are of no interest.
    fn has_self_costs(&self) -> bool {
        self.answer.direction == Direction::Callees || self.numbers == Numbers::Bare
    }

    /// The headings of costs and shares for each event type, then of calls, function and place.
    fn headings(&self) -> Vec<TableColumn> {
        let only = self.columns.len() == 1;
        let mut headings = Vec::new();
        if self.numbers == Numbers::Bare {
            headings.push(TableColumn::right("depth"));
        }
        for column in self.columns {
            let titles = if self.has_self_costs() { &["incl.", "self"][..] } else { &["cost"] };
            let shares = self.relative != Relative::Off && self.numbers.has_shares(column);
            for title in titles {
                let cost = cost_column(title, column, only);
                headings.push(if shares && *title == "self" { cost.droppable(3) } else { cost });
                if shares {
                    headings.push(share_column(title, column, only, self.numbers));
                }
            }
        }
        headings.extend([TableColumn::right("calls").droppable(1), TableColumn::function("function")]);
        headings.push(place_column());
        headings
    }

    /// The row of a node; shares are relative to its parent or to the total.
    fn row(&self, node: &NodeAnswer, name: &str, parent: Option<&NodeAnswer>) -> Vec<Cell> {
        let mut row = Vec::new();
        if self.numbers == Numbers::Bare {
            row.push(Cell::text(node.depth.to_string()));
        }
        for at in 0..self.columns.len() {
            let whole = match (self.relative, parent) {
                (Relative::Parent, Some(parent)) => parent.inclusive[at],
                (Relative::Parent, None) => self.answer.whole[at],
                _ => self.answer.events[at].total,
            };
            let costs = [node.inclusive[at], node.own[at]];
            for cost in &costs[..if self.has_self_costs() { 2 } else { 1 }] {
                row.extend(self.cost_cells(at, *cost, whole));
            }
        }
        row.push(Cell::text(node.calls.map_or(String::new(), |calls| self.numbers.count(calls))));
        row.push(Cell::text(self.indented(node.depth, name)));
        row.push(Cell::text(place(&node.function, self.numbers)));
        row
    }

    /// One row for folded levels of recursion; its self cost is that of the function on all levels.
    fn folded_row(&self, fold: &Fold, parent: Option<&NodeAnswer>) -> Vec<Cell> {
        let nodes = &self.answer.nodes[fold.nodes.clone()];
        let first = &nodes[0];
        let same = nodes.iter().filter(|node| node.function == first.function);
        let own = |at: usize| same.clone().map(|node| node.own[at]).fold(Cost::Exact(0), sum);
        let merged =
            NodeAnswer { own: (0..self.columns.len()).map(own).collect(), calls: None, ..first.clone() };
        self.row(&merged, &format!("… {} more levels of recursion", fold.levels), parent)
    }

    fn cost_cells(&self, at: usize, cost: Cost, whole: Cost) -> Vec<Cell> {
        let mut cells = vec![self.numbers.cell(&self.columns[at], cost)];
        if self.relative != Relative::Off && self.numbers.has_shares(&self.columns[at]) {
            cells.push(Cell::text(self.numbers.share_of(&self.columns[at], cost, whole)));
        }
        cells
    }

    /// A row for the omitted children of a node, if a node of their cost would be shown.
    fn omitted_row(&self, node: &NodeAnswer) -> Option<Vec<Cell>> {
        let at = ranking(self.columns);
        let share = node.left_out_cost.get(at)?.as_f64() / self.answer.whole.get(at)?.as_f64();
        if self.numbers == Numbers::Bare || node.left_out == 0 || share < self.answer.omitted.min_share {
            return None;
        }
        let mut row = Vec::new();
        for at in 0..self.columns.len() {
            let whole = match self.relative {
                Relative::Parent => node.inclusive[at],
                _ => self.answer.events[at].total,
            };
            let cells = self.cost_cells(at, node.left_out_cost[at], whole);
            let empty = if self.has_self_costs() { cells.len() } else { 0 };
            row.extend(cells);
            row.extend(std::iter::repeat_n(Cell::text(""), empty));
        }
        row.push(Cell::text(""));
        row.push(Cell::text(self.indented(node.depth + 1, &format!("({} more)", node.left_out))));
        row.push(Cell::text(""));
        Some(row)
    }

    fn indented(&self, depth: u32, name: &str) -> String {
        match self.numbers {
            Numbers::Bare => name.to_owned(),
            Numbers::Readable if depth > DEEPEST_INDENT => {
                format!("{}[{depth}] {name}", INDENT.repeat(DEEPEST_INDENT as usize))
            }
            Numbers::Readable => format!("{}{name}", INDENT.repeat(depth as usize)),
        }
    }
}

fn sum(one: Cost, other: Cost) -> Cost {
    match (one, other) {
        (Cost::Exact(one), Cost::Exact(other)) => Cost::Exact(one + other),
        (one, other) => Cost::Real(one.as_f64() + other.as_f64()),
    }
}
