//! The figures so far, while a measurement goes on.
//!
//! They carry no verdict: whoever looks often and stops when a difference shows finds differences that are none.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use lotse_bench::report;
use lotse_model::Progress;
use lotse_model::results::ResultSet;

use crate::progress::Line;
use crate::screen;

/// Figures are drawn no more often than this, so that drawing does not disturb what is measured.
const PACE: Duration = Duration::from_secs(1);

/// A line of progress, and the figures above it where someone wants to see them.
pub(crate) struct Watched {
    line: Line,
    /// After so many blocks; nothing where nobody watches.
    every: Option<u32>,
    metric: String,
    blocks: u32,
    drawn: Option<Instant>,
    /// Lines of the last drawing, which the next one replaces on a terminal.
    height: usize,
}

impl Watched {
    pub(crate) fn new(line: Line, every: Option<u32>, metric: String) -> Self {
        Self { line, every, metric, blocks: 0, drawn: None, height: 0 }
    }

    fn is_due(&mut self) -> bool {
        self.blocks += 1;
        let turn = self.every.is_some_and(|every| self.blocks.is_multiple_of(every));
        turn && self.drawn.is_none_or(|drawn| drawn.elapsed() >= PACE)
    }

    fn draw(&mut self, set: &ResultSet) {
        self.drawn = Some(Instant::now());
        let text = match screen::text(&report::so_far(set, &self.metric), &[]) {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(failure) => failure.message,
        };
        let up = if std::io::stderr().is_terminal() && self.height > 0 {
            format!("\r\x1b[{}A\x1b[J", self.height)
        } else {
            String::new()
        };
        self.height = text.lines().count();
        self.line.above(&format!("{up}{text}"));
    }
}

impl Progress for Watched {
    fn begin(&mut self, what: &str, total: Option<u64>) {
        self.line.begin(what, total);
    }

    fn step(&mut self, what: &str) {
        self.line.step(what);
    }

    fn advance(&mut self, done: u64, note: &str) {
        self.line.advance(done, note);
    }

    fn measured(&mut self, runs: &ResultSet) {
        if self.is_due() {
            self.draw(runs);
        }
    }

    fn end(&mut self) {
        self.line.end();
    }
}
