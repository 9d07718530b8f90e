//! Child processes that end when Lotse ends, even if it is killed.

use std::process::Command;

/// Makes the kernel send SIGTERM to a command when Lotse ends, even if Lotse is killed. Only for commands that the main thread
/// starts: the kernel sends the signal when the starting thread ends, and the main thread ends last.
#[cfg(target_os = "linux")]
pub(crate) fn end_with_lotse(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    let follow =
        || Ok(rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?);
    // SAFETY: between fork and exec the closure only makes a system call.
    unsafe { command.pre_exec(follow) };
}

/// Other systems have no such signal.
#[cfg(not(target_os = "linux"))]
pub(crate) fn end_with_lotse(_command: &mut Command) {}
