//! Whether the runs asked for can decide anything, known before the first of them.

use lotse_model::results::Design;
use lotse_stats::paired::{blocks_needed, blocks_possible};

use crate::command::Shell;
use crate::options::Options;
use crate::shell_error;

/// More runs than were asked for are needed before any difference can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew {
    /// Runs of each program that were asked for.
    pub asked: u32,
    /// Runs of each program that would do.
    pub needed: u32,
    /// Whether fewer runs may do where successive runs do not correlate, as is usual.
    pub may_do: bool,
}

/// Runs whose values do not vary need no test.
const EXACT_RUNNER: &str = "valgrind";

/// Whether fewer runs were asked for than a verdict needs, and how many would do.
pub fn too_few(options: &Options) -> lotse_stats::error::Result<Option<TooFew>> {
    let compared = options.programs.len().saturating_sub(1);
    let Some(asked) = options.stopping.max_blocks.filter(|_| compared > 0) else { return Ok(None) };
    let share = if options.shell == Shell::None { 1.0 } else { 1.0 - shell_error::SHARE };
    let level = options.stopping.alpha * share / compared as f64;
    let (possible, needed) = match options.design {
        _ if options.runner.id == EXACT_RUNNER => (1, 1),
        Design::Sequential => (2, 2),
        Design::Blocks | Design::Duet => (blocks_possible(level)? as u32, blocks_needed(level)? as u32),
    };
    Ok((asked < needed).then_some(TooFew { asked, needed, may_do: asked >= possible }))
}

impl std::fmt::Display for TooFew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs = if self.asked == 1 { "run" } else { "runs" };
        let Self { asked, needed, .. } = self;
        let limit = if self.may_do {
            "may be too few to show even a large difference"
        } else {
            "cannot show a difference, however large it is, unless all runs agree exactly"
        };
        write!(f, "{asked} {runs} of each program {limit}; {needed} runs would do (--runs {needed})")
    }
}
