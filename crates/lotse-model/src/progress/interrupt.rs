//! Interruption of work that takes long, without a parameter in every function of an engine.
//!
//! Whoever waits for a result runs the work with [`interruptible`] and a [`Progress`]; the loops of engines ask it whether
//! anybody still waits, through [`checkpoint`] or [`Checked::checked`]. Cancelled work unwinds with [`Cancelled`]: it has no
//! result, not even a part of one. Outside of [`interruptible`] the questions cost a few nanoseconds and change nothing.

use std::cell::RefCell;
use std::sync::Arc;

use super::{Cancelled, Progress};

/// A progress that threads share.
pub type SharedProgress = Arc<dyn Progress + Send + Sync>;

/// Between two questions a loop does this many steps: of at most some microseconds each, as engines have them, that is well
/// below the 100 ms after which a user notices.
const STEPS: u32 = 1024;

thread_local! {
    static CURRENT: RefCell<Option<SharedProgress>> = const { RefCell::new(None) };
}

/// Does work that ends early, without a result, once nobody waits for it any more.
pub fn interruptible<T>(progress: SharedProgress, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    let _restored = Restored(CURRENT.replace(Some(progress)));
    Cancelled::catch(work)
}

/// The progress of the work of this thread, for other threads that do a part of it.
pub fn current() -> Option<SharedProgress> {
    CURRENT.with_borrow(Clone::clone)
}

/// Ends the work of this thread if nobody waits for its result any more.
pub fn checkpoint() {
    if CURRENT.with_borrow(|current| current.as_ref().is_some_and(|progress| progress.is_cancelled())) {
        Cancelled::throw();
    }
}

/// Sets the progress of the thread back to the former one, also when the work unwinds.
struct Restored(Option<SharedProgress>);

impl Drop for Restored {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Iterators with checkpoints.
pub trait Checked: Iterator + Sized {
    /// The same items, with a [`checkpoint`] before the first of them and then from time to time.
    fn checked(self) -> CheckedIterator<Self> {
        CheckedIterator { inner: self, left: 0 }
    }
}

impl<I: Iterator> Checked for I {}

/// What [`Checked::checked`] makes.
#[derive(Debug, Clone)]
pub struct CheckedIterator<I> {
    inner: I,
    left: u32,
}

impl<I: Iterator> Iterator for CheckedIterator<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.left == 0 {
            self.left = STEPS;
            checkpoint();
        }
        self.left -= 1;
        self.inner.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{Checked as _, STEPS, checkpoint, current, interruptible};
    use crate::progress::{Cancelled, CancelledAt};

    #[test]
    fn work_is_interrupted_at_each_question_and_complete_without() {
        let work = || (0..3 * STEPS).checked().map(u64::from).sum::<u64>();
        let whole = work();
        let uncounted = Arc::new(CancelledAt::never());
        assert_eq!(interruptible(uncounted.clone(), work), Ok(whole));
        assert_eq!(uncounted.asked(), 4, "before the first, then after every {STEPS}, the last at the end");
        for question in 1..=uncounted.asked() {
            let done = AtomicU64::new(0);
            let counted = || {
                for _ in (0..3 * STEPS).checked() {
                    done.fetch_add(1, Ordering::Relaxed);
                }
            };
            assert_eq!(interruptible(Arc::new(CancelledAt::question(question)), counted), Err(Cancelled));
            assert_eq!(done.into_inner(), (question - 1) * u64::from(STEPS));
        }
    }

    #[test]
    fn the_former_progress_returns_even_after_an_interruption() {
        let outer = Arc::new(CancelledAt::never());
        let inner = || interruptible(Arc::new(CancelledAt::question(1)), checkpoint);
        let result = interruptible(outer.clone(), || {
            assert_eq!(inner(), Err(Cancelled));
            checkpoint();
        });
        assert_eq!((result, outer.asked()), (Ok(()), 1));
        assert!(current().is_none());
        checkpoint();
    }
}
