//! Whether iterations of a loop depend on each other through a structure.
//!
//! Iterations are independent when no iteration writes a position that another one accesses. For each execution of a
//! loop two ranges are kept: of all positions accessed and of all positions written by the iterations before the current
//! one. An access of the current iteration is free of conflicts when a write lies outside the first range and a read outside
//! the second. This is exact while iterations move on in one direction, each over its own element or block, and costs
//! the same for any length. Iterations that jump back into a range passed before count as conflicts, so independence is
//! claimed only where it was seen.
//!
//! ```text
//! v[i] = f(v[i])            iteration 7 accesses 7; before: accessed 0..=6, written 0..=6     independent
//! v[i] = v[i-1] + v[i]      iteration 7 reads 6, which iteration 6 wrote                      conflict
//! ```
//!
//! Compilers move the first iteration in front of the loop. An access before the loop by a line that the loop contains,
//! made once since the last loop was entered, counts as one of the first iteration.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::access::{AccessRun, Iteration};
use crate::container::Kind;
use crate::instance::{CodeId, LoopId, ThreadId};
use crate::tally::Tally;

/// Loops told apart for each structure.
const MOST: usize = 64;

/// What the executions of a loop did to a structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopUse {
    /// The loop.
    pub of_loop: LoopId,
    /// How often it was entered.
    pub executions: u64,
    /// The most iterations of one execution that accessed the structure.
    pub longest: u64,
    /// Iterations of all executions.
    pub iterations: u64,
    /// Accesses that read.
    pub reads: u64,
    /// Accesses that write, insertions and deletions among them.
    pub writes: u64,
    /// Accesses to what another iteration accessed, one of them writing.
    pub conflicts: u64,
    /// Nanoseconds of the accesses and the work between them.
    pub busy: u64,
    /// Writes by call site.
    pub codes: Tally<CodeId>,
}

/// All loops that accessed a structure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Loops {
    /// By loop, in the order of appearance.
    pub uses: Vec<LoopUse>,
    /// Accesses whose iteration is known.
    pub known: u64,
    /// Loops beyond those that are told apart: whether they have conflicts is not known.
    pub untold: BTreeSet<LoopId>,
    #[serde(skip)]
    open: Vec<Execution>,
    /// Accesses that may be the first iteration of a loop that follows.
    #[serde(skip)]
    outside: Vec<Outside>,
}

/// Accesses of one call site since the last loop was entered.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outside {
    code: CodeId,
    thread: ThreadId,
    writes: bool,
    range: Range,
    count: u64,
}

/// Call sites that may be those of a first iteration.
const CALL_SITES: usize = 8;

#[derive(Debug, Clone, PartialEq)]
struct Execution {
    of_loop: LoopId,
    thread: ThreadId,
    iteration: u64,
    iterations: u64,
    last_time: u64,
    /// Accesses before the loop that belong to it if it has their call sites.
    first: Vec<Outside>,
    /// Of the iterations before.
    accessed: Range,
    written: Range,
    /// Of the current one.
    now_accessed: Range,
    now_written: Range,
}

/// The positions from one to another, or none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Range(Option<(u64, u64)>);

impl Range {
    fn join(&mut self, other: Self) {
        self.0 = match (self.0, other.0) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
    }

    fn meets(self, other: Self) -> bool {
        self.0.zip(other.0).is_some_and(|(a, b)| a.0 <= b.1 && b.0 <= a.1)
    }
}

impl Loops {
    pub(crate) fn run(&mut self, run: &AccessRun, gap: u64) {
        let Some(iteration) = run.first.iteration else { return self.note_outside(run) };
        self.known += run.count;
        let Some(at) = self.place(iteration.of_loop) else {
            self.untold.insert(iteration.of_loop);
            return;
        };
        let number = self.execution(iteration, run.first.thread, at);
        self.note_outside(run);
        self.open[number].recall(run.first.code);
        let (execution, of_loop) = (&mut self.open[number], &mut self.uses[at]);
        of_loop.count(run, execution, gap);
        // The first access may belong to the iteration that is under way; the last to one that goes on.
        execution.access(&run.part(0, 1), of_loop);
        if run.count > 2 {
            execution.several(&run.part(1, run.count - 1), of_loop);
        }
        if run.count > 1 {
            execution.access(&run.part(run.count - 1, run.count), of_loop);
        }
    }

    fn note_outside(&mut self, run: &AccessRun) {
        let (code, thread, writes) = (run.first.code, run.first.thread, is_write(run.first.kind));
        let same = |known: &&mut Outside| (known.code, known.thread, known.writes) == (code, thread, writes);
        if let Some(known) = self.outside.iter_mut().find(same) {
            known.count += run.count;
            return;
        }
        if self.outside.len() == CALL_SITES {
            self.outside.clear();
        }
        let range = Range(run.index_range());
        self.outside.push(Outside { code, thread, writes, range, count: run.count });
    }

