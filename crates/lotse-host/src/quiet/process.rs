//! Processes identified by id and start time: the id alone may refer to another process a moment later.

use std::io;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};

use super::error::QuietError;
use super::kernel::Kernel;

/// The flag of kernel threads (`PF_KTHREAD`) in `/proc/PID/stat`.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// A unique identity of a process, or of a thread by its own id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProcessId {
    pub pid: i32,
    /// Start time in clock ticks since boot.
    pub start: u64,
}

/// The fields of `/proc/PID/stat` that Lotse needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessStat {
    pub(super) id: ProcessId,
    pub(super) name: String,
    pub(super) state: char,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) terminal: i32,
    pub(super) kernel_thread: bool,
}

impl ProcessId {
    /// The process that has this id now.
    pub(super) fn with_pid(kernel: &dyn Kernel, pid: i32) -> Option<Self> {
        ProcessStat::read(kernel, pid).map(|stat| stat.id)
    }

    /// Lotse itself.
    pub(super) fn own(kernel: &dyn Kernel) -> Option<Self> {
        Self::with_pid(kernel, own_pid())
    }

    /// Whether the process exists and is not a zombie.
    pub(super) fn is_alive(self, kernel: &dyn Kernel) -> bool {
        self.stat(kernel).is_ok()
    }

    /// The current state of the process, unless it has ended.
    pub(super) fn stat(self, kernel: &dyn Kernel) -> Result<ProcessStat, QuietError> {
        let same = |stat: &ProcessStat| stat.id == self && !matches!(stat.state, 'Z' | 'X');
        ProcessStat::read(kernel, self.pid).filter(same).ok_or(QuietError::Gone)
    }

    /// The id for system calls, after a check that it still refers to this process.
    pub(super) fn checked(self, kernel: &dyn Kernel) -> Result<Pid, QuietError> {
        self.stat(kernel)?;
        Pid::from_raw(self.pid).ok_or(QuietError::Gone)
    }

    /// Sends a signal through a process descriptor, which cannot reach a later process with the same id.
    pub(super) fn signal(self, kernel: &dyn Kernel, signal: Signal) -> Result<(), QuietError> {
        let failed = || QuietError::process("send a signal", self);
        let pid = Pid::from_raw(self.pid).ok_or(QuietError::Gone)?;
        let descriptor = pidfd_open(pid, PidfdFlags::empty()).map_err(|errno| failed()(errno.into()))?;
        // The descriptor refers to one process for ever. If the start time matches now, it is this process.
        self.stat(kernel)?;
        pidfd_send_signal(descriptor, signal).map_err(|errno| failed()(errno.into()))
    }
}

impl ProcessStat {
    pub(super) fn read(kernel: &dyn Kernel, pid: i32) -> Option<Self> {
        Self::parse(pid, &kernel.read(&format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses a `stat` file. The name is in parentheses and may contain any character, even parentheses.
    fn parse(pid: i32, text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(')')?;
        let name = before.split_once('(')?.1.to_owned();
        let fields: Vec<&str> = after.split_whitespace().collect();
        let number = |place: usize| -> Option<i64> { fields.get(place)?.parse().ok() };
        Some(Self {
            id: ProcessId { pid, start: number(19)?.try_into().ok()? },
            name,
            state: fields.first()?.chars().next()?,
            parent: number(1)?.try_into().ok()?,
            group: number(2)?.try_into().ok()?,
            terminal: number(4)?.try_into().ok()?,
            kernel_thread: number(6)?.cast_unsigned() & KERNEL_THREAD != 0,
        })
    }
}

/// All processes, sorted by id. Processes that end meanwhile are omitted.
pub(super) fn all(kernel: &dyn Kernel) -> Result<Vec<ProcessStat>, QuietError> {
    let names = kernel.names("/proc").map_err(QuietError::file("list", "/proc"))?;
    let mut pids: Vec<i32> = names.iter().filter_map(|name| name.parse().ok()).collect();
    pids.sort_unstable();
    Ok(pids.into_iter().filter_map(|pid| ProcessStat::read(kernel, pid)).collect())
}

/// The threads of a process, each with its own id.
pub(super) fn threads(kernel: &dyn Kernel, process: ProcessId) -> Vec<ProcessId> {
    let names = kernel.entries(&format!("/proc/{}/task", process.pid));
    let numbers = names.iter().filter_map(|name| name.parse().ok());
    numbers.filter_map(|number| ProcessId::with_pid(kernel, number)).collect()
}

/// The user id of a process.
pub(super) fn user(kernel: &dyn Kernel, pid: i32) -> Option<u32> {
    let status = kernel.read(&format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Whether Lotse has one of the kernel's capabilities, by its number in `capability.h`.
pub(super) fn has_capability(kernel: &dyn Kernel, number: u32) -> bool {
    let effective = || {
        let status = kernel.offered("/proc/self/status");
        let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    effective().is_some_and(|set: u64| set >> number & 1 == 1)
}

/// `CAP_SYS_ADMIN`.
pub(super) const ADMIN: u32 = 21;
/// `CAP_SYS_NICE`.
pub(super) const NICE: u32 = 23;

/// Lotse's own process id.
pub(super) fn own_pid() -> i32 {
    std::process::id().cast_signed()
}

/// The result of a system call that returns a negative number on failure.
pub(super) fn answer(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

#[cfg(test)]
mod tests {
    use super::{ProcessId, ProcessStat, all, own_pid, threads};
    use crate::quiet::error::QuietError;
    use crate::tree::SystemTree;
    use rustix::process::Signal;

    #[test]
    fn a_name_may_hold_anything() {
        let line = "7 (a) b (c) S 1 2 3 34816 5 4194560 1 0 0 0 1 2 0 0 20 0 1 0 4711 1 2";
        let stat = ProcessStat::parse(7, line).unwrap();
        assert_eq!((stat.name.as_str(), stat.state, stat.parent, stat.group), ("a) b (c", 'S', 1, 2));
        assert_eq!((stat.terminal, stat.id.start, stat.kernel_thread), (34816, 4711, false));
        assert_eq!(ProcessStat::parse(7, "7 (cut) S 1"), None);
        assert_eq!(ProcessStat::parse(7, ""), None);
    }

    #[test]
    fn this_process_and_its_threads_are_found() {
        let tree = SystemTree::real();
        let own = ProcessId::own(&tree).unwrap();
        assert!(all(&tree).unwrap().iter().any(|stat| stat.id == own));
        assert!(threads(&tree, own).contains(&own));
        assert!(own.is_alive(&tree));
    }

    #[test]
    fn a_process_that_has_the_number_of_another_is_not_signalled() {
        let tree = SystemTree::real();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let real = ProcessId::with_pid(&tree, child.id().cast_signed()).unwrap();
        let earlier = ProcessId { start: real.start - 1, ..real };
        assert!(matches!(earlier.signal(&tree, Signal::KILL), Err(QuietError::Gone)));
        assert!(child.try_wait().unwrap().is_none());
        real.signal(&tree, Signal::KILL).unwrap();
        assert!(!child.wait().unwrap().success());
        assert!(matches!(real.signal(&tree, Signal::KILL), Err(QuietError::Gone)));
        assert!(own_pid() > 0);
    }
}
