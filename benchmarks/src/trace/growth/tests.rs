//! The analysis takes time in proportion to the size of a trace.

use std::time::Duration;

use lotse_host::FolderSource;
use lotse_model::work::Sequential;
use lotse_trace::analyze::{Options, analyze};
use rustix::time::{ClockId, clock_gettime};

use super::Growth;

/// Four times the size takes four times as long where the time is linear, and sixteen times where it is square. The
/// limit lies in between, for machines are noisy and sorting takes a little more.
const MOST: f64 = 6.5;
/// A disturbed measurement is repeated.
const ROUNDS: u32 = 4;

/// CPU time of this thread: others may run at the same time.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Reads and analyses a trace with so many of the unit; how long that took.
fn analysed(growth: &Growth, count: u64) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let anchor = growth.write(count, folder.path()).unwrap();
    let begun = cpu();
    let source = FolderSource::open(&anchor).unwrap();
    let trace = lotse_trace::open::read(&source, None, &Sequential).unwrap();
    let answer = analyze(trace, &Options::usual("trace"), &Sequential).unwrap();
    assert!(answer.critical_path_length > 0.0, "{}: nothing was analysed", growth.name);
    (cpu() - begun).as_secs_f64()
}

#[track_caller]
fn check(growths: &[Growth]) {
    for growth in growths {
        let mut ratios = Vec::new();
        let is_linear = (0..ROUNDS).any(|_| {
            let (quarter, whole) = (analysed(growth, growth.small / 4), analysed(growth, growth.small));
            ratios.push(whole / quarter);
            whole <= MOST * quarter
        });
        let (count, unit) = (growth.small, growth.unit);
        assert!(is_linear, "{count} {unit} take {ratios:.1?} times as long as a quarter of them");
    }
}

#[test]
fn messages_and_requests_take_linear_time() {
    check(super::messages::GROWTHS);
}

#[test]
fn collectives_take_linear_time() {
    check(super::collectives::GROWTHS);
}

#[test]
fn call_paths_take_linear_time() {
    check(super::paths::GROWTHS);
}

#[test]
fn threads_at_locks_and_conditions_take_linear_time() {
    check(super::threads::GROWTHS);
}
