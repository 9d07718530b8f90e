//! Encodes jobs as requests and decodes answers into reports.

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use lotse_launch::wire::{self, Answer, CounterRequest, JobHead, Request, RunAnswer};

use super::{GRACE, diagnosis};
use crate::counter::{CounterSpec, CounterValue};
use crate::job::{Input, Job, Output};
use crate::problem::{LaunchError, StartProblem};
use crate::report::{Captured, End, RunReport, Usage};

/// Checks the head of an answer and returns its body.
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

/// The request to stop the current run.
pub(super) fn interrupt() -> [u8; Request::SIZE] {
    request(wire::INTERRUPT, 0, 0, 0).encode()
}

/// The request to open counters.
pub(super) fn set_up(message: &mut Vec<u8>, counters: &[CounterSpec]) -> Result<(), LaunchError> {
    let (most, requested) = (wire::MOST_COUNTERS, counters.len());
    if requested > most {
        return Err(LaunchError::TooManyCounters { most, requested });
    }
    message.clear();
    message.extend(request(wire::SETUP, requested, requested * CounterRequest::SIZE, 0).encode());
    for &CounterSpec { kind, config, config1, config2, user_only, .. } in counters {
        let user_only = u32::from(user_only);
        message.extend(CounterRequest { kind, user_only, config, config1, config2 }.encode());
    }
    Ok(())
}

/// The request to run `jobs`; `programs` are the files to execute.
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

/// Appends a job. Returns the number of pointers that the launcher needs for its strings.
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

