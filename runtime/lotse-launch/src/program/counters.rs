//! Counters of `perf_event_open`, opened for the launcher and inherited by the run.
//!
//! They are disabled here and enabled when a child calls `exec`; when a process ends, the kernel adds its counts
//! to those of the launcher. Two jobs that run at the same time cannot be distinguished.
//!
//! They are opened anew for every run. When the kernel switches from the launcher to its child, it may swap their
//! identical counters. The launcher's counter is then the one that `exec` enables and that ends with the child, and the
//! counter that later children inherit would never be enabled: it would count 0.

use crate::memory::Arena;
use crate::pipes::Pipes;
use crate::syscall::{self, Errno};
use crate::wire::{self, CounterAnswer, CounterReading, CounterRequest, MOST_COUNTERS, Request};

pub(crate) struct Counters {
    requested: [CounterRequest; MOST_COUNTERS],
    fds: [i32; MOST_COUNTERS],
    count: usize,
}

impl Counters {
    pub(crate) fn new() -> Self {
        Self { requested: [CounterRequest::default(); MOST_COUNTERS], fds: [-1; MOST_COUNTERS], count: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Stores the counters of the request, and answers which of them can be opened.
    pub(crate) fn set_up(&mut self, pipes: &Pipes, request: &Request) {
        // SAFETY: requests are served one after the other, and this one releases its arena below.
        let Ok(mut arena) = (unsafe { Arena::take(request.length as usize) }) else { syscall::exit(5) };
        pipes.receive(arena.bytes());
        let mut answers = [0; MOST_COUNTERS * CounterAnswer::SIZE];
        let requested = arena.bytes().chunks_exact(CounterRequest::SIZE).filter_map(CounterRequest::decode);
        let slots = answers.chunks_exact_mut(CounterAnswer::SIZE).zip(&mut self.requested);
        self.count = 0;
        for (counter, (answer, slot)) in requested.zip(slots) {
            let error = open(&counter).map(syscall::close).err().map_or(0, |errno| errno.0);
            answer.copy_from_slice(&CounterAnswer { error }.encode());
            *slot = counter;
            self.count += 1;
        }
        let length = self.count * CounterAnswer::SIZE;
        let Some(answers) = answers.get(..length) else { syscall::exit(4) };
        pipes.answer(wire::SETUP, self.count, answers);
        arena.release();
    }

    /// Opens the counters for the next run.
    pub(crate) fn open(&mut self) {
        for (fd, counter) in self.fds.iter_mut().zip(&self.requested).take(self.count) {
            *fd = open(counter).unwrap_or(-1);
        }
    }

    /// The readings of all counters since `open`; closes the counters.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = CounterReading> {
        self.fds.iter_mut().take(self.count).map(|fd| {
            let totals = totals(*fd);
            if *fd >= 0 {
                syscall::close(*fd);
            }
            *fd = -1;
            let Some([value, enabled, running]) = totals else { return CounterReading::default() };
            CounterReading { valid: 1, padding: 0, value, enabled, running }
        })
    }
}

/// Value, nanoseconds enabled, nanoseconds running.
fn totals(fd: i32) -> Option<[u64; 3]> {
    let mut bytes = [0; 24];
    if fd < 0 || syscall::read(fd, &mut bytes).ok()? != bytes.len() {
        return None;
    }
    let mut words = bytes.chunks_exact(8).filter_map(|word| word.try_into().ok().map(u64::from_le_bytes));
    Some([words.next()?, words.next()?, words.next()?])
}

fn open(counter: &CounterRequest) -> Result<i32, Errno> {
    const SIZE: u64 = 112;
    const DISABLED: u64 = 1;
    const INHERIT: u64 = 1 << 1;
    const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = 1 << 5 | 1 << 6;
    const ENABLE_ON_EXEC: u64 = 1 << 12;
    const ENABLED_AND_RUNNING: u64 = 3;
    // `struct perf_event_attr` of version 5, in words.
    let mut attributes = [0; 14];
    attributes[0] = u64::from(counter.kind) | SIZE << 32;
    attributes[1] = counter.config;
    attributes[4] = ENABLED_AND_RUNNING;
    attributes[5] = DISABLED | INHERIT | ENABLE_ON_EXEC;
    if counter.user_only != 0 {
        attributes[5] |= EXCLUDE_KERNEL_AND_HYPERVISOR;
    }
    attributes[7] = counter.config1;
    attributes[8] = counter.config2;
    syscall::perf_event_open(&attributes)
}
