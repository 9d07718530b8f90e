//! The loops of a program as they were executed: their source lines, how often each was entered, and within which other loop.

use lotse_formats::history::CarriedVariable;
use lotse_model::site::SourceSite;
use serde::{Deserialize, Serialize};

use crate::access::Iteration;
use crate::code::body::LoopBody;
use crate::instance::{CodeId, InstanceId, LoopId};
use crate::key_counts::KeyCounts;

/// A loop is nested in another one if at least this share of its entries come from there.
const INSIDE: f64 = 0.9;

/// A loop represents a sequence of accesses if it makes at least this share of them.
const MOST_ACCESSES: f64 = 0.5;

/// A sequence that takes at least this many executions of a loop on average is made by a loop around it.
const SEVERAL: f64 = 2.0;

/// A loop that makes a sequence of accesses has at least this many iterations for it. With fewer, the sequence is made within
/// an iteration, by something that is not a known loop.
const ITERATIONS: f64 = 5.0;

/// If a loop is entered more often than this per iteration of the loop around it, there is an unknown loop in between.
const CALLS: f64 = 8.0;

/// Maximum nesting depth that is followed.
const DEEPEST: usize = 16;

/// All loops that were entered, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopTable {
    loops: Vec<KnownLoop>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownLoop {
    entries: u64,
    place: LoopPlace,
    /// Iterations of all executions, and of the longest one.
    iterations: u64,
    longest: u64,
    /// Nanoseconds between entering and leaving it in the recorded run.
    spent: u64,
    /// Accesses by which its iterations depend on each other, or are not known to be independent.
    dependences: u64,
    /// Dependences that come only from iterations appending elements to the same structure.
    growths: u64,
    /// Such dependences by structure.
    growing: KeyCounts<InstanceId>,
    /// The library call that reads a variable which an earlier iteration wrote, if the variable may be state: where it is called,
    /// and how often it reads it.
    unclear: KeyCounts<CodeId>,
    /// What its iterations carry in registers, if the machine code was analysed.
    carried: Option<CarriedVariable>,
    /// Its source lines.
    body: Option<LoopBody>,
    /// Number of entries by the loop around it.
    parents: KeyCounts<LoopId>,
    /// The iteration of the loop around it in which it was last entered, and the number of distinct such iterations.
    last_parent: Option<Iteration>,
    parent_iterations: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
enum LoopPlace {
    #[default]
    Unknown,
    /// The line of the loop, followed by those of its callers.
    At(#[serde(with = "crate::digest::places")] Vec<SourceSite>),
    /// A library loop that is called from several lines of user code.
    Several,
}

impl LoopTable {
    /// A loop is entered, within an iteration of another loop or outside of any.
    pub(crate) fn record_entry(&mut self, loop_id: LoopId, parent: Option<Iteration>) {
        let known = self.known(loop_id);
        known.entries += 1;
        if let Some(parent) = parent {
            known.parents.add(parent.loop_id, 1);
            known.parent_iterations += u64::from(known.last_parent.replace(parent) != Some(parent));
        }
    }

    /// An execution of a loop ended after this many iterations and `spent` nanoseconds.
    pub(crate) fn record_exit(&mut self, loop_id: LoopId, iterations: u64, spent: u64) {
        let known = self.known(loop_id);
        known.iterations += iterations;
        known.longest = known.longest.max(iterations);
        known.spent += spent;
    }

    /// An iteration of a loop depends on an earlier one.
    pub(crate) fn record_dependence(&mut self, loop_id: LoopId) {
        self.known(loop_id).dependences += 1;
    }

    /// A library call in an iteration of a loop reads a variable of the library that an earlier iteration wrote.
    pub(crate) fn record_unclear(&mut self, loop_id: LoopId, call: Option<CodeId>) {
        self.known(loop_id).unclear.add(call.unwrap_or(CodeId(u32::MAX)), 1);
    }

    /// An iteration of a loop depends on an earlier one only because both append elements to a structure.
    pub(crate) fn record_growth(&mut self, loop_id: LoopId, structure: InstanceId) {
        let known = self.known(loop_id);
        known.growths += 1;
        known.growing.add(structure, 1);
    }

    /// What iterations of a loop carry in registers.
    pub(crate) fn set_carried(&mut self, loop_id: LoopId, carried: Option<CarriedVariable>) {
        self.known(loop_id).carried = carried;
    }

    /// Sets the source lines of a loop, if they are not known yet.
    pub(crate) fn set_body(&mut self, loop_id: LoopId, body: impl FnOnce() -> Option<LoopBody>) {
        let known = self.known(loop_id);
        known.body = known.body.take().or_else(body);
    }

    /// The source lines of all loops, where they are known.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = (LoopId, &LoopBody)> {
        (0..).zip(&self.loops).filter_map(|(number, known)| Some((LoopId(number), known.body.as_ref()?)))
    }

    /// Statistics of a loop; `None` if it never ended an iteration.
    pub(crate) fn stats(&self, loop_id: LoopId) -> Option<LoopStats> {
        let known = self.get(loop_id).filter(|known| known.iterations > 0)?;
        Some(LoopStats {
            executions: known.entries,
            iterations: known.iterations,
            longest: known.longest,
            spent: known.spent,
            order: match (known.dependences, known.growths) {
                (0, 0) if known.carried == Some(CarriedVariable::State) => IterationOrder::Required,
                (0, 0) => IterationOrder::Any,
                (0, _) => IterationOrder::InsertionsOnly,
                _ => IterationOrder::Required,
            },
            carried: known.carried,
            unclear: known.unclear.most(),
            grows_several: known.growing.sorted().len() > 1,
        })
    }

    /// Whether no loop is known, because the recorder did not report iterations.
    pub(crate) fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// A loop and the loops around it, innermost first, as long as each is entered from only one loop.
    pub(crate) fn nest(&self, loop_id: LoopId) -> impl Iterator<Item = LoopId> {
        std::iter::successors(Some(loop_id), |inner| self.parent(*inner)).take(DEEPEST)
    }

    /// Records the line of a loop, followed by those of its callers; empty if only library code runs.
    pub(crate) fn record_lines(&mut self, loop_id: LoopId, lines: Vec<SourceSite>) {
        let Some(line) = lines.first() else { return };
        let known = self.known(loop_id);
        known.place = match std::mem::take(&mut known.place) {
            LoopPlace::Unknown => LoopPlace::At(lines),
            LoopPlace::At(before) if before.first().is_some_and(|before| is_same_line(before, line)) => {
                LoopPlace::At(before)
            }
            _ => LoopPlace::Several,
        };
    }

    fn known(&mut self, loop_id: LoopId) -> &mut KnownLoop {
        let number = loop_id.0 as usize;
        if self.loops.len() <= number {
            self.loops.resize_with(number + 1, KnownLoop::default);
        }
        &mut self.loops[number]
    }

    fn get(&self, loop_id: LoopId) -> Option<&KnownLoop> {
        self.loops.get(loop_id.0 as usize)
    }

    /// The line of user code that contains the loop; `None` if there is none or more than one.
    #[must_use]
    pub fn site(&self, loop_id: LoopId) -> Option<&SourceSite> {
        self.lines(loop_id).first()
    }

    /// The same, followed by the lines of its callers.
    pub(crate) fn lines(&self, loop_id: LoopId) -> &[SourceSite] {
        match self.get(loop_id).map(|known| &known.place) {
            Some(LoopPlace::At(lines)) => lines,
            _ => &[],
        }
    }

    /// The loop around another one; `None` if it is entered from several.
    fn parent(&self, loop_id: LoopId) -> Option<LoopId> {
        let known = self.get(loop_id)?;
        let parent = known.parents.most()?;
        (known.parents.get(parent) as f64 >= INSIDE * known.entries as f64).then_some(parent)
    }

    /// The loop whose iterations make a sequence of accesses: the innermost loop of which one execution makes most of them.
    ///
    /// Starting from the innermost loop, this goes outwards as long as a sequence takes several executions of the loop.
    ///
    /// ```text
    /// for y in 0..100 { for x in 0..50 { sum += a[50 * y + x] } }
    ///
    /// one pass over the matrix, 5000 accesses:   inner loop   100 executions   go outwards
    ///                                            outer loop     1 execution    100 iterations make the pass
    /// ```
    pub(crate) fn loop_making(&self, sequence: &AccessSequence<'_>) -> Option<LoopId> {
        let mut loop_id = sequence.loops.most()?;
        if (sequence.loops.get(loop_id) as f64) < MOST_ACCESSES * sequence.accesses as f64 {
            return None;
        }
        let (mut executions, mut iterations) = (sequence.executions, sequence.iterations);
        // With mutually recursive functions two loops may each be around the other, so the search is bounded.
        for _ in 0..DEEPEST {
            if executions < SEVERAL {
                return (iterations >= ITERATIONS).then_some(loop_id);
            }
            let (known, parent) = (self.get(loop_id)?, self.parent(loop_id)?);
            let calls = known.entries as f64 / known.parent_iterations.max(1) as f64;
            if calls > CALLS {
                return None;
            }
            iterations = executions / calls;
            let each = known.entries as f64 / self.get(parent)?.entries.max(1) as f64;
            executions /= each.max(1.0);
            loop_id = parent;
        }
        None
    }
}

/// Statistics of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoopStats {
    /// Number of times it was entered.
    pub(crate) executions: u64,
    /// Iterations of all executions, and of the longest one.
    pub(crate) iterations: u64,
    pub(crate) longest: u64,
    /// Nanoseconds between entering and leaving it in the recorded run.
    pub(crate) spent: u64,
    /// Whether its iterations depend on each other.
    pub(crate) order: IterationOrder,
    /// What they carry in registers, if the machine code was analysed.
    pub(crate) carried: Option<CarriedVariable>,
    /// A library call that may keep state from one iteration to the next.
    pub(crate) unclear: Option<CodeId>,
    /// Whether they append elements to more than one structure.
    pub(crate) grows_several: bool,
}