/// The fixed-size part of an encoded job: counts of strings, flags, kinds of streams, CPU and time limits in nanoseconds.
fn head(job: &Job, length: usize, argc: usize, envc: usize) -> JobHead {
    let [length, argc, envc] = [length, argc, envc].map(|it| u32::try_from(it).unwrap_or(u32::MAX));
    let nanoseconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(wire::NONE);
    let flag = |set, flag| if set { flag } else { 0 };
    JobHead {
        length,
        flags: flag(job.environment.is_inherited(), wire::INHERIT_ENVIRONMENT)
            | flag(job.scheduler, wire::READ_SCHEDULER)
            | flag(in_foreground(job), wire::FOREGROUND)
            | flag(job.fixed_addresses, wire::FIXED_ADDRESSES),
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

/// Whether the job gets the terminal: it inherits standard input, and that is a terminal.
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

/// An absolute path, because the launcher opens the file and may have another working directory than Lotse now.
fn absolute(file: Option<&Path>) -> PathBuf {
    let file = file.unwrap_or(Path::new(""));
    // This fails only for an empty path or a deleted working directory; then opening the file reports the error.
    std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf())
}

/// Appends zero-terminated strings to a message and stores the offset of each in the table of the job.
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

/// The report of a run, from the launcher's answer.
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

#[cfg(test)]
mod tests {
    use super::{encode, expect, head, interrupt, report, run, set_up};
    use crate::counter::CounterSpec;
    use crate::job::{Environment, Input, Job, Output};
    use crate::problem::{LaunchError, StartProblem};
    use crate::report::End;
    use lotse_launch::wire::{self, Answer, CounterRequest, JobHead, Request, RunAnswer};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    fn answer(kind: u16, version: u16, body: &[u8]) -> Vec<u8> {
        let head = Answer { magic: wire::MAGIC, version, kind, count: 0, length: 2 };
        [head.encode().as_slice(), body].concat()
    }

    #[test]
    fn only_the_answer_that_was_asked_for_is_taken() {
        assert_eq!(expect(&answer(wire::RUN, wire::VERSION, b"ab"), wire::RUN).unwrap(), b"ab");
        for wrong in [
            answer(wire::SETUP, wire::VERSION, b"ab"),
            answer(wire::RUN, wire::VERSION, b"a"),
            answer(wire::RUN, wire::VERSION + 1, b"ab"),
        ] {
            assert!(matches!(expect(&wrong, wire::RUN), Err(LaunchError::Protocol(_))));
        }
        assert!(matches!(expect(b"short", wire::RUN), Err(LaunchError::Lost)));
    }

    #[test]
    fn counters_are_asked_for_one_by_one_up_to_a_limit() {
        let spec = CounterSpec { user_only: true, ..CounterSpec::new("a", 4, 0x1c2) };
        let mut message = vec![1, 2, 3];
        set_up(&mut message, &[spec.clone(), CounterSpec::new("b", 0, 1)]).unwrap();
        let request = Request::decode(&message).unwrap();
        assert_eq!((request.kind, request.count), (wire::SETUP, 2));
        assert_eq!(request.length as usize, message.len() - Request::SIZE);
        let first = CounterRequest::decode(&message[Request::SIZE..]).unwrap();
        assert_eq!((first.kind, first.config, first.user_only), (4, 0x1c2, 1));
        let many = vec![spec; wire::MOST_COUNTERS + 1];
        assert!(matches!(set_up(&mut message, &many), Err(LaunchError::TooManyCounters { .. })));
    }

    /// The strings of the only job of a message, in order.
    fn strings(message: &[u8], count: usize) -> Vec<String> {
        let string = |index: usize| {
            let at = JobHead::SIZE + 4 * index;
            let offset = u32::from_le_bytes(message[at..at + 4].try_into().unwrap()) as usize;
            let text = message[offset..].split(|byte| *byte == 0).next().unwrap();
            String::from_utf8(text.to_vec()).unwrap()
        };
        (0..count).map(string).collect()
    }

    #[test]
    fn a_job_is_its_head_and_its_strings() {
        let mut job = Job::new(["cat", "-n"]);
        job.environment = Environment::empty();
        job.environment.set("A", "1");
        job.stdin = Input::File("/etc/hosts".into());
        let mut message = Vec::new();
        let pointers = encode(&mut message, &job, Path::new("/bin/cat")).unwrap();
        assert_eq!(pointers, 2 + 1 + 2, "arguments, variables, and a null for each");
        assert_eq!(strings(&message, 8), ["/bin/cat", "cat", "-n", "A=1", "", "/etc/hosts", "", ""]);
        let head = JobHead::decode(&message).unwrap();
        assert_eq!((head.length as usize, head.argc, head.envc), (message.len(), 2, 1));
        assert_eq!((head.stdin, head.stdout, head.flags), (wire::STREAM_FILE, wire::STREAM_NULL, 0));
    }

    #[test]
    fn the_head_carries_the_limits() {
        let plain = head(&Job::new(["a"]), 1, 1, 0);
        assert_eq!((plain.cpu, plain.timeout), (wire::ANY_CPU, wire::NONE));
        assert_eq!(plain.flags, wire::INHERIT_ENVIRONMENT);
        let mut job = Job::new(["a"]);
        (job.cpu, job.timeout, job.scheduler) = (Some(3), Some(Duration::from_millis(5)), true);
        job.stderr = Output::Capture { limit: 1 };
        let full = head(&job, 1, 1, 0);
        assert_eq!((full.cpu, full.timeout, full.stderr), (3, 5_000_000, wire::STREAM_CAPTURE));
        assert_eq!(full.flags, wire::INHERIT_ENVIRONMENT | wire::READ_SCHEDULER);
    }

    #[test]
    fn a_nul_byte_is_refused_with_its_place() {
        let check = |job: &Job, what| {
            let refused = run(&mut Vec::new(), &[job], &[PathBuf::from("/bin/a")]);
            assert_eq!(refused, Err(StartProblem::NulByte { what }));
        };
        check(&Job::new(["a", "b\0c"]), "an argument");
        let mut job = Job::new(["a"]);
        job.environment.set("A", "\0");
        check(&job, "an environment variable");
        let mut job = Job::new(["a"]);
        job.stdout = Output::File("o\0".into());
        check(&job, "the name of stdout");
    }

    #[test]
    fn an_interruption_has_no_body() {
        let request = Request::decode(&interrupt()).unwrap();
        assert_eq!((request.kind, request.count, request.length), (wire::INTERRUPT, 0, 0));
    }

    #[test]
    fn answers_become_reports() {
        let read = |run: RunAnswer| report(&Job::new(["a"]), Path::new("/bin/a"), &run, &[]);
        let times = RunAnswer { user_s: 2, user_us: 3, maxrss: 4, ..RunAnswer::default() };
        let ended = read(RunAnswer { end: wire::EXITED, code: 3, wall: 9, run_delay: wire::NONE, ..times });
        assert_eq!((&ended.end, ended.wall_ns), (&End::Exited(3), 9));
        assert_eq!((ended.usage.user_ns, ended.usage.max_resident_bytes), (2_000_003_000, 4096));
        assert_eq!((ended.run_delay_ns, ended.migrations), (None, Some(0)));
        assert_eq!(read(RunAnswer { end: wire::SIGNALLED, code: 9, ..times }).end, End::Signalled(9));
        assert_eq!(read(RunAnswer { end: wire::TIMED_OUT, ..times }).end, End::TimedOut);
        assert_eq!(read(RunAnswer { end: wire::INTERRUPTED, ..times }).end, End::Interrupted);
        let failed = read(RunAnswer { end: wire::NOT_STARTED, step: wire::STEP_CLONE, code: 11, ..times });
        assert!(matches!(failed.end, End::NotStarted(StartProblem::Other { code: 11, .. })));
        assert_eq!(failed.usage.user_ns, 0, "a run that never began took nothing");
    }
}
