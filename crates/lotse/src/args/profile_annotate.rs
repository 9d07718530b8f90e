//! `lotse profile annotate` as clap reads it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::profile::{EventArgs, InputArgs, OutputArgs, ShareArgs};

#[derive(Debug, Args)]
pub(crate) struct AnnotateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The function: its whole name, its place (FILE:LINE), its name without class and arguments, or a piece of it
    #[arg(value_name = "FUNCTION")]
    pub(crate) function: String,
    /// Show source lines; with --asm between the instructions
    #[arg(long)]
    pub(crate) source: bool,
    /// Show instructions with jumps
    #[arg(long)]
    pub(crate) asm: bool,
    /// How x86 instructions are written
    #[arg(long, value_enum, default_value_t = SyntaxArg::Intel)]
    pub(crate) syntax: SyntaxArg,
    /// Look for source files below this directory; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) source_dir: Vec<PathBuf>,
    /// Show N lines or instructions without cost around those with
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) context: usize,
    /// Which table --csv prints [default: lines, with --asm instructions]
    #[arg(long, value_enum, requires = "csv")]
    pub(crate) table: Option<AnnotateTableArg>,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) shares: ShareArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotateTableArg {
    /// Source lines
    Lines,
    /// Calls by source line
    Calls,
    /// Instructions with jumps
    Instructions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyntaxArg {
    /// `mov rax, [rdi+8]`
    Intel,
    /// `mov 8(%rdi),%rax`
    Att,
}
