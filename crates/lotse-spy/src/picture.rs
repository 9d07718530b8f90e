//! Diagrams of index over time, for any number of accesses.
//!
//! A [`PictureBuilder`] consumes the accesses of one instance and maintains a grid of at most 1024 by 256 cells for all threads
//! together, and one for each of the first 15 threads. A cell records which kinds of accesses fell into it. When an access is
//! outside of the grid, neighbouring cells are merged and each covers twice as much, so memory does not grow with the
//! history. The first 256 accesses are also stored individually: a history with no more is drawn as bars, a longer one as
//! points.

mod drawing;
mod grid;
mod repeated;
mod sketch;
mod values;

use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun, portion};
use crate::container::AccessKind;
use crate::instance::ThreadId;
use crate::phases::Phase;
use crate::protocol::Protocol;

pub use grid::Grid;
pub(crate) use sketch::Drawing;
pub use sketch::Sketch;

/// What the horizontal axis shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Event numbers.
    #[default]
    Events,
    /// Nanoseconds.
    Time,
}

/// The part of a history that is drawn; everything by default. Ranges include both ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Event numbers or times, depending on the scale.
    pub x: Option<(u64, u64)>,
    /// Indices of elements.
    pub index: Option<(u64, u64)>,
}

/// Maximum number of accesses that are drawn individually.
const BARS: usize = 256;
/// Maximum number of threads with a diagram of their own.
const THREADS: usize = 15;

/// An access as a point of the diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Event number or time, depending on the scale.
    pub x: u64,
    /// The index; for accesses without index, that of the last element.
    pub y: u64,
    pub length: u64,
    pub kind: AccessKind,
    pub thread: ThreadId,
}

/// A picture under construction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureBuilder {
    scale: Scale,
    window: Window,
    events: u64,
    shown: u64,
    origin: Option<u64>,
    first: Vec<Point>,
    all: Grid,
    /// The first thread, as long as there is no second one.
    only: Option<ThreadId>,
    /// Grids by thread; empty while there is only one thread.
    threads: Vec<(ThreadId, Grid)>,
    /// Number of accesses of threads without a diagram.
    others: u64,
}

/// A picture of a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Picture {
    pub scale: Scale,
    /// The part that was requested.
    pub window: Window,
    /// Number of accesses of the history.
    pub events: u64,
    /// Number of accesses within the window.
    pub shown: u64,
    /// Start of the horizontal axis: that of the window, or the first access.
    pub origin: u64,
    /// The individual accesses, if there are few.
    pub points: Option<Vec<Point>>,
    pub all: Grid,
    /// Grids by thread, if there are several.
    pub threads: Vec<(ThreadId, Grid)>,
    /// Number of accesses of further threads.
    pub others: u64,
    /// The phases of the history.
    pub phases: Vec<Phase>,
}

impl PictureBuilder {
    /// A picture of the part of a history that lies in a window.
    #[must_use]
    pub fn new(scale: Scale, window: Window) -> Self {
        let (first, all, threads) = (Vec::new(), Grid::default(), Vec::new());
        Self { scale, window, events: 0, shown: 0, origin: None, first, all, only: None, threads, others: 0 }
    }

    /// Adds one access.
    pub fn add_access(&mut self, access: &Access) {
        self.add_run(&AccessRun::single(*access));
    }

    /// Adds a run. The cost is proportional to the number of cells that it touches.
    pub fn add_run(&mut self, run: &AccessRun) {
        if run.count == 0 {
            return;
        }
        let number = self.events;
        self.events += run.count;
        let Some((from, to)) = self.visible(run, number) else { return };
        self.shown += to - from;
        let room = BARS + 1 - self.first.len().min(BARS + 1);
        if room > 0 {
            let point = |step: u64| self.point(run, number, step);
            let kept = (from..to).take(room).map(point).collect::<Vec<_>>();
            self.first.extend(kept);
        }
        let (first, last) = (self.point(run, number, from), self.point(run, number, to - 1));
        let origin = *self.origin.get_or_insert(first.x);
        let base = self.window.x.map_or(origin, |(low, _)| low);
        let series = PointSeries { first, last, count: to - from, base };
        self.by_thread(run.first.thread, &series);
        self.all.draw(&series, self.window.index);
    }

    /// Draws into the diagram of the thread. As long as there is only one thread, the common diagram is used for it.
    fn by_thread(&mut self, thread: ThreadId, series: &PointSeries) {
        let only = *self.only.get_or_insert(thread);
        if self.threads.is_empty() {
            if only == thread {
                return;
            }
            self.threads.push((only, self.all.clone()));
        }
        let at = match self.threads.iter().position(|(known, _)| *known == thread) {
            Some(at) => at,
            None if self.threads.len() < THREADS => {
                self.threads.push((thread, Grid::default()));
                self.threads.len() - 1
            }
            None => {
                self.others += series.count;
                return;
            }
        };
        self.threads[at].1.draw(series, self.window.index);
    }

    /// Memory of the grids in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes() + self.threads.iter().map(|(_, grid)| grid.bytes()).sum::<usize>()
    }

    /// The accesses `from..to` of a run that lie in the window.
    fn visible(&self, run: &AccessRun, number: u64) -> Option<(u64, u64)> {
        let Some((low, high)) = self.window.x else { return Some((0, run.count)) };
        let x = |step: u64| self.x(run, number, step);
        let from = partition(run.count, |step| x(step) < low);
        let to = partition(run.count, |step| x(step) <= high);
        (from < to).then_some((from, to))
    }

    fn x(&self, run: &AccessRun, number: u64, step: u64) -> u64 {
        match self.scale {
            Scale::Events => number + step,
            Scale::Time => run.nth(step).time,
        }
    }

    fn point(&self, run: &AccessRun, number: u64, step: u64) -> Point {
        let access = run.nth(step);
        let length = access.length.max(access.length_after());
        let y = access.index.unwrap_or_else(|| length.saturating_sub(1));
        Point { x: self.x(run, number, step), y, length, kind: access.kind, thread: access.thread }
    }

    /// The picture, with the phases of the history.
    #[must_use]
    pub fn finish(self, protocol: &Protocol) -> Picture {
        let is_short = self.first.len() <= BARS;
        Picture {
            scale: self.scale,
            window: self.window,
            events: self.events,
            shown: self.shown,
            origin: self.window.x.map(|(low, _)| low).or(self.origin).unwrap_or(0),
            points: is_short.then_some(self.first),
            all: self.all,
            threads: self.threads,
            others: self.others,
            phases: protocol.all_phases().cloned().collect(),
        }
    }
}

/// Evenly spaced points: a run as it is drawn.
struct PointSeries {
    first: Point,
    last: Point,
    count: u64,
    /// Start of the grid's horizontal axis.
    base: u64,
}

impl PointSeries {
    /// `x`, index and length of the point after `step` steps.
    fn at(&self, step: u64) -> (u64, u64, u64) {
        let (first, last, steps) = (&self.first, &self.last, self.count - 1);
        let between = |a: u64, b: u64| interpolated(a, b, step, steps);
        (between(first.x, last.x), between(first.y, last.y), between(first.length, last.length))
    }
}

fn interpolated(first: u64, last: u64, step: u64, steps: u64) -> u64 {
    if steps == 0 || first == last {
        return first;
    }
    let moved = portion(first.abs_diff(last), step, steps);
    if first < last { first + moved } else { first - moved }
}

/// Binary search: the first number for which `holds` is false, where it is true up to some number; `count` if it never is.
fn partition(count: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests;
