//! The command line as clap parses it. Engines never see these types: commands turn them into the options of an engine.

use std::path::PathBuf;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use lotse_model::Invocation;

mod again;
mod bench;
mod open;
pub(crate) mod predict;
pub(crate) mod profile;
mod profile_annotate;
pub(crate) mod profile_diff;
pub(crate) mod profile_views;
pub(crate) mod spy;
pub(crate) mod trace;
pub(crate) mod trace_diff;
pub(crate) mod trace_timeline;
pub(crate) mod trace_what_if;
mod units;

pub(crate) use bench::{
    BenchArgs, BenchVerb, BuildArgs, CodespeedArgs, GateArgs, GateExportArgs, HistoryAddArgs, HistoryArgs,
    HistoryShowArgs, HistoryVerb, KeepArgs, OrderArg, PackArgs, ProgramSortArg, ReplayArgs, ReportArgs,
    ReportFormat, ReportTable, RestoreArgs, RunArgs, SelectArgs, SelfCheckArg, SeparationArgs, ShowArgs,
    StyleArg, TimeUnitArg, WatchdogArgs,
};
pub(crate) use open::{ExportArgs, KindArg, OpenArgs};
pub(crate) use profile_annotate::{AnnotateArgs, AnnotateTableArg, SyntaxArg};
pub(crate) use units::{duration as parse_duration, share as parse_share, size as parse_size};

/// One tool for the whole loop of making a program fast: measure it, find out why it is slow, prove that a change helped.
#[derive(Debug, Parser)]
#[command(name = "lotse", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Show every column and every name in full, however wide the lines get
    #[arg(long, global = true, help_heading = "Display")]
    pub(crate) wide: bool,
    /// Show findings in full: where, why, what to do, how to check it
    #[arg(short, long, global = true, help_heading = "Display")]
    pub(crate) verbose: bool,
}

impl Cli {
    /// Parses the command line. Verbs with findings also get the options as the user gave them.
    pub(crate) fn read() -> Self {
        let matches = Self::command().get_matches();
        let mut cli = Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        cli.set_invocation(&again::invocation(&matches));
        cli
    }

    /// Stores the given options in the verb, if it has findings: these advise commands that repeat the options.
    fn set_invocation(&mut self, call: &Invocation) {
        let target = match &mut self.command {
            Some(Command::Bench(bench)) => match &mut bench.verb {
                None => &mut bench.run.call,
                Some(BenchVerb::Run(run)) => &mut run.call,
                Some(BenchVerb::Pack(pack)) => &mut pack.run.call,
                Some(
                    BenchVerb::Build(_)
                    | BenchVerb::Gate(_)
                    | BenchVerb::History(_)
                    | BenchVerb::Replay(_)
                    | BenchVerb::Report(_)
                    | BenchVerb::Restore(_)
                    | BenchVerb::Watchdog(_),
                ) => return,
            },
            Some(Command::Profile(profile)) => match &mut profile.verb {
                profile::ProfileVerb::Top(top) => &mut top.call,
                profile::ProfileVerb::Diff(diff) => &mut diff.call,
                _ => return,
            },
            Some(Command::Spy(spy)) => match &mut spy.verb {
                spy::SpyVerb::Run(run) => &mut run.call,
                spy::SpyVerb::Analyze(analyze) => &mut analyze.call,
                _ => return,
            },
            Some(Command::Trace(trace)) => match &mut trace.verb {
                trace::TraceVerb::Analyze(analyze) => &mut analyze.call,
                _ => return,
            },
            _ => return,
        };
        target.clone_from(call);
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure commands and say whether one is really faster
    Bench(Box<BenchArgs>),
    /// Read any profiler's file: functions, calls, lines, data structures; compare two
    Profile(Box<profile::ProfileArgs>),
    /// Read a trace of a parallel program: say why it waits, what bounds it, what a change would gain
    Trace(Box<trace::TraceArgs>),
    /// Record what a program does to its data structures: say where to parallelise and what to restructure
    Spy(Box<spy::SpyArgs>),
    /// Say how long the loops of a C or Rust source will take, without running them
    Predict(Box<predict::PredictArgs>),
    /// Show files in the browser: profiles, traces, results; with findings first
    Open(OpenArgs),
    /// Write the page of a file as one HTML file that needs no server: to send, or to keep beside a result
    Export(ExportArgs),
    /// Print what a rule means, how it is computed and what to do about it; or what a word of the output means
    Explain(ExplainArgs),
    /// Show what this machine offers for measuring, and what is missing
    Doctor(DoctorArgs),
    /// Show every setting, its value and where it came from
    Config(ConfigArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for every command
    Man(ManArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The rule's name, a word of the output, or `glossary` for all words; without it all rules are listed
    #[arg(value_name = "RULE|WORD")]
    pub(crate) rule: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<ConfigVerb>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Show which indexes of big profiles and histories are kept, or delete them
    Cache(CacheArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct CacheArgs {
    /// Delete them; they are made again when needed
    #[arg(long)]
    pub(crate) clear: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// For which shell
    pub(crate) shell: CompletionShell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CompletionShell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Write a page for every command into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
