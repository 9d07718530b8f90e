//! The report of a run.

use std::fmt;

use crate::counter::CounterValue;
use crate::problem::StartProblem;

/// One run: how it ended, what it used, what it printed.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    pub end: End,
    /// Wall time in nanoseconds, from just before the process is created until its end is known.
    pub wall_ns: u64,
    /// The kernel's accounting of the process and of the children it waited for.
    pub usage: Usage,
    /// Nanoseconds during which the main thread was ready but had no CPU, if requested and known.
    pub run_delay_ns: Option<u64>,
    /// How often the main thread changed CPUs, if requested and known.
    pub migrations: Option<u64>,
    /// One value per counter of the launcher; `None` for a counter that is not available, and for two jobs at once, which share the
    /// counters.
    pub counters: Vec<Option<CounterValue>>,
    /// Empty unless captured.
    pub stdout: Captured,
    /// Empty unless captured.
    pub stderr: Captured,
    /// Whether processes that the run had started were still running at its end, and were killed. Set for both of two jobs at once,
    /// because their processes cannot be distinguished.
    pub left_behind: bool,
}

impl RunReport {
    /// The report of a job whose program could not be started.
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
    /// With this exit status.
    Exited(i32),
    Signalled(i32),
    /// It exceeded its time limit and was stopped.
    TimedOut,
    NotStarted(StartProblem),
    Interrupted,
}

impl End {
    /// Whether the program exited with status 0.
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

/// The name of a signal that ends programs, by Linux's number.
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
    /// Voluntary context switches: the process gave up the CPU, mostly to wait.
    pub voluntary_switches: u64,
    /// Involuntary context switches: the CPU was taken from the process.
    pub involuntary_switches: u64,
}

/// The output of a captured stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// Number of bytes written in total.
    pub total: u64,
}

impl Captured {
    /// Whether bytes beyond the limit were discarded.
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::{Captured, End, RunReport};
    use crate::problem::StartProblem;

    #[test]
    fn ends_have_a_readable_text() {
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
