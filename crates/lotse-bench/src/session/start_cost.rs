//! The cost of the shell or tool that starts the programs: measured with an empty command and the runner of the programs,
//! and subtracted from every run.
//!
//! The smallest cost of several empty runs is subtracted. More is not certain: on a busy machine the time of the same shell
//! varies several times from minute to minute, and a program must never appear faster than it is. How much more the starter may
//! cost is estimated from empty runs between the programs (`shell_error.rs`).
//!
//! Every metric loses its own smallest cost. That of the CPU time is the least sum of user and system time in one empty run, and
//! not the sum of two minima: the kernel divides the CPU time of a short process by chance, so that some shell has no user time
//! and some other no system time.
//!
//! The wall time of empty runs varies with the load of the machine, and all of them may have been slow. Their CPU time varies
//! little. So no more is subtracted from the wall time of a run on one CPU than leaves its CPU time:
//!
//! ```text
//! shell 15 ms wall time while the machine was busy, 0.3 ms CPU time; a run later: 5 ms wall time, 3.3 ms CPU time
//! CPU time 3.3 - 0.3 = 3 ms; wall time 5 - 15 < 3 ms, so 3 ms
//! ```
//!
//! The report says of how many runs this is true (`report/start_cost.rs`).
//!
//! A shell adds to every clock and count. A tool such as `perf stat` counts the program alone, but the wall time includes the
//! tool; its cost is the wall time of `true` with the tool minus that of `true` without it. Maxima are not additive, and nothing
//! is subtracted from them.

use std::collections::BTreeMap;
use std::ffi::OsString;

use lotse_host::{End, Job, Launcher, RunReport, Scratch};
use lotse_model::metric::{CPU, WALL};
use lotse_model::results::StartCost;

use super::{SessionError, record};
use crate::command::Shell;
use crate::options::Options;
use crate::runner::{RunOutput, Runner, Values};

/// Number of empty runs whose smallest cost is subtracted: for a shell alone, and with a slow tool around it.
const RUNS: usize = 50;
const RUNS_OF_TOOL: usize = 10;

/// The maxima among the metrics.
const PEAKS: &[&str] = &["peak_memory"];

/// Metrics that the scheduler reports for the first thread only; they are not measured on empty commands.
const OF_FIRST_THREAD: &[&str] = &["run_delay", "migrations"];

/// What starts the programs if Lotse does not start them directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starter {
    /// A shell, perhaps with a tool around it.
    Shell,
    /// A tool whose own wall time is measured with the program's.
    Tool(&'static str),
}

impl Starter {
    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Shell => "the shell",
            Self::Tool(tool) => tool,
        }
    }
}

/// The shell or tool that starts the programs; `None` if Lotse starts them directly.
pub(super) fn starter(options: &Options, runner: &dyn Runner) -> Option<Starter> {
    match options.shell {
        Shell::None => runner.tool_in_wall().map(Starter::Tool),
        Shell::Words(_) => Some(Starter::Shell),
    }
}

/// Measures empty commands.
pub(super) struct Calibrator<'a> {
    starter: Starter,
    shell: &'a Shell,
    runner: &'a dyn Runner,
    launcher: &'a mut Launcher,
    /// Gives an empty command the first layout, if layouts are drawn, since loading the heap shim is part of starting a program.
    apply_layout: Box<dyn Fn(&mut Job) + 'a>,
}

impl<'a> Calibrator<'a> {
    pub(super) fn new(
        starter: Starter,
        shell: &'a Shell,
        runner: &'a dyn Runner,
        launcher: &'a mut Launcher,
        apply_layout: Box<dyn Fn(&mut Job) + 'a>,
    ) -> Self {
        Self { starter, shell, runner, launcher, apply_layout }
    }

    /// The smallest cost of several empty commands.
    pub(super) fn measure(&mut self) -> Result<StartCost, SessionError> {
        let runs = if self.runner.keeps_usage() { RUNS } else { RUNS_OF_TOOL };
        let samples = (0..runs).map(|_| self.sample()).collect::<Result<Vec<Values>, _>>()?;
        let name = self.starter.name();
        Ok(smallest_cost(name, &samples))
    }

    /// The cost of one empty command.
    pub(super) fn sample(&mut self) -> Result<Values, SessionError> {
        let scratch = self.scratch()?;
        let report = self.launcher.run(&self.job(self.argv(&scratch)?, None))?;
        let values = self.values(&report, &scratch)?;
        match self.starter {
            Starter::Shell => Ok(values),
            Starter::Tool(_) => {
                Ok(wall_beyond(&values, &self.launcher.run(&self.job(empty_command(), None))?))
            }
        }
    }

