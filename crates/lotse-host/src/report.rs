//! How a run went.

use std::fmt;

use crate::counter::CounterValue;
use crate::problem::StartProblem;

/// One run: how it ended, what it took, what it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// How it ended.
    pub end: End,
    /// Nanoseconds from just before the process was made until its end was known.
    pub wall_ns: u64,
    /// The kernel's accounting of the process and of the children it waited for.
    pub usage: Usage,
    /// Nanoseconds its main thread was ready but had no CPU; if asked for and known.
    pub run_delay_ns: Option<u64>,
    /// Times its main thread changed CPUs; if asked for and known.
    pub migrations: Option<u64>,
    /// One value per counter of the launcher; none for a counter that is not available, nor for two jobs at
    /// once, which share the counters.
    pub counters: Vec<Option<CounterValue>>,
    /// What it wrote to a captured stdout.
    pub stdout: Captured,
    /// What it wrote to a captured stderr.
    pub stderr: Captured,
    /// Processes it had started were still running at its end, and were killed. Of two jobs at once nobody
    /// can say whose they were: it is set for both.
    pub left_behind: bool,
}

impl RunReport {
    /// The report of a job that never began.
    pub fn not_started(problem: StartProblem) -> Self {
        Self {
            end: End::NotStarted(problem),
            wall_ns: 0,
            usage: Usage::default(),
            run_delay_ns: None,
            migrations: None,
            counters: Vec::new(),
            stdout: Captured::default(),
            stderr: Captured::default(),
            left_behind: false,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It took longer than allowed and was stopped.
    TimedOut,
    /// It never began.
    NotStarted(StartProblem),
    /// Lotse was interrupted and stopped it.
    Interrupted,
}

impl End {
    /// Whether it ended by itself with status 0.
    pub fn is_success(&self) -> bool {
        *self == Self::Exited(0)
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exited with status {status}"),
            Self::Signalled(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "was killed by {name}"),
                None => write!(f, "was killed by signal {signal}"),
            },
            Self::TimedOut => f.write_str("exceeded its time-out"),
            Self::NotStarted(problem) => write!(f, "did not start: {problem}"),
            Self::Interrupted => f.write_str("was interrupted"),
        }
    }
}

/// The names of the signals that programs die of, with Linux's numbers.
fn signal_name(signal: i32) -> Option<&'static str> {
    const NAMES: [&str; 15] = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL",
        "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM",
    ];
    match signal {
        24 => Some("SIGXCPU"),
        25 => Some("SIGXFSZ"),
        31 => Some("SIGSYS"),
        signal => NAMES.get(usize::try_from(signal).ok()?.checked_sub(1)?).copied(),
    }
}

/// All sixteen fields of the kernel's `rusage`; those Linux does not fill are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user mode, nanoseconds (the kernel reports microseconds).
    pub user_ns: u64,
    /// CPU time in the kernel, nanoseconds (the kernel reports microseconds).
    pub system_ns: u64,
    /// Peak resident set in bytes: of the process or of the largest child it waited for, whichever is larger.
    pub max_resident_bytes: u64,
    /// Integral shared text size; unused by Linux.
    pub shared_text: u64,
    /// Integral unshared data size; unused by Linux.
    pub unshared_data: u64,
    /// Integral unshared stack size; unused by Linux.
    pub unshared_stack: u64,
    /// Page faults served without reading from a device.
    pub minor_faults: u64,
    /// Page faults that had to read from a device.
    pub major_faults: u64,
    /// Swaps; unused by Linux.
    pub swaps: u64,
    /// Blocks of 512 bytes read.
    pub blocks_in: u64,
    /// Blocks of 512 bytes written.
    pub blocks_out: u64,
    /// Messages sent; unused by Linux.
    pub messages_sent: u64,
    /// Messages received; unused by Linux.
    pub messages_received: u64,
    /// Signals received; unused by Linux.
    pub signals: u64,
    /// Times it gave up the CPU, mostly to wait.
    pub voluntary_switches: u64,
    /// Times the CPU was taken from it.
    pub involuntary_switches: u64,
}

/// What was written to a captured stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// How many bytes were written in all.
    pub total: u64,
}

impl Captured {
    /// Whether more was written than kept.
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::{Captured, End, RunReport};
    use crate::problem::StartProblem;

    #[test]
    fn ends_read_well() {
        let check = |end: End, text| assert_eq!(end.to_string(), text);
        check(End::Exited(3), "exited with status 3");
        check(End::Signalled(11), "was killed by SIGSEGV");
        check(End::Signalled(15), "was killed by SIGTERM");
        check(End::Signalled(40), "was killed by signal 40");
        check(End::Signalled(31), "was killed by SIGSYS");
        check(End::Signalled(0), "was killed by signal 0");
        check(End::TimedOut, "exceeded its time-out");
        check(End::Interrupted, "was interrupted");
        check(End::NotStarted(StartProblem::EmptyCommand), "did not start: the command is empty");
    }

    #[test]
    fn only_status_0_is_success() {
        assert!(End::Exited(0).is_success());
        for end in [End::Exited(1), End::Signalled(9), End::TimedOut, End::Interrupted] {
            assert!(!end.is_success(), "{end}");
        }
        assert!(!RunReport::not_started(StartProblem::TooLong).end.is_success());
    }

    #[test]
    fn more_written_than_kept_is_cut() {
        let captured = |total| Captured { bytes: b"ab".to_vec(), total }.is_cut();
        assert_eq!((captured(2), captured(3)), (false, true));
    }
}
