//! The values of a picture as tables, for readers who cannot see it.
//!
//! A short history has a row for each access. A longer one has a row for each column of points, with the kinds and indices that are
//! drawn in it, since the accesses themselves are not kept.

use lotse_report::number::{format_count, format_seconds};
use lotse_report::svg::{HistoryMark, HistoryPanel};
use lotse_report::{Cell, Column, Table};

use super::{Grid, Picture, Point, Scale};
use crate::container::AccessKind;

/// At most so many rows have the tables of all diagrams together; one diagram has no more than 1024 columns.
const MOST_ROWS: usize = 4096;
/// At most so many phases are listed.
const MOST_PHASES: usize = 500;
/// At most so many ranges of indices stand in a row.
const MOST_RANGES: usize = 8;

impl Picture {
    /// What the SVG draws: the accesses, or the columns of each diagram, and the phases. Captions say what is left out.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = match &self.points {
            Some(points) => vec![self.accesses(points)],
            None => self.diagrams(),
        };
        tables.extend(self.phase_table());
        tables
    }

    /// A row for each access that is drawn as a bar.
    fn accesses(&self, points: &[Point]) -> Table {
        let columns = vec![
            Column::right(self.x_title()),
            Column::left("kind"),
            Column::right("index"),
            Column::right("length"),
            Column::right("thread"),
        ];
        let mut table = Table::new(format!("Accesses: {}", self.listed(points.len() as u64)), columns);
        let count = |number: u64| Cell::number(format_count(number as f64), number as f64);
        let row = |point: &Point| {
            vec![
                Cell::number(self.x_text(self.x(point.x)), self.x(point.x)),
                Cell::text(point.kind.name()),
                count(point.y),
                count(point.length),
                Cell::text(point.thread.0.to_string()),
            ]
        };
        table.rows = points.iter().map(row).collect();
        table
    }

    /// A table for each diagram, as long as there is room for all of its rows.
    fn diagrams(&self) -> Vec<Table> {
        let names = self.thread_names();
        let panels = self.panels(&names);
        let mut room = MOST_ROWS;
        let mut tables: Vec<Table> = Vec::new();
        let grids = std::iter::once(&self.all).chain(self.threads.iter().map(|(_, grid)| grid));
        for (panel, grid) in panels.iter().zip(grids) {
            let rows = self.column_rows(panel);
            if rows.len() > room {
                break;
            }
            room -= rows.len();
            let columns = vec![
                Column::right(self.x_title()),
                Column::right("length"),
                Column::left("kinds and indices"),
            ];
            let mut table = Table::new(format!("{}: {}", panel.name, resolution(grid)), columns);
            table.rows = rows;
            tables.push(table);
        }
        let left_out = panels.len() - tables.len();
        if let Some(last) = tables.last_mut().filter(|_| left_out > 0) {
            last.caption =
                format!("{}; the tables of {left_out} further diagrams are left out", last.caption);
        }
        tables
    }

    /// The columns of a diagram: the greatest length, and the marks from the lowest index on.
    fn column_rows(&self, panel: &HistoryPanel<'_>) -> Vec<Vec<Cell>> {
        let mut starts: Vec<(f64, f64)> = panel.lengths.iter().map(|it| (it.0, it.1)).collect();
        starts.extend(panel.marks.iter().map(|mark| mark.x));
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        starts.dedup();
        let row = |x: (f64, f64)| {
            let lengths = &panel.lengths[panel.lengths.partition_point(|it| it.0 < x.0)..];
            let length = lengths.first().filter(|it| it.0 == x.0).map_or(0.0, |it| it.2);
            let marks = &panel.marks[panel.marks.partition_point(|mark| mark.x.0 < x.0)..];
            let own = &marks[..marks.partition_point(|mark| mark.x.0 <= x.0)];
            vec![
                Cell::number(self.range_text(x), x.0),
                Cell::number(format_count(length), length),
                Cell::text(marks_text(own)),
            ]
        };
        starts.into_iter().map(row).collect()
    }

    /// The phases that are drawn as brackets.
    fn phase_table(&self) -> Option<Table> {
        let brackets = self.brackets();
        let all = brackets.iter().flat_map(|of| of.spans.iter().map(move |span| (of.name, *span)));
        let count = all.clone().count();
        let caption = match count {
            0 => return None,
            _ if count <= MOST_PHASES => format!("Phases: {count}"),
            _ => format!("Phases: the first {MOST_PHASES} of {count}, in the order of characteristics"),
        };
        let mut table = Table::new(caption, vec![Column::left("phase"), Column::right(self.x_title())]);
        let row = |(name, span): (&str, (f64, f64))| {
            vec![Cell::text(name), Cell::number(self.range_text(span), span.0)]
        };
        table.rows = all.take(MOST_PHASES).map(row).collect();
        Some(table)
    }

    fn listed(&self, shown: u64) -> String {
        match shown == self.events {
            true => format!("all {}", format_count(shown as f64)),
            false => format!("{} of {}", format_count(shown as f64), format_count(self.events as f64)),
        }
    }

    fn x_title(&self) -> &'static str {
        if self.scale == Scale::Events { "access" } else { "time" }
    }

    fn x_text(&self, x: f64) -> String {
        if self.scale == Scale::Events { format_count(x) } else { format_seconds(x) }
    }

    /// A range whose end is the begin of the next one; of event numbers, the last one is named.
    fn range_text(&self, (from, to): (f64, f64)) -> String {
        let last = if self.scale == Scale::Events { to - 1.0 } else { to };
        match last > from {
            true => format!("{} to {}", self.x_text(from), self.x_text(last)),
            false => self.x_text(from),
        }
    }
}

/// "insert 0 to 63, read 64": the marks of a column.
fn marks_text(marks: &[HistoryMark]) -> String {
    let one = |mark: &HistoryMark| {
        let (from, last) = (mark.y.0, mark.y.1 - 1.0);
        let indices = match last > from {
            true => format!("{} to {}", format_count(from), format_count(last)),
            false => format_count(from),
        };
        format!("{} {indices}", AccessKind::ALL.get(mark.kind).map_or("", |kind| kind.name()))
    };
    let mut texts: Vec<String> = marks.iter().take(MOST_RANGES).map(one).collect();
    if marks.len() > MOST_RANGES {
        texts.push(format!("and {} more ranges", marks.len() - MOST_RANGES));
    }
    texts.join(", ")
}

/// How exact the rows of a diagram are: its points are all that is kept of a long history.
fn resolution(grid: &Grid) -> String {
    let positions = match grid.row {
        1 => "each index".to_owned(),
        row => format!("{} indices", format_count(row as f64)),
    };
    format!(
        "a row for each column of points; a point stands for {positions}, and of several kinds of access in it for the one \
         that changes the structure most"
    )
}
