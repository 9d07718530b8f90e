//! Measuring: blocks of runs, with looks at the data in between, until the question is answered or the budget is spent.
//!
//! Every run is spawned by one small launcher process. Each block is written to the log before the next begins. An
//! interrupt, a program that keeps failing or a failed hook ends the measurement; the blocks made so far are kept.

use std::time::Instant;

use lotse_formats::bench::lotse_log::{BlockRecord, LogHeader, PlanRecord};
use lotse_host::quiet::{Separation, SeparationOptions};
use lotse_host::{CounterStatus, Interrupt, LaunchError, Launcher, LauncherOptions};
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{Design, Program, ResultSet, Run, ShellRun, Status};
use lotse_model::unit::Unit;
use lotse_model::{Fingerprint, Progress};
use lotse_report::number::format_value;

use crate::log::Log;
use crate::options::{Options, Stopping};
use crate::order::BlockOrder;
use crate::runner::{self, Runner};
use crate::trial::{BenchTrial, Conclusion, StoppedBy, blocks_made};

mod earlier;
mod error;
mod execute;
mod heap;
mod hooks;
mod offered;
mod record;
mod schedule;
mod sequential;
mod start_cost;
mod watch;

pub use earlier::EarlierError;
pub(crate) use earlier::alpha_of_part;
pub use error::SessionError;
pub use hooks::{Hook, HookError};
pub(crate) use record::{ContentionLimits, ERROR_OUTPUT};

use execute::Executor;
use hooks::Iteration;
use schedule::Schedule;

/// What a session needs from the outside.
pub struct SessionContext<'a> {
    /// The machine, recorded in the result.
    pub machine: Fingerprint,
    /// Set when the user wants to stop.
    pub interrupt: Interrupt,
    /// The result file.
    pub log: Log,
    /// Receives the progress.
    pub progress: &'a mut dyn Progress,
}

/// The runs of a session and its last look.
#[derive(Debug)]
pub struct SessionOutcome {
    pub set: ResultSet,
    /// The last look.
    pub conclusion: Conclusion,
    /// The error that ended the session early.
    pub broken: Option<SessionError>,
    /// Settings of the machine that could not be restored, one line each.
    pub not_restored: Vec<String>,
}

/// Measures all programs.
pub fn measure<'a>(
    options: &'a Options,
    context: SessionContext<'a>,
) -> Result<SessionOutcome, SessionError> {
    if options.design == Design::Duet && options.programs.len() != 2 {
        return Err(SessionError::Duet { count: options.programs.len() });
    }
    let kind = runner::named(&options.runner.id)?;
    let runner = (kind.create)(&options.runner.events)?;
    let quiet = options.separation.as_ref();
    let mut launcher = start_launcher(runner.as_ref(), context.interrupt.clone(), quiet)?;
    offered::check(options, runner.as_ref(), &mut launcher)?;
    if let Some(earlier) = &options.earlier {
        earlier::check(earlier, options, &context.machine)?;
    }
    let separation = quiet.map(|quiet| Separation::begin(quiet, launcher.process_number())).transpose()?;
    let executor = Executor::new(options, runner, launcher, separation);
    BenchSession::new(options, executor, context)?.run()
}

/// Starts the launcher with the counters of the runner. If counting in the kernel is not permitted, counters are opened for user
/// mode only.
fn start_launcher(
    runner: &dyn Runner,
    interrupt: Interrupt,
    quiet: Option<&SeparationOptions>,
) -> Result<Launcher, LaunchError> {
    let counters = runner.counters();
    let mut options = LauncherOptions { counters, interrupt: Some(interrupt), ..LauncherOptions::default() };
    if let Some(quiet) = quiet {
        quiet.prepare(&mut options);
    }
    let launcher = Launcher::start(&options)?;
    if !launcher.counters().iter().any(CounterStatus::is_refused) {
        return Ok(launcher);
    }
    options.counters.iter_mut().for_each(|counter| counter.user_only = true);
    Launcher::start(&options)
}

