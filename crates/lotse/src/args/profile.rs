//! `lotse profile` as clap reads it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use lotse_model::Invocation;

use super::profile_views::{FlameArgs, GraphArgs, TreeArgs, TreemapArgs};

#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) verb: ProfileVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileVerb {
    /// List the formats, or say which ones claim a file
    Formats(FormatsArgs),
    /// List the costliest functions, or objects, files, classes, cycles
    Top(TopArgs),
    /// List who calls a function
    Callers(CallsArgs),
    /// List whom a function calls
    Callees(CallsArgs),
    /// Show the source lines and instructions of a function with their costs, calls and jumps
    Annotate(super::AnnotateArgs),
    /// List the costliest source lines of the whole program
    Lines(LinesArgs),
    /// Show who calls whom as a tree, with costs for every way
    Tree(TreeArgs),
    /// Draw a flame graph
    Flame(FlameArgs),
    /// Draw callees inside their callers, or callers inside what they call
    Treemap(TreemapArgs),
    /// Draw the call graph
    Graph(GraphArgs),
    /// List the dumps, threads or snapshots of a profile
    Parts(PartsArgs),
    /// List data structures with their costs
    Data(DataArgs),
    /// List event types, also those derived
    Events(EventsArgs),
    /// Write a profile in another format
    Convert(ConvertArgs),
    /// Compare profiles: old and new cost of every function, difference and ratio
    Diff(Box<super::profile_diff::DiffArgs>),
}

/// Which profile, which parts of it, how read.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The profile, `-` for standard input; its format is recognised by its content
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// How profiles are read.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The format, when the content leaves it open (see `lotse profile formats`)
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Only these parts: numbers, ranges or names as `lotse profile parts` lists them; `all` for all
    #[arg(long, value_name = "PART,…", value_delimiter = ',')]
    pub(crate) parts: Vec<String>,
    /// How recursion is dealt with
    #[arg(long, value_enum, default_value_t = CyclesArg::Folded)]
    pub(crate) cycles: CyclesArg,
    /// The program or library that addresses without names belong to; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Vec<PathBuf>,
    /// Heap profiles: show allocators such as malloc, operator new and containers; else their callers count
    #[arg(long)]
    pub(crate) allocators: bool,
    /// Collapsed stacks: what the weights are: samples, ns, us, ms, s, bytes, or the name of what they count
    #[arg(long, value_name = "UNIT")]
    pub(crate) unit: Option<String>,
    /// Neither use nor write an index in the cache (see `lotse config cache`)
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// Which costs.
#[derive(Debug, Args)]
pub(crate) struct EventArgs {
    /// Event types or expressions such as 'Ir / calls'; the first decides the order
    #[arg(short, long = "event", value_name = "EVENT,…", value_delimiter = ',')]
    pub(crate) events: Vec<String>,
    /// Define an event type: 'CEst = Ir + 10*L1m + 100*LLm'
    #[arg(short, long, value_name = "NAME=EXPR")]
    pub(crate) define: Vec<String>,
}

/// How the answer is written.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print comma-separated values with all digits
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

/// What shares are of.
#[derive(Debug, Args)]
pub(crate) struct ShareArgs {
    /// What percentages are of
    #[arg(long, value_enum, default_value_t = PercentArg::Total)]
    pub(crate) percent: PercentArg,
}

#[derive(Debug, Args)]
pub(crate) struct FormatsArgs {
    /// Say which formats claim this file
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Show at most N; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// What is sorted by
    #[arg(short, long, value_enum, default_value_t = SortArg::SelfCost)]
    pub(crate) sort: SortArg,
    /// Put functions together
    #[arg(short, long, value_enum)]
    pub(crate) group: Option<GroupArg>,
    /// Do not show findings
    #[arg(long)]
    pub(crate) no_findings: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) shares: ShareArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    /// The options as given, for the commands that findings advise.
    #[arg(skip)]
    pub(crate) call: Invocation,
}

/// Which samples and frames, as pprof chooses them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which samples, by names, files or objects on their stacks")]
pub(crate) struct SelectArgs {
    /// Only samples with a matching function on the stack
    #[arg(long, value_name = "REGEX")]
    pub(crate) focus: Option<String>,
    /// No samples with a matching function on the stack
    #[arg(long, value_name = "REGEX")]
    pub(crate) ignore: Option<String>,
    /// Take matching functions out of stacks; their self cost becomes that of their callers
    #[arg(long, value_name = "REGEX")]
    pub(crate) hide: Option<String>,
    /// Take all other functions out of stacks
    #[arg(long, value_name = "REGEX")]
    pub(crate) show: Option<String>,
}

impl SelectArgs {
    /// Whether everything counts.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.focus, &self.ignore, &self.hide, &self.show].into_iter().all(Option::is_none)
    }
}

/// Which functions.
#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Only functions whose name has this text, or matches this expression between slashes
    #[arg(short = 'F', long, value_name = "TEXT|/REGEX/")]
    pub(crate) filter: Option<String>,
    /// Only functions of such executables or libraries
    #[arg(long, value_name = "TEXT|/REGEX/")]
    pub(crate) in_object: Option<String>,
    /// Only functions of such source files
    #[arg(long, value_name = "TEXT|/REGEX/")]
    pub(crate) in_file: Option<String>,
    /// Only functions of such classes
    #[arg(long, value_name = "TEXT|/REGEX/")]
    pub(crate) in_class: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CallsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The function: its whole name, its place (FILE:LINE), its name without class and arguments, or a piece of it
    #[arg(value_name = "FUNCTION")]
    pub(crate) function: String,
    /// Also callers of callers, or callees of callees
    #[arg(long)]
    pub(crate) all: bool,
    /// Show at most N; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) shares: ShareArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PartsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    /// A row for each whole stack, not for each place that allocates
    #[arg(long)]
    pub(crate) stacks: bool,
    /// Show at most N; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// What to write: callgrind, collapsed, pprof, speedscope or csv [default: by the ending of OUT]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// The file to write; without it, or with `-`, standard output
    #[arg(short, long, alias = "output", value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CyclesArg {
    /// Calls inside a cycle are not counted, a cycle is an element of its own; what the file states is kept
    Folded,
    /// Costs are spread over callers in proportion to the number of calls
    Gprof,
    /// Every call is added, also recursive ones; may exceed the total
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PercentArg {
    /// Of the whole profile
    Total,
    /// Of the function asked about
    Parent,
    /// No percentages
    Off,
}

#[derive(Debug, Args)]
pub(crate) struct LinesArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    /// Show at most N; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// What is sorted by
    #[arg(short, long, value_enum, default_value_t = LineSortArg::SelfCost)]
    pub(crate) sort: LineSortArg,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) shares: ShareArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineSortArg {
    /// Self cost
    #[value(name = "self")]
    SelfCost,
    /// Inclusive cost, where it is known exactly
    #[value(alias = "incl")]
    Inclusive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortArg {
    /// Self cost
    #[value(name = "self")]
    SelfCost,
    /// Inclusive cost
    #[value(alias = "incl")]
    Inclusive,
    /// Times called
    Calls,
    /// Name, from A to Z
    Name,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupArg {
    /// By executable or library
    Object,
    /// By source file
    File,
    /// By class or module
    Class,
    /// Functions that call each other in circles
    Cycle,
}
