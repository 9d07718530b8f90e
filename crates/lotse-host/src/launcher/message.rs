//! Jobs into requests, answers into reports.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lotse_launch::wire::{self, Answer, CounterAsk, JobHead, Request, RunAnswer};

use super::{GRACE, diagnosis};
use crate::counter::{CounterSpec, CounterValue};
use crate::job::{Input, Job, Output};
use crate::problem::{LaunchError, StartProblem};
use crate::report::{Captured, End, RunReport, Usage};

/// Checks the head of an answer and gives its body.
pub(super) fn expect(answer: &[u8], kind: u16) -> Result<&[u8], LaunchError> {
    let head = Answer::decode(answer).ok_or(LaunchError::Lost)?;
    let body = &answer[Answer::SIZE..];
    if head.magic != wire::MAGIC || head.version != wire::VERSION {
        return Err(LaunchError::Protocol("it is of another version"));
    }
    if head.kind != kind || head.length as usize != body.len() {
        return Err(LaunchError::Protocol("it is not what was asked for"));
    }
    Ok(body)
}

/// The request to stop what runs.
pub(super) fn interrupt() -> [u8; Request::SIZE] {
    request(wire::INTERRUPT, 0, 0, 0).encode()
}

/// The request to open counters.
pub(super) fn set_up(message: &mut Vec<u8>, counters: &[CounterSpec]) -> Result<(), LaunchError> {
    let (most, asked) = (wire::MOST_COUNTERS, counters.len());
    if asked > most {
        return Err(LaunchError::TooManyCounters { most, asked });
    }
    message.clear();
    message.extend(request(wire::SETUP, asked, asked * CounterAsk::SIZE, 0).encode());
    for &CounterSpec { kind, config, config1, config2, user_only, .. } in counters {
        let user_only = u32::from(user_only);
        message.extend(CounterAsk { kind, user_only, config, config1, config2 }.encode());
    }
    Ok(())
}

/// The request to run `jobs`, whose files to execute are `programs`.
pub(super) fn run(message: &mut Vec<u8>, jobs: &[&Job], programs: &[PathBuf]) -> Result<(), StartProblem> {
    message.clear();
    message.extend([0; Request::SIZE]);
    let mut pointers = 0;
    for (job, program) in jobs.iter().zip(programs) {
        pointers += encode(message, job, program)?;
    }
    let length = message.len() - Request::SIZE;
    if u32::try_from(length).is_err() {
        return Err(StartProblem::TooLong);
    }
    message[..Request::SIZE].copy_from_slice(&request(wire::RUN, jobs.len(), length, pointers).encode());
    Ok(())
}

fn request(kind: u16, count: usize, length: usize, pointers: usize) -> Request {
    let [count, length, pointers] = [count, length, pointers].map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    Request { magic: wire::MAGIC, version: wire::VERSION, kind, count, length, pointers }
}

/// Appends a job; the number of pointers it needs.
fn encode(message: &mut Vec<u8>, job: &Job, program: &Path) -> Result<usize, StartProblem> {
    let inherited = job.environment.is_inherited();
    let variables = if inherited { Vec::new() } else { job.environment.variables() };
    let (argc, envc) = (job.argv.len(), variables.len());
    let start = message.len();
    let first = start + JobHead::SIZE + (1 + argc + envc + 4) * size_of::<u32>();
    message.resize(first, 0);
    let mut strings = Strings { message, start, slot: start + JobHead::SIZE };
    strings.push("the program's path", &[program.as_os_str()])?;
    for argument in &job.argv {
        strings.push("an argument", &[argument])?;
    }
    for (name, value) in &variables {
        strings.push("an environment variable", &[name, OsStr::new("="), value])?;
    }
    strings.push("the directory", &[job.directory.as_deref().unwrap_or(Path::new("")).as_os_str()])?;
    let input = if let Input::File(path) = &job.stdin { Some(path.as_path()) } else { None };
    for (what, file) in [
        ("the name of stdin", input),
        ("the name of stdout", output_file(&job.stdout)),
        ("the name of stderr", output_file(&job.stderr)),
    ] {
        strings.push(what, &[absolute(file).as_os_str()])?;
    }
    let head = head(job, message.len() - start, argc, envc);
    message[start..start + JobHead::SIZE].copy_from_slice(&head.encode());
    Ok(argc + envc + 2)
}