struct BenchSession<'a> {
    options: &'a Options,
    executor: Executor<'a>,
    context: SessionContext<'a>,
    set: ResultSet,
    order: BlockOrder,
    trial: BenchTrial<'a>,
    counts: Vec<OutcomeCounts>,
    /// Programs that were set up and not cleaned up yet.
    unclean: Vec<bool>,
}

/// How many runs of a program were made and how many were good.
#[derive(Debug, Clone, Copy, Default)]
struct OutcomeCounts {
    runs: u32,
    good: u32,
    missing: bool,
}

impl OutcomeCounts {
    fn count(&mut self, run: &Run) {
        self.runs += 1;
        self.good += u32::from(run.outcome.status == Status::Ok);
        self.missing |= run.outcome.status == Status::Missing;
    }
}

impl<'a> BenchSession<'a> {
    /// A session before its first run. Runs of an earlier result, to which runs are added, come first.
    fn new(
        options: &'a Options,
        executor: Executor<'a>,
        context: SessionContext<'a>,
    ) -> Result<Self, SessionError> {
        let mut set = ResultSet {
            date: Some(lotse_host::utc_now()),
            machine: Some(context.machine.clone()),
            seed: Some(options.seed),
            design: options.design,
            design_note: options.design_note.clone(),
            separation: executor.separation().cloned(),
            layouts: executor.layouts().cloned(),
            metrics: Vec::new(),
            programs: options.programs.iter().map(|spec| spec.program.clone()).collect(),
            runs: Vec::new(),
            shell: Vec::new(),
            start_cost: None,
        };
        earlier::prepend_runs(options.earlier.as_ref(), &mut set);
        let subtracts = executor.starter().is_some();
        let order = BlockOrder::new(options.programs.len(), options.seed);
        let trial = BenchTrial::new(options, subtracts)?;
        let counts = vec![OutcomeCounts::default(); options.programs.len()];
        let unclean = vec![false; options.programs.len()];
        Ok(Self { options, executor, context, set, order, trial, counts, unclean })
    }

    /// Measures, cleans up and writes the end of the log, even after an error. An error is returned as `Err` only if nothing
    /// was measured.
    fn run(mut self) -> Result<SessionOutcome, SessionError> {
        let ended = self.begin().and_then(|()| self.run_all());
        let (stopped_by, broken) = match ended {
            Ok(stopped_by) => (stopped_by, None),
            Err(SessionError::Hook(_)) if self.context.interrupt.is_set() => (StoppedBy::Interrupt, None),
            Err(error) => (error.stopped_by(), Some(error)),
        };
        let conclusion = self.trial.conclude(&self.set, stopped_by);
        // Before the cleanup commands, which may need services that the separation stopped.
        let not_restored = self.executor.end_separation();
        let cleanup = self.finish().map(SessionError::Hook);
        let logged = self.context.log.end(&conclusion.record()).err().map(SessionError::Log);
        match broken.or_else(|| self.without_values()).or(cleanup).or(logged) {
            Some(error) if error.leaves_nothing(&self.set) => Err(error),
            broken => Ok(SessionOutcome { conclusion, broken, set: self.set, not_restored }),
        }
    }

    /// Everything before the first measured run.
    fn begin(&mut self) -> Result<(), SessionError> {
        self.set.metrics = self.executor.known_metrics();
        self.take_start_cost()?;
        self.write_header()?;
        if self.options.design == Design::Sequential {
            return Ok(());
        }
        for program in 0..self.options.programs.len() {
            self.set_up(program)?;
        }
        if self.options.warmup > 0 {
            self.context.progress.begin("warming up", None);
        }
        for round in 0..self.options.warmup {
            for program in 0..self.options.programs.len() {
                self.announce(program, round);
                self.executor.warm_up(program, round, &mut self.order)?;
            }
        }
        Ok(())
    }