    /// The costs of two empty commands that run at the same time.
    pub(super) fn sample_pair(&mut self, cpus: [u32; 2]) -> Result<Vec<Values>, SessionError> {
        let scratch = [self.scratch()?, self.scratch()?];
        let first = self.job(self.argv(&scratch[0])?, Some(cpus[0]));
        let second = self.job(self.argv(&scratch[1])?, Some(cpus[1]));
        let reports = self.launcher.run_pair(&first, &second)?;
        let samples = reports.iter().zip(&scratch).map(|(report, scratch)| self.values(report, scratch));
        let samples = samples.collect::<Result<Vec<Values>, SessionError>>()?;
        if self.starter == Starter::Shell {
            return Ok(samples);
        }
        let [first, second] = cpus.map(|cpu| self.job(empty_command(), Some(cpu)));
        let bare = self.launcher.run_pair(&first, &second)?;
        Ok(samples.iter().zip(&bare).map(|(sample, bare)| wall_beyond(sample, bare)).collect())
    }

    fn job(&self, argv: Vec<OsString>, cpu: Option<u32>) -> Job {
        let mut job = Job { cpu, ..Job::new(argv) };
        (self.apply_layout)(&mut job);
        job
    }

    fn scratch(&self) -> Result<Scratch, SessionError> {
        if self.runner.needs_scratch() { Scratch::create() } else { Ok(Scratch::none()) }
            .map_err(SessionError::Scratch)
    }

    fn argv(&self, scratch: &Scratch) -> Result<Vec<OsString>, SessionError> {
        let argv = match self.starter {
            Starter::Shell => {
                self.shell.argv("").map_err(|error| SessionError::Shell { problem: error.to_string() })?
            }
            Starter::Tool(_) => empty_command(),
        };
        Ok(self.runner.wrap(argv, scratch.path()))
    }

    /// What the runner measures of the program, apart from numbers that the program prints.
    fn values(&self, report: &RunReport, scratch: &Scratch) -> Result<Values, SessionError> {
        if let End::NotStarted(problem) = &report.end {
            return Err(SessionError::Shell { problem: problem.to_string() });
        }
        let mut values = Values::new();
        if self.runner.keeps_usage() {
            values.extend(record::usage_values(report));
        }
        if !self.runner.reads_output() {
            values.extend(self.runner.values(RunOutput { report, scratch: scratch.path() })?.values);
        }
        values.retain(|name, _| !OF_FIRST_THREAD.contains(&name.as_str()));
        Ok(values)
    }
}

/// The command that does nothing.
fn empty_command() -> Vec<OsString> {
    vec!["true".into()]
}

/// The wall time of a run beyond that of the same program without the tool.
fn wall_beyond(values: &Values, bare: &RunReport) -> Values {
    let wall = values.get(WALL).map(|wall| (WALL.to_owned(), wall - bare.wall_ns as f64 / 1e9));
    wall.into_iter().collect()
}

/// The smallest cost by metric, and the largest value of each maximum.
fn smallest_cost(starter: &str, samples: &[Values]) -> StartCost {
    let mut cost = StartCost { starter: starter.to_owned(), ..StartCost::default() };
    for (name, &value) in samples.iter().flatten() {
        if PEAKS.contains(&name.as_str()) {
            let peak = cost.peaks.entry(name.clone()).or_insert(value);
            *peak = peak.max(value);
        } else {
            let least = cost.subtracted.entry(name.clone()).or_insert(value);
            *least = least.min(value).max(0.0);
        }
    }
    cost
}

/// The cost of an empty run beyond the subtracted cost.
pub(super) fn excess(cost: &StartCost, sample: &Values) -> BTreeMap<String, f64> {
    let beyond = |(name, cost): (&String, &f64)| Some((name.clone(), sample.get(name)? - cost));
    cost.subtracted.iter().filter_map(beyond).collect()
}

