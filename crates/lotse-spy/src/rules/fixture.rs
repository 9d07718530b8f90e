//! Builds histories for tests of rules from operations.

use std::sync::Arc;

use crate::access::{Access, Iteration};
use crate::analysis::InstanceAnalysis;
use crate::container::{AccessKind, Container};
use crate::instance::{CodeId, CodeTable, Instance, LoopId, ThreadId};
use crate::nesting::LoopTable;
use crate::program::{Outcome, Program, SpyFinding};
use crate::protocol::Protocol;
use crate::settings::{Settings, Thresholds};
use crate::severity::RunTime;

/// Methods by code number; the first is where structures are created, further ones have the method `m<number>`.
const METHODS: [&str; 10] =
    ["new", "push", "pop", "index", "contains", "sort", "binary_search", "sum", "m8", "resize"];

/// Call sites at `src/main.rs`, line 10 and on, one for each number.
pub(crate) fn codes() -> CodeTable {
    let mut codes = CodeTable::default();
    for number in 0..40_u32 {
        let method =
            METHODS.get(number as usize).map_or_else(|| format!("m{number}"), |name| (*name).to_owned());
        codes.add(CodeTable::code_at("src/main.rs", 10 + number, 5, "main", Some(&method)));
    }
    codes
}

/// A history under construction. Accesses are ten nanoseconds apart.
pub(crate) struct History {
    pub(crate) analysis: InstanceAnalysis,
    pub(crate) length: u64,
    pub(crate) time: u64,
    pub(crate) code: Option<u32>,
    pub(crate) thread: ThreadId,
}

impl History {
    pub(crate) fn new(container: Container) -> Self {
        Self::with(container, 1, Thresholds::default())
    }

    pub(crate) fn with(container: Container, id: u64, thresholds: Thresholds) -> Self {
        let settings = Arc::new(Settings { thresholds, ..Settings::default() });
        let instance = Instance::new(id, container, 8, CodeId(0));
        let (code, thread) = (None, ThreadId(0));
        Self { analysis: InstanceAnalysis::new(instance, &settings), length: 0, time: 1000, code, thread }
    }

    /// A structure of this length whose creation was not recorded.
    pub(crate) fn filled(container: Container, length: u64) -> Self {
        Self { length, ..Self::new(container) }
    }

    /// A Vec of bytes of this length whose creation was not recorded.
    pub(crate) fn of_bytes(length: u64) -> Self {
        let instance = Instance::new(1, Container::Vec, 1, CodeId(0));
        let analysis = InstanceAnalysis::new(instance, &Arc::new(Settings::default()));
        Self { analysis, ..Self::filled(Container::Vec, length) }
    }

    /// Another instance, created at the line of this call site.
    pub(crate) fn numbered(container: Container, id: u64, site: u32) -> Self {
        let mut history = Self::with(container, id, Thresholds::default());
        let instance = Instance { site: CodeId(site), ..Instance::new(id, container, 8, CodeId(0)) };
        history.analysis = InstanceAnalysis::new(instance, &Arc::new(Settings::default()));
        history
    }

    /// The following accesses are made by this call site.
    pub(crate) fn by(mut self, code: u32) -> Self {
        self.code = Some(code);
        self
    }

    /// The following accesses are made by this thread.
    pub(crate) fn on(mut self, thread: u32) -> Self {
        self.thread = ThreadId(thread);
        self
    }

    /// The following accesses begin at this time.
    pub(crate) fn at(mut self, time: u64) -> Self {
        self.time = time;
        self
    }

    /// The structure has this length from now on.
    pub(crate) fn long(mut self, length: u64) -> Self {
        self.length = length;
        self
    }

    fn step(&mut self, mut access: Access, own: u32, iteration: Option<Iteration>) {
        access = Access { thread: self.thread, iteration, ..access.by(CodeId(self.code.unwrap_or(own))) };
        self.analysis.add_access(access);
        self.length = access.length_after();
        self.time += 10;
    }

    fn place(&mut self, kind: AccessKind, index: u64, own: u32) {
        self.step(Access::at(kind, index, self.length, self.time), own, None);
    }

    pub(crate) fn push(mut self, count: u64) -> Self {
        (0..count).for_each(|_| self.place(AccessKind::Insert, self.length, 1));
        self
    }

    pub(crate) fn insert_front(mut self, count: u64) -> Self {
        (0..count).for_each(|_| self.place(AccessKind::Insert, 0, 1));
        self
    }

