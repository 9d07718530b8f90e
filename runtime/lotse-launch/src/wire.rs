//! The messages between Lotse and its launcher: fixed little-endian records and NUL-terminated strings.
//!
//! This file is compiled twice: into the library, and (through `#[path]`) into the static program, so it
//! depends only on `core`. Both sides are always built from the same source; the version only protects
//! against a stale image.
//!
//! A request is a [`Request`], then its body. The body of [`SETUP`] is `count` times [`CounterRequest`]; of
//! [`RUN`] it is `count` jobs. A job is a [`JobHead`], then one `u32` offset per string (from the beginning
//! of the job), then the strings: the path to execute, `argc` arguments, `envc` variables, and four that
//! may be empty: directory, stdin, stdout, stderr.
//! An answer is an [`Answer`], then `count` records: [`CounterAnswer`] for [`SETUP`]; for [`RUN`]
//! [`RunAnswer`], followed by a [`CounterReading`] for each counter that was set up.

/// Begins every message: "LTSE".
pub const MAGIC: u32 = 0x4553_544c;
/// Changes whenever a record does.
pub const VERSION: u16 = 2;

/// The launcher's first answer: it is ready.
pub const HELLO: u16 = 0;
/// Open counters; sent at most once.
pub const SETUP: u16 = 1;
/// Run one job, or two at once.
pub const RUN: u16 = 2;
/// Stop what is running. Has no answer of its own; ignored when nothing runs.
pub const INTERRUPT: u16 = 3;

/// Most jobs of one request.
pub const MOST_JOBS: usize = 2;
/// Most counters.
pub const MOST_COUNTERS: usize = 32;

/// Job flag: use the environment the launcher was started with; no variables are sent.
pub const INHERIT_ENVIRONMENT: u32 = 1;
/// Job flag: read `/proc/PID/schedstat` and `/proc/PID/sched` after the end.
pub const READ_SCHEDULER: u32 = 2;
/// Job flag: make the job the terminal's foreground group while it runs.
pub const FOREGROUND: u32 = 4;

/// Job flag: addresses are the same in every run; address-space randomisation is disabled.
pub const FIXED_ADDRESSES: u32 = 8;

/// Stream: `/dev/null`.
pub const STREAM_NULL: u32 = 0;
/// Stream: the launcher's own.
pub const STREAM_INHERIT: u32 = 1;
/// Stream: the file named in the job.
pub const STREAM_FILE: u32 = 2;
/// Stream: the pipe Lotse drains.
pub const STREAM_CAPTURE: u32 = 3;

/// Any CPU may be used.
pub const ANY_CPU: u32 = u32::MAX;
/// No timeout; or a number that could not be read.
pub const NONE: u64 = u64::MAX;

/// How a run ended: by itself; `code` is its exit status.
pub const EXITED: u32 = 0;
/// How a run ended: by a signal; `code` is its number.
pub const SIGNALLED: u32 = 1;
/// How a run ended: stopped after its timeout.
pub const TIMED_OUT: u32 = 2;
/// How a run ended: stopped because Lotse was interrupted.
pub const INTERRUPTED: u32 = 3;
/// How a run ended: it was never started; `step` is the step that failed, `code` the error number.
pub const NOT_STARTED: u32 = 4;

/// Step of starting: clone itself.
pub const STEP_CLONE: u32 = 1;
/// Step of starting: own process group.
pub const STEP_GROUP: u32 = 2;
/// Step of starting: CPU affinity.
pub const STEP_CPU: u32 = 3;
/// Step of starting: working directory.
pub const STEP_DIRECTORY: u32 = 4;
/// Step of starting: standard input.
pub const STEP_STDIN: u32 = 5;
/// Step of starting: standard output.
pub const STEP_STDOUT: u32 = 6;
/// Step of starting: standard error.
pub const STEP_STDERR: u32 = 7;
/// Step of starting: `execve`.
pub const STEP_EXEC: u32 = 8;
/// Step of starting: the message was invalid.
pub const STEP_MESSAGE: u32 = 9;
/// Step of starting: fixed addresses.
pub const STEP_ADDRESSES: u32 = 10;

/// Declares a record: a struct, its size in bytes, and how to read and write it.
macro_rules! record {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ident,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $field: $type,)+ }

        impl $name {
            /// Bytes on the wire.
            pub const SIZE: usize = 0 $(+ size_of::<$type>())+;

            /// Reads the record at the beginning of `bytes`; `None` if there are too few.
            pub fn decode(bytes: &[u8]) -> Option<Self> {
                $(let ($field, bytes) = bytes.split_first_chunk()?;)+
                let _rest = bytes;
                Some(Self { $($field: $type::from_le_bytes(*$field),)+ })
            }

            /// The record's bytes.
            pub fn encode(&self) -> [u8; Self::SIZE] {
                let mut all = [0; Self::SIZE];
                let mut to = all.iter_mut();
                $(for byte in self.$field.to_le_bytes() {
                    if let Some(slot) = to.next() { *slot = byte; }
                })+
                all
            }
        }
    };
}

