//! Runs programs through the launcher process of `lotse-launch`.
//!
//! Guarantees: every run has a process group of its own. When `run` returns, no process that the run started is alive. Output
//! is drained during the run, so that the program is never blocked, and memory is bounded by the limit. If Lotse dies, the
//! running program is killed. (If the launcher itself is killed, the kernel kills the main process of the run, but processes
//! started by that may survive.)
//!
//! A run is not in the terminal's foreground group, so that Ctrl-C reaches only Lotse, which stops the run if
//! [`LauncherOptions::interrupt`] is set. Only a run that inherits a terminal as its standard input is put into the foreground,
//! since it could not read otherwise. Ctrl-C then reaches the run, and a run that it ends counts as an interruption of Lotse.
//! Ctrl-Z stops Lotse but not a run in the background.

mod diagnosis;
mod drain;
mod message;
mod process;

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use lotse_launch::wire::{self, CounterAnswer, CounterReading, RunAnswer};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;

use crate::counter::{CounterSpec, CounterStatus, CounterValue};
use crate::job::Job;
use crate::problem::{LaunchError, StartProblem};
use crate::report::{End, RunReport};
use crate::resolve;
use crate::signals::Interrupt;
use drain::Drain;
use process::Process;

/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);

/// Options of a launcher, which apply to all its runs.
#[derive(Debug, Clone, Default)]
pub struct LauncherOptions {
    /// Events to count during every run.
    pub counters: Vec<CounterSpec>,
    /// Stops the current run when it is set.
    pub interrupt: Option<Interrupt>,
    /// Whether to disable address space layout randomisation for all runs.
    pub fixed_addresses: bool,
}

/// The small process that starts all runs. It ends when this value is dropped.
#[derive(Debug)]
pub struct Launcher {
    process: Process,
    counters: Vec<CounterStatus>,
    interrupt: Option<Interrupt>,
    /// Buffer of requests, reused from run to run.
    message: Vec<u8>,
}

impl Launcher {
    /// Starts the process and opens the counters in it.
    pub fn start(options: &LauncherOptions) -> Result<Self, LaunchError> {
        let process = Process::start(options.fixed_addresses)?;
        let interrupt = options.interrupt.clone();
        let mut launcher = Self { process, counters: Vec::new(), interrupt, message: Vec::new() };
        message::expect(&launcher.process.receive()?, wire::HELLO)?;
        if !options.counters.is_empty() {
            launcher.set_up(&options.counters)?;
        }
        Ok(launcher)
    }

    /// The process id of the launcher. Runs inherit its properties, such as priority and affinity.
    pub fn process_number(&self) -> u32 {
        self.process.number()
    }

    /// Which counters are available, in the order of [`LauncherOptions::counters`].
    pub fn counters(&self) -> &[CounterStatus] {
        &self.counters
    }

    /// Runs a job to its end. A program that cannot be started gives a report ([`End::NotStarted`]), not an error.
    pub fn run(&mut self, job: &Job) -> Result<RunReport, LaunchError> {
        let [report] = self.run_all([job])?;
        Ok(report)
    }

    /// Runs two jobs at once. If one cannot be found, neither is started.
    pub fn run_pair(&mut self, first: &Job, second: &Job) -> Result<[RunReport; 2], LaunchError> {
        self.run_all([first, second])
    }

    fn set_up(&mut self, counters: &[CounterSpec]) -> Result<(), LaunchError> {
        message::set_up(&mut self.message, counters)?;
        self.process.send(&self.message)?;
        let answer = self.process.receive()?;
        let body = message::expect(&answer, wire::SETUP)?;
        let answers = body.chunks_exact(CounterAnswer::SIZE).filter_map(CounterAnswer::decode);
        self.counters = answers
            .map(|answer| match answer.error {
                0 => CounterStatus::Available,
                error => CounterStatus::Unavailable(error),
            })
            .collect();
        expect_all(self.counters.len(), counters.len())
    }

    /// Runs jobs at the same time: finds their programs, sends one request for all, drains their output until the answer
    /// arrives, and combines answer and output into one report per job.
    fn run_all<const N: usize>(&mut self, jobs: [&Job; N]) -> Result<[RunReport; N], LaunchError> {
        if self.interrupt.as_ref().is_some_and(Interrupt::is_set) {
            return Ok(jobs.map(|_| RunReport { end: End::Interrupted, ..empty() }));
        }
        let programs = match self.prepare(&jobs) {
            Ok(programs) => programs,
            Err(problems) => {
                let mut problems = problems.into_iter();
                return Ok(jobs.map(|_| problems.next().map_or_else(empty, RunReport::not_started)));
            }
        };
        self.process.send(&self.message)?;
        let mut drains = Drain::for_jobs(&jobs);
        let answer = self.wait(&mut drains)?;
        let mut reports: [RunReport; N] = self
            .reports(&jobs, &programs, &answer)?
            .try_into()
            .map_err(|_| LaunchError::Protocol("it speaks of other runs than asked for"))?;
        let streams = reports.iter_mut().flat_map(|report| [&mut report.stdout, &mut report.stderr]);
        for (stream, drain) in streams.zip(drains) {
            *stream = drain.captured();
        }
        self.mark_terminal_interrupts(&jobs, reports)
    }