    /// Runs the setup command of a program, which must be cleaned up from now on, even if this fails.
    fn set_up(&mut self, program: usize) -> Result<(), HookError> {
        self.unclean[program] = true;
        self.executor.hook(program, Hook::Setup, Iteration::Run(0))
    }

    /// Runs the cleanup command of a program, once.
    fn clean_up(&mut self, program: usize) -> Result<(), HookError> {
        if !std::mem::take(&mut self.unclean[program]) {
            return Ok(());
        }
        self.executor.hook(program, Hook::Cleanup, Iteration::Run(0))
    }

    fn write_header(&mut self) -> Result<(), SessionError> {
        let reference = &self.options.programs[self.options.reference].program.name;
        let Stopping { alpha, delta, until, .. } = self.options.stopping;
        let plan = PlanRecord { alpha, delta, until };
        if self.options.earlier.is_some() {
            return self.write_part(plan);
        }
        let header = LogHeader::from_results(&self.set).with_plan(&self.options.primary, reference, plan);
        Ok(self.context.log.header(&header)?)
    }

    /// Cleans up after all programs that were set up and gives the first failure.
    fn finish(&mut self) -> Option<HookError> {
        // Cleanup commands must run even after an interrupt.
        let reset = self.context.interrupt.reset();
        let programs = 0..self.options.programs.len();
        let failures: Vec<HookError> = programs.filter_map(|program| self.clean_up(program).err()).collect();
        failures.into_iter().next().or(reset.err().map(HookError::Interrupt))
    }

    fn run_all(&mut self) -> Result<StoppedBy, SessionError> {
        self.context.progress.begin("measuring", Some(1000));
        let stopped_by = if self.options.design == Design::Sequential {
            self.run_sequentially()
        } else {
            self.run_in_blocks()
        };
        self.context.progress.end();
        stopped_by
    }

    /// Makes blocks and looks at the data when the schedule says so, until a look answers the question, the budget is spent, a
    /// program keeps failing or the user interrupts.
    fn run_in_blocks(&mut self) -> Result<StoppedBy, SessionError> {
        let mut schedule = Schedule::new(&self.options.stopping, self.options.programs.len());
        let (start, first) = (Instant::now(), blocks_made(&self.set));
        for block in first.. {
            let complete = self.run_block(block)?;
            if !complete || self.context.interrupt.is_set() {
                return Ok(StoppedBy::Interrupt);
            }
            let made = block - first + 1;
            let fraction = schedule.fraction(start.elapsed(), self.executor.hook_time(), made);
            self.trial.reached(fraction);
            if let Some(program) = self.failing_program() {
                return Ok(StoppedBy::Failure { program });
            }
            self.check_metrics()?;
            if schedule.look_due(fraction, made) && self.look()? {
                break;
            }
            self.report_progress(fraction);
        }
        Ok(self.trial.stopped_by())
    }

    /// Looks at the data, and logs the look before its result is displayed.
    fn look(&mut self) -> Result<bool, SessionError> {
        let answered = self.trial.look(&self.set)?;
        // The last look is part of the end record of the file.
        if let Some(look) = self.trial.look_record().filter(|_| !answered) {
            self.context.log.look(&look)?;
        }
        Ok(answered)
    }

    /// Runs one block and logs it. `false` when interrupted: only complete blocks are kept.
    fn run_block(&mut self, block: u32) -> Result<bool, SessionError> {
        let mut shell = Vec::new();
        let runs = match self.options.design {
            Design::Duet => {
                self.context.progress.step(&format!("both, run {}", block + 1));
                shell.extend(self.executor.empty_pair()?);
                self.executor.run_duet(block, &mut self.order)?
            }
            _ => {
                let order = self.order.next_block();
                let mut runs = Vec::with_capacity(order.len());
                for (position, program) in order.into_iter().enumerate() {
                    self.announce(program, block);
                    shell.extend(self.executor.empty_runs()?);
                    let run = self.executor.run_one(program, block, &mut self.order)?;
                    runs.push(Run { position: position as u32, ..run });
                    if self.context.interrupt.is_set() {
                        return Ok(false);
                    }
                }
                runs
            }
        };
        if self.context.interrupt.is_set() {
            return Ok(false);
        }
        self.store_block(BlockRecord { block, runs, shell })?;
        Ok(true)
    }

