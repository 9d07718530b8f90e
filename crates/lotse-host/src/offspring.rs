//! Children of Lotse that end with it, however it ends.

use std::process::Command;

/// Lets a command get SIGTERM when Lotse ends, even when it is killed. Only for commands that Lotse's first thread starts: the
/// kernel sends the signal when the starting thread ends, and the first one ends last.
#[cfg(target_os = "linux")]
pub(crate) fn end_with_lotse(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    let follow =
        || Ok(rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?);
    // SAFETY: between fork and exec it only makes a system call.
    unsafe { command.pre_exec(follow) };
}

/// Other systems have no such signal.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_with_lotse(_command: &mut Command) {}