/// Whether the iterations of a loop must run in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IterationOrder {
    /// Any order: no iteration uses what another one wrote.
    Any,
    /// The order matters only for the order in which elements are appended to structures.
    InsertionsOnly,
    /// In order: an iteration uses what an earlier one wrote.
    Required,
}

/// A sequence of accesses, such as a phase, and the loops around them.
#[derive(Debug)]
pub(crate) struct AccessSequence<'a> {
    pub(crate) accesses: u64,
    /// Number of accesses by the innermost loop around them.
    pub(crate) loops: &'a KeyCounts<LoopId>,
    /// Executions of that loop during the sequence, and its iterations with such accesses.
    pub(crate) executions: f64,
    pub(crate) iterations: f64,
}

fn is_same_line(a: &SourceSite, b: &SourceSite) -> bool {
    (&a.file, a.line) == (&b.file, b.line)
}

#[cfg(test)]
mod tests {
    use lotse_model::site::SourceSite;

    use super::{AccessSequence, LoopTable};
    use crate::access::Iteration;
    use crate::instance::LoopId;
    use crate::key_counts::KeyCounts;

    fn at(line: u32) -> Vec<SourceSite> {
        let function = Some("main".into());
        vec![SourceSite { file: "main.rs".into(), line: Some(line), column: None, function }]
    }

