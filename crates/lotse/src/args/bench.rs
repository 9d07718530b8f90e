//! `lotse bench`: the arguments of measuring and of reporting.

mod build;
mod history;
mod package;
mod report;
mod separation;
mod suite;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use lotse_model::Invocation;
use lotse_model::results::LayoutPart;

pub(crate) use build::BuildArgs;
pub(crate) use history::{
    GateArgs, GateExportArgs, HistoryAddArgs, HistoryArgs, HistoryShowArgs, HistoryVerb, KeepArgs,
};
pub(crate) use package::{PackArgs, ReplayArgs};
pub(crate) use report::{CodespeedArgs, ReportArgs, ReportFormat, ReportTable};
pub(crate) use separation::{RestoreArgs, SeparationArgs, WatchdogArgs};
pub(crate) use suite::SelectArgs;

use build::RevisionArgs;
use history::GateRunArgs;

use super::units::{duration, layout_part, share};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<BenchVerb>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchVerb {
    /// Measure commands and compare them (the verb may be left out)
    Run(Box<RunArgs>),
    /// Build a program several times, with functions and data in another order in each
    Build(Box<BuildArgs>),
    /// Report on results of Lotse, hyperfine or temci
    Report(Box<ReportArgs>),
    /// Show the results that were kept (--keep), and where they changed
    History(Box<HistoryArgs>),
    /// Say whether the newest result is slower than a baseline by more than is allowed; status 1 if it is
    Gate(Box<GateArgs>),
    /// Measure, and write an archive with all that it takes to repeat it elsewhere
    Pack(Box<PackArgs>),
    /// Repeat a packed measurement and say whether it comes out the same
    Replay(ReplayArgs),
    /// Put back what a killed measurement with --separate left changed
    Restore(RestoreArgs),
    /// Waits for the end of a measurement and puts the machine back
    #[command(hide = true)]
    Watchdog(WatchdogArgs),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Commands to measure; each is one argument, split into words without a shell
    #[arg(value_name = "CMD", required_unless_present_any = ["suite", "settings"], conflicts_with = "suite")]
    pub(crate) commands: Vec<String>,
    /// Take the programs from a suite (temci's run configuration)
    #[arg(short = 'f', long = "file", value_name = "SUITE.yaml")]
    pub(crate) suite: Option<PathBuf>,
    /// Measure what a suite builds as it is, without building it
    #[arg(long)]
    pub(crate) no_build: bool,
    #[command(flatten)]
    pub(crate) select: SelectArgs,

    #[command(flatten)]
    pub(crate) stopping: StoppingArgs,
    #[command(flatten)]
    pub(crate) design: DesignArgs,
    #[command(flatten)]
    pub(crate) revisions: RevisionArgs,
    #[command(flatten)]
    pub(crate) hooks: HookArgs,
    #[command(flatten)]
    pub(crate) start: StartArgs,
    #[command(flatten)]
    pub(crate) separation: SeparationArgs,
    #[command(flatten)]
    pub(crate) expect: ExpectArgs,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) gate: GateRunArgs,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// Show the figures so far after every block, or after every NUM of them, but no more than once a second
    #[arg(long, value_name = "NUM", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..), help_heading = "How to show it")]
    pub(crate) watch: Option<u32>,
    /// The options as given, for the commands that findings advise.
    #[arg(skip)]
    pub(crate) call: Invocation,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "When to stop")]
