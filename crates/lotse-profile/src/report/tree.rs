//! A call tree: a row a node, indented as deep as it is.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

mod fold;

use self::fold::{Fold, folds};
use super::top::place;
use super::{Numbers, Relative, cost_column, place_column, share_column, table_names};
use crate::events::{Column, Cost, ranking};
use crate::tree::{NodeAnswer, TreeAnswer};
use crate::unfold::Direction;

/// Deeper nodes say how deep they are instead of moving out of the page.
const DEEPEST_INDENT: u32 = 12;
/// A level, in spaces that a table does not take for gaps between words.
const INDENT: &str = "\u{a0}\u{a0}";

/// A row for each node, and one for what was left out of a node where that matters.
pub fn tree(answer: &TreeAnswer, columns: &[Column], (numbers, relative): (Numbers, Relative)) -> Document {
    let page = Page { answer, columns, numbers, relative };
    let mut table = Table::new("", page.headings());
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
            table.rows.extend(page.rest(done));
        }
        if let Some(fold) = fold {
            table.rows.push(page.folded(fold, above.last().copied()));
            continue;
        }
        table.rows.push(page.row(node, name, above.last().copied()));
        above.push(node);
    }
    above.iter().rev().for_each(|done| table.rows.extend(page.rest(done)));
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}

struct Page<'a> {
    answer: &'a TreeAnswer,
    columns: &'a [Column],
    numbers: Numbers,
    relative: Relative,
}

impl Page<'_> {
    /// Towards callers a node's own cost is nothing anyone asks for.
    fn own(&self) -> bool {
        self.answer.direction == Direction::Callees || self.numbers == Numbers::Bare
    }

    fn headings(&self) -> Vec<TableColumn> {
        let only = self.columns.len() == 1;
        let mut headings = Vec::new();
        if self.numbers == Numbers::Bare {
            headings.push(TableColumn::right("depth"));
        }
        for column in self.columns {
            let titles = if self.own() { &["incl.", "self"][..] } else { &["cost"] };
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
            for cost in &costs[..if self.own() { 2 } else { 1 }] {
                row.extend(self.cost(at, *cost, whole));
            }
        }
        row.push(Cell::text(node.calls.map_or(String::new(), |calls| self.numbers.count(calls))));
        row.push(Cell::text(self.indented(node.depth, name)));
        row.push(Cell::text(place(&node.function, self.numbers)));
        row
    }

    /// One row for levels of recursion; its self cost is that of the function on all of them.
    fn folded(&self, fold: &Fold, parent: Option<&NodeAnswer>) -> Vec<Cell> {
        let nodes = &self.answer.nodes[fold.nodes.clone()];
        let first = &nodes[0];
        let same = nodes.iter().filter(|node| node.function == first.function);
        let own = |at: usize| same.clone().map(|node| node.own[at]).fold(Cost::Exact(0), sum);
        let together =
            NodeAnswer { own: (0..self.columns.len()).map(own).collect(), calls: None, ..first.clone() };
        self.row(&together, &format!("… {} more levels of recursion", fold.levels), parent)
    }

    fn cost(&self, at: usize, cost: Cost, whole: Cost) -> Vec<Cell> {
        let mut cells = vec![self.numbers.cell(&self.columns[at], cost)];
        if self.relative != Relative::Off && self.numbers.has_shares(&self.columns[at]) {
            cells.push(Cell::text(self.numbers.share_of(&self.columns[at], cost, whole)));
        }
        cells
    }

    /// What was left out of a node, if a node of that cost would be shown.
    fn rest(&self, node: &NodeAnswer) -> Option<Vec<Cell>> {
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
            let cells = self.cost(at, node.left_out_cost[at], whole);
            let empty = if self.own() { cells.len() } else { 0 };
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