/// Subtracts the cost from the values of a run. No value becomes negative, and the wall time of a serial run (CPU time not above
/// wall time) does not fall below its remaining CPU time.
pub(super) fn subtract(cost: &StartCost, values: &mut Values) {
    let cpu_time = |values: &Values| values.get(CPU).or_else(|| values.get("task-clock")).copied();
    let serial = cpu_time(values).zip(values.get(WALL)).is_some_and(|(cpu, wall)| cpu <= *wall);
    for (name, cost) in &cost.subtracted {
        if let Some(value) = values.get_mut(name) {
            *value = (*value - cost).max(0.0);
        }
    }
    let least = cpu_time(values).filter(|_| serial).unwrap_or(0.0);
    if let Some(wall) = values.get_mut(WALL) {
        *wall = wall.max(least);
    }
}

#[cfg(test)]
mod tests {
    use super::{Values, excess, smallest_cost, subtract};

    fn values<const N: usize>(list: [(&str, f64); N]) -> Values {
        list.map(|(name, value)| (name.to_owned(), value)).into()
    }

    #[test]
    fn the_smallest_cost_is_subtracted_and_maxima_are_separate() {
        // A shell that takes 0.5 ms or, while the machine is busy, 4 ms.
        let run = |wall: f64, faults: f64| {
            values([("wall", wall), ("minor_faults", faults), ("peak_memory", 100.0 * faults)])
        };
        let cost = smallest_cost("the shell", &[run(0.004, 90.0), run(0.004, 91.0), run(0.000_5, 92.0)]);
        assert_eq!(cost.subtracted, values([("wall", 0.000_5), ("minor_faults", 90.0)]));
        assert_eq!(cost.peaks, values([("peak_memory", 9200.0)]));
        assert_eq!(excess(&cost, &run(0.001, 89.0)), values([("wall", 0.000_5), ("minor_faults", -1.0)]));
        assert_eq!(
            smallest_cost("perf stat", &[values([("wall", -0.1)])]).subtracted,
            values([("wall", 0.0)])
        );
    }

    #[test]
    fn the_shell_is_subtracted_from_clocks_and_counts_but_not_below_zero() {
        let shell = values([("wall", 0.001), ("user", 0.002), ("system", 0.0), ("minor_faults", 90.0)]);
        let cost = smallest_cost("the shell", &[shell]);
        let mut run =
            values([("wall", 0.011), ("user", 0.001), ("minor_faults", 93.0), ("peak_memory", 7.0)]);
        subtract(&cost, &mut run);
        assert!((run.remove("wall").unwrap() - 0.01).abs() < 1e-12);
        assert_eq!(run, values([("user", 0.0), ("minor_faults", 3.0), ("peak_memory", 7.0)]));
    }

    #[test]
    fn the_cpu_time_of_a_shell_is_that_of_one_run_and_not_the_sum_of_two_minima() {
        // The kernel counts the same 0.3 ms as user time in one run and as system time in another.
        let run =
            |user: f64, system: f64| values([("user", user), ("system", system), ("cpu", user + system)]);
        let cost = smallest_cost("the shell", &[run(0.000_3, 0.0), run(0.0, 0.000_31)]);
        assert_eq!(cost.subtracted, values([("user", 0.0), ("system", 0.0), ("cpu", 0.000_3)]));
    }

    #[test]
    fn a_shell_that_was_measured_well_leaves_the_wall_time_as_it_was_measured() {
        let empty = values([("wall", 0.000_5), ("user", 0.0), ("system", 0.000_45), ("cpu", 0.000_45)]);
        let other = values([("wall", 0.000_52), ("user", 0.000_46), ("system", 0.0), ("cpu", 0.000_46)]);
        let cost = smallest_cost("the shell", &[empty, other]);
        // A busy program: 0.1 ms of its time are not CPU time.
        let mut run = values([("wall", 0.005_1), ("cpu", 0.005)]);
        subtract(&cost, &mut run);
        assert!((run["wall"] - 0.004_6).abs() < 1e-12 && (run["cpu"] - 0.004_55).abs() < 1e-12, "{run:?}");
    }

    #[test]
    fn wall_time_stays_above_the_cpu_time_of_a_program_that_uses_one_cpu() {
        let cost = smallest_cost("perf stat", &[values([("wall", 0.004)])]);
        for (cpu, clock) in [("cpu", 0.003), ("task-clock", 0.003)] {
            let mut run = values([("wall", 0.005), (cpu, clock)]);
            subtract(&cost, &mut run);
            assert_eq!(run["wall"], 0.003);
        }
        let mut parallel = values([("wall", 0.005), ("cpu", 0.02)]);
        subtract(&cost, &mut parallel);
        assert!((parallel["wall"] - 0.001).abs() < 1e-12);
    }
}
