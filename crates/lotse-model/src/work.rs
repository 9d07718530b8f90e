//! How a pure function gets its pieces done on several threads without knowing of threads.
//!
//! A codec says what can be done independently; the engine that calls it says how many hands there are.

/// Does independent jobs, in any order, perhaps at the same time.
pub trait Workers: Sync {
    /// How many jobs are done at the same time.
    fn hands(&self) -> usize;
    /// Does `job(0)` to `job(count - 1)`, each once, and comes back when all are done.
    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync));
}

/// Does one after the other.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sequential;

impl Workers for Sequential {
    fn hands(&self) -> usize {
        1
    }

    fn each(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..count).for_each(job);
    }
}

/// The results of jobs, in the order of their numbers.
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

#[cfg(test)]
mod tests {
    use super::{Sequential, Workers, map};

    struct Threads;

    impl Workers for Threads {
        fn hands(&self) -> usize {
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
}
