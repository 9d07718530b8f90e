//! Checks that the work of an engine can be interrupted, for the tests of engines.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Cancelled, Progress, interruptible};

/// Is cancelled from a certain question on.
#[derive(Debug)]
pub struct CancelledAt {
    question: u64,
    asked: AtomicU64,
}

impl CancelledAt {
    /// Cancelled from this question on; the first has number 1.
    pub fn question(question: u64) -> Self {
        Self { question, asked: AtomicU64::new(0) }
    }

    /// Never cancelled, to count the questions.
    pub fn never() -> Self {
        Self::question(u64::MAX)
    }

    /// How often the work asked.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Progress for CancelledAt {
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    fn advance(&mut self, _done: u64, _note: &str) {}
    fn end(&mut self) {}
    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 >= self.question
    }
}

/// Interrupts work at each of its checkpoints, and does it again without an interruption: it must have no result, not even a
/// part of one, and then the same result as ever. Returns the number of checkpoints.
///
/// # Panics
///
/// If the work has no checkpoint or another result.
pub fn check_interruptions<T: PartialEq + Debug>(what: &str, work: impl Fn() -> T) -> u64 {
    let whole = work();
    let counted = Arc::new(CancelledAt::never());
    assert_eq!(interruptible(counted.clone(), &work).as_ref(), Ok(&whole), "{what}");
    assert!(counted.asked() > 0, "{what}: it cannot be interrupted");
    for question in 1..=counted.asked() {
        let interrupted = interruptible(Arc::new(CancelledAt::question(question)), &work);
        assert_eq!(
            interrupted,
            Err(Cancelled),
            "{what}: interrupted at checkpoint {question} of {}",
            counted.asked()
        );
        assert_eq!(work(), whole, "{what}: after an interruption at checkpoint {question}");
    }
    counted.asked()
}
