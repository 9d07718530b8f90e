//! Progress on standard error, when a wait exceeds a second and someone is there to see it.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use lotse_model::Progress;

/// Nothing is shown before this much time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Nor more often than this.
const PACE: Duration = Duration::from_millis(100);

/// A line that is rewritten in place.
pub(crate) struct Line {
    shown: bool,
    what: String,
    total: Option<u64>,
    begun: Instant,
    last: Option<Instant>,
}

impl Line {
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            shown: wanted && std::io::stderr().is_terminal(),
            what: String::new(),
            total: None,
            begun: Instant::now(),
            last: None,
        }
    }

    fn draw(&self, text: &str) {
        let mut stderr = std::io::stderr().lock();
        // A terminal that went away must not end a measurement.
        if write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush()).is_err() {}
    }
}

impl Progress for Line {
    fn begin(&mut self, what: &str, total: Option<u64>) {
        (self.what, self.total) = (what.to_owned(), total);
        (self.begun, self.last) = (Instant::now(), None);
    }

    fn advance(&mut self, done: u64, note: &str) {
        let now = Instant::now();
        let soon = self.last.is_some_and(|last| now - last < PACE) || now - self.begun < PATIENCE;
        if !self.shown || soon {
            return;
        }
        self.last = Some(now);
        let share = self.total.map_or(String::new(), |total| format!(" {:3} %", done * 100 / total.max(1)));
        self.draw(&format!("{}{share}  {note}", self.what));
    }

    fn end(&mut self) {
        if self.last.is_some() {
            self.draw("");
        }
    }
}
