//! Many threads that wait for one lock, or for a condition.

use lotse_model::trace::{Event, EventKind, LockKind};

use super::Growth;
use super::sketch::Sketch;

pub(super) const GROWTHS: &[Growth] = &[
    Growth { name: "lock", unit: "threads that wait for one lock", large: 10_000, small: 1600, sketch: lock },
    Growth {
        name: "holdings",
        unit: "holdings of one lock while one thread waits",
        large: 100_000,
        small: 6000,
        sketch: overtaken,
    },
    Growth {
        name: "condition",
        unit: "threads that wait for a condition",
        large: 4000,
        small: 1200,
        sketch: condition,
    },
    Growth { name: "signals", unit: "signals during one wait", large: 200_000, small: 8000, sketch: signals },
    Growth {
        name: "turns",
        unit: "waits of two threads for each other",
        large: 200_000,
        small: 6000,
        sketch: turns,
    },
];

fn acquire(order: u32) -> (EventKind, Event) {
    (EventKind::ThreadAcquireLock, Event::AcquireLock { kind: LockKind::Mutex, lock: 1, order })
}

fn release(order: u32) -> (EventKind, Event) {
    (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind: LockKind::Mutex, lock: 1, order })
}

/// All threads ask for a lock at about the same time and get it one after the other.
fn lock(threads: u64) -> Sketch {
    let mut sketch = Sketch::threads(threads);
    for thread in 0..threads {
        let order = thread as u32 + 1;
        let (asks, gets) = (10 + thread, 10 + threads + 100 * thread);
        sketch.enter(thread, 0, "main").call(thread, (1, asks), "work");
        sketch.call_with(thread, (asks, gets), "pthread_mutex_lock", acquire(order));
        sketch.call(thread, (gets + 1, gets + 80), "update");
        sketch.call_with(thread, (gets + 80, gets + 81), "pthread_mutex_unlock", release(order));
        sketch.leave(thread, gets + 90, "main");
    }
    sketch
}

/// Two threads have a lock in turn, while a third waits for it until the end.
fn overtaken(holdings: u64) -> Sketch {
    let mut sketch = Sketch::threads(3);
    (0..3).for_each(|thread| {
        sketch.enter(thread, 0, "main");
    });
    for number in 0..holdings {
        let (thread, at) = (number % 2, 100 * number + 10);
        let order = number as u32 + 1;
        sketch.call_with(thread, (at, at + 5), "pthread_mutex_lock", acquire(order));
        sketch.call(thread, (at + 5, at + 80), "update");
        sketch.call_with(thread, (at + 80, at + 82), "pthread_mutex_unlock", release(order));
    }
    let (end, order) = (100 * holdings + 10, holdings as u32 + 1);
    sketch.call_with(2, (50, end), "pthread_mutex_lock", acquire(order));
    sketch.call_with(2, (end + 10, end + 11), "pthread_mutex_unlock", release(order));
    (0..3).for_each(|thread| {
        sketch.leave(thread, end + 20, "main");
    });
    sketch
}

/// Many threads sleep until the first broadcasts, several times.
fn condition(threads: u64) -> Sketch {
    let mut sketch = Sketch::threads(threads);
    (0..threads).for_each(|thread| {
        sketch.enter(thread, 0, "main");
    });
    for round in 0..4 {
        let begin = 10_000 * round + 10;
        sketch.call(0, (begin, begin + 5000), "work");
        sketch.call(0, (begin + 5000, begin + 5010), "pthread_cond_broadcast");
        for thread in 1..threads {
            sketch.call(thread, (begin + 10, begin + 5020 + thread % 100), "pthread_cond_wait");
        }
    }
    (0..threads).for_each(|thread| {
        sketch.leave(thread, 50_000, "main");
    });
    sketch
}

/// One thread signals again and again, another one sleeps through most of it.
fn signals(count: u64) -> Sketch {
    let mut sketch = Sketch::threads(2);
    sketch.enter(0, 0, "main").enter(1, 0, "main");
    for number in 0..count {
        sketch.call(0, (20 * number + 1, 20 * number + 10), "pthread_mutex_lock");
        sketch.call(0, (20 * number + 10, 20 * number + 15), "pthread_cond_signal");
    }
    sketch.call(1, (5, 20 * count), "pthread_cond_wait");
    sketch.leave(0, 20 * count + 5, "main").leave(1, 20 * count + 5, "main");
    sketch
}

/// Each of two threads sleeps until the other one signals.
fn turns(count: u64) -> Sketch {
    let mut sketch = Sketch::threads(2);
    sketch.enter(0, 0, "main").enter(1, 0, "main");
    for number in 0..count {
        let (waits, works) = (number % 2, 1 - number % 2);
        let at = 100 * number + 1;
        sketch.call(works, (at, at + 50), "work");
        sketch.call(works, (at + 50, at + 55), "pthread_cond_signal");
        sketch.call(waits, (at, at + 60), "pthread_cond_wait");
    }
    sketch.leave(0, 100 * count + 5, "main").leave(1, 100 * count + 5, "main");
    sketch
}
