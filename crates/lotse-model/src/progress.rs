//! Progress reports from an engine to its caller. The engine does not know whether they are drawn, logged or ignored.

use crate::results::ResultSet;

/// Receives progress. Engines call it often; a receiver decides what to show and when.
pub trait Progress {
    /// Work of `total` steps begins (`None` when unknown).
    fn begin(&mut self, what: &str, total: Option<u64>);
    /// A step begins that may take long; `what` names it.
    fn step(&mut self, _what: &str) {}
    /// `done` steps are complete; `note` describes the intermediate result.
    fn advance(&mut self, done: u64, note: &str);
    /// A block of a benchmark is complete; `runs` holds all runs so far.
    fn measured(&mut self, _runs: &ResultSet) {}
    /// The work that the last `begin` announced has ended.
    fn end(&mut self);
}

/// Ignores all progress reports.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    fn advance(&mut self, _done: u64, _note: &str) {}
    fn end(&mut self) {}
}