    fn place(&mut self, of_loop: LoopId) -> Option<usize> {
        if let Some(at) = self.uses.iter().position(|known| known.of_loop == of_loop) {
            return Some(at);
        }
        let room = self.uses.len() < MOST;
        room.then(|| {
            self.uses.push(LoopUse::new(of_loop));
            self.uses.len() - 1
        })
    }

    /// The execution under way of this loop on this thread; a smaller iteration number begins a new one.
    fn execution(&mut self, iteration: Iteration, thread: ThreadId, of_loop: usize) -> usize {
        let same = |open: &Execution| open.of_loop == iteration.of_loop && open.thread == thread;
        let known = self.open.iter().position(same);
        if let Some(at) = known.filter(|at| self.open[*at].iteration <= iteration.number) {
            return at;
        }
        self.uses[of_loop].executions += 1;
        let mut new = Execution::new(iteration, thread);
        let outside = std::mem::take(&mut self.outside).into_iter();
        new.first = outside.filter(|outside| outside.thread == thread && outside.count == 1).collect();
        match known {
            Some(at) => {
                self.open[at] = new;
                at
            }
            None => {
                self.open.push(new);
                self.open.len() - 1
            }
        }
    }
}

impl LoopUse {
    fn new(of_loop: LoopId) -> Self {
        let codes = Tally::default();
        Self {
            of_loop,
            executions: 0,
            longest: 0,
            iterations: 0,
            reads: 0,
            writes: 0,
            conflicts: 0,
            busy: 0,
            codes,
        }
    }

    fn count(&mut self, run: &AccessRun, execution: &mut Execution, gap: u64) {
        // What changes the length or the order concerns all later iterations.
        if is_write(run.first.kind) && run.first.kind != Kind::Write {
            self.conflicts += run.count;
        }
        if is_write(run.first.kind) {
            self.writes += run.count;
            self.codes.add(run.first.code, run.count);
        } else {
            self.reads += run.count;
        }
        self.busy += run.first.time.saturating_sub(execution.last_time).min(gap);
        self.busy += run.duration().min(gap.saturating_mul(run.count - 1));
        execution.last_time = run.last_time;
    }
}

fn is_write(kind: Kind) -> bool {
    !matches!(kind, Kind::Read | Kind::Search | Kind::Copy | Kind::ForEach)
}

impl Execution {
    fn new(iteration: Iteration, thread: ThreadId) -> Self {
        let none = Range::default();
        Self {
            of_loop: iteration.of_loop,
            thread,
            iteration: iteration.number,
            iterations: 0,
            last_time: u64::MAX,
            first: Vec::new(),
            accessed: none,
            written: none,
            now_accessed: none,
            now_written: none,
        }
    }

    /// A call site is in the loop: what it did before the loop was the first iteration.
    fn recall(&mut self, code: CodeId) {
        for Outside { range, writes, .. } in self.first.extract_if(.., |outside| outside.code == code) {
            self.accessed.join(range);
            if writes {
                self.written.join(range);
            }
        }
    }

    /// A single access.
    fn access(&mut self, run: &AccessRun, of_loop: &mut LoopUse) {
        let number = run.first.iteration.map_or(self.iteration, |iteration| iteration.number);
        if number != self.iteration || self.iterations == 0 {
            self.next(number);
            self.iterations += 1;
            of_loop.iterations += 1;
            of_loop.longest = of_loop.longest.max(self.iterations);
        }
        self.check(run, of_loop);
    }

    /// Accesses between the first and the last of a run: all in one iteration, or each in an iteration of its own.
    fn several(&mut self, run: &AccessRun, of_loop: &mut LoopUse) {
        if run.iteration_stride == 0 {
            return self.check(run, of_loop);
        }
        self.next(run.last().iteration.map_or(self.iteration, |iteration| iteration.number));
        self.iterations += run.count;
        of_loop.iterations += run.count;
        of_loop.longest = of_loop.longest.max(self.iterations);
        self.check(run, of_loop);
        self.next(self.iteration);
    }

    /// The current iteration belongs to those before.
    fn next(&mut self, number: u64) {
        self.accessed.join(self.now_accessed);
        self.written.join(self.now_written);
        (self.now_accessed, self.now_written) = (Range::default(), Range::default());
        self.iteration = number;
    }

