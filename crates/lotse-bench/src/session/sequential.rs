//! All runs of one program, then all of the next, each program between its own setup and cleanup.
//!
//! This is hyperfine's order. It is used on request, and where the setups of programs differ, since a later setup could
//! undo an earlier one. A change of the machine between two programs cannot be distinguished from a difference of the
//! programs.

use std::time::{Duration, Instant};

use lotse_formats::bench::lotse_log::BlockRecord;
use lotse_model::results::Run;

use super::{BenchSession, SessionError};
use crate::trial::{StoppedBy, blocks_made};

impl BenchSession<'_> {
    /// Runs each program until its runs or its budget are used up. Every run is a block of its own; there is no look.
    pub(super) fn run_sequentially(&mut self) -> Result<StoppedBy, SessionError> {
        let programs = self.options.programs.len();
        let mut block = blocks_made(&self.set);
        for program in 0..programs {
            self.set_up(program)?;
            for round in 0..self.options.warmup {
                self.executor.warm_up(program, round, &mut self.order)?;
            }
            let start = Instant::now();
            let around = self.executor.hook_time();
            let mut runs = 0;
            while self.wants_more(runs, start, around) {
                self.announce(program, runs);
                let shell = self.executor.empty_runs()?;
                let run = self.executor.run_one(program, block, &mut self.order)?;
                if self.context.interrupt.is_set() {
                    return Ok(StoppedBy::Interrupt);
                }
                self.store_block(BlockRecord { block, runs: vec![Run { position: 0, ..run }], shell })?;
                self.check_metrics()?;
                if let Some(program) = self.failing_program() {
                    return Ok(StoppedBy::Failure { program });
                }
                (runs, block) = (runs + 1, block + 1);
                self.report_progress((program as f64 + self.share_of_one(runs, start)) / programs as f64);
            }
            self.clean_up(program)?;
            self.report_progress((program + 1) as f64 / programs as f64);
        }
        Ok(if self.options.stopping.fixed { StoppedBy::Runs } else { StoppedBy::Budget })
    }

    /// The share of the runs of one program that is over.
    fn share_of_one(&self, runs: u32, start: Instant) -> f64 {
        let stopping = &self.options.stopping;
        let counted = stopping.max_blocks.map_or(0.0, |most| f64::from(runs) / f64::from(most.max(1)));
        let timed =
            if stopping.fixed { 0.0 } else { start.elapsed().as_secs_f64() / stopping.budget.as_secs_f64() };
        counted.max(timed).min(1.0)
    }

    /// Whether a program needs another run. `around` is the hook time spent before its first run; before the least
    /// number of runs, hook time does not count.
    fn wants_more(&self, runs: u32, start: Instant, around: Duration) -> bool {
        let stopping = &self.options.stopping;
        let below_most = stopping.max_blocks.is_none_or(|most| runs < most);
        let around = self.executor.hook_time().saturating_sub(around);
        let own = if runs < stopping.min_blocks { around } else { Duration::ZERO };
        let in_budget = start.elapsed().saturating_sub(own) < stopping.budget;
        below_most && (stopping.fixed || in_budget || (!stopping.strict_budget && runs < stopping.min_blocks))
    }
}
