//! How an engine tells an edge how far it is, without knowing what an edge looks like.

use crate::results::ResultSet;

/// Receives progress. Engines call it often; a receiver decides what to show and when.
pub trait Progress {
    /// Work of `total` steps begins (`None` when unknown).
    fn begin(&mut self, what: &str, total: Option<u64>);
    /// A step begins that may take long; `what` names it.
    fn step(&mut self, _what: &str) {}
    /// So many steps are done; `note` says what is known so far.
    fn advance(&mut self, done: u64, note: &str);
    /// A block of a measurement is complete; these are all runs so far.
    fn measured(&mut self, _runs: &ResultSet) {}
    /// The work begun last has ended.
    fn end(&mut self);
}

/// Shows nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    fn advance(&mut self, _done: u64, _note: &str) {}
    fn end(&mut self) {}
}