    /// Encodes the request for all jobs and returns the files to execute. If a program cannot be started, returns a problem for
    /// each job.
    fn prepare(&mut self, jobs: &[&Job]) -> Result<Vec<PathBuf>, Vec<StartProblem>> {
        let found: Vec<_> = jobs.iter().map(|job| resolve::program(job)).collect();
        let partner = StartProblem::Other { step: "starting the program beside it", code: 2 };
        if found.iter().any(Result::is_err) {
            return Err(found.into_iter().map(|it| it.err().unwrap_or(partner.clone())).collect());
        }
        let programs: Vec<PathBuf> = found.into_iter().flatten().collect();
        message::run(&mut self.message, jobs, &programs).map_err(|problem| vec![problem; jobs.len()])?;
        Ok(programs)
    }

    /// Waits for the answer; meanwhile drains the output of the runs and passes on an interruption.
    fn wait(&mut self, drains: &mut [Drain]) -> Result<Vec<u8>, LaunchError> {
        let mut interrupt_sent = false;
        while drains.iter().any(Drain::is_used) || self.interrupt.is_some() {
            let interrupt = self.interrupt.as_ref().filter(|_| !interrupt_sent);
            let outcome = poll(&self.process, drains, interrupt)?;
            self.process.drain(drains)?;
            if outcome.answered {
                break;
            }
            if outcome.interrupted {
                interrupt_sent = true;
                self.process.send(&message::interrupt())?;
            }
        }
        let answer = self.process.receive()?;
        // All processes of the run have ended, so the pipes contain the rest of the output.
        self.process.drain(drains)?;
        Ok(answer)
    }

    /// Decodes an answer: first one `RunAnswer` per job, then one `CounterReading` per counter.
    fn reports(
        &self,
        jobs: &[&Job],
        programs: &[PathBuf],
        answer: &[u8],
    ) -> Result<Vec<RunReport>, LaunchError> {
        let body = message::expect(answer, wire::RUN)?;
        let (runs, counters) = body
            .split_at_checked(jobs.len() * RunAnswer::SIZE)
            .ok_or(LaunchError::Protocol("it is too short"))?;
        let readings = counters.chunks_exact(CounterReading::SIZE).filter_map(CounterReading::decode);
        let counters: Vec<_> = readings.map(|reading| value(&reading, jobs.len())).collect();
        expect_all(counters.len(), self.counters.len())?;
        let runs = runs.chunks_exact(RunAnswer::SIZE).filter_map(RunAnswer::decode);
        let jobs = jobs.iter().zip(programs);
        Ok(jobs
            .zip(runs)
            .map(|((job, program), run)| message::report(job, program, &run, &counters))
            .collect())
    }

    /// A run in the terminal's foreground receives Ctrl-C instead of Lotse. If it ended by that, reports an interruption and
    /// sets Lotse's flag.
    fn mark_terminal_interrupts<const N: usize>(
        &self,
        jobs: &[&Job; N],
        mut reports: [RunReport; N],
    ) -> Result<[RunReport; N], LaunchError> {
        const SIGINT: i32 = 2;
        let Some(interrupt) = &self.interrupt else { return Ok(reports) };
        for (job, report) in jobs.iter().zip(&mut reports) {
            if message::in_foreground(job) && report.end == End::Signalled(SIGINT) {
                let failed = |source| LaunchError::Pipe { doing: "pass on an interruption", source };
                interrupt.trigger().map_err(failed)?;
                report.end = End::Interrupted;
            }
        }
        Ok(reports)
    }
}

fn empty() -> RunReport {
    RunReport { end: End::Interrupted, ..RunReport::not_started(StartProblem::EmptyCommand) }
}

fn expect_all(counters: usize, requested: usize) -> Result<(), LaunchError> {
    let wrong = LaunchError::Protocol("it speaks of other counters than asked for");
    if counters == requested { Ok(()) } else { Err(wrong) }
}

fn value(reading: &CounterReading, jobs: usize) -> Option<CounterValue> {
    let CounterReading { value, enabled: enabled_ns, running: running_ns, .. } = *reading;
    (reading.valid == 1 && jobs == 1).then_some(CounterValue { value, enabled_ns, running_ns })
}

struct PollOutcome {
    answered: bool,
    interrupted: bool,
}

fn poll(
    process: &Process,
    drains: &[Drain],
    interrupt: Option<&Interrupt>,
) -> Result<PollOutcome, LaunchError> {
    let mut polls = vec![PollFd::new(process.answers(), PollFlags::IN)];
    polls.extend(interrupt.map(|it| PollFd::from_borrowed_fd(it.readable_while_set(), PollFlags::IN)));
    let used = drains.iter().zip(process.captures()).filter(|(drain, _)| drain.is_used());
    polls.extend(used.map(|(_, pipe)| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN)));
    match rustix::event::poll(&mut polls, None) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(errno) => return Err(LaunchError::Pipe { doing: "wait for the launcher", source: errno.into() }),
    }
    let answered = !polls[0].revents().is_empty();
    Ok(PollOutcome { answered, interrupted: interrupt.is_some() && !polls[1].revents().is_empty() })
}
