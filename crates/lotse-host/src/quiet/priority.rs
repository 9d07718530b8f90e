//! Nice values of processes, and of sessions if the kernel divides the CPU among sessions first.
//!
//! With autogroup scheduling the nice value of a process matters only within its session: two sessions with one busy process each
//! get 50 : 50 whatever the nice values of the processes are. Between sessions the nice value of the session's group matters
//! (`/proc/PID/autogroup`).

use std::io;
use std::time::{Duration, Instant};

use super::error::QuietError;
use super::kernel::Kernel;
use super::process::{self, ProcessId};

/// How long to retry when the kernel rejects a write because of too many writes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the kernel divides the CPU among sessions (autogroups) before it considers nice values of processes.
pub(super) fn divides_by_session(kernel: &dyn Kernel, pid: i32) -> bool {
    let enabled = kernel.read("/proc/sys/kernel/sched_autogroup_enabled").is_ok_and(|text| text == "1");
    enabled && !is_in_cpu_group(kernel, pid) && autogroup(kernel, pid).is_some()
}

/// Whether a process is in a control group of the CPU controller: then its autogroup has no effect.
fn is_in_cpu_group(kernel: &dyn Kernel, pid: i32) -> bool {
    let groups = kernel.offered(&format!("/proc/{pid}/cgroup"));
    groups.lines().any(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or("/"));
        match controllers {
            // Version 2: only groups with the CPU controller enabled have this file.
            "" => ancestors(path).any(|group| kernel.has(&format!("/sys/fs/cgroup{group}/cpu.weight"))),
            _ => controllers.split(',').any(|controller| controller == "cpu") && path != "/",
        }
    })
}

/// A group and its ancestors, without the root.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |group| group.rsplit_once('/').map(|(above, _)| above))
        .filter(|group| !matches!(*group, "" | "/"))
}

/// The autogroup of a process and its nice value.
pub(super) fn autogroup(kernel: &dyn Kernel, pid: i32) -> Option<(String, String)> {
    let text = kernel.read(&format!("/proc/{pid}/autogroup")).ok()?;
    let (name, nice) = text.split_once(" nice ")?;
    Some((name.to_owned(), nice.to_owned()))
}

/// A process of an autogroup and the group's nice value. A group without processes no longer exists.
fn member(kernel: &dyn Kernel, group: &str) -> Result<(i32, String), QuietError> {
    for stat in process::all(kernel)? {
        if let Some((name, nice)) = autogroup(kernel, stat.id.pid)
            && name == group
        {
            return Ok((stat.id.pid, nice));
        }
    }
    Err(QuietError::Gone)
}

/// The nice value of an autogroup.
pub(super) fn autogroup_nice(kernel: &dyn Kernel, group: &str) -> Result<String, QuietError> {
    member(kernel, group).map(|(_, nice)| nice)
}

/// Sets the nice value of an autogroup.
pub(super) fn set_autogroup_nice(kernel: &dyn Kernel, group: &str, nice: &str) -> Result<(), QuietError> {
    let begin = Instant::now();
    loop {
        let (pid, _) = member(kernel, group)?;
        let file = format!("/proc/{pid}/autogroup");
        match kernel.write(&file, nice) {
            Ok(()) => return Ok(()),
            // An ordinary user may write only ten times a second, and the process may end before the write: try again.
            Err(error) if is_transient(&error) && begin.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => return Err(QuietError::file("write", &file)(error)),
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ESRCH | libc::ENOENT))
}

/// The nice value of a process or thread.
pub(super) fn nice(kernel: &dyn Kernel, process: ProcessId) -> Result<String, QuietError> {
    let pid = process.checked(kernel)?;
    let failed = QuietError::process("read the nice value", process);
    let nice = rustix::process::getpriority_process(Some(pid)).map_err(|errno| failed(errno.into()))?;
    Ok(nice.to_string())
}

/// Sets the nice value of a process or thread.
pub(super) fn set_nice(kernel: &dyn Kernel, process: ProcessId, nice: &str) -> Result<(), QuietError> {
    let pid = process.checked(kernel)?;
    let failed = QuietError::process("set the nice value", process);
    let value: i32 = nice.parse().map_err(|_| QuietError::NoEffect(format!("'{nice}' is no nice value")))?;
    rustix::process::setpriority_process(Some(pid), value).map_err(|errno| failed(errno.into()))
}

/// Whether Lotse may lower nice values to this one, which is also needed to restore a raised value.
pub(super) fn may_lower(kernel: &dyn Kernel, nice: i32) -> bool {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nice).current.unwrap_or(40);
    process::has_capability(kernel, process::NICE) || i64::from(nice) >= 20 - limit.cast_signed().min(40)
}

#[cfg(test)]
mod tests {
    use super::{autogroup_nice, divides_by_session, set_autogroup_nice};
    use crate::quiet::error::QuietError;
    use crate::quiet::fake::FakeKernel;

    const ON: (&str, &str) = ("/proc/sys/kernel/sched_autogroup_enabled", "1");

    #[test]
    fn the_cpu_is_divided_by_session_only_without_a_cpu_group() {
        let cases = [
            ("1:cpu:/\n0::/", true),
            ("1:cpu,cpuacct:/user\n0::/", false),
            ("1:cpuset:/mine\n0::/", true),
            ("0::/user.slice/run.scope", true),
        ];
        for (groups, divides) in cases {
            let kernel = FakeKernel::new(&[
                ON,
                ("/proc/7/autogroup", "/autogroup-3 nice 0"),
                ("/proc/7/cgroup", groups),
            ]);
            assert_eq!(divides_by_session(&kernel, 7), divides, "{groups}");
        }
        let kernel = FakeKernel::new(&[
            ON,
            ("/proc/7/autogroup", "/autogroup-3 nice 0"),
            ("/proc/7/cgroup", "0::/user.slice/run.scope"),
            ("/sys/fs/cgroup/user.slice/cpu.weight", "100"),
        ]);
        assert!(!divides_by_session(&kernel, 7));
        kernel.put(ON.0, "0");
        assert!(!divides_by_session(&kernel, 7));
    }

    #[test]
    fn a_group_lives_as_long_as_a_member() {
        let kernel = FakeKernel::new(&[("/proc/7/autogroup", "/autogroup-3 nice 4")]);
        kernel.process(7, "one", 1, 7, 0, 0, 0);
        assert_eq!(autogroup_nice(&kernel, "/autogroup-3").unwrap(), "4");
        set_autogroup_nice(&kernel, "/autogroup-3", "-20").unwrap();
        assert_eq!(kernel.text("/proc/7/autogroup"), "/autogroup-3 nice -20");
        assert!(matches!(autogroup_nice(&kernel, "/autogroup-4"), Err(QuietError::Gone)));
    }
}
