//! Accesses that may become a phase.

use super::{Characteristic, Phase};
use crate::access::{AccessRun, Iteration};
use crate::instance::{CodeId, LoopId, ThreadId};
use crate::tally::Tally;

/// A chain of neighbouring accesses whose links all hold. The memory is used again for the next chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    pub(super) events: u64,
    pub(super) span: (u64, u64),
    time: (u64, u64),
    indices: (u64, u64),
    first_index: u64,
    pub(super) last_index: u64,
    length: u64,
    busy: u64,
    codes: Tally<CodeId>,
    threads: Tally<ThreadId>,
    loops: Tally<LoopId>,
    executions: u64,
    iterations: u64,
    iteration: Option<Iteration>,
}

impl Chain {
    /// Takes in accesses that continue the chain, or begin it. `number` is that of the first in the history.
    pub(super) fn extend(&mut self, run: &AccessRun, number: u64, gap: u64) {
        let Some((low, high)) = run.index_range() else { return };
        let first = run.first.index.unwrap_or(low);
        if self.events == 0 {
            self.begin(run, number, first);
        } else {
            self.busy += run.first.time.saturating_sub(self.time.1).min(gap);
        }
        self.events += run.count;
        self.span.1 = number + run.count - 1;
        self.time.1 = run.last_time;
        self.indices = (self.indices.0.min(low), self.indices.1.max(high));
        self.last_index = if first == low { high } else { low };
        self.length = run.last().length_after();
        self.busy += run.duration().min(gap.saturating_mul(run.count - 1));
        self.codes.add(run.first.code, run.count);
        self.threads.add(run.first.thread, run.count);
        self.note_loop(run);
    }

    /// A smaller number of the iteration, or another loop, is another execution.
    fn note_loop(&mut self, run: &AccessRun) {
        let Some(now) = run.first.iteration else { return };
        self.loops.add(now.of_loop, run.count);
        let goes_on =
            self.iteration.is_some_and(|last| last.of_loop == now.of_loop && last.number <= now.number);
        let is_same = goes_on && self.iteration == Some(now);
        self.executions += u64::from(!goes_on);
        self.iterations += u64::from(!is_same) + if run.iteration_stride > 0 { run.count - 1 } else { 0 };
        self.iteration = run.last().iteration;
    }

    fn begin(&mut self, run: &AccessRun, number: u64, index: u64) {
        self.span.0 = number;
        self.time.0 = run.first.time;
        self.indices = (index, index);
        self.first_index = index;
        self.busy = 0;
    }

    /// Whether its index moves.
    pub(super) fn moves(&self) -> bool {
        self.indices.0 != self.indices.1
    }

    pub(super) fn clear(&mut self) {
        self.events = 0;
        self.codes.clear();
        self.threads.clear();
        self.loops.clear();
        (self.executions, self.iterations, self.iteration) = (0, 0, None);
    }

    pub(super) fn phase(&self, characteristic: Characteristic) -> Phase {
        Phase {
            characteristic,
            events: self.events,
            span: self.span,
            time: self.time,
            indices: self.indices,
            first_index: self.first_index,
            length: self.length,
            busy: self.busy,
            codes: self.codes.clone(),
            threads: self.threads.clone(),
            loops: self.loops.clone(),
            executions: self.executions,
            iterations: self.iterations,
        }
    }
}
