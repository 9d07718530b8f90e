//! Serves a request to run: starts its jobs, waits for all of them, cleans up, and answers.

use crate::counters::Counters;
use crate::job::{Arrays, Job};
use crate::memory::Arena;
use crate::orphans;
use crate::pipes::{Pipes, RunMessage};
use crate::scheduler;
use crate::spawn::{self, Failure, Started};
use crate::syscall::{self, EPERM, ESRCH, POLLIN, Poll, SIGCONT, SIGKILL, SIGTERM};
use crate::wire::{self, CounterReading, MOST_COUNTERS, MOST_JOBS, NONE, Request, RunAnswer};

/// Migrations are read only for runs of at least this wall time.
const LONG_NS: u64 = 2_000_000;

/// A job from its start to its answer.
#[derive(Default)]
struct RunningJob {
    /// Whether it is running; its pid is 0 if it was never started.
    alive: bool,
    pid: i32,
    pidfd: i32,
    flags: u32,
    started: u64,
    /// When to send SIGTERM, or after that, SIGKILL.
    deadline: u64,
    grace: u64,
    /// 0, or the reason for stopping it: [`wire::TIMED_OUT`] or [`wire::INTERRUPTED`].
    stopped: u32,
    answer: RunAnswer,
}

/// Receives the body of the request, runs its jobs, and answers.
pub(crate) fn serve(pipes: &Pipes, request: &Request, environment: *const usize, counters: &mut Counters) {
    let length = request.length as usize;
    let all = length + (request.pointers as usize + 1) * size_of::<usize>();
    // SAFETY: requests are served one after the other, and this one releases its arena below.
    let Ok(mut arena) = (unsafe { Arena::take(all) }) else { syscall::exit(5) };
    let (body, pointers) = arena.bytes().split_at_mut(length);
    pipes.receive(body);
    // SAFETY: any bytes are valid numbers.
    let pointers = unsafe { pointers.align_to_mut::<usize>().1 };
    let mut runs: [RunningJob; MOST_JOBS] = Default::default();
    let count = (request.count as usize).min(MOST_JOBS);
    let runs = &mut runs[..count];
    let terminal = syscall::foreground(0);
    counters.open();
    start_all(runs, body, pointers, pipes, environment);
    wait_for_all(runs, pipes);
    clean_up(runs, terminal);
    arena.release();
    answer(runs, pipes, counters);
}

