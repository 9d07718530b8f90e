//! Watches a running process: its memory, and whether it is idle.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::process::{Pid, below_our_children};

/// Interval between two observations.
const INTERVAL: Duration = Duration::from_millis(4);
/// A process without activity for this time is idle.
const IDLE: Duration = Duration::from_secs(2);
/// Ticks of 10 ms that an idle window may use in that time, for example for a blinking cursor.
const IDLE_TICKS: u64 = 2;

/// How to watch a process.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The program that is ended when it is idle.
    window: Option<&'static str>,
}

/// The observations.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Peak anonymous memory of any single process.
    pub(crate) peak_anonymous: u64,
    /// Time from the start until the window became idle; `None` if it never did.
    pub(crate) idle_after: Option<Duration>,
}

impl Watch {
    /// Of a program that ends by itself.
    pub(crate) fn to_the_end() -> Self {
        Self { window: None }
    }

    /// For a program that is terminated when it is idle.
    pub(crate) fn until_idle(name: &'static str) -> Self {
        Self { window: Some(name) }
    }

    /// Calls `run`, which starts a program through the launcher, and watches the program meanwhile.
    pub(crate) fn during<T>(&self, run: impl FnOnce() -> T) -> (T, Seen) {
        let is_over = AtomicBool::new(false);
        let mut seen = Seen::default();
        let ran = thread::scope(|scope| {
            scope.spawn(|| self.look(&is_over, &mut seen));
            let ran = run();
            is_over.store(true, Ordering::Relaxed);
            ran
        });
        (ran, seen)
    }

    fn look(&self, is_over: &AtomicBool, seen: &mut Seen) {
        let mut activity = Activity { begin: Instant::now(), ticks: 0, last: Duration::ZERO };
        while !is_over.load(Ordering::Relaxed) {
            let processes = below_our_children();
            let anonymous = processes.iter().filter_map(|it| it.anonymous()).max().unwrap_or(0);
            seen.peak_anonymous = seen.peak_anonymous.max(anonymous);
            let window = self.window.and_then(|name| find(&processes, name));
            if let Some(window) = window.filter(|_| seen.idle_after.is_none()) {
                seen.idle_after = activity.idle_since(window);
            }
            thread::sleep(INTERVAL);
        }
    }
}

/// How long a process has done nothing.
struct Activity {
    begin: Instant,
    ticks: u64,
    last: Duration,
}

impl Activity {
    /// Asks the process to end if it is idle; then, since when.
    fn idle_since(&mut self, process: Pid) -> Option<Duration> {
        let (now, ticks) = (self.begin.elapsed(), process.ticks()?);
        if ticks > self.ticks + IDLE_TICKS {
            (self.ticks, self.last) = (ticks, now);
        }
        let is_idle = self.ticks > 0 && now - self.last > IDLE;
        (is_idle && end(process)).then_some(self.last)
    }
}

fn find(processes: &[Pid], name: &str) -> Option<Pid> {
    processes.iter().copied().find(|it| it.name().as_deref() == Some(name))
}

fn end(process: Pid) -> bool {
    let pid = rustix::process::Pid::from_raw(process.0);
    pid.is_some_and(|pid| rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_ok())
}

#[cfg(test)]
mod tests {
    use lotse_host::{Job, Launcher, LauncherOptions, RunReport};

    use super::{Seen, Watch};

    fn watched(watch: &Watch, script: &str) -> (RunReport, Seen) {
        let mut launcher = Launcher::start(&LauncherOptions::default()).unwrap();
        let (report, seen) = watch.during(|| launcher.run(&Job::new(["sh", "-c", script])));
        (report.unwrap(), seen)
    }

    /// The shell keeps some megabytes in a variable while it waits.
    #[test]
    fn memory_is_seen() {
        let script = "x=$(head -c 20000000 /dev/zero | tr '\\0' a); sleep 0.2; test -n \"$x\"";
        let (report, seen) = watched(&Watch::to_the_end(), script);
        assert!(report.end.is_success(), "{}", report.end);
        assert!(seen.peak_anonymous > 20_000_000, "{seen:?}");
        assert!(seen.idle_after.is_none());
    }

    /// What replaces the shell keeps its CPU time: busy at first, then idle for a minute.
    #[test]
    fn what_is_idle_is_ended() {
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exec sleep 60";
        let (report, seen) = watched(&Watch::until_idle("sleep"), script);
        let wall = report.wall_ns as f64 / 1e9;
        let idle_after = seen.idle_after.unwrap().as_secs_f64();
        // The launcher's clock starts a little later than the watch.
        assert!(wall < 50.0 && idle_after + 1.9 <= wall, "idle after {idle_after} s, ended after {wall} s");
    }
}
