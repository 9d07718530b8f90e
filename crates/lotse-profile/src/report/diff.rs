//! The tables of a comparison: totals, changed functions (or calls, or lines), and lists of gone, new and renamed ones.

mod lines;
mod words;

use lotse_report::number::{format_percent, format_ratio, format_share};
use lotse_report::{Block, Cell, Column as TableColumn, Document, Inline, Role, Table};

use self::words::{short, side_name, signed_share, status_name, unchanged};
use super::top::place;
use super::{Numbers, base_name, place_column, table_names};
use crate::bound::Bound;
use crate::diff::{Basis, Change, DiffAnswer, FunctionDiff, Status, Versus};
use crate::events::{Column, Cost};

/// Builds the tables of a comparison.
struct DiffTables<'a> {
    columns: &'a [Column],
    numbers: Numbers,
    basis: Basis,
    /// Whether any profile counts samples, so that differences are uncertain.
    sampled: bool,
    /// The number of profiles compared with the first.
    others: usize,
    /// The totals of the first, per event type.
    old_totals: Vec<Cost>,
}

/// The answer as tables; with bare numbers, only the table of rows.
pub fn diff(answer: &DiffAnswer, columns: &[Column], inclusive: bool, numbers: Numbers) -> Document {
    let sampled = answer.files.iter().any(|file| file.samples.is_some());
    let old_totals = answer.files.first().into_iter().flat_map(|file| &file.events).map(|event| event.total);
    let tables = DiffTables {
        columns,
        numbers,
        basis: answer.by,
        sampled,
        others: answer.totals.len(),
        old_totals: old_totals.collect(),
    };
    let mut document = Document::new();
    let rows = match (&answer.lines, &answer.calls) {
        (Some(_), _) => tables.lines(answer, inclusive),
        (None, Some(_)) => tables.calls(answer),
        (None, None) if numbers == Numbers::Bare => tables.all_functions(answer),
        (None, None) => tables.functions(answer, inclusive),
    };
    if numbers == Numbers::Bare {
        document.push(Block::Table(rows));
        return document;
    }
    document.push(Block::Table(tables.totals(answer)));
    if rows.rows.is_empty() {
        document.paragraph(unchanged(answer));
    } else {
        document.push(Block::Table(rows));
    }
    if answer.lines.is_none() && answer.calls.is_none() {
        tables.remarks(answer).into_iter().for_each(|remark| {
            document.push(remark);
        });
    }
    document
}