fn head(job: &Job, length: usize, argc: usize, envc: usize) -> JobHead {
    let [length, argc, envc] = [length, argc, envc].map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    let nanoseconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(wire::NONE);
    let flag = |set, flag| if set { flag } else { 0 };
    JobHead {
        length,
        flags: flag(job.environment.is_inherited(), wire::INHERIT_ENVIRONMENT)
            | flag(job.scheduler, wire::READ_SCHEDULER)
            | flag(in_foreground(job), wire::FOREGROUND),
        argc,
        envc,
        stdin: match job.stdin {
            Input::Null => wire::STREAM_NULL,
            Input::Inherit => wire::STREAM_INHERIT,
            Input::File(_) => wire::STREAM_FILE,
        },
        stdout: stream(&job.stdout),
        stderr: stream(&job.stderr),
        cpu: job.cpu.unwrap_or(wire::ANY_CPU),
        timeout: job.timeout.map_or(wire::NONE, nanoseconds),
        grace: nanoseconds(GRACE),
    }
}

/// Whether the job shall have the terminal.
pub(super) fn in_foreground(job: &Job) -> bool {
    job.stdin == Input::Inherit && std::io::stdin().is_terminal()
}

fn stream(output: &Output) -> u32 {
    match output {
        Output::Null => wire::STREAM_NULL,
        Output::Inherit => wire::STREAM_INHERIT,
        Output::File(_) => wire::STREAM_FILE,
        Output::Capture { .. } => wire::STREAM_CAPTURE,
    }
}

fn output_file(output: &Output) -> Option<&Path> {
    if let Output::File(path) = output { Some(path) } else { None }
}

/// The launcher opens files, and its working directory is where Lotse was when it started it.
fn absolute(file: Option<&Path>) -> PathBuf {
    let file = file.unwrap_or(Path::new(""));
    // Only an empty path or a lost working directory has no absolute form; then opening says so.
    std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf())
}

/// Appends strings and writes down where they begin.
struct Strings<'a> {
    message: &'a mut Vec<u8>,
    start: usize,
    slot: usize,
}

impl Strings<'_> {
    fn push(&mut self, what: &'static str, parts: &[&OsStr]) -> Result<(), StartProblem> {
        let offset = u32::try_from(self.message.len() - self.start).map_err(|_| StartProblem::TooLong)?;
        self.message[self.slot..self.slot + 4].copy_from_slice(&offset.to_le_bytes());
        self.slot += 4;
        for part in parts {
            if part.as_bytes().contains(&0) {
                return Err(StartProblem::NulByte { what });
            }
            self.message.extend(part.as_bytes());
        }
        self.message.push(0);
        Ok(())
    }
}

/// What the launcher's answer means.
pub(super) fn report(
    job: &Job,
    program: &Path,
    run: &RunAnswer,
    counters: &[Option<CounterValue>],
) -> RunReport {
    let known = |number| (number != wire::NONE).then_some(number);
    let end = match run.end {
        wire::EXITED => End::Exited(run.code),
        wire::SIGNALLED => End::Signalled(run.code),
        wire::TIMED_OUT => End::TimedOut,
        wire::INTERRUPTED => End::Interrupted,
        _ => return RunReport::not_started(diagnosis::problem(job, program, run.step, run.code)),
    };
    RunReport {
        end,
        wall_ns: run.wall,
        usage: usage(run),
        run_delay_ns: known(run.run_delay),
        migrations: known(run.migrations),
        counters: counters.to_vec(),
        stdout: Captured::default(),
        stderr: Captured::default(),
        left_behind: run.left_behind != 0,
    }
}

fn usage(run: &RunAnswer) -> Usage {
    // The kernel's numbers are signed but never negative.
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    let time = |s, us| number(s) * 1_000_000_000 + number(us) * 1_000;
    Usage {
        user_ns: time(run.user_s, run.user_us),
        system_ns: time(run.system_s, run.system_us),
        max_resident_bytes: number(run.maxrss) * 1024,
        shared_text: number(run.ixrss),
        unshared_data: number(run.idrss),
        unshared_stack: number(run.isrss),
        minor_faults: number(run.minflt),
        major_faults: number(run.majflt),
        swaps: number(run.nswap),
        blocks_in: number(run.inblock),
        blocks_out: number(run.oublock),
        messages_sent: number(run.msgsnd),
        messages_received: number(run.msgrcv),
        signals: number(run.nsignals),
        voluntary_switches: number(run.nvcsw),
        involuntary_switches: number(run.nivcsw),
    }
}
