//! `lotse bench build`, and the options that build revisions before measuring them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lotse_host::build::Method;

use super::suite::SelectArgs;

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// The build command; its compilers must be called by name (cc, gcc, c++, g++, clang, clang++; rustc uses cc)
    #[arg(value_name = "CMD", last = true)]
    pub(crate) command: Vec<String>,
    /// Build the programs of a suite that say how (temci's `build_config`), and write a suite of the builds
    #[arg(short = 'f', long = "file", value_name = "BUILD.yaml", conflicts_with_all = ["command", "git", "count", "seed", "align"])]
    pub(crate) file: Option<PathBuf>,
    /// Where the suite of --file goes [default: run.exec.yaml]
    #[arg(long, value_name = "FILE")]
    pub(crate) export_suite: Option<PathBuf>,
    /// Replace the file of --export-suite if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Build this revision in a copy of the repository instead of the folder as it is; may be given several times
    #[arg(long, value_name = "REV")]
    pub(crate) git: Vec<String>,
    /// Builds of each program
    #[arg(short = 'n', long = "count", value_name = "NUM", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) count: u32,
    /// What the layouts are drawn from
    #[arg(long, value_name = "NUM", default_value_t = 1)]
    pub(crate) seed: u32,
    /// How layouts are changed [default: the first that works for a program]
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<MethodArg>,
    /// Let functions begin at multiples of BYTES in C and C++: a change of the program, after which layouts matter less
    #[arg(long, value_name = "BYTES", value_parser = alignment)]
    pub(crate) align: Option<u32>,
    /// Where builds are written: a folder for each program, below one for each revision
    #[arg(short = 'o', long, value_name = "DIR", default_value = "lotse-builds")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Revisions")]
pub(crate) struct RevisionArgs {
    /// Build this revision and measure the program that CMD names, a path in the repository; the first one is the reference
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Vec<String>,
    /// The command that builds a revision [default: by what is there: cargo build --release, ninja or make]
    #[arg(long, value_name = "CMD", requires = "rev")]
    pub(crate) build: Option<String>,
    /// Builds of each revision, with functions and data in another order in each [default: 10, more where revisions are many]
    #[arg(long, value_name = "NUM", requires = "rev", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) builds: Option<u32>,
    /// How the layouts of revisions are changed [default: the first that works for a program]
    #[arg(long, value_name = "METHOD", requires = "rev")]
    pub(crate) method: Option<MethodArg>,
    /// Let functions begin at multiples of BYTES in C and C++
    #[arg(long, value_name = "BYTES", requires = "rev", value_parser = alignment)]
    pub(crate) align: Option<u32>,
}

impl RevisionArgs {
    /// The number of builds of each revision. More revisions need more builds, since they share the risk of a false alarm.
    pub(crate) fn builds(&self, level: Option<f64>) -> u32 {
        const USUAL: u32 = 10;
        const LEVEL: f64 = 0.95;
        let compared = self.rev.len().saturating_sub(1);
        let needed = lotse_bench::enough::repetitions_needed(compared, 1.0 - level.unwrap_or(LEVEL));
        self.builds.unwrap_or_else(|| needed.map_or(USUAL, |needed| needed.max(USUAL)))
    }
}

/// How layouts are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// Functions, constants and variables in random order; needs lld, installed or the one of Rust
    Sections,
    /// Object files in random order, those of static libraries, too; any linker
    Objects,
    /// Everything behind padding of random size; any linker, and programs of a single object, too
    Padding,
}

impl From<MethodArg> for Method {
    fn from(word: MethodArg) -> Self {
        match word {
            MethodArg::Sections => Self::Sections,
            MethodArg::Objects => Self::Objects,
            MethodArg::Padding => Self::Padding,
        }
    }
}

fn alignment(text: &str) -> Result<u32, String> {
    let bytes: u32 = text.parse().map_err(|_| format!("'{text}' is no number"))?;
    if bytes.is_power_of_two() && bytes <= 4096 {
        Ok(bytes)
    } else {
        Err(format!("{bytes} is no power of two up to 4096"))
    }
}
