//! Whether the runs asked for can decide anything, known before the first of them.

use lotse_model::results::Design;
use lotse_stats::paired::blocks_needed;

use crate::options::Options;

/// More runs than were asked for are needed before any difference can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew {
    /// Runs of each program that were asked for.
    pub asked: u32,
    /// Runs of each program that would do.
    pub needed: u32,
}

/// Runs whose values do not vary need no test.
const EXACT_RUNNER: &str = "valgrind";

/// Whether fewer runs were asked for than a verdict needs, and how many would do.
pub fn too_few(options: &Options) -> lotse_stats::error::Result<Option<TooFew>> {
    let compared = options.programs.len().saturating_sub(1);
    let Some(asked) = options.stopping.max_blocks.filter(|_| compared > 0) else { return Ok(None) };
    let needed = match options.design {
        _ if options.runner.id == EXACT_RUNNER => 1,
        Design::Sequential => 2,
        Design::Blocks | Design::Duet => blocks_needed(options.stopping.alpha / compared as f64)? as u32,
    };
    Ok((asked < needed).then_some(TooFew { asked, needed }))
}

impl std::fmt::Display for TooFew {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs = if self.asked == 1 { "run" } else { "runs" };
        write!(
            f,
            "{} {runs} of each program cannot show a difference, however large it is, unless all runs agree exactly; \
             {} runs would do (--runs {})",
            self.asked, self.needed, self.needed
        )
    }
}
