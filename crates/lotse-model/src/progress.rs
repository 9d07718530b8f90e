//! Progress reports from an engine to its caller. The engine does not know whether they are drawn, logged or ignored.

use crate::results::ResultSet;

mod checking;
mod interrupt;

pub use checking::{CancelledAt, check_interruptions};
pub use interrupt::{Checked, CheckedIterator, SharedProgress, checkpoint, current, interruptible};

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
    /// Whether nobody waits for the result any more. Whoever runs jobs asks between jobs, and calls [`Cancelled::throw`] then.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// The payload of the panic that ends cancelled work: it unwinds through an engine without a message and without a result, and
/// whoever cancelled the work catches it. Engines hold nothing that unwinding would damage; their values are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl Cancelled {
    /// Ends the work of this thread, up to [`catch`](Self::catch).
    pub fn throw() -> ! {
        std::panic::resume_unwind(Box::new(Self))
    }

    /// The result of the work, or `Err` if it was cancelled. Other panics continue.
    pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Self> {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|payload| {
            match payload.downcast::<Self>() {
                Ok(cancelled) => *cancelled,
                Err(other) => std::panic::resume_unwind(other),
            }
        })
    }
}

/// Ignores all progress reports.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    fn advance(&mut self, _done: u64, _note: &str) {}
    fn end(&mut self) {}
}
