//! The figures so far, shown during a measurement.
//!
//! They carry no verdict: a user who looks often and stops at the first difference would find differences by chance.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use lotse_bench::report;
use lotse_model::Progress;
use lotse_model::results::ResultSet;

use crate::progress::ProgressLine;
use crate::screen;

/// Figures are drawn at most this often, so that drawing does not disturb what is measured.
const REDRAW_INTERVAL: Duration = Duration::from_secs(1);

/// The line of progress, and above it the figures so far if `--watch` asks for them.
pub(crate) struct WatchedProgress {
    line: ProgressLine,
    /// The number of blocks between two drawings of the figures; `None` without `--watch`.
    interval: Option<u32>,
    metric: String,
    blocks: u32,
    drawn: Option<Instant>,
    /// The number of lines of the last drawing, which the next one replaces on a terminal.
    height: usize,
}

impl WatchedProgress {
    pub(crate) fn new(line: ProgressLine, interval: Option<u32>, metric: String) -> Self {
        Self { line, interval, metric, blocks: 0, drawn: None, height: 0 }
    }

    fn is_due(&mut self) -> bool {
        self.blocks += 1;
        let is_multiple = self.interval.is_some_and(|interval| self.blocks.is_multiple_of(interval));
        is_multiple && self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW_INTERVAL)
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

impl Progress for WatchedProgress {
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