/// Parses all jobs first, and then starts them directly one after the other, so that two jobs begin at about the same time.
/// A job that cannot be started gets an answer that says at which step.
fn start_all(
    runs: &mut [RunningJob],
    body: &[u8],
    pointers: &mut [usize],
    pipes: &Pipes,
    environment: *const usize,
) {
    let mut prepared: [Option<(Job<'_>, Arrays)>; MOST_JOBS] = [None, None];
    let (mut body, mut pointers) = (body, pointers);
    for slot in prepared.iter_mut().take(runs.len()) {
        let Some((job, after)) = Job::split(body) else { break };
        let Some((mut arrays, free)) = job.write_arrays(pointers) else { break };
        if job.head.flags & wire::INHERIT_ENVIRONMENT != 0 {
            arrays.envp = environment;
        }
        (body, pointers) = (after, free);
        *slot = Some((job, arrays));
    }
    for (index, (run, prepared)) in runs.iter_mut().zip(&prepared).enumerate() {
        let failure = Failure { step: wire::STEP_MESSAGE, errno: syscall::EINVAL };
        let started = prepared.as_ref().ok_or(failure).and_then(|(job, arrays)| {
            spawn::start(job, *arrays, index, pipes).map(|started| run.begin(job, &started))
        });
        if let Err(Failure { step, errno }) = started {
            run.answer = RunAnswer { end: wire::NOT_STARTED, step, code: errno.0, ..run.answer };
        }
    }
}

/// Waits until all jobs have ended, with one `poll` on their pidfds and on the pipe of requests. Jobs are stopped at their
/// deadline, or when Lotse requests it.
fn wait_for_all(runs: &mut [RunningJob], pipes: &Pipes) {
    while runs.iter().any(|run| run.alive) {
        let mut polls = [Poll { fd: -1, events: POLLIN, happened: 0 }; 1 + MOST_JOBS];
        polls[0].fd = pipes.requests();
        for (poll, run) in polls[1..].iter_mut().zip(runs.iter()).filter(|(_, run)| run.alive) {
            poll.fd = run.pidfd;
        }
        let deadline = runs.iter().filter(|run| run.alive).map(|run| run.deadline).min();
        let patience = deadline.filter(|it| *it != NONE).map(|it| it.saturating_sub(syscall::now()));
        if syscall::poll(&mut polls, patience).is_err() {
            continue;
        }
        let now = syscall::now();
        for (poll, run) in polls[1..].iter().zip(runs.iter_mut()).filter(|(poll, _)| poll.fd >= 0) {
            if poll.happened != 0 {
                run.end(now);
            } else if now >= run.deadline {
                run.stop(wire::TIMED_OUT, now);
            }
        }
        if polls[0].happened != 0 {
            handle_message(runs, pipes, now);
        }
    }
}

/// Handles a message of Lotse; if Lotse has ended, kills everything and exits.
fn handle_message(runs: &mut [RunningJob], pipes: &Pipes, now: u64) {
    let message = pipes.receive_during_run();
    for run in runs.iter_mut().filter(|run| run.alive) {
        match message {
            RunMessage::Interrupt => run.stop(wire::INTERRUPTED, now),
            RunMessage::Disconnected => run.signal(SIGKILL),
        }
    }
    if let RunMessage::Disconnected = message {
        orphans::kill_and_reap_all();
        syscall::exit(0);
    }
}

/// Collects the usage of ended jobs, kills what they left behind, and restores the terminal's foreground group.
fn clean_up(runs: &mut [RunningJob], terminal: Option<i32>) {
    for run in runs.iter_mut().filter(|run| run.pid != 0) {
        run.collect_usage();
    }
    // With two jobs it is not known whose orphans these are.
    let left_behind = u32::from(orphans::kill_and_reap_all());
    for run in runs.iter_mut().filter(|run| run.pid != 0) {
        run.answer.left_behind = left_behind;
    }
    let had_terminal = runs.iter().any(|run| run.flags & wire::FOREGROUND != 0);
    if let Some(group) = terminal.filter(|_| had_terminal) {
        match syscall::set_foreground(0, group) {
            // Fails only if the terminal is closed, and then there is nothing to restore.
            Ok(_) | Err(_) => {}
        }
    }
}

fn answer(runs: &[RunningJob], pipes: &Pipes, counters: &mut Counters) {
    const MOST: usize = MOST_JOBS * RunAnswer::SIZE + MOST_COUNTERS * CounterReading::SIZE;
    let length = runs.len() * RunAnswer::SIZE + counters.len() * CounterReading::SIZE;
    let mut body = [0; MOST];
    let answers = runs.iter().flat_map(|run| run.answer.encode());
    let readings = counters.take().flat_map(|reading| reading.encode());
    for (to, from) in body.iter_mut().zip(answers.chain(readings)) {
        *to = from;
    }
    let Some(body) = body.get(..length) else { syscall::exit(4) };
    pipes.answer(wire::RUN, runs.len(), body);
}

impl RunningJob {
    fn begin(&mut self, job: &Job<'_>, started: &Started) {
        *self = RunningJob {
            alive: true,
            pid: started.pid,
            pidfd: started.pidfd,
            flags: job.head.flags,
            started: started.at,
            deadline: started.at.saturating_add(job.head.timeout),
            grace: job.head.grace,
            ..RunningJob::default()
        };
    }

    /// It has ended; kills the rest of its group. It stays a zombie, so that its pid cannot be reused.
    fn end(&mut self, now: u64) {
        self.alive = false;
        self.answer.wall = now - self.started;
        self.signal(SIGKILL);
    }

    /// Sends SIGTERM; if it is still running at the next deadline, SIGKILL.
    fn stop(&mut self, why: u32, now: u64) {
        if self.stopped == 0 {
            self.stopped = why;
            self.deadline = now.saturating_add(self.grace);
            self.signal(SIGTERM);
            // A stopped process does not handle signals until it continues.
            self.signal(SIGCONT);
        } else if now >= self.deadline {
            self.deadline = NONE;
            self.signal(SIGKILL);
        }
    }

    /// Sends a signal to its group, and to the process itself, because it may have left the group.
    fn signal(&self, signal: i32) {
        if syscall::kill(-self.pid, signal).is_ok() && signal != SIGKILL {
            return;
        }
        match syscall::kill(self.pid, signal) {
            // It has ended, or it runs as another user and cannot be signalled.
            Ok(_) | Err(ESRCH | EPERM) => {}
            Err(_) => syscall::exit(7),
        }
    }

    /// Reads the kernel's statistics of the ended process, and reaps it.
    fn collect_usage(&mut self) {
        let wanted = self.flags & wire::READ_SCHEDULER != 0;
        self.answer.run_delay = wanted.then(|| scheduler::run_delay(self.pid)).flatten().unwrap_or(NONE);
        // Reading `sched` takes a tenth of the time of a short program, and a short program hardly migrates.
        let long = self.answer.wall >= LONG_NS;
        let migrations = (wanted && long).then(|| scheduler::migrations(self.pid)).flatten();
        self.answer.migrations = migrations.unwrap_or(NONE);
        let mut usage = [0; 18];
        // Without status and usage there is no measurement, and zeros would look like one.
        let Ok((_, status)) = syscall::wait(self.pid, 0, Some(&mut usage)) else { syscall::exit(8) };
        syscall::close(self.pidfd);
        self.answer.take_usage(&usage);
        let signal = status & 0x7f;
        (self.answer.end, self.answer.code) =
            if signal == 0 { (wire::EXITED, status >> 8 & 0xff) } else { (wire::SIGNALLED, signal) };
        if self.stopped != 0 {
            self.answer.end = self.stopped;
        }
    }
}

impl RunAnswer {
    #[rustfmt::skip]
    fn take_usage(&mut self, usage: &[i64; 18]) {
        [
            self.user_s, self.user_us, self.system_s, self.system_us, self.maxrss, self.ixrss, self.idrss,
            self.isrss, self.minflt, self.majflt, self.nswap, self.inblock, self.oublock, self.msgsnd,
            self.msgrcv, self.nsignals, self.nvcsw, self.nivcsw,
        ] = *usage;
    }
}
