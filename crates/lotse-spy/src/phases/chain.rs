//! A chain of accesses that may become a phase.

use super::{Characteristic, Phase};
use crate::access::{AccessRun, Iteration};
use crate::instance::{CodeId, LoopId, ThreadId};
use crate::key_counts::KeyCounts;

/// A chain of neighbouring accesses, each pair of which satisfies the condition. Its memory is reused for the next chain.
#[derive(Debug, Clone, Default)]
pub(super) struct AccessChain {
    pub(super) events: u64,
    pub(super) span: (u64, u64),
    time: (u64, u64),
    indices: (u64, u64),
    first_index: u64,
    pub(super) last_index: u64,
    length: u64,
    busy: u64,
    codes: KeyCounts<CodeId>,
    threads: KeyCounts<ThreadId>,
    loops: KeyCounts<LoopId>,
    executions: u64,
    iterations: u64,
    iteration: Option<Iteration>,
}

impl AccessChain {
    /// Appends a run that continues or begins the chain. `number` is the event number of its first access; `gap` is the longest
    /// pause that counts as busy time.
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

    /// Counts executions and iterations of the innermost loop. A smaller iteration number, or another loop, is another execution.
    fn note_loop(&mut self, run: &AccessRun) {
        let Some(now) = run.first.iteration else { return };
        self.loops.add(now.loop_id, run.count);
        let goes_on =
            self.iteration.is_some_and(|last| last.loop_id == now.loop_id && last.number <= now.number);
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

    /// Whether the index changes along the chain.
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
