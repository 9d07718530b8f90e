//! The thread pool of codecs and engines, with a progress report. It has as many threads as the machine has CPUs, or a given
//! number.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lotse_model::progress::Cancelled;
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

impl Workers for Threads<'_> {
    fn threads(&self) -> usize {
        self.count
    }

    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        self.with_progress(|progress| progress.begin(self.what, Some(count as u64)));
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 1..self.count.min(count) {
                scope.spawn(|| self.work(&next, count, job, false));
            }
            self.work(&next, count, job, true);
        });
        let mut is_cancelled = false;
        self.with_progress(|progress| {
            is_cancelled = progress.is_cancelled();
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
    use lotse_model::progress::Cancelled;
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
