//! Builds the options of a measurement from arguments, a suite and settings; the first of these that states a value wins.

use std::time::Duration;

use lotse_bench::command::Shell;
use lotse_bench::layout::Layouts;
use lotse_bench::options::{Options, ProgramSpec, RunnerChoice, SelfCheckChoice, Stopping};
use lotse_bench::suite::SuiteSettings;
use lotse_bench::{enough, runner, setups};
use lotse_formats::bench::temci_settings::TemciSettings;
use lotse_model::results::{Design, LayoutPart};

use super::super::metric_names;
use super::programs::{self, Programs};
use super::{separation, settings};
use crate::args::{OrderArg, RunArgs, SelfCheckArg, parse_duration, parse_share};
use crate::exit::{Exit, Failure};
use crate::settings::Settings;

/// Remarks to print before measuring.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// What was asked for and is not done; `--quiet` does not hide these.
    pub(crate) not_done: Vec<String>,
    /// Hidden by `--quiet`.
    pub(crate) notes: Vec<String>,
}

/// The options of a measurement, and remarks for the user.
pub(crate) fn options(
    args: &RunArgs,
    settings: &Settings,
    temci: &TemciSettings,
) -> Result<(Options, Remarks), Failure> {
    let shell = shell(args)?;
    let programs = programs::programs(args, &temci.run, &shell)?;
    let Programs { specs, reference, suite, separation, mut remarks } = programs;
    let suite_actions = if args.suite.is_some() { separation } else { temci.run.separation.clone() };
    remarks.extend(separation::hint(&args.separation, &suite_actions));
    remarks.extend(settings::unread_remark(args.suite.is_some(), args.select.settings.as_deref()));
    let metrics = metric_names::expand(&args.design.metrics);
    let runner = runner_choice(args, settings, &suite, &metrics)?;
    let primary = primary(args, settings, &suite, &runner, &metrics)?;
    let (design, design_note) = design(args, &specs)?;
    let seed = args.design.seed.unwrap_or_else(lotse_host::random_seed);
    if args.design.layouts.is_some() && !design.paired() {
        return Err(Failure::usage(
            "--layouts gives both programs of a block the same layout: use --order blocks",
        ));
    }
    let options = Options {
        programs: specs,
        reference,
        design,
        design_note,
        seed,
        layouts: layouts(args, seed),
        separation: separation::options(&args.separation, &suite_actions, design)?,
        stopping: stopping(args, settings, &suite)?,
        primary,
        metrics: if metrics.is_empty() { metric_names::expand(&suite.metrics) } else { metrics },
        warmup: warmup(args, settings, &suite)?,
        runner,
        shell,
        self_check: match args.design.aa {
            None => SelfCheckChoice::Off,
            Some(SelfCheckArg::Arm) => SelfCheckChoice::Arm,
            Some(SelfCheckArg::Repeat(repeats)) => SelfCheckChoice::Repeat(repeats),
        },
        invocation: args.call.clone(),
        thresholds: settings.thresholds(),
        earlier: None,
    };
    let too_few = enough::too_few(&options).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let notes = options.design_note.clone().into_iter().chain(too_few.map(|few| few.to_string()));
    let remarks = Remarks { not_done: remarks, notes: notes.collect() };
    Ok((options, remarks))
}

fn layouts(args: &RunArgs, seed: u64) -> Option<Layouts> {
    let chosen = &args.design.layout_parts;
    let is_chosen = |part: &LayoutPart| chosen.is_empty() || chosen.contains(part);
    let parts = LayoutPart::ALL.into_iter().filter(is_chosen).collect();
    args.design.layouts.map(|count| Layouts { count, seed, parts })
}

fn shell(args: &RunArgs) -> Result<Shell, Failure> {
    let start = &args.start;
    if start.system_shell {
        return Ok(Shell::system());
    }
    // The commands in a suite are meant for a shell.
    let usual = if args.suite.is_some() { "default" } else { "none" };
    let text = start.shell.as_deref().filter(|_| !start.no_shell).unwrap_or(usual);
    Shell::parse(text).map_err(|error| Failure::new(Exit::Usage, &error))
}

/// The order of the runs. Programs whose setup commands differ cannot be interleaved: they run one after the other, and the
/// second value says so.
fn design(args: &RunArgs, specs: &[ProgramSpec]) -> Result<(Design, Option<String>), Failure> {
    let differ = setups::differ(specs);
    match (args.design.order, args.design.aa) {
        (OrderArg::Duet, _) if differ || setups::prepares_differ(specs) => Err(Failure::usage(
            "a duet runs both programs at once, and commands before the runs that differ may undo each other: \
             use --order blocks with --prepare",
        )),
        (OrderArg::Duet, Some(SelfCheckArg::Arm)) => {
            Err(Failure::usage("--aa adds a third program, and a duet is for two: use --aa=K"))
        }
        (OrderArg::Sequential, Some(_)) => {
            Err(Failure::usage("--aa checks runs that are made side by side: leave out --order sequential"))
        }
        (OrderArg::Blocks, Some(_)) if differ => Err(Failure::usage(
            "--aa checks runs that are made side by side, and the setup commands differ: use --prepare",
        )),
        (OrderArg::Duet, _) => Ok((Design::Duet, None)),
        (OrderArg::Sequential, None) => Ok((Design::Sequential, None)),
        (OrderArg::Blocks, None) if differ => Ok((Design::Sequential, Some(setups::NOTE.to_owned()))),
        (OrderArg::Blocks, _) => Ok((Design::Blocks, None)),
    }
}

