//! The table of source lines.

use lotse_report::number::format_share;
use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::top::{known_costs, self_and_inclusive};
use super::{Numbers, Relative, base_name, table_names};
use crate::analysis::InclusiveOrigin;
use crate::events::{Column, Cost, ranking};
use crate::lines::{LinesAnswer, RankedLine};

/// A row for each line.
pub fn lines(
    answer: &LinesAnswer,
    columns: &[Column],
    origin: InclusiveOrigin,
    (numbers, relative): (Numbers, Relative),
) -> Document {
    let shares = relative != Relative::Off;
    let known = known_costs(origin);
    let mut headings = self_and_inclusive(columns, known, shares, numbers);
    headings.extend([TableColumn::path("line"), TableColumn::function("function")]);
    let mut table = Table::new("", headings);
    let names = table_names(answer.lines.iter().map(|line| &line.function), numbers);
    for (line, name) in answer.lines.iter().zip(names) {
        let mut row = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let inclusive = line.inclusive.as_ref().map_or(Cost::ABSENT, |costs| costs[at]);
            for cost in [line.own[at], inclusive].into_iter().take(known) {
                row.push(numbers.cell(column, cost));
                if shares && numbers.has_shares(column) {
                    row.push(Cell::text(numbers.share_of(column, cost, answer.events[at].total)));
                }
            }
        }
        row.push(Cell::text(place(line, numbers)));
        row.push(Cell::text(match (line.functions, numbers) {
            (1, _) | (_, Numbers::Bare) => name,
            (all, _) => format!("{name} (and {} more)", all - 1),
        }));
        table.rows.push(row);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}

fn place(line: &RankedLine, numbers: Numbers) -> String {
    place_of(&line.file, line.line, numbers)
}

/// `file:line`; for people without the directories.
pub(super) fn place_of(file: &str, line: u32, numbers: Numbers) -> String {
    let file = if numbers == Numbers::Bare { file } else { base_name(file) };
    let file = if file.is_empty() { "???" } else { file };
    format!("{file}:{line}")
}

/// Names the costliest line; for lines sorted by self cost.
pub fn lines_sentence(columns: &[Column], answer: &LinesAnswer) -> Option<String> {
    let at = ranking(columns);
    let (first, column, event) = (answer.lines.first()?, columns.get(at)?, answer.events.get(at)?);
    let share = first.own[at].as_f64() / event.total.as_f64();
    let total = Numbers::Readable.cost(column, event.total);
    let known = column.adds_up() && share.is_finite() && share > 0.0;
    known.then(|| {
        let (place, share) = (place(first, Numbers::Readable), format_share(share, 1));
        format!("{place} takes {share} of {total} ({}, self)", column.name)
    })
}

/// What the table leaves out: lines beyond the limit, and costs without a line.
pub fn lines_notes(columns: &[Column], answer: &LinesAnswer) -> Vec<String> {
    let at = ranking(columns);
    let share = |costs: &[Cost]| {
        let cost = costs.get(at).copied().unwrap_or(Cost::Exact(0));
        cost.as_f64() / answer.events.get(at).map_or(f64::NAN, |event| event.total.as_f64())
    };
    let of = |share: f64| format!("{} of {}", format_share(share, 1), columns[at].name);
    let shown = answer.lines.len();
    let hidden = (shown < answer.line_count).then(|| {
        let rest = share(&answer.hidden);
        let has = if rest.is_finite() { format!(", the others have {}", of(rest)) } else { String::new() };
        format!("shown: {shown} of {} lines{has}; --limit 0 shows all", answer.line_count)
    });
    let rest = share(&answer.without_line);
    let without = (rest >= LEAST_NOTED)
        .then(|| format!("{} has no line: the file or the debug information does not have them", of(rest)));
    let unknown = answer.lines.iter().any(|line| line.inclusive.is_none());
    let unknown = unknown.then(|| {
        "the inclusive costs of lines that recur, or that are part of several functions, are not known (–)".to_owned()
    });
    hidden.into_iter().chain(without).chain(unknown).collect()
}

/// A smaller share of costs without a line is not worth a note.
const LEAST_NOTED: f64 = 0.0005;
