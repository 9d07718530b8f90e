//! The launcher: a static program of a few pages that starts runs for Lotse, one request at a time.
//!
//! Its arguments are the numbers of its file descriptors: requests, answers, and the pipes for the captured stdout and
//! stderr of the first and the second job. Its own stdin, stdout and stderr are those of Lotse. It has no allocator, no libc
//! and no heap, because its resident set is the minimum of every `ru_maxrss` that it reports.
//!
//! It blocks all signals and has a process group of its own, so that Ctrl-C reaches only Lotse, which then decides. It
//! exits when the pipe of requests is closed, which the kernel does even if Lotse is killed.
//! (`PR_SET_PDEATHSIG` would not do here: it fires when the *thread* that started the launcher ends.)
//!
//! If it cannot continue, it exits rather than answer with invalid numbers. Its exit status gives the reason: 1 a pipe
//! failed, 2 wrong arguments, 3 not a valid request, 4 a defect, 5 no memory, 6 setting up the process failed, 7 an invalid
//! system call, 8 no status of a run or no time from the kernel.

#![no_std]
#![no_main]

mod counters;
mod intrinsics;
mod job;
mod memory;
mod orphans;
mod pipes;
mod run;
mod scheduler;
mod spawn;
mod syscall;
#[expect(dead_code, reason = "each side of the pipe uses its half")]
#[path = "../wire.rs"]
mod wire;

use core::ffi::{CStr, c_char};

use counters::Counters;
use pipes::Pipes;
use syscall::Errno;
use wire::{Answer, Request};

/// Called by `_start`; `stack` points to argc, argv, envp.
extern "C" fn start(stack: *const usize) -> ! {
    // SAFETY: the kernel lays out argc, then argc pointers and a null, then the environment.
    let (arguments, environment) = unsafe {
        let count = stack.read();
        (core::slice::from_raw_parts(stack.add(1), count), stack.add(count + 2))
    };
    let Some(pipes) = descriptors(arguments).and_then(Pipes::open) else { syscall::exit(2) };
    if set_up_process().is_err() {
        syscall::exit(6);
    }
    pipes.answer(wire::HELLO, 0, &[]);
    serve(&pipes, environment)
}

fn serve(pipes: &Pipes, environment: *const usize) -> ! {
    let mut counters = Counters::new();
    loop {
        let mut head = [0; Request::SIZE];
        pipes.receive(&mut head);
        match Request::decode(&head) {
            Some(request) if request.magic == wire::MAGIC && request.version == wire::VERSION => {
                match request.kind {
                    wire::SETUP => counters.set_up(pipes, &request),
                    wire::RUN => run::serve(pipes, &request, environment, &mut counters),
                    _ => {}
                }
            }
            _ => syscall::exit(3),
        }
    }
}

/// Sets up the process: own group, adoption of orphans, all signals blocked, and the signal actions that every run inherits.
fn set_up_process() -> Result<(), Errno> {
    syscall::own_group()?;
    syscall::adopt_orphans()?;
    syscall::set_name(c"lotse-launch")?;
    syscall::block_signals(u64::MAX)?;
    for signal in [syscall::SIGINT, syscall::SIGQUIT, syscall::SIGPIPE, syscall::SIGCHLD] {
        syscall::default_action(signal)?;
    }
    Ok(())
}

/// The six file descriptors in the arguments after the program's name.
fn descriptors(arguments: &[usize]) -> Option<[i32; 6]> {
    let mut fds = [0; 6];
    for (fd, argument) in fds.iter_mut().zip(arguments.get(1..7)?) {
        // SAFETY: arguments are NUL-terminated strings that live as long as the process.
        let text = unsafe { CStr::from_ptr(*argument as *const c_char) };
        *fd = scheduler::number(text.to_bytes())? as i32;
    }
    Some(fds)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    syscall::exit(4)
}

impl Answer {
    /// The head of an answer of `kind` with `count` records and `length` bytes to follow.
    fn head(kind: u16, count: usize, length: usize) -> Answer {
        let (count, length) = (count as u32, length as u32);
        Answer { magic: wire::MAGIC, version: wire::VERSION, kind, count, length }
    }
}
