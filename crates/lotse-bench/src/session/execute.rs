//! Execution of single runs: hooks, launcher, runner, record.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lotse_host::quiet::Separation;
use lotse_host::{Environment, Input as HostInput, Job, Launcher, Output as HostOutput, RunReport, Scratch};
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{
    LayoutRecord, Levels, Outcome, ResultSet, Run, SeparationRecord, StartCost, Status,
};
use lotse_model::{Metric, metric};

use super::SessionError;
use super::heap::Heaps;
use super::hooks::{self, Hook, HookError, Iteration};
use super::record::{self, ContentionLimits};
use super::start_cost::{self, Calibrator, Starter};
use super::watch::Watch;
use crate::command::Shell;
use crate::options::{Input, Options, Output, ProgramSpec};
use crate::order::BlockOrder;
use crate::rules;
use crate::runner::{RunOutput, Runner, Values};
use crate::validate;

/// The program, block and CPU of a run.
#[derive(Debug, Clone, Copy)]
struct RunSlot {
    program: usize,
    block: u32,
    cpu: Option<u32>,
}

/// Starts runs and records their results.
pub(super) struct Executor<'a> {
    options: &'a Options,
    runner: Box<dyn Runner>,
    launcher: Launcher,
    /// Separates the programs from other work on the machine, if requested.
    separation: Option<Separation>,
    /// Moves heaps, if requested.
    heaps: Heaps,
    watch: Watch,
    limits: ContentionLimits,
    start_cost: Option<StartCost>,
    iterations: Vec<u32>,
    /// Per program: the last error of the runner, if it could not read a run.
    problems: Vec<Option<String>>,
    /// Per program: whether a run failed. From then on its standard error is captured.
    failed: Vec<bool>,
    /// Time spent on hooks and separation, which is not part of the runs.
    hook_time: Duration,
}

impl<'a> Executor<'a> {
    /// An executor before the first run.
    pub(super) fn new(
        options: &'a Options,
        runner: Box<dyn Runner>,
        launcher: Launcher,
        separation: Option<Separation>,
    ) -> Self {
        let limits = rules::contention_limits(&options.thresholds);
        let iterations = vec![0; options.programs.len()];
        let problems = vec![None; options.programs.len()];
        let watch = Watch::new();
        let failed = vec![false; options.programs.len()];
        let (start_cost, hook_time) = (None, Duration::ZERO);
        Self {
            options,
            runner,
            launcher,
            separation,
            heaps: Heaps::prepare(options),
            watch,
            limits,
            start_cost,
            iterations,
            problems,
            failed,
            hook_time,
        }
    }

    /// The record of the separation from other work.
    pub(super) fn separation(&self) -> Option<&SeparationRecord> {
        self.separation.as_ref().map(Separation::record)
    }

    /// Which memory layouts are drawn.
    pub(super) fn layouts(&self) -> Option<&LayoutRecord> {
        self.heaps.record()
    }

    /// Restores the machine and gives the settings that could not be restored.
    pub(super) fn end_separation(&mut self) -> Vec<String> {
        self.separation.take().map_or_else(Vec::new, Separation::end)
    }

    /// Applies the separation before a run; its time counts as hook time.
    fn separate(&mut self) -> Result<(), SessionError> {
        let Some(separation) = &self.separation else { return Ok(()) };
        let start = Instant::now();
        let done = separation.before_run();
        self.hook_time += start.elapsed();
        Ok(done?)
    }

    /// The shell or tool that starts the programs; `None` if Lotse starts them directly.
    pub(super) fn starter(&self) -> Option<Starter> {
        start_cost::starter(self.options, self.runner.as_ref())
    }

    /// Time spent on hooks and separation so far.
    pub(super) fn hook_time(&self) -> Duration {
        self.hook_time
    }

    /// The last error of the runner for a program.
    pub(super) fn problem(&self, program: usize) -> Option<&str> {
        self.problems[program].as_deref()
    }