impl DiffTables<'_> {
    /// A row for each profile.
    fn totals(&self, answer: &DiffAnswer) -> Table {
        let mut headings =
            vec![TableColumn::left(""), TableColumn::path("profile"), TableColumn::left("format")];
        for column in self.columns {
            let titles = match self.basis {
                Basis::Cost => &[column.name.as_str(), "difference", "ratio"][..],
                Basis::Share => &["total"],
            };
            headings.extend(titles.iter().map(|title| TableColumn::right(*title)));
        }
        let mut table = Table::new("", headings);
        for (at, file) in answer.files.iter().enumerate() {
            let mut row = vec![Cell::text(side_name(at, self.others)), Cell::text(base_name(&file.file))];
            row.push(Cell::text(file.format.clone()));
            for (event, column) in self.columns.iter().enumerate() {
                let total = &file.events[event];
                let change = at.checked_sub(1).map(|at| &answer.totals[at][event]);
                match (self.basis, change) {
                    (Basis::Share, _) => {
                        row.push(Cell::text(format!("{} {}", total_text(total.total), total.name)))
                    }
                    (Basis::Cost, None) => row.extend([
                        Cell::text(self.numbers.cost(column, total.total)),
                        Cell::default(),
                        Cell::default(),
                    ]),
                    (Basis::Cost, Some(change)) => row.extend([
                        Cell::text(self.numbers.cost(column, total.total)),
                        self.difference(column, change, Basis::Cost),
                        self.ratio(change, None),
                    ]),
                }
            }
            table.rows.push(row);
        }
        table
    }

    fn functions(&self, answer: &DiffAnswer, inclusive: bool) -> Table {
        let mut table = Table::new(if inclusive { "inclusive cost" } else { "self cost" }, self.headings());
        table.columns.push(TableColumn::function("function"));
        table.columns.push(place_column());
        let names = table_names(answer.functions.iter().map(|function| &function.function), self.numbers);
        for (function, name) in answer.functions.iter().zip(&names) {
            let changes =
                |versus: &Versus| if inclusive { versus.inclusive.clone() } else { versus.own.clone() };
            let versus: Vec<Vec<Change>> = function.versus.iter().map(changes).collect();
            let mut row = self.cells(&versus, Some(function.status));
            row.push(Cell::text(shown_name(function, name)));
            row.push(Cell::text(place(&function.function, self.numbers)).role(Role::Dim));
            table.rows.push(row);
        }
        table
    }

    /// Functions with self and inclusive changes, for programs.
    fn all_functions(&self, answer: &DiffAnswer) -> Table {
        let kinds = ["function", "object", "file", "status", "inclusive is exact"].map(TableColumn::left);
        let mut table = Table::new("", kinds.into());
        for kind in ["self", "inclusive"] {
            let titled =
                |column: TableColumn| TableColumn { title: format!("{kind} {}", column.title), ..column };
            table.columns.extend(self.headings().into_iter().map(titled));
        }
        for function in &answer.functions {
            let name = &function.function;
            let texts = [Some(&name.display), name.object.as_ref(), name.file.as_ref()];
            let mut row: Vec<Cell> = texts.map(|text| Cell::text(text.map_or("", String::as_str))).into();
            row.push(Cell::text(status_name(function.status)));
            row.push(Cell::text(if function.has_exact_inclusive() { "yes" } else { "no" }));
            for kind in [|versus: &Versus| versus.own.clone(), |versus: &Versus| versus.inclusive.clone()] {
                row.extend(self.cells(&function.versus.iter().map(kind).collect::<Vec<_>>(), None));
            }
            table.rows.push(row);
        }
        table
    }

    fn calls(&self, answer: &DiffAnswer) -> Table {
        let mut table = Table::new("inclusive cost of calls", self.headings());
        table.columns.push(TableColumn::right("calls old"));
        table.columns.extend(self.others_titles("calls").into_iter().map(TableColumn::right));
        table.columns.extend(["caller", "callee"].map(TableColumn::function));
        for call in answer.calls.iter().flatten() {
            let versus: Vec<Vec<Change>> = call.versus.iter().map(|versus| versus.cost.clone()).collect();
            let mut row = self.cells(&versus, None);
            let count = |count: Option<u64>| {
                Cell::text(count.map_or(self.absent(), |count| self.numbers.count(count)))
            };
            row.push(count(call.versus.first().and_then(|versus| versus.calls.old)));
            row.extend(call.versus.iter().map(|versus| count(versus.calls.new)));
            row.extend([&call.caller, &call.callee].map(|name| Cell::text(name.display.clone())));
            table.rows.push(row);
        }
        table
    }

    fn headings(&self) -> Vec<TableColumn> {
        let mut headings = Vec::new();
        for column in self.columns {
            let event = if self.columns.len() == 1 { String::new() } else { format!("{} ", column.name) };
            // On a narrow screen, the difference and the ratio are enough.
            headings.push(TableColumn::right(format!("{event}old")).droppable(4));
            for new in self.others_titles("") {
                headings.push(TableColumn::right(format!("{event}{new}")).droppable(3));
                headings.push(TableColumn::right("difference"));
                if self.sampled {
                    headings.push(TableColumn::right("±"));
                }
                if self.has_percent(column) {
                    headings.push(TableColumn::right("% of old"));
                }
                headings.push(TableColumn::right("ratio"));
            }
        }
        headings
    }

    /// `new`, or `[2]`, `[3]` if several profiles are compared with the first.
    fn others_titles(&self, what: &str) -> Vec<String> {
        let titles = (1..=self.others).map(|at| side_name(at, self.others));
        titles.map(|title| if what.is_empty() { title } else { format!("{what} {title}") }).collect()
    }

    /// Whether a column has differences as shares of the old total.
    fn has_percent(&self, column: &Column) -> bool {
        self.numbers == Numbers::Readable && self.basis == Basis::Cost && column.adds_up()
    }

    /// The cells under [`headings`](Self::headings); `versus` has the changes of each other profile per event type.
    fn cells(&self, versus: &[Vec<Change>], status: Option<Status>) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (event, column) in self.columns.iter().enumerate() {
            let changes: Vec<&Change> = versus.iter().filter_map(|changes| changes.get(event)).collect();
            cells.push(
                changes
                    .first()
                    .map_or_else(Cell::default, |it| self.value(column, it.old, it.old_share, it.old_bound)),
            );
            for change in changes {
                cells.push(self.value(column, change.new, change.new_share, change.new_bound));
                cells.push(self.difference(column, change, self.basis));
                if self.sampled {
                    cells.push(self.uncertainty(column, change));
                }
                if self.has_percent(column) {
                    let share = signed_share(change.difference, self.old_totals[event]);
                    cells.push(self.changed(change, share));
                }
                cells.push(self.ratio(change, status));
            }
        }
        cells
    }

    /// A cost, or its share.
    fn value(&self, column: &Column, cost: Option<Cost>, share: Option<f64>, bound: Bound) -> Cell {
        let Some(cost) = cost else { return Cell::text(self.absent()) };
        let text = match self.basis {
            Basis::Cost => self.numbers.cost(column, cost),
            Basis::Share => share.map_or(self.absent(), |share| self.share(share)),
        };
        self.numbers.bounded(bound, text)
    }

    /// The cell of a number about a change: with the sign of its bound, or a question mark if it is not known.
    fn changed(&self, change: &Change, text: String) -> Cell {
        match change.bound() {
            Some(bound) => self.numbers.bounded(bound, text),
            None if self.numbers == Numbers::Bare => Cell::default(),
            None => Cell::text("?"),
        }
    }

    fn absent(&self) -> String {
        if self.numbers == Numbers::Bare { String::new() } else { "–".to_owned() }
    }

    fn share(&self, share: f64) -> String {
        if self.numbers == Numbers::Bare { share.to_string() } else { format_percent(share, 2) }
    }

    /// A difference; a decrease is marked as good.
    fn difference(&self, column: &Column, change: &Change, basis: Basis) -> Cell {
        let text = match basis {
            Basis::Cost => self.numbers.cost(column, change.difference),
            Basis::Share => self.share(change.difference.as_f64()),
        };
        let value = change.difference.as_f64();
        let sign = if value > 0.0 && self.numbers == Numbers::Readable { "+" } else { "" };
        let cell = self.changed(change, format!("{sign}{text}"));
        match value {
            _ if change.noise => cell.role(Role::Dim),
            value if value < 0.0 => cell.role(Role::Good),
            value if value > 0.0 => cell.role(Role::Bad),
            _ => cell,
        }
    }

    fn uncertainty(&self, column: &Column, change: &Change) -> Cell {
        let Some(error) = change.uncertainty else { return Cell::default() };
        let text = match (self.numbers, self.basis) {
            (Numbers::Bare, _) => error.to_string(),
            (Numbers::Readable, Basis::Cost) => self.numbers.cost(column, Cost::Exact(error.round() as i128)),
            (Numbers::Readable, Basis::Share) => format_percent(error, 2),
        };
        Cell::text(text).role(Role::Dim)
    }

    fn ratio(&self, change: &Change, status: Option<Status>) -> Cell {
        let bare = self.numbers == Numbers::Bare;
        // With several files, a function may be missing in only one of them.
        let status = status.map(|_| match (change.old, change.new) {
            (Some(_), None) => Status::Gone,
            (None, Some(_)) => Status::New,
            _ => Status::Matched,
        });
        match (change.ratio, status) {
            (_, Some(status @ (Status::Gone | Status::New))) if !bare => Cell::text(status_name(status)),
            (Some(ratio), _) if bare => Cell::text(ratio.to_string()),
            (Some(ratio), _) if change.noise => {
                Cell::text(format!("≈ {}", format_ratio(ratio))).role(Role::Dim)
            }
            (Some(ratio), _) => self.changed(change, format_ratio(ratio)),
            (None, _) => self.changed(change, self.absent()),
        }
    }

    /// A list of what the table does not show: gone, new, perhaps renamed and hidden functions.
    fn remarks(&self, answer: &DiffAnswer) -> Vec<Block> {
        let mut items: Vec<Vec<Inline>> = Vec::new();
        let (counts, chance) = (&answer.counts, &answer.counts.noise);
        let lists =
            [("gone", counts.gone, chance.gone, &answer.gone), ("new", counts.new, chance.new, &answer.new)];
        for (title, count, chance, functions) in lists.into_iter().filter(|(_, count, ..)| *count > 0) {
            items.push(names(title, (count, chance), functions));
        }
        for hint in &answer.renames {
            let reasons = hint.reasons.join(", ");
            let placed = |name: &str, file: &Option<String>| match file {
                Some(file) => format!("{} [{file}]", short(name)),
                None => short(name),
            };
            let (old, new) = (placed(&hint.old, &hint.old_file), placed(&hint.new, &hint.new_file));
            let text = format!("{old} → {new} ({}: {reasons})", format_share(hint.score, 0));
            items.push(vec![strong("perhaps renamed: "), Inline::Text(text)]);
        }
        items.extend(self.hidden(answer));
        if items.is_empty() { Vec::new() } else { vec![Block::List(items)] }
    }

    fn hidden(&self, answer: &DiffAnswer) -> Option<Vec<Inline>> {
        let hidden = &answer.hidden;
        let sum = |(column, cost): (&Column, &Cost)| match self.basis {
            Basis::Cost => format!("{} {}", self.numbers.cost(column, *cost), column.name),
            Basis::Share => format!("{} of the total", format_percent(cost.as_f64(), 2)),
        };
        // Ratios have no sum.
        let adds_up = |(column, _): &(&Column, &Cost)| !column.is_ratio();
        let sums = hidden.difference.iter().map(|costs| {
            self.columns.iter().zip(costs).filter(adds_up).map(sum).collect::<Vec<_>>().join(", ")
        });
        let sums: Vec<String> = sums.filter(|sum| !sum.is_empty()).collect();
        let sums = if sums.is_empty() { String::new() } else { format!(" (together {})", sums.join("; ")) };
        let text = match (hidden.changed, hidden.unchanged) {
            (0, 0) => return None,
            (0, same) => format!("{} that did not change", functions(same)),
            (little, same) => format!(
                "{} with small changes{}{sums}, {same} without any; --min-change 0 shows all",
                functions(little),
                if hidden.noise > 0 { " or within the noise" } else { "" },
            ),
        };
        Some(vec![strong("not shown: "), Inline::Text(text)])
    }
}