pub(crate) struct StoppingArgs {
    /// Stop once the interval of the ratio is no wider than this to each side
    #[arg(long, value_name = "±SHARE", value_parser = share, allow_hyphen_values = true)]
    pub(crate) until: Option<f64>,
    /// Time for each program [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    pub(crate) budget: Option<Duration>,
    /// Make exactly NUM runs of each program and look once
    #[arg(short = 'r', long, value_name = "NUM", conflicts_with_all = ["min_runs", "max_runs"], value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: Option<u32>,
    /// Make at least NUM runs of each program, even where --budget is over [default: 10, or fewer where a given --budget is over before]
    #[arg(short = 'm', long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_runs: Option<u32>,
    /// Make at most NUM runs of each program
    #[arg(short = 'M', long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_runs: Option<u32>,
    /// Differences within this share are too small to matter [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true)]
    pub(crate) delta: Option<f64>,
    /// Confidence of all statements together [default: 95%]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true)]
    pub(crate) level: Option<f64>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What to measure, in which order")]
pub(crate) struct DesignArgs {
    /// The metric the verdict is planned on [default: wall]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// The metrics to show, in order; the first is the primary one unless --metric says otherwise
    #[arg(long, value_name = "METRIC,…", value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    #[arg(long, value_name = "RUNNER", help = format!("What measures: {}", lotse_bench::runner::names()))]
    pub(crate) runner: Option<String>,
    /// Events for perf-events and perf-stat
    #[arg(long, value_name = "EVENT,…", value_delimiter = ',')]
    pub(crate) events: Vec<String>,
    /// Order of runs: blocks (random, mirrored), sequential, or duet (both at once on two CPUs)
    #[arg(long, value_enum, default_value_t = OrderArg::Blocks)]
    pub(crate) order: OrderArg,
    /// Seed of every random choice [default: drawn, and reported; 1 for the layouts of builds]
    #[arg(long, value_name = "NUM")]
    pub(crate) seed: Option<u64>,
    /// Run in so many memory layouts, 8 at least, drawn from the seed, with fixed addresses: the stack and the heap begin elsewhere in each
    #[arg(long, value_name = "NUM", value_parser = clap::value_parser!(u32).range(8..))]
    pub(crate) layouts: Option<u32>,
    /// What differs between layouts: environment (its size), name (its length), heap [default: all]
    #[arg(long, value_name = "PART,…", value_delimiter = ',', requires = "layouts", value_parser = layout_part)]
    pub(crate) layout_parts: Vec<LayoutPart>,
    /// Runs of each program before measuring
    #[arg(short = 'w', long, value_name = "NUM")]
    pub(crate) warmup: Option<u32>,
    /// Compare with this program instead of the first: a command of its own, or the name of one given
    #[arg(long, value_name = "CMD")]
    pub(crate) reference: Option<String>,
    /// Name of the --reference command
    #[arg(long, value_name = "NAME", requires = "reference")]
    pub(crate) reference_name: Option<String>,
    /// Measure the first program against itself too; =K repeats that K times and counts the false alarms
    #[arg(long, value_name = "K", num_args = 0..=1, require_equals = true, default_missing_value = "arm")]
    pub(crate) aa: Option<SelfCheckArg>,
    /// Replace {VAR} in the commands by every number from MIN to MAX
    #[arg(short = 'P', long, num_args = 3, value_names = ["VAR", "MIN", "MAX"], allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub(crate) parameter_scan: Vec<String>,
    /// Step of --parameter-scan (once for all, or once for each)
    #[arg(short = 'D', long, value_name = "DELTA", requires = "parameter_scan", allow_hyphen_values = true)]
    pub(crate) parameter_step_size: Vec<String>,
    /// Replace {VAR} in the commands by every value of a comma-separated list
    #[arg(short = 'L', long, num_args = 2, value_names = ["VAR", "VALUES"], allow_hyphen_values = true, action = clap::ArgAction::Append)]
    pub(crate) parameter_list: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OrderArg {
    Blocks,
    Sequential,
    Duet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SelfCheckArg {
    Arm,
    Repeat(u32),
}

impl std::str::FromStr for SelfCheckArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "arm" => Ok(Self::Arm),
            _ => match text.parse() {
                Ok(repeats) if repeats > 0 => Ok(Self::Repeat(repeats)),
                _ => Err(format!("'{text}' is not a number of repetitions")),
            },
        }
    }
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Commands around the runs (always through a shell)")]
pub(crate) struct HookArgs {
    /// Run CMD once before the first run of each program
    #[arg(short = 's', long, value_name = "CMD")]
    pub(crate) setup: Option<String>,
    /// Run CMD before every run (once for all, or once for each program)
    #[arg(short = 'p', long, value_name = "CMD")]
    pub(crate) prepare: Vec<String>,
    /// Run CMD after every run (once for all, or once for each program)
    #[arg(short = 'C', long, value_name = "CMD")]
    pub(crate) conclude: Vec<String>,
    /// Run CMD once after the last run of each program
    #[arg(short = 'c', long, value_name = "CMD")]
    pub(crate) cleanup: Option<String>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How to start")]
pub(crate) struct StartArgs {
    /// Let a shell read the commands: none, default, or a command line; what it certainly costs is subtracted from times and counts
    #[arg(long, value_name = "SHELL", overrides_with_all = ["system_shell", "no_shell"])]
    pub(crate) shell: Option<String>,
    /// Short for --shell=default
    #[arg(short = 'S', overrides_with_all = ["shell", "no_shell"])]
    pub(crate) system_shell: bool,
    /// Short for --shell=none, which is the default
    #[arg(short = 'N', overrides_with_all = ["shell", "system_shell"])]
    pub(crate) no_shell: bool,
    /// Stop a run that takes longer and count it as failed
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    pub(crate) timeout: Option<Duration>,
    /// Standard input: null or a file
    #[arg(long, value_name = "WHERE", default_value = "null")]
    pub(crate) input: String,
    /// Standard output: null, pipe, inherit or a file (once for all, or once for each program)
    #[arg(long, value_name = "WHERE", conflicts_with = "show_output")]
    pub(crate) output: Vec<String>,
    /// Show what the programs print
    #[arg(long)]
    pub(crate) show_output: bool,
    /// Set variables, written NAME=VALUE with spaces between (once for all, or once for each program)
    #[arg(long, value_name = "ASSIGNMENTS")]
    pub(crate) env: Vec<String>,
    /// Run in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Name of a program (once for each)
    #[arg(short = 'n', long = "command-name", visible_alias = "name", value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Words to group programs by (for all programs of this call)
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub(crate) tag: Vec<String>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What makes a run a good one")]
pub(crate) struct ExpectArgs {
    /// Count runs with other exit codes as good: all-non-zero, or codes with commas (-i=3,4)
    #[arg(short = 'i', long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "all-non-zero")]
    pub(crate) ignore_failure: Option<String>,
    /// The exit code must be one of these
    #[arg(long, value_name = "CODE,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) expect_code: Vec<i32>,
    /// Standard output must be just this
    #[arg(long, value_name = "TEXT")]
    pub(crate) expect_output: Option<String>,
    /// Standard output must contain this
    #[arg(long, value_name = "TEXT")]
    pub(crate) expect_contains: Vec<String>,
    /// Standard output must not contain this
    #[arg(long, value_name = "TEXT")]
    pub(crate) expect_lacks: Vec<String>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct ResultArgs {
    /// Write every block to FILE as soon as it is measured (JSON Lines; survives a kill)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace FILE of --out if it exists
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Add runs of the same programs to the results in the files of --out and --export-temci, if they exist
    #[arg(long, conflicts_with = "force")]
    pub(crate) append: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Write hyperfine's JSON (its version 2, with the fields of version 1 beside)
    #[arg(long, value_name = "FILE")]
    pub(crate) export_json: Option<PathBuf>,
    /// Write hyperfine's JSON as its version 1 had it
    #[arg(long, value_name = "FILE")]
    pub(crate) export_json1: Option<PathBuf>,
    /// Write a table of statistics as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) export_csv: Option<PathBuf>,
    /// Write a table of statistics as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) export_markdown: Option<PathBuf>,
    /// Write a table of statistics as AsciiDoc
    #[arg(long, value_name = "FILE")]
    pub(crate) export_asciidoc: Option<PathBuf>,
    /// Write a table of statistics as an Org table
    #[arg(long, value_name = "FILE")]
    pub(crate) export_orgmode: Option<PathBuf>,
    /// Write temci's result YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) export_temci: Option<PathBuf>,
    /// Write the programs as a suite (temci's run configuration)
    #[arg(long, value_name = "FILE")]
    pub(crate) export_suite: Option<PathBuf>,
    /// Write the full report as one HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) export_html: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub(crate) export_sarif: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How to show it")]
pub(crate) struct ShowArgs {
    /// Order of programs in the summary: auto (fastest first), command (as given), mean-time
    #[arg(long, value_enum, default_value_t = ProgramSortArg::Auto)]
    pub(crate) sort: ProgramSortArg,
    /// Unit of times: s, ms, us or ns
    #[arg(short = 'u', long, value_name = "UNIT", value_enum)]
    pub(crate) time_unit: Option<TimeUnitArg>,
    /// How to draw: auto, basic, full, nocolor, color or none
    #[arg(long, value_enum, default_value_t = StyleArg::Auto)]
    pub(crate) style: StyleArg,
    /// Print only the verdicts
    #[arg(short = 'q', long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramSortArg {
    Auto,
    Command,
    MeanTime,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeUnitArg {
    #[value(alias = "second")]
    S,
    #[value(alias = "millisecond")]
    Ms,
    #[value(alias = "microsecond")]
    Us,
    #[value(alias = "nanosecond")]
    Ns,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StyleArg {
    Auto,
    Basic,
    Full,
    Nocolor,
    Color,
    None,
}