/// When to stop. Each number comes from the command line, else from the suite, else from the settings, else it is the default;
/// a number of runs in the suite gives way to `--min-runs` and `--max-runs`.
fn stopping(args: &RunArgs, settings: &Settings, suite: &SuiteSettings) -> Result<Stopping, Failure> {
    let default = Stopping::default();
    let given = &args.stopping;
    let share = |key: &str| settings.parsed(key, parse_share);
    let runs = given.runs.or(suite.runs.filter(|_| given.min_runs.is_none() && given.max_runs.is_none()));
    let min = match given.min_runs.or(suite.min_runs) {
        Some(min) => Some(min),
        None => settings
            .parsed("bench.min-runs", |text| text.parse().map_err(|_| format!("'{text}' is no number")))?,
    };
    let max = given.max_runs.or(suite.max_runs);
    let min = min.unwrap_or(default.min_blocks).min(max.unwrap_or(u32::MAX));
    if let (Some(least), Some(most)) = (given.min_runs, given.max_runs)
        && least > most
    {
        return Err(Failure::usage(format!("--min-runs {least} is more than --max-runs {most}")));
    }
    let level = given.level.or(share("bench.level")?).unwrap_or(1.0 - default.alpha);
    let configured: Option<Duration> = settings.parsed("bench.budget", parse_duration)?;
    Ok(Stopping {
        alpha: 1.0 - level,
        delta: given.delta.or(share("bench.delta")?).unwrap_or(default.delta),
        until: given.until,
        max_regression: args.gate.max_regression,
        budget: given.budget.or(suite.budget).or(configured).unwrap_or(default.budget),
        strict_budget: (given.budget.is_some() || suite.budget.is_some()) && given.min_runs.is_none(),
        min_blocks: runs.unwrap_or(min),
        max_blocks: runs.or(max),
        fixed: runs.is_some(),
    })
}

/// The runner: the one asked for, or the counting one if events or metrics of counters are asked for, else the usual one.
fn runner_choice(
    args: &RunArgs,
    settings: &Settings,
    suite: &SuiteSettings,
    metrics: &[String],
) -> Result<RunnerChoice, Failure> {
    let usage = |error: runner::RunnerError| Failure::new(Exit::Usage, &error);
    let known =
        |text: &str| runner::named(text).map(|kind| kind.id.to_owned()).map_err(|error| error.to_string());
    let configured = settings.parsed("bench.runner", known)?;
    let chosen = args.design.runner.clone().or(suite.runner.clone()).or(configured);
    let counted = runner::counters_among(metrics);
    let (id, events) = match chosen {
        Some(id) => (id, args.design.events.clone()),
        None if args.design.events.is_empty() && counted.is_empty() => {
            (runner::DEFAULT.to_owned(), Vec::new())
        }
        None => (runner::COUNTING.to_owned(), [args.design.events.clone(), counted].concat()),
    };
    let kind = runner::named(&id).map_err(usage)?;
    (kind.create)(&events).map_err(usage)?;
    if let Some(tool) = kind.tool {
        require(kind.id, tool)?;
    }
    Ok(RunnerChoice { id, events })
}

/// Refuses a runner whose tool is not installed, and says how to install it.
fn require(runner: &str, name: &str) -> Result<(), Failure> {
    if lotse_host::find_tool(name).is_some() {
        return Ok(());
    }
    let install = lotse_host::TOOLS.iter().find(|tool| tool.name == name).map_or("", |tool| tool.install);
    let message = format!(
        "the runner {runner} needs the program {name}, which is not on the PATH; install it: {install}"
    );
    Err(Failure { exit: Exit::Missing, message })
}

/// The metric of the verdict: that of the command line, of the suite, of the settings, or the runner's own.
fn primary(
    args: &RunArgs,
    settings: &Settings,
    suite: &SuiteSettings,
    runner: &RunnerChoice,
    metrics: &[String],
) -> Result<String, Failure> {
    let kind = runner::named(&runner.id).map_err(|error| Failure::new(Exit::Usage, &error))?;
    let given = args.design.metric.as_deref().map(|name| metric_names::own_name(name).to_owned());
    let configured = settings.get("bench.metric").map(|value| value.text.clone());
    let first_of_suite = || suite.metrics.first().map(|name| metric_names::own_name(name).to_owned());
    let chosen = given.or_else(|| metrics.first().cloned()).or_else(first_of_suite);
    // The setting replaces wall time as the usual metric, but not the metric of a special runner.
    let configured = configured.filter(|_| kind.primary == lotse_model::metric::WALL);
    Ok(chosen.or(configured).unwrap_or_else(|| kind.primary.to_owned()))
}

fn warmup(args: &RunArgs, settings: &Settings, suite: &SuiteSettings) -> Result<u32, Failure> {
    let configured =
        settings.parsed("bench.warmup", |text| text.parse().map_err(|_| format!("'{text}' is no number")))?;
    Ok(args.design.warmup.or(suite.discarded_runs).or(configured).unwrap_or(0))
}
