//! Whether the requested number of runs can decide anything, checked before the first run.

use lotse_model::results::Design;
use lotse_stats::paired::{blocks_needed, blocks_possible};

use crate::command::Shell;
use crate::options::Options;
use crate::runner;
use crate::shell_error;

/// The requested number of runs is too small to show any difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew {
    /// What is repeated: `run`, `layout` or `build`.
    pub what: &'static str,
    /// Requested number for each program.
    pub requested: u32,
    /// Sufficient number for each program.
    pub needed: u32,
    /// Whether the requested number may suffice because successive runs usually do not correlate.
    pub may_do: bool,
}

/// How many independent repetitions (builds, layouts, runs in blocks) are needed to show a difference of `compared` programs
/// from a reference, if all comparisons together hold with probability 1 - `alpha`.
pub fn repetitions_needed(compared: usize, alpha: f64) -> lotse_stats::error::Result<u32> {
    Ok(blocks_needed(alpha / compared.max(1) as f64)? as u32)
}

/// Whether fewer runs were requested than a verdict needs, and how many are needed.
pub fn too_few(options: &Options) -> lotse_stats::error::Result<Option<TooFew>> {
    let compared = options.programs.len().saturating_sub(1);
    let repeated = repeated(options).filter(|_| compared > 0);
    let Some((what, requested)) = repeated else { return Ok(None) };
    let share = if options.shell == Shell::None { 1.0 } else { 1.0 - shell_error::SHARE };
    let level = options.stopping.alpha * share / compared as f64;
    let (possible, needed) = match options.design {
        _ if options.runner.id == runner::EXACT => (1, 1),
        Design::Sequential => (2, 2),
        Design::Blocks | Design::Duet => (blocks_possible(level)? as u32, blocks_needed(level)? as u32),
    };
    Ok((requested < needed).then_some(TooFew { what, requested, needed, may_do: requested >= possible }))
}

/// The level of repetition (build, layout or run) with the smallest requested number, which limits the precision.
fn repeated(options: &Options) -> Option<(&'static str, u32)> {
    let runs = options.stopping.max_blocks.map(|most| ("run", most));
    let layouts = options.layouts.as_ref().map(|layouts| ("layout", layouts.count));
    let builds = options.programs.iter().filter(|program| program.are_builds);
    let builds = builds.map(|program| ("build", program.alternatives.len() as u32)).max_by_key(|it| it.1);
    [builds, layouts, runs].into_iter().flatten().min_by_key(|(_, count)| *count)
}

impl std::fmt::Display for TooFew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { what, requested, needed, .. } = self;
        let plural = if *requested == 1 { "" } else { "s" };
        let option = match *what {
            "run" => format!(" (--runs {needed})"),
            "layout" => format!(" (--layouts {needed})"),
            _ => String::new(),
        };
        let limit = if self.may_do {
            "may be too few to show even a large difference"
        } else {
            "cannot show a difference, however large it is, unless all runs agree exactly"
        };
        write!(f, "{requested} {what}{plural} of each program {limit}; {needed} {what}s would do{option}")
    }
}
