//! Whether somebody still waits for an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lotse_model::Progress;

/// Cancels work on a document once nobody waits for it: the page has gone, or the document was closed.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    /// Whether the page stopped waiting for this answer.
    gone: Arc<AtomicBool>,
    /// Whether the document was closed.
    closed: Arc<AtomicBool>,
}

impl Asker {
    /// An asker who waits as long as the document is open.
    pub(super) fn of_document(closed: &Arc<AtomicBool>) -> Self {
        Self { gone: Arc::default(), closed: Arc::clone(closed) }
    }

    /// Someone who asks this document, and waits until the patience is dropped.
    pub(super) fn of_question(closed: &Arc<AtomicBool>) -> (Self, Patience) {
        let asker = Self::of_document(closed);
        let patience = Patience(Arc::clone(&asker.gone));
        (asker, patience)
    }
}

impl Progress for Asker {
    fn begin(&mut self, _what: &str, _total: Option<u64>) {}
    fn advance(&mut self, _done: u64, _note: &str) {}
    fn end(&mut self) {}
    fn is_cancelled(&self) -> bool {
        self.gone.load(Ordering::Relaxed) || self.closed.load(Ordering::Relaxed)
    }
}

/// Held while an answer is awaited. The server drops it with the request when the connection ends.
#[derive(Debug)]
pub(super) struct Patience(Arc<AtomicBool>);

impl Drop for Patience {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