    fn iteration(loop_id: u32, number: u64) -> Option<Iteration> {
        Some(Iteration { loop_id: LoopId(loop_id), number })
    }

    /// Loop 0, and loop 1 in each of its 100 iterations; loop 2 in each of the 9 iterations of loop 1; loop 3 in both 0 and 1;
    /// loop 4 in loop 0, 50 times in each iteration.
    fn nested() -> LoopTable {
        let mut table = LoopTable::default();
        table.record_entry(LoopId(0), None);
        for number in 0..100 {
            table.record_entry(LoopId(1), iteration(0, number));
            (0..9).for_each(|inner| table.record_entry(LoopId(2), iteration(1, inner)));
            table.record_entry(LoopId(3), iteration(u32::from(number % 2 == 0), number));
            (0..50).for_each(|_| table.record_entry(LoopId(4), iteration(0, number)));
        }
        table
    }

    fn carrying(table: &LoopTable, loop_id: u32, executions: f64, iterations: f64) -> Option<u32> {
        let mut loops = KeyCounts::default();
        loops.add(LoopId(loop_id), 1000);
        let sequence = AccessSequence { accesses: 1000, loops: &loops, executions, iterations };
        assert_eq!(
            table.loop_making(&AccessSequence { accesses: 2001, ..sequence }),
            None,
            "most accesses are elsewhere"
        );
        let sequence = AccessSequence { accesses: 1000, loops: &loops, executions, iterations };
        table.loop_making(&sequence).map(|found| found.0)
    }

    #[test]
    fn the_loop_that_makes_a_sequence_of_accesses() {
        let carrying = |loop_id, executions, iterations| carrying(&nested(), loop_id, executions, iterations);
        assert_eq!(carrying(2, 1.0, 1000.0), Some(2), "one execution makes all accesses");
        assert_eq!(carrying(2, 9.0, 1000.0), Some(1), "all executions within one of the loop around it");
        assert_eq!(carrying(2, 900.0, 1000.0), Some(0), "and of the one around that");
        assert_eq!(carrying(2, 3000.0, 1000.0), None, "more than the outermost loop has");
        assert_eq!(carrying(3, 50.0, 1000.0), None, "entered from two loops");
    }

    #[test]
    fn what_makes_a_sequence_within_an_iteration_is_not_known() {
        assert_eq!(carrying(&nested(), 2, 1.0, 1.0), None, "all accesses in one iteration");
        assert_eq!(carrying(&nested(), 2, 3.0, 1000.0), None, "in three iterations of loop 1");
        assert_eq!(carrying(&nested(), 4, 1000.0, 1000.0), None, "a loop in between is not seen");
    }

    #[test]
    fn loops_around_each_other_end() {
        let mut table = LoopTable::default();
        (0..10).for_each(|number| {
            table.record_entry(LoopId(number % 2), iteration((number + 1) % 2, u64::from(number)))
        });
        assert_eq!(carrying(&table, 0, 5.0, 1000.0), None);
    }

    #[test]
    fn a_loop_of_the_library_that_two_lines_call_has_no_place() {
        let mut table = LoopTable::default();
        [at(5), at(5), Vec::new()].into_iter().for_each(|lines| table.record_lines(LoopId(0), lines));
        assert_eq!(table.site(LoopId(0)), at(5).first());
        table.record_lines(LoopId(0), at(6));
        table.record_lines(LoopId(0), at(5));
        assert_eq!(table.site(LoopId(0)), None);
        assert_eq!(table.site(LoopId(7)), None);
    }
}
