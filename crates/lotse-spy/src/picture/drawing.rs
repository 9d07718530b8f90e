//! Renders a picture of a history as SVG.

use lotse_model::Unit;
use lotse_report::number::format_count;
use lotse_report::svg::{
    HistoryBrackets, HistoryChart, HistoryMark, HistoryPanel, Labels, Svg, history_chart,
};

use super::{Grid, Picture, Point, Scale};
use crate::container::AccessKind;
use crate::instance::ThreadId;
use crate::phases::Characteristic;

impl Picture {
    /// The picture as SVG. The title names the structure.
    #[must_use]
    pub fn svg(&self, title: &str) -> Svg {
        let names = self.thread_names();
        let panels = self.panels(&names);
        let chart = HistoryChart {
            span: self.span(),
            kinds: AccessKind::ALL.map(AccessKind::name).to_vec(),
            panels,
            brackets: self.brackets(),
            note: self.note(title),
        };
        history_chart(&self.labels(title), &chart)
    }

    pub(super) fn thread_names(&self) -> Vec<String> {
        self.threads.iter().map(|(thread, _)| format!("thread {}", thread.0)).collect()
    }

    /// The diagram of all threads, and those of each if there are several.
    pub(super) fn panels<'a>(&self, names: &'a [String]) -> Vec<HistoryPanel<'a>> {
        let mut panels = vec![self.panel("all threads", None, &self.all)];
        let threads = self.threads.iter().zip(names);
        panels.extend(threads.map(|((thread, grid), name)| self.panel(name, Some(*thread), grid)));
        panels
    }

    fn labels(&self, title: &str) -> Labels {
        let (quantity, unit) = match self.scale {
            Scale::Events => ("access", Unit::Number),
            Scale::Time => ("time", Unit::Seconds),
        };
        Labels {
            title: title.to_owned(),
            description: format!(
                "Index over time of {} accesses, coloured by kind.",
                format_count(self.shown as f64)
            ),
            quantity: quantity.to_owned(),
            unit,
        }
    }

    fn note(&self, title: &str) -> String {
        let count = |number: u64| format_count(number as f64);
        let shown = (self.shown < self.events).then(|| format!(", {} of them shown", count(self.shown)));
        let unit = if self.scale == Scale::Time { "ns" } else { "accesses" };
        let (column, row) = (count(self.all.column), count(self.all.row));
        let coarse = self.points.is_none().then(|| {
            format!(
                "; a point stands for {column} {unit} and {row} position{}",
                if self.all.row == 1 { "" } else { "s" }
            )
        });
        let others =
            (self.others > 0).then(|| format!("; {} accesses are of further threads", count(self.others)));
        let whole = format!("{title}: {} accesses", count(self.events));
        [Some(whole), shown, coarse, others].into_iter().flatten().collect()
    }

    /// A value on the horizontal axis, in its unit.
    pub(super) fn x(&self, x: u64) -> f64 {
        match self.scale {
            Scale::Events => x as f64,
            Scale::Time => x.saturating_sub(self.origin) as f64 / 1e9,
        }
    }

    fn span(&self) -> (f64, f64) {
        let end = match &self.points {
            Some(points) => points.last().map_or(0, |point| point.x.saturating_add(1)),
            None => self.all.left(self.all.columns()),
        };
        (self.x(self.origin), self.x(end))
    }

    fn panel<'a>(&self, name: &'a str, thread: Option<ThreadId>, grid: &Grid) -> HistoryPanel<'a> {
        let (lengths, marks) = match &self.points {
            Some(points) => self.bars(points, thread),
            None => self.cells(grid),
        };
        HistoryPanel { name, indices: self.indices(), lengths, marks }
    }

    /// The range of the vertical axis, which is the same for all diagrams.
    fn indices(&self) -> (f64, f64) {
        if let Some((low, high)) = self.window.index {
            return (low as f64, high as f64 + 1.0);
        }
        let longest = match &self.points {
            Some(points) => {
                points.iter().map(|point| point.length.max(point.y.saturating_add(1))).max().unwrap_or(1)
            }
            None => {
                let lengths = (0..self.all.columns()).map(|column| self.all.length(column));
                lengths.max().unwrap_or(1).max(self.all.bottom(top_row(&self.all)))
            }
        };
        (0.0, longest as f64)
    }

    /// A bar for each access; index 0 has height 0.5 so that its colour shows.
    fn bars(&self, points: &[Point], thread: Option<ThreadId>) -> (Vec<(f64, f64, f64)>, Vec<HistoryMark>) {
        let width = self.span().1 / 512.0;
        let place = |point: &Point| match self.scale {
            Scale::Events => (point.x as f64 + 0.1, point.x as f64 + 0.9),
            Scale::Time => (self.x(point.x), self.x(point.x) + width),
        };
        let shown = || points.iter().filter(move |point| thread.is_none_or(|thread| thread == point.thread));
        let low = self.window.index.map_or(0.0, |(low, _)| low as f64);
        let mark = |point: &Point| HistoryMark {
            x: place(point),
            y: (low, (point.y as f64).max(low + 0.5)),
            kind: point.kind as usize,
        };
        let lengths = shown().map(|point| (place(point).0, place(point).1, point.length as f64)).collect();
        (lengths, shown().map(mark).collect())
    }

    /// Lengths and marks of a grid.
    fn cells(&self, grid: &Grid) -> (Vec<(f64, f64, f64)>, Vec<HistoryMark>) {
        let left = |column: usize| self.x(grid.left(column));
        let columns = || (0..grid.columns()).filter(|column| grid.length(*column) > 0);
        let lengths =
            columns().map(|column| (left(column), left(column + 1), grid.length(column) as f64)).collect();
        let mut marks = Vec::new();
        for column in 0..grid.columns() {
            let mut row = 0;
            while row < Grid::rows() {
                let Some(kind) = grid.kind(column, row) else {
                    row += 1;
                    continue;
                };
                // Adjacent cells of one kind in a column become one mark.
                let first = row;
                while row < Grid::rows() && grid.kind(column, row) == Some(kind) {
                    row += 1;
                }
                let y = |row: usize| grid.bottom(row) as f64;
                marks.push(HistoryMark {
                    x: (left(column), left(column + 1)),
                    y: (y(first), y(row)),
                    kind: kind as usize,
                });
            }
        }
        (lengths, marks)
    }

    /// The phases of each characteristic that overlap the window.
    pub(super) fn brackets(&self) -> Vec<HistoryBrackets<'static>> {
        let (low, high) = self.window.x.unwrap_or((0, u64::MAX));
        let brackets_of = |characteristic: Characteristic| {
            let phases = self.phases.iter().filter(|phase| phase.characteristic == characteristic);
            let ends = phases.map(|phase| if self.scale == Scale::Events { phase.span } else { phase.time });
            let seen = ends.filter(|(from, to)| *from <= high && *to >= low);
            let spans: Vec<(f64, f64)> = seen
                .map(|(from, to)| (self.x(from.max(low)), self.x(to.min(high).saturating_add(1))))
                .collect();
            (!spans.is_empty()).then(|| HistoryBrackets { name: characteristic.name(), spans })
        };
        Characteristic::all().filter_map(brackets_of).collect()
    }
}

/// One above the highest row in use.
fn top_row(grid: &Grid) -> usize {
    let used = |row: &usize| (0..grid.columns()).any(|column| grid.kind(column, *row).is_some());
    (0..Grid::rows()).rev().find(used).map_or(0, |row| row + 1)
}