/// A total of any event type, without unit.
fn total_text(total: Cost) -> String {
    match total {
        Cost::Exact(exact) => super::grouped(exact),
        Cost::Real(real) => lotse_report::number::significant(real, 4),
    }
}

fn functions(count: usize) -> String {
    if count == 1 { "1 function".to_owned() } else { format!("{} functions", super::grouped(count as i128)) }
}

fn strong(text: &str) -> Inline {
    Inline::Marked(Role::Strong, text.to_owned())
}

/// The first names of a list, and its length. Functions that chance explains are only counted.
fn names(title: &str, (count, chance): (usize, usize), rows: &[FunctionDiff]) -> Vec<Inline> {
    const SHOWN: usize = 8;
    let certain_count = count - chance;
    let certain = rows.iter().filter(|row| !row.versus.iter().all(Versus::is_noise));
    let shown: Vec<String> = certain.take(SHOWN).map(|row| short(&row.function.display)).collect();
    let more = if certain_count > shown.len() { ", …" } else { "" };
    // A limit may have cut off all names.
    let listed = match shown.is_empty() {
        true => functions(certain_count),
        false => format!("{} ({}{more})", functions(certain_count), shown.join(", ")),
    };
    let by_chance = format!("{} in so few samples that chance explains it", functions(chance));
    let text = match (certain_count, chance) {
        (_, 0) => listed,
        (0, _) => by_chance,
        _ => format!("{listed}, and {by_chance}"),
    };
    vec![strong(&format!("{title}: ")), Inline::Text(text)]
}

fn shown_name(function: &FunctionDiff, name: &str) -> String {
    match function.variants {
        1 => name.to_owned(),
        many => format!("{} ({many} variants)", lotse_symbols::without_hash(name)),
    }
}
