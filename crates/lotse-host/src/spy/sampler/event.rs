//! The kernel's event: what is sampled, how often, and the contents of a sample.

use std::io;
use std::os::fd::OwnedFd;

/// `struct perf_event_attr` of version 5 (linux/perf_event.h), as 64-bit words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attributes {
    words: [u64; Attributes::WORDS],
}

/// Why programs cannot be sampled.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// By the settings of the system or of a container.
    #[error("the kernel does not let programs be sampled: see /proc/sys/kernel/perf_event_paranoid")]
    NotPermitted,
    /// The CPU is offline.
    #[error("there is no such processor")]
    NoProcessor,
    /// The ring cannot be mapped.
    #[error("there is no memory for samples: {0}")]
    Memory(io::Error),
    /// For example an old kernel, or another system than Linux.
    #[error("the kernel cannot sample programs: {0}")]
    Other(io::Error),
}

/// Bytes of the stack in each sample. Deeper stacks are truncated; typical frames have a few hundred bytes.
const STACK: u64 = 16 << 10;

const IP: u64 = 1;
const THREAD: u64 = 1 << 1;
const TIME: u64 = 1 << 2;
const USER_REGISTERS: u64 = 1 << 12;
const USER_STACK: u64 = 1 << 13;

const DISABLED: u64 = 1;
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = 1 << 5 | 1 << 6;
const MAPS: u64 = 1 << 8 | 1 << 23;
const NAMES: u64 = 1 << 9 | 1 << 24;
const ENABLE_ON_EXEC: u64 = 1 << 12;
const TASKS: u64 = 1 << 13;
const ALL_HAVE_TIMES: u64 = 1 << 18;

/// Bit mask of registers, numbered as in Linux's `perf_regs.h`: all that unwind information refers to.
#[cfg(target_arch = "aarch64")]
const REGISTERS: u64 = (1 << 33) - 1;
#[cfg(not(target_arch = "aarch64"))]
const REGISTERS: u64 = 0x00ff_01ff;

impl Attributes {
    pub(super) const WORDS: usize = 14;

    pub(super) fn new() -> Self {
        const SOFTWARE: u64 = 1;
        const TASK_CLOCK: u64 = 1;
        let mut words = [0; Self::WORDS];
        words[0] = SOFTWARE | ((8 * Self::WORDS) as u64) << 32;
        words[1] = TASK_CLOCK;
        words[2] = super::PERIOD;
        words[3] = IP | THREAD | TIME | USER_REGISTERS | USER_STACK;
        words[5] = DISABLED | INHERIT | MAPS | NAMES | ENABLE_ON_EXEC | TASKS | ALL_HAVE_TIMES;
        words[10] = REGISTERS;
        words[11] = STACK;
        Self { words }
    }

    /// The same event without time in the kernel.
    pub(super) fn user_only(mut self) -> Self {
        self.words[5] |= EXCLUDE_KERNEL_AND_HYPERVISOR;
        self
    }

    pub(super) fn is_user_only(&self) -> bool {
        self.words[5] & EXCLUDE_KERNEL_AND_HYPERVISOR != 0
    }

    /// The bytes in memory and in files.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

/// The number of CPUs, including those that are offline.
pub(super) fn processors() -> Result<u32, Refusal> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/possible").map_err(Refusal::Other)?;
    Ok(last_of_list(&text).map_or(1, |last| last + 1))
}

/// The last number of a list in the kernel's format: `0-3,8-11`.
fn last_of_list(text: &str) -> Option<u32> {
    text.trim().rsplit([',', '-']).next()?.parse().ok()
}

/// Opens an event on one CPU for the calling thread and all threads and processes that it will start. It is enabled when one of
/// them executes a program.
#[cfg(target_os = "linux")]
pub(super) fn open(attributes: &Attributes, processor: u32) -> Result<OwnedFd, Refusal> {
    use std::os::fd::FromRawFd as _;
    const CLOSE_ON_EXEC: libc::c_ulong = 8;
    let (this_thread, no_group) = (0, -1);
    // SAFETY: the kernel only reads the attributes, which contain their own size.
    let opened = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            attributes.words.as_ptr(),
            this_thread,
            processor,
            no_group,
            CLOSE_ON_EXEC,
        )
    };
    if opened < 0 {
        return Err(refusal(io::Error::last_os_error()));
    }
    // SAFETY: the kernel has just opened the descriptor, which has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(opened as i32) })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_attributes: &Attributes, _processor: u32) -> Result<OwnedFd, Refusal> {
    Err(Refusal::Other(io::ErrorKind::Unsupported.into()))
}

#[cfg(target_os = "linux")]
fn refusal(error: io::Error) -> Refusal {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => Refusal::NotPermitted,
        Some(libc::ENODEV) => Refusal::NoProcessor,
        _ => Refusal::Other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{Attributes, last_of_list};

    #[test]
    fn the_kernel_may_be_left_out() {
        let all = Attributes::new();
        assert!(!all.is_user_only() && all.clone().user_only().is_user_only());
        assert_eq!(all.bytes().len(), 112);
        assert_eq!(all.bytes()[4..8], 112_u32.to_ne_bytes(), "states its size");
    }

    #[test]
    fn lists_of_processors() {
        assert_eq!(last_of_list("0-3\n"), Some(3));
        assert_eq!(last_of_list("0,2-11\n"), Some(11));
        assert_eq!(last_of_list("0\n"), Some(0));
        assert_eq!(last_of_list(""), None);
    }
}
