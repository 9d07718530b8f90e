//! Kills the processes of a run that are still alive at its end.
//!
//! The launcher adopts orphaned descendants (it is a child subreaper), so whatever survives the killing of the process
//! group, such as a daemon in a session of its own, is a child of the launcher, at once or after its parent was killed.

use crate::scheduler;
use crate::syscall::{self, O_RDONLY, SIGKILL, WALL, WNOHANG};

/// Kills and reaps children until there are none; returns whether one of them was still running.
pub(crate) fn kill_and_reap_all() -> bool {
    let mut left_behind = false;
    loop {
        match syscall::wait(-1, WNOHANG | WALL, None) {
            Err(_) => return left_behind,
            Ok((0, _)) => {
                left_behind = true;
                // A child that cannot be killed, because it runs as another user, must not block the launcher.
                if !kill_children() || syscall::wait(-1, WALL, None).is_err() {
                    return left_behind;
                }
            }
            // The group was killed just before: a process that died of SIGKILL was still running.
            Ok((_, status)) => left_behind |= status & 0x7f == SIGKILL,
        }
    }
}

/// Kills all children; returns whether one of them could be killed.
fn kill_children() -> bool {
    let Ok(directory) = syscall::open(c"/proc", O_RDONLY) else { return false };
    let own = syscall::own_pid();
    let mut killed = false;
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = syscall::entries(directory, &mut buffer) {
        for pid in buffer.get(..count).into_iter().flat_map(processes) {
            if scheduler::parent(pid) == Some(own) {
                killed |= syscall::kill(pid, SIGKILL).is_ok();
            }
        }
    }
    syscall::close(directory);
    killed
}

/// The process ids among directory entries of `/proc`, in the layout of `getdents64`.
fn processes(entries: &[u8]) -> impl Iterator<Item = i32> {
    const LENGTH_AT: usize = 16;
    const NAME_AT: usize = 19;
    let mut rest = entries;
    core::iter::from_fn(move || {
        let length = u16::from_le_bytes(rest.get(LENGTH_AT..LENGTH_AT + 2)?.try_into().ok()?);
        let (entry, after) = rest.split_at_checked(usize::from(length))?;
        rest = after;
        entry.get(NAME_AT..)
    })
    .filter_map(|name| scheduler::number(name.split(|byte| *byte == 0).next()?).map(|pid| pid as i32))
}