    fn check(&mut self, run: &AccessRun, of_loop: &mut LoopUse) {
        // What is about the structure as a whole concerns every position.
        let all = Range(Some((0, u64::MAX)));
        let range = run.index_range().map_or(all, |range| Range(Some(range)));
        let writes = is_write(run.first.kind);
        let before = if writes { self.accessed } else { self.written };
        if before.meets(range) {
            of_loop.conflicts += run.count;
        }
        self.now_accessed.join(range);
        if writes {
            self.now_written.join(range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LoopUse, Loops};
    use crate::access::{Access, AccessRun, Iteration};
    use crate::container::Kind::{self, Read, Write};
    use crate::instance::{CodeId, LoopId};

    fn observed(accesses: &[(Kind, u64, u64)]) -> LoopUse {
        let mut loops = Loops::default();
        for &(kind, index, number) in accesses {
            let iteration = Some(Iteration { of_loop: LoopId(3), number });
            loops.run(&AccessRun::single(Access { iteration, ..Access::at(kind, index, 1000, 0) }), 1000);
        }
        loops.uses[0].clone()
    }

    fn conflicts(body: impl Fn(u64) -> Vec<(Kind, u64)>) -> u64 {
        let accesses = (1..50).flat_map(|i| body(i).into_iter().map(move |(kind, index)| (kind, index, i)));
        observed(&accesses.collect::<Vec<_>>()).conflicts
    }

    #[test]
    fn loops_without_and_with_dependences() {
        assert_eq!(conflicts(|i| vec![(Read, i), (Write, i)]), 0, "in place");
        assert_eq!(conflicts(|i| vec![(Read, 100 - i), (Write, 100 - i)]), 0, "backwards");
        assert_eq!(conflicts(|i| (4 * i..4 * i + 4).map(|at| (Write, at)).collect()), 0, "blocks");
        assert_eq!(conflicts(|i| vec![(Read, 0), (Write, i)]), 0, "a constant in front");
        assert_eq!(conflicts(|i| vec![(Read, i - 1), (Write, i)]), 48, "carried");
        assert_eq!(conflicts(|i| vec![(Read, i + 1), (Write, i)]), 48, "overwritten later");
        assert_eq!(conflicts(|i| vec![(Write, i / 2)]), 24, "same element twice");
        assert_eq!(conflicts(|_| vec![(Write, 7)]), 48, "an accumulator");
    }

    #[test]
    fn a_run_over_iterations_is_as_its_accesses() {
        for (kind, stride) in [(Write, 1), (Write, -2), (Write, 0), (Read, 1), (Read, 0)] {
            let iteration = Some(Iteration { of_loop: LoopId(3), number: 5 });
            let first = Access { iteration, ..Access::at(kind, 500, 1000, 0) };
            let run = AccessRun {
                count: 100,
                index_stride: stride,
                iteration_stride: 1,
                ..AccessRun::single(first)
            };
            let (mut whole, mut single) = (Loops::default(), Loops::default());
            whole.run(&run, 10);
            (0..100).for_each(|i| single.run(&AccessRun::single(run.nth(i)), 10));
            assert_eq!(whole.uses, single.uses, "{kind:?} {stride}");
        }
    }

    #[test]
    fn a_first_iteration_in_front_of_the_loop_belongs_to_it() {
        let conflicts = |before: &[(Kind, u64, u32)], body: fn(u64) -> [(Kind, u64, u32); 2]| {
            let mut loops = Loops::default();
            let mut run = |kind, index, code, iteration| {
                let access = Access { iteration, code: CodeId(code), ..Access::at(kind, index, 1000, 0) };
                loops.run(&AccessRun::single(access), 10);
            };
            before.iter().for_each(|&(kind, index, code)| run(kind, index, code, None));
            for number in 0..9 {
                let iteration = Some(Iteration { of_loop: LoopId(3), number });
                body(number + 1)
                    .into_iter()
                    .for_each(|(kind, index, code)| run(kind, index, code, iteration));
            }
            loops.uses[0].conflicts
        };
        let shared: fn(u64) -> [(Kind, u64, u32); 2] = |i| [(Read, 0, 1), (Write, i, 2)];
        assert_eq!(conflicts(&[(Read, 0, 1), (Write, 0, 2)], shared), 8, "all read what the first one wrote");
        assert_eq!(conflicts(&[(Write, 0, 7)], shared), 0, "another line wrote it before the loop");
        assert_eq!(conflicts(&[(Write, 0, 2), (Write, 5, 2)], shared), 0, "another loop before");
        let own: fn(u64) -> [(Kind, u64, u32); 2] = |i| [(Read, i, 1), (Write, i, 2)];
        assert_eq!(conflicts(&[(Read, 0, 1), (Write, 0, 2)], own), 0);
    }

    #[test]
    fn loops_beyond_the_limit_are_named() {
        let mut loops = Loops::default();
        for number in 0..70 {
            let iteration = Some(Iteration { of_loop: LoopId(number), number: 0 });
            loops.run(&AccessRun::single(Access { iteration, ..Access::at(Write, 0, 9, 0) }), 10);
        }
        assert_eq!((loops.uses.len(), loops.untold.len()), (64, 6));
    }

    #[test]
    fn a_smaller_number_enters_the_loop_again() {
        let used = observed(&[(Write, 0, 0), (Write, 1, 1), (Write, 0, 0), (Write, 1, 1), (Write, 2, 2)]);
        assert_eq!((used.executions, used.iterations, used.longest, used.conflicts), (2, 5, 3, 0));
    }
}
