//! Parallel loops for code that starts no threads itself.
//!
//! A codec divides its work into independent jobs; the caller passes [`Workers`], which run them on as many threads as it
//! chooses.

use crate::progress::checkpoint;

/// Runs independent jobs, in any order and possibly in parallel.
pub trait Workers: Sync {
    /// The number of threads that run jobs.
    fn threads(&self) -> usize;
    /// Runs `job(0)` to `job(count - 1)`, each exactly once, and returns when all have ended.
    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync));
}

/// Runs all jobs on the calling thread, in order.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sequential;

impl Workers for Sequential {
    fn threads(&self) -> usize {
        1
    }

    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        for number in 0..count {
            checkpoint();
            job(number);
        }
    }
}

/// The results of `job(0)` to `job(count - 1)`, in this order.
pub fn map<T: Send>(workers: &dyn Workers, count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let slots: Vec<std::sync::Mutex<Option<T>>> = (0..count).map(|_| std::sync::Mutex::new(None)).collect();
    workers.each(count, &|number| {
        let result = job(number);
        *slots[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(result);
    });
    let taken =
        slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    taken.map(|result| result.expect("every job is done once")).collect()
}

/// Joins all values into one, as a binary tree over neighbours; `None` for an empty list.
///
/// ```text
/// a   b   c   d   e
///  \ /     \ /    |       first round: two joins in parallel
///   ab     cd     e
///     \   /       |       second round
///      abcd       e
///          \     /
///           abcde         third round
/// ```
pub fn reduce<T: Send>(workers: &dyn Workers, all: Vec<T>, join: impl Fn(T, T) -> T + Sync) -> Option<T> {
    let mut left = all;
    while left.len() > 1 {
        let mut rest = left.into_iter();
        let mut pairs = Vec::new();
        while let Some(one) = rest.next() {
            pairs.push(std::sync::Mutex::new(Some((one, rest.next()))));
        }
        left = map(workers, pairs.len(), |number| {
            let pair = pairs[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            let (one, other) = pair.expect("every pair is taken once");
            match other {
                Some(other) => join(one, other),
                None => one,
            }
        });
    }
    left.pop()
}

/// Runs two independent jobs, possibly in parallel, and returns both results.
pub fn both<A: Send, B: Send>(
    workers: &dyn Workers,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (first, second) = (OnceJob::new(first), OnceJob::new(second));
    workers.each(2, &|number| match number {
        0 => first.run(),
        _ => second.run(),
    });
    (first.result(), second.result())
}

/// A job that runs at most once and keeps its result. It turns a `FnOnce` into a job that any thread can run.
struct OnceJob<J, T>(std::sync::Mutex<(Option<J>, Option<T>)>);

impl<J: FnOnce() -> T, T> OnceJob<J, T> {
    fn new(job: J) -> Self {
        Self(std::sync::Mutex::new((Some(job), None)))
    }

    fn run(&self) {
        let mut held = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(job) = held.0.take() {
            held.1 = Some(job());
        }
    }

    fn result(self) -> T {
        let held = self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        held.1.expect("both jobs are done")
    }
}

#[cfg(test)]
mod tests {
    use super::{Sequential, Workers, both, map, reduce};

    struct Threads;

    impl Workers for Threads {
        fn threads(&self) -> usize {
            3
        }

        fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| {
                for number in (0..count).rev() {
                    scope.spawn(move || job(number));
                }
            });
        }
    }

    #[test]
    fn results_come_in_order_whoever_does_them() {
        let squares = |workers: &dyn Workers| map(workers, 5, |number| number * number);
        assert_eq!(squares(&Sequential), [0, 1, 4, 9, 16]);
        assert_eq!(squares(&Threads), squares(&Sequential));
    }

    #[test]
    fn two_jobs_may_give_what_they_own() {
        let (left, right) = (String::from("a"), vec![1, 2]);
        assert_eq!(both(&Sequential, || left, || right), ("a".to_owned(), vec![1, 2]));
        assert_eq!(both(&Threads, || 1, || "b"), (1, "b"));
    }

    #[test]
    fn neighbours_are_joined_in_their_order() {
        let letters =
            |count: usize| ["a", "b", "c", "d", "e"][..count].iter().map(|it| it.to_string()).collect();
        for (count, expected) in [(5, "abcde"), (4, "abcd"), (1, "a")] {
            let joined = reduce(&Threads, letters(count), |one: String, other| one + &other);
            assert_eq!(joined.as_deref(), Some(expected));
        }
        assert_eq!(reduce(&Sequential, Vec::<u8>::new(), |one, _| one), None);
    }
}