record! {
    /// The head of a message from Lotse.
    Request {
        /// [`MAGIC`].
        magic: u32,
        /// [`VERSION`].
        version: u16,
        /// [`SETUP`], [`RUN`] or [`INTERRUPT`].
        kind: u16,
        /// Records of the body.
        count: u32,
        /// Bytes of the body.
        length: u32,
        /// Pointers needed for all `argv` and `envp`, with their final nulls.
        pointers: u32,
    }
}

record! {
    /// The head of a message from the launcher.
    Answer {
        /// [`MAGIC`].
        magic: u32,
        /// [`VERSION`].
        version: u16,
        /// The request's kind, or [`HELLO`].
        kind: u16,
        /// Records of the body.
        count: u32,
        /// Bytes of the body.
        length: u32,
    }
}

record! {
    /// A counter to open, with the arguments of `perf_event_open`.
    CounterRequest {
        /// `perf_event_attr.type`.
        kind: u32,
        /// 1: do not count the kernel (nor a hypervisor).
        user_only: u32,
        /// `perf_event_attr.config`.
        config: u64,
        /// `perf_event_attr.config1`.
        config1: u64,
        /// `perf_event_attr.config2`.
        config2: u64,
    }
}

record! {
    /// Whether a counter could be opened.
    CounterAnswer {
        /// 0, or the error number.
        error: i32,
    }
}

record! {
    /// What a counter counted during one request.
    CounterReading {
        /// 1 if the other fields are valid.
        valid: u32,
        /// Always 0; aligns the next field.
        padding: u32,
        /// Events counted.
        value: u64,
        /// Nanoseconds during which the counter was enabled.
        enabled: u64,
        /// Nanoseconds during which it counted; less than `enabled` if counters shared the hardware.
        running: u64,
    }
}

record! {
    /// The fixed part of a job.
    JobHead {
        /// Bytes of the whole job, this record included.
        length: u32,
        /// The job flags, combined by bitwise or.
        flags: u32,
        /// Number of arguments.
        argc: u32,
        /// Number of variables.
        envc: u32,
        /// What standard input is.
        stdin: u32,
        /// What standard output is.
        stdout: u32,
        /// What standard error is.
        stderr: u32,
        /// The only CPU it may use, or [`ANY_CPU`].
        cpu: u32,
        /// Nanoseconds until SIGTERM, or [`NONE`].
        timeout: u64,
        /// Nanoseconds from SIGTERM to SIGKILL.
        grace: u64,
    }
}

record! {
    /// How a run went. The last eighteen are the kernel's `struct rusage`, in its order.
    RunAnswer {
        /// [`EXITED`], [`SIGNALLED`], [`TIMED_OUT`], [`INTERRUPTED`] or [`NOT_STARTED`].
        end: u32,
        /// Exit status, signal or error number.
        code: i32,
        /// Where starting failed.
        step: u32,
        /// 1 if processes of the run were still alive at its end and were killed.
        left_behind: u32,
        /// Nanoseconds from just before the clone until its end was noticed.
        wall: u64,
        /// Nanoseconds the main thread waited for a CPU, or [`NONE`].
        run_delay: u64,
        /// Migrations of the main thread between CPUs, or [`NONE`].
        migrations: u64,
        /// User time, whole seconds.
        user_s: i64,
        /// User time, the rest in microseconds.
        user_us: i64,
        /// System time, whole seconds.
        system_s: i64,
        /// System time, the rest in microseconds.
        system_us: i64,
        /// Peak resident set in KiB.
        maxrss: i64,
        /// Unused by Linux.
        ixrss: i64,
        /// Unused by Linux.
        idrss: i64,
        /// Unused by Linux.
        isrss: i64,
        /// Minor page faults.
        minflt: i64,
        /// Major page faults.
        majflt: i64,
        /// Unused by Linux.
        nswap: i64,
        /// Blocks read.
        inblock: i64,
        /// Blocks written.
        oublock: i64,
        /// Unused by Linux.
        msgsnd: i64,
        /// Unused by Linux.
        msgrcv: i64,
        /// Unused by Linux.
        nsignals: i64,
        /// Voluntary context switches.
        nvcsw: i64,
        /// Involuntary context switches.
        nivcsw: i64,
    }
}
