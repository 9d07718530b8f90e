//! Index over time, for any number of accesses.
//!
//! A [`PictureBuilder`] takes the accesses of one instance in and keeps a grid of at most 1024 by 256 cells for all threads
//! together and one for each of the first 15. A cell knows which kinds of accesses fell into it. When an access lies
//! beyond the grid, neighbouring cells are joined and each then stands for twice as much, so memory does not grow with the
//! history. The first 256 accesses are kept as they are: a history that has no more is drawn as bars, a longer one as points.

mod drawing;
mod grid;
mod repeated;
mod sketch;

use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::Kind;
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
    /// The number of the access.
    #[default]
    Events,
    /// Nanoseconds.
    Time,
}

/// The part of a history that is shown; everything by default. Both ends are included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Numbers of accesses, or times.
    pub x: Option<(u64, u64)>,
    /// Positions.
    pub index: Option<(u64, u64)>,
}

/// Accesses drawn one by one.
const BARS: usize = 256;
/// Threads with a diagram of their own.
const THREADS: usize = 15;

/// A point of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The number of the access, or its time.
    pub x: u64,
    /// The position; for accesses without, that of the last element.
    pub y: u64,
    /// The length of the structure.
    pub length: u64,
    /// What was done.
    pub kind: Kind,
    /// By whom.
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
    /// The only thread so far.
    only: Option<ThreadId>,
    /// By thread, from the second thread on.
    threads: Vec<(ThreadId, Grid)>,
    /// Accesses of threads without a diagram.
    others: u64,
}

/// A picture of a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Picture {
    /// What the horizontal axis shows.
    pub scale: Scale,
    /// What was asked for.
    pub window: Window,
    /// Accesses of the history.
    pub events: u64,
    /// Accesses within the window.
    pub shown: u64,
    /// Where the horizontal axis begins: at the window, or at the first access.
    pub origin: u64,
    /// All accesses one by one, if there are few.
    pub points: Option<Vec<Point>>,
    /// All threads.
    pub all: Grid,
    /// By thread, if there are several.
    pub threads: Vec<(ThreadId, Grid)>,
    /// Accesses of further threads.
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

    /// One access.
    pub fn access(&mut self, access: &Access) {
        self.run(&AccessRun::single(*access));
    }

    /// Several accesses. A long run costs as much as it has cells.
    pub fn run(&mut self, run: &AccessRun) {
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
        let line = Line { first, last, count: to - from, base };
        self.by_thread(run.first.thread, &line);
        self.all.draw(&line, self.window.index);
    }

    /// Draws into the thread's own diagram. As long as there is one thread only, its diagram is that of all.
    fn by_thread(&mut self, thread: ThreadId, line: &Line) {
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
                self.others += line.count;
                return;
            }
        };
        self.threads[at].1.draw(line, self.window.index);
    }

    /// Bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.all.bytes() + self.threads.iter().map(|(_, grid)| grid.bytes()).sum::<usize>()
    }

    /// Which accesses of a run lie in the window: from one to before another.
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

/// Evenly spaced points.
struct Line {
    first: Point,
    last: Point,
    count: u64,
    /// Where the grid begins.
    base: u64,
}

impl Line {
    /// Place, position and length after so many steps.
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
    let distance = i128::from(last) - i128::from(first);
    (i128::from(first) + distance * i128::from(step) / i128::from(steps)) as u64
}

/// The first number below `count` for which a condition that holds up to some number no longer holds.
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