    pub(crate) fn pop(mut self, count: u64) -> Self {
        (0..count).for_each(|_| self.place(AccessKind::Delete, self.length - 1, 2));
        self
    }

    pub(crate) fn remove_front(mut self, count: u64) -> Self {
        (0..count).for_each(|_| self.place(AccessKind::Delete, 0, 2));
        self
    }

    /// Accesses from one index to another, both included, in either direction.
    pub(crate) fn scan(mut self, kind: AccessKind, from: u64, to: u64) -> Self {
        for step in 0..=from.abs_diff(to) {
            let index = if from <= to { from + step } else { from - step };
            self.place(kind, index, 3);
        }
        self
    }

    /// Reads with jumping indices, which form no linear phase.
    pub(crate) fn jump(mut self, count: u64) -> Self {
        (0..count).for_each(|i| self.place(AccessKind::Read, if i % 2 == 0 { i % 7 } else { 40 + i % 7 }, 3));
        self
    }

    /// Accesses without index.
    pub(crate) fn without_index(mut self, kind: AccessKind, count: u64) -> Self {
        let own = match kind {
            AccessKind::Search => 4,
            AccessKind::Sort => 5,
            AccessKind::ForEach => 7,
            _ => 8,
        };
        (0..count).for_each(|_| self.step(Access::without_index(kind, self.length, self.time), own, None));
        self
    }

    /// Executes a loop: `body` gives kinds and indices of the accesses of each iteration.
    pub(crate) fn iterate(
        mut self,
        loop_id: u32,
        iterations: u64,
        body: impl Fn(u64) -> Vec<(AccessKind, u64)>,
    ) -> Self {
        for number in 0..iterations {
            for (kind, index) in body(number) {
                let iteration = Some(Iteration { loop_id: LoopId(loop_id), number });
                self.step(Access::at(kind, index, self.length, self.time), 3, iteration);
            }
        }
        self
    }

    /// Capacities that double from the first to the last.
    pub(crate) fn grown(mut self, first: u64, last: u64) -> Self {
        let mut capacity = first;
        self.analysis.grown(0, capacity, CodeId(1));
        while capacity < last {
            self.analysis.grown(capacity, 2 * capacity, CodeId(1));
            capacity *= 2;
        }
        self
    }

    /// Repeats operations.
    pub(crate) fn repeat(self, times: u64, what: impl Fn(Self) -> Self) -> Self {
        (0..times).fold(self, |history, _| what(history))
    }

    pub(crate) fn finish(self) -> Protocol {
        self.analysis.finish()
    }
}

/// The findings of all rules in these histories, for a run of 1 ms that took 4 ms when recorded.
pub(crate) fn outcome(histories: Vec<History>) -> Outcome {
    outcome_in(histories, |_| ())
}

/// The same, with statistics of loops.
fn outcome_in(histories: Vec<History>, loops: impl Fn(&mut LoopTable)) -> Outcome {
    let mut program = Program::new(&Arc::new(Settings::default()));
    let mut codes = codes();
    loops(&mut codes.loops);
    histories.into_iter().for_each(|history| program.add(history.finish(), &codes));
    program.findings(&codes, RunTime { unrecorded: Some(1e-3), recorded: Some(4e-3) })
}

/// The findings of one rule in these histories.
pub(crate) fn found(rule: &str, histories: Vec<History>) -> Vec<SpyFinding> {
    found_in(rule, histories, |_| ())
}

/// The same, with statistics of loops.
pub(crate) fn found_in(
    rule: &str,
    histories: Vec<History>,
    loops: impl Fn(&mut LoopTable),
) -> Vec<SpyFinding> {
    let all = outcome_in(histories, loops).findings;
    all.into_iter().filter(|found| found.finding.rule.id == rule).collect()
}

/// Whether a rule fires for a history.
pub(crate) fn fires(rule: &str, history: History) -> bool {
    !found(rule, vec![history]).is_empty()
}

/// The sentence of the only finding of a rule.
#[track_caller]
pub(crate) fn text(rule: &str, histories: Vec<History>) -> String {
    text_in(rule, histories, |_| ())
}

/// The same, with statistics of loops.
#[track_caller]
pub(crate) fn text_in(rule: &str, histories: Vec<History>, loops: impl Fn(&mut LoopTable)) -> String {
    let found = found_in(rule, histories, loops);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].finding.reason.text.clone()
}