    /// The metric that holds the values of an event.
    pub(super) fn metric_name<'n>(&self, event: &'n str) -> &'n str {
        self.runner.metric_name(event)
    }

    /// The metrics that are known before the first run.
    pub(super) fn known_metrics(&self) -> Vec<Metric> {
        let usage = metric::KNOWN.iter().map(|known| Metric::named(known.name));
        let own = self.runner.metrics().into_iter();
        let own = own.map(|name| Metric { unit: self.runner.unit(&name), name });
        usage.filter(|_| self.runner.keeps_usage()).chain(own).collect()
    }

    /// Adds metrics that appear in the newest runs for the first time.
    pub(super) fn add_metrics(&self, set: &mut ResultSet) {
        let newest = set.runs.len().saturating_sub(self.options.programs.len());
        for name in set.runs[newest..].iter().flat_map(|run| run.values.keys()) {
            if !set.metrics.iter().any(|metric| metric.name == *name) {
                set.metrics.push(Metric { name: name.clone(), unit: self.runner.unit(name) });
            }
        }
    }

    /// Measures the cost of the shell or tool that starts the programs; `None` if they are started directly.
    pub(super) fn calibrate(&mut self) -> Result<Option<StartCost>, SessionError> {
        self.start_cost = self.calibrator().map(|mut calibrator| calibrator.measure()).transpose()?;
        Ok(self.start_cost.clone())
    }

    /// Sets a start cost that was measured earlier.
    pub(super) fn set_start_cost(&mut self, cost: Option<StartCost>) {
        self.start_cost = cost;
    }

    fn calibrator(&mut self) -> Option<Calibrator<'_>> {
        let starter = self.starter()?;
        let (options, heaps) = (self.options, &self.heaps);
        let apply_layout = Box::new(move |job: &mut Job| {
            if let Some(layouts) = &options.layouts {
                heaps.apply(layouts, 0, job);
            }
        });
        Some(Calibrator::new(starter, &options.shell, self.runner.as_ref(), &mut self.launcher, apply_layout))
    }

    /// The cost of empty commands beyond the subtracted cost; empty if nothing is subtracted. For a single program two empty
    /// commands are run per run, so that the bounds of the cost are known as soon as those of the program.
    pub(super) fn empty_runs(&mut self) -> Result<Vec<BTreeMap<String, f64>>, SessionError> {
        let Some(cost) = self.start_cost.clone() else { return Ok(Vec::new()) };
        let count = if self.options.programs.len() == 1 { 2 } else { 1 };
        let Some(mut calibrator) = self.calibrator() else { return Ok(Vec::new()) };
        (0..count).map(|_| Ok(start_cost::excess(&cost, &calibrator.sample()?))).collect()
    }

    /// The same for two empty commands at the same time, on the CPUs of the two programs.
    pub(super) fn empty_pair(&mut self) -> Result<Vec<BTreeMap<String, f64>>, SessionError> {
        let Some(cost) = self.start_cost.clone() else { return Ok(Vec::new()) };
        let cpus = lotse_host::two_cpus().ok_or(SessionError::OneCpu)?;
        let Some(mut calibrator) = self.calibrator() else { return Ok(Vec::new()) };
        let samples = calibrator.sample_pair(cpus)?;
        Ok(samples.iter().map(|sample| start_cost::excess(&cost, sample)).collect())
    }

    pub(super) fn hook(&mut self, program: usize, hook: Hook, iteration: Iteration) -> Result<(), HookError> {
        let start = Instant::now();
        let spec = &self.options.programs[program];
        let ended = hooks::run(&mut self.launcher, &self.options.shell, spec, hook, iteration);
        self.hook_time += start.elapsed();
        ended
    }

    /// One run of one program with its hooks.
    pub(super) fn run_one(
        &mut self,
        program: usize,
        block: u32,
        order: &mut BlockOrder,
    ) -> Result<Run, SessionError> {
        let iteration = self.next_iteration(program);
        self.run_iteration(iteration, program, block, order)
    }

    /// One run that is not measured.
    pub(super) fn warm_up(
        &mut self,
        program: usize,
        round: u32,
        order: &mut BlockOrder,
    ) -> Result<(), SessionError> {
        self.run_iteration(Iteration::WarmUp(round), program, 0, order).map(|_| ())
    }

    fn run_iteration(
        &mut self,
        iteration: Iteration,
        program: usize,
        block: u32,
        order: &mut BlockOrder,
    ) -> Result<Run, SessionError> {
        self.hook(program, Hook::Prepare, iteration)?;
        let scratch = self.scratch()?;
        let job = self.job(RunSlot { program, block, cpu: None }, iteration, order, &scratch);
        self.separate()?;
        let before = self.watch.before();
        let report = self.launcher.run(&job)?;
        let after = self.watch.after();
        let disturbance = record::disturbance(&report, &before, &after, self.limits);
        self.hook(program, Hook::Conclude, iteration)?;
        let run = self.record(program, block, &report, &scratch);
        Ok(Run { disturbance, ..run })
    }

    /// Both programs at the same time, each on its own CPU; the CPUs are swapped every block.
    pub(super) fn run_duet(&mut self, block: u32, order: &mut BlockOrder) -> Result<Vec<Run>, SessionError> {
        let pair = order.next_block();
        let cpus = lotse_host::two_cpus().ok_or(SessionError::OneCpu)?;
        let scratch = [self.scratch()?, self.scratch()?];
        let (mut jobs, mut iterations) = (Vec::with_capacity(2), Vec::with_capacity(2));
        for (slot, &program) in pair.iter().enumerate() {
            let iteration = self.next_iteration(program);
            self.hook(program, Hook::Prepare, iteration)?;
            let run_slot = RunSlot { program, block, cpu: Some(cpus[slot]) };
            jobs.push(self.job(run_slot, iteration, order, &scratch[slot]));
            iterations.push(iteration);
        }
        self.separate()?;
        let before = self.watch.before();
        let reports = self.launcher.run_pair(&jobs[0], &jobs[1])?;
        let after = self.watch.after();
        let mut runs = Vec::with_capacity(2);
        for (slot, &program) in pair.iter().enumerate() {
            let disturbance = record::disturbance(&reports[slot], &before, &after, self.limits);
            let run = self.record(program, block, &reports[slot], &scratch[slot]);
            runs.push(Run { disturbance, position: slot as u32, ..run });
            self.hook(program, Hook::Conclude, iterations[slot])?;
        }
        Ok(runs)
    }

    fn build(&self, program: usize, block: u32) -> u32 {
        let spec = &self.options.programs[program];
        if spec.are_builds { block % (spec.alternatives.len().max(1) as u32) } else { 0 }
    }

    fn layout(&self, block: u32) -> u32 {
        self.options.layouts.as_ref().map_or(0, |layouts| layouts.layout_of_block(block).number)
    }

    fn next_iteration(&mut self, program: usize) -> Iteration {
        let iteration = self.iterations[program];
        self.iterations[program] += 1;
        Iteration::Run(iteration)
    }

    fn scratch(&self) -> Result<Scratch, SessionError> {
        if self.runner.needs_scratch() { Scratch::create() } else { Ok(Scratch::none()) }
            .map_err(SessionError::Scratch)
    }

    /// The job of a run: the build of the block or a random alternative of the command, wrapped by the runner, with
    /// environment, input, output and memory layout.
    fn job(&self, run_slot: RunSlot, iteration: Iteration, order: &mut BlockOrder, scratch: &Scratch) -> Job {
        let RunSlot { program, block, cpu } = run_slot;
        let spec = &self.options.programs[program];
        let drawn = match spec.alternatives.len() {
            count if spec.are_builds => self.build(program, block) as usize % count,
            count if count > 1 => order.draw(count),
            _ => 0,
        };
        let argv = self.runner.wrap(spec.alternatives[drawn].clone(), scratch.path());
        let mut job = Job {
            argv,
            environment: environment(spec, &self.options.shell, iteration),
            directory: spec.directories.get(drawn).or(spec.directory.as_ref()).cloned(),
            stdin: input(&spec.input),
            stdout: self.stdout(spec),
            stderr: stderr(spec, self.failed[program]),
            timeout: spec.timeout,
            cpu,
            fixed_addresses: false,
            scheduler: self.runner.keeps_usage(),
        };
        if let Some(layouts) = &self.options.layouts {
            self.heaps.apply(layouts, block, &mut job);
        }
        job
    }

    fn stdout(&self, spec: &ProgramSpec) -> HostOutput {
        match &spec.output {
            _ if self.runner.reads_output() || validate::needs_output(&spec.expected) => {
                HostOutput::Capture { limit: validate::OUTPUT_LIMIT }
            }
            Output::Null => HostOutput::Null,
            Output::Pipe => HostOutput::Capture { limit: 0 },
            Output::Inherit => HostOutput::Inherit,
            Output::File(path) => HostOutput::File(path.clone()),
        }
    }

    /// The record of a finished run: its outcome, the values of `rusage` and of the runner, less the start cost. A run whose
    /// values the runner cannot read is invalid.
    fn record(&mut self, program: usize, block: u32, report: &RunReport, scratch: &Scratch) -> Run {
        let spec = &self.options.programs[program];
        let mut outcome = record::outcome(spec, report);
        if outcome.status == Status::Failed {
            self.failed[program] = true;
            outcome.problem = outcome.problem.map(|problem| record::with_error_output(&problem, report));
        }
        let (mut values, mut within) = (Values::new(), BTreeMap::new());
        if self.runner.keeps_usage() && outcome.status != Status::Missing {
            values = record::usage_values(report);
        }
        if outcome.status == Status::Ok {
            match self.runner.values(RunOutput { report, scratch: scratch.path() }) {
                Ok(own) => {
                    values.extend(own.values);
                    within = own.within;
                }
                Err(error) => {
                    self.problems[program] = Some(error.to_string());
                    outcome =
                        Outcome { status: Status::Invalid, problem: Some(error.to_string()), ..outcome };
                }
            }
        }
        if let Some(cost) = &self.start_cost {
            start_cost::subtract(cost, &mut values);
        }
        Run {
            program: ProgramId::from(program),
            block: BlockId(block),
            position: 0,
            levels: Levels { build: self.build(program, block), layout: self.layout(block), process: block },
            outcome,
            disturbance: Default::default(),
            values,
            within,
        }
    }
}

fn input(input: &Input) -> HostInput {
    match input {
        Input::Null => HostInput::Null,
        Input::File(path) => HostInput::File(path.clone()),
    }
}

/// Standard error is captured through a pipe only where needed: for an expectation, or to explain why a program fails.
fn stderr(spec: &ProgramSpec, failed: bool) -> HostOutput {
    match &spec.output {
        _ if validate::needs_error(&spec.expected) => HostOutput::Capture { limit: validate::OUTPUT_LIMIT },
        Output::Inherit => HostOutput::Inherit,
        _ if failed => HostOutput::Capture { limit: validate::OUTPUT_LIMIT },
        _ => HostOutput::Null,
    }
}

/// The environment variables of a program that are the same in all runs.
pub(super) fn variables(spec: &ProgramSpec) -> Environment {
    let mut environment = Environment::default();
    for (name, value) in &spec.environment {
        environment.set(name, value);
    }
    environment
}

/// The environment of a run; only a shell command gets the number of the run, which changes its size.
fn environment(spec: &ProgramSpec, shell: &Shell, iteration: Iteration) -> Environment {
    let mut environment = variables(spec);
    if *shell != Shell::None {
        hooks::set_iteration(&mut environment, iteration);
    }
    environment
}