    fn store_block(&mut self, record: BlockRecord) -> Result<(), SessionError> {
        self.context.log.block(&record)?;
        for run in &record.runs {
            self.counts[run.program.index()].count(run);
        }
        self.set.runs.extend(record.runs);
        let block = BlockId(record.block);
        self.set.shell.extend(record.shell.into_iter().map(|excess| ShellRun { block, excess }));
        self.executor.add_metrics(&mut self.set);
        self.context.progress.measured(&self.set);
        Ok(())
    }

    /// A program that does not exist, or failed three times in a row at the beginning, or in most of its runs.
    fn failing_program(&self) -> Option<String> {
        let failing =
            |counts: &OutcomeCounts| counts.missing || (counts.runs >= 3 && counts.good * 2 < counts.runs);
        let program = self.counts.iter().position(failing)?;
        Some(self.set.programs[program].name.clone())
    }

    /// An error if the runner could read no value of a program although its runs ended well.
    fn without_values(&self) -> Option<SessionError> {
        let unread =
            |program: &usize| self.counts[*program].good == 0 && self.executor.problem(*program).is_some();
        let program = (0..self.options.programs.len()).find(unread)?;
        Some(SessionError::NoValues {
            runner: self.options.runner.id.clone(),
            program: self.set.programs[program].name.clone(),
            problem: self.executor.problem(program)?.to_owned(),
        })
    }

    /// An error if the newest good runs lack a requested metric, since later runs will lack it too.
    fn check_metrics(&self) -> Result<(), SessionError> {
        let newest = &self.set.runs[self.set.runs.len().saturating_sub(self.options.programs.len())..];
        let measured = |name: &str| {
            newest.iter().any(|run| run.outcome.status != Status::Ok || run.values.contains_key(name))
        };
        let known = |name: &str| self.set.metrics.iter().any(|metric| metric.name == name);
        let asked = || offered::requested_metrics(self.options).map(|name| self.executor.metric_name(name));
        if let Some(absent) = asked().find(|name| known(name) && !measured(name)) {
            let reason = "no run gave a value".to_owned();
            return Err(SessionError::NotOffered { metric: absent.to_owned(), reason });
        }
        let Some(unknown) = asked().find(|name| !known(name) && !measured(name)) else {
            return Ok(());
        };
        let names: Vec<&str> = self.set.metrics.iter().map(|metric| metric.name.as_str()).collect();
        Err(SessionError::NoSuchMetric { metric: unknown.to_owned(), known: names.join(", ") })
    }

    fn report_progress(&mut self, fraction: f64) {
        let done = (fraction * 1000.0) as u64;
        let note = self.trial.note().unwrap_or_else(|| self.medians_so_far());
        self.context.progress.advance(done, &note);
    }

    /// The medians, shown until there is a first interval of a ratio.
    fn medians_so_far(&self) -> String {
        let unit = self.set.metrics.iter().find(|metric| metric.name == self.options.primary);
        let unit = unit.map_or(Unit::Number, |metric| metric.unit);
        let median = |(id, program): (ProgramId, &Program)| {
            let values = self.set.samples(id, &self.options.primary);
            let median = lotse_stats::descriptive::median(&values).ok()?;
            Some(format!("{} {}", program.name, format_value(median, unit)))
        };
        let programs = self.set.program_ids().zip(&self.set.programs);
        programs.filter_map(median).collect::<Vec<_>>().join(", ")
    }

    /// Reports which run begins.
    fn announce(&mut self, program: usize, run: u32) {
        let name = &self.set.programs[program].name;
        self.context.progress.step(&format!("{name}, run {}", run + 1));
    }
}
