//! The thread pool of codecs and engines, with a progress report. It has as many threads as the machine has CPUs, or a given
//! number.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use lotse_model::progress::{Cancelled, checkpoint, current, interruptible};
use lotse_model::{Progress, Workers};

/// Runs jobs on several threads, one of which is the caller's.
pub struct Threads<'p> {
    count: usize,
    what: &'static str,
    progress: Mutex<&'p mut (dyn Progress + Send)>,
}

impl<'p> Threads<'p> {
    /// One thread per CPU; progress is reported under the name `what`.
    pub fn new(what: &'static str, progress: &'p mut (dyn Progress + Send)) -> Self {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_count(count, what, progress)
    }

    /// A given number of threads, at least one.
    pub fn with_count(count: usize, what: &'static str, progress: &'p mut (dyn Progress + Send)) -> Self {
        Self { count: count.max(1), what, progress: Mutex::new(progress) }
    }

    /// Runs jobs until there are none left. Only the caller's thread reports progress, and ends the work of all if it was
    /// cancelled: the jobs that nobody has begun are taken away, and each thread ends after its present job.
    fn work(&self, next: &AtomicUsize, count: usize, job: &(dyn Fn(usize) + Sync), reports: bool) {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            checkpoint();
            job(number);
            if let (true, Ok(mut progress)) = (reports, self.progress.try_lock()) {
                progress.advance(number as u64 + 1, "");
                if progress.is_cancelled() {
                    next.store(count, Ordering::Relaxed);
                }
            }
        }
    }

    fn with_progress(&self, change: impl FnOnce(&mut dyn Progress)) {
        change(&mut **self.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

/// Takes all jobs that nobody has begun, at the latest when the thread unwinds.
struct JobsTaken<'a> {
    next: &'a AtomicUsize,
    count: usize,
}

impl Drop for JobsTaken<'_> {
    fn drop(&mut self) {
        self.next.store(self.count, Ordering::Relaxed);
    }
}

impl Workers for Threads<'_> {
    fn threads(&self) -> usize {
        self.count
    }

    /// Runs the jobs on all threads. They are interrupted with the caller (`lotse_model::progress::interruptible`).
    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.with_progress(|progress| progress.begin(self.what, Some(count as u64)));
        let (next, interrupted) = (AtomicUsize::new(0), AtomicBool::new(false));
        let interruption = current();
        // Each thread takes the jobs that are left with it when it is interrupted, so that the others end too.
        let help = |reports: bool| {
            let _taken = JobsTaken { next: &next, count };
            self.work(&next, count, job, reports);
        };
        std::thread::scope(|scope| {
            for _ in 1..self.count.min(count) {
                scope.spawn(|| match &interruption {
                    None => help(false),
                    Some(progress) => {
                        let ended = interruptible(Arc::clone(progress), || help(false));
                        interrupted.fetch_or(ended.is_err(), Ordering::Relaxed);
                    }
                });
            }
            help(true);
        });
        let mut is_cancelled = interrupted.into_inner();
        self.with_progress(|progress| {
            is_cancelled |= progress.is_cancelled();
            progress.advance(count as u64, "");
            progress.end();
        });
        if is_cancelled {
            Cancelled::throw();
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::progress::{Cancelled, CancelledAt, interruptible};
    use lotse_model::{NoProgress, Progress, Workers, work};

    use super::Threads;

    #[test]
    fn every_job_is_done_once_and_results_keep_their_order() {
        let mut silent = NoProgress;
        let threads = Threads::new("counting", &mut silent);
        let expected: Vec<usize> = (0..1000).map(|number| number * 3).collect();
        assert_eq!(work::map(&threads, 1000, |number| number * 3), expected);
        assert!(work::map(&threads, 0, |number| number).is_empty());
    }

    #[test]
    fn threads_are_as_many_as_requested_and_at_least_one() {
        for (requested, given) in [(0, 1), (1, 1), (7, 7)] {
            let mut silent = NoProgress;
            let threads = Threads::with_count(requested, "counting", &mut silent);
            assert_eq!(threads.threads(), given);
            assert_eq!(work::map(&threads, 20, |number| number).len(), 20);
        }
    }

    /// Is cancelled after ten jobs.
    #[derive(Default)]
    struct Impatient(u64);

    impl Progress for Impatient {
        fn begin(&mut self, _what: &str, _total: Option<u64>) {}
        fn advance(&mut self, _done: u64, _note: &str) {
            self.0 += 1;
        }
        fn end(&mut self) {}
        fn is_cancelled(&self) -> bool {
            self.0 >= 10
        }
    }

    #[test]
    fn cancelled_work_ends_early_and_has_no_result() {
        let (mut impatient, done) = (Impatient::default(), std::sync::atomic::AtomicUsize::new(0));
        let result = Cancelled::catch(|| {
            work::map(&Threads::with_count(2, "counting", &mut impatient), 1_000_000, |number| {
                done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                std::thread::sleep(std::time::Duration::from_micros(50));
                number
            })
        });
        assert_eq!(result, Err(Cancelled));
        assert!(done.into_inner() < 1000);
    }

    /// Whichever thread asks the question at which work is cancelled, all of them end and there is no result.
    #[test]
    fn all_threads_are_interrupted_with_their_caller() {
        let work = || work::map(&Threads::with_count(3, "counting", &mut NoProgress), 40, |number| number);
        let uncounted = std::sync::Arc::new(CancelledAt::never());
        assert_eq!(interruptible(uncounted.clone(), work), Ok((0..40).collect()));
        assert_eq!(uncounted.asked(), 40, "once for each job");
        for question in 1..=40 {
            let cancelled = std::sync::Arc::new(CancelledAt::question(question));
            assert_eq!(interruptible(cancelled.clone(), work), Err(Cancelled), "{question}");
            assert!(cancelled.asked() < question + 3, "each thread asks at most once more");
        }
    }

    #[derive(Default)]
    struct RecordedProgress(Vec<String>);

    impl Progress for RecordedProgress {
        fn begin(&mut self, what: &str, total: Option<u64>) {
            self.0.push(format!("begin {what} {total:?}"));
        }
        fn advance(&mut self, _done: u64, _note: &str) {
            self.0.push("advance".to_owned());
        }
        fn end(&mut self) {
            self.0.push("end".to_owned());
        }
    }

    #[test]
    fn progress_is_reported_from_beginning_to_end() {
        let mut recorded = RecordedProgress::default();
        work::map(&Threads::new("reading", &mut recorded), 50, |number| number);
        assert_eq!(recorded.0.first().map(String::as_str), Some("begin reading Some(50)"));
        assert_eq!(recorded.0.last().map(String::as_str), Some("end"));
        assert!(recorded.0.iter().any(|call| call == "advance"));
    }
}
