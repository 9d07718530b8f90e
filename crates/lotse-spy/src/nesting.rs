//! The loops of a program as they ran: their places, how often each was entered, and within which other loop.

use lotse_formats::history::CarriedVariable;
use lotse_model::site::SourceSite;
use serde::{Deserialize, Serialize};

use crate::access::Iteration;
use crate::code::body::LoopBody;
use crate::instance::LoopId;
use crate::tally::Tally;

/// A loop whose entries come from one other loop by this share is inside of that loop.
const INSIDE: f64 = 0.9;

/// A share of the accesses from which on a loop stands for all of them.
const MOST_ACCESSES: f64 = 0.5;

/// From so many executions of a loop on, accesses are not those of one execution but of a loop around it.
const SEVERAL: f64 = 2.0;

/// A loop that makes a row of accesses has at least so many iterations for it. With fewer, something within an iteration
/// makes the row, of which no loop is known.
const ITERATIONS: f64 = 5.0;

/// A loop that is entered more often than this in an iteration of the loop around it is in another one in between, of which
/// nothing is known.
const CALLS: f64 = 8.0;

/// Loops around a loop that are looked at.
const DEEPEST: usize = 16;

/// All loops that were entered, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopTable {
    loops: Vec<KnownLoop>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownLoop {
    entries: u64,
    place: Place,
    /// Iterations of all executions, and of the longest one.
    iterations: u64,
    longest: u64,
    /// Nanoseconds between entering and leaving it, while it was recorded.
    spent: u64,
    /// Accesses by which its iterations depend on each other, or are not known to be independent.
    dependences: u64,
    /// Accesses to structures to which iterations of it add elements, which alone need not be in this order.
    growths: u64,
    /// What its iterations carry in registers, where the code was looked at.
    carried: Option<CarriedVariable>,
    /// The lines that are in it.
    body: Option<LoopBody>,
    /// Entries by the loop around it.
    parents: Tally<LoopId>,
    /// The iteration of the loop around it in which it was entered last, and how many such iterations there are.
    last_parent: Option<Iteration>,
    parent_iterations: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Place {
    #[default]
    Unknown,
    /// The line, and those of its callers, the innermost first.
    At(#[serde(with = "crate::digest::places")] Vec<SourceSite>),
    /// A loop of the library that several lines of the user's code call.
    Several,
}

impl LoopTable {
    /// A loop is entered within an iteration of another, or within none.
    pub(crate) fn entered(&mut self, of_loop: LoopId, parent: Option<Iteration>) {
        let known = self.known(of_loop);
        known.entries += 1;
        if let Some(parent) = parent {
            known.parents.add(parent.of_loop, 1);
            known.parent_iterations += u64::from(known.last_parent.replace(parent) != Some(parent));
        }
    }

    /// An execution of a loop ended, after so many iterations.
    pub(crate) fn left(&mut self, of_loop: LoopId, iterations: u64, spent: u64) {
        let known = self.known(of_loop);
        known.iterations += iterations;
        known.longest = known.longest.max(iterations);
        known.spent += spent;
    }

    /// An iteration of a loop depends on another one.
    pub(crate) fn depends(&mut self, of_loop: LoopId) {
        self.known(of_loop).dependences += 1;
    }

    /// An iteration of a loop uses a structure to which another one added elements, or adds some itself.
    pub(crate) fn grows(&mut self, of_loop: LoopId) {
        self.known(of_loop).growths += 1;
    }

    /// What iterations of a loop carry in registers.
    pub(crate) fn carries(&mut self, of_loop: LoopId, carried: Option<CarriedVariable>) {
        self.known(of_loop).carried = carried;
    }

    /// A loop is in these lines, if that is not known yet.
    pub(crate) fn has_body(&mut self, of_loop: LoopId, body: impl FnOnce() -> Option<LoopBody>) {
        let known = self.known(of_loop);
        known.body = known.body.take().or_else(body);
    }

    /// The lines of all loops, where they are known.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = (LoopId, &LoopBody)> {
        (0..).zip(&self.loops).filter_map(|(number, known)| Some((LoopId(number), known.body.as_ref()?)))
    }

    /// How a loop ran; nothing for one that did not.
    pub(crate) fn run(&self, of_loop: LoopId) -> Option<LoopRun> {
        let known = self.get(of_loop).filter(|known| known.iterations > 0)?;
        Some(LoopRun {
            executions: known.entries,
            iterations: known.iterations,
            longest: known.longest,
            spent: known.spent,
            order: match (known.dependences, known.growths) {
                (0, 0) if known.carried == Some(CarriedVariable::State) => Order::Needed,
                (0, 0) => Order::Any,
                (0, _) => Order::OfInsertions,
                _ => Order::Needed,
            },
            carried: known.carried,
        })
    }

    /// Whether borders of iterations are known at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// A loop and those around it, from the innermost on, as far as each is entered from one only.
    pub(crate) fn nest(&self, of_loop: LoopId) -> impl Iterator<Item = LoopId> {
        std::iter::successors(Some(of_loop), |inner| self.parent(*inner)).take(DEEPEST)
    }

    /// A loop was met at a line with these callers, the innermost first; nothing where only the library runs.
    pub(crate) fn placed(&mut self, of_loop: LoopId, lines: Vec<SourceSite>) {
        let Some(line) = lines.first() else { return };
        let known = self.known(of_loop);
        known.place = match std::mem::take(&mut known.place) {
            Place::Unknown => Place::At(lines),
            Place::At(before) if before.first().is_some_and(|before| is_same_line(before, line)) => {
                Place::At(before)
            }
            _ => Place::Several,
        };
    }

    fn known(&mut self, of_loop: LoopId) -> &mut KnownLoop {
        let number = of_loop.0 as usize;
        if self.loops.len() <= number {
            self.loops.resize_with(number + 1, KnownLoop::default);
        }
        &mut self.loops[number]
    }

    fn get(&self, of_loop: LoopId) -> Option<&KnownLoop> {
        self.loops.get(of_loop.0 as usize)
    }

    /// The line of the user's code that has the loop; nothing where there is no such line, or not only one.
    #[must_use]
    pub fn site(&self, of_loop: LoopId) -> Option<&SourceSite> {
        self.lines(of_loop).first()
    }

    /// The same, and the lines of its callers.
    pub(crate) fn lines(&self, of_loop: LoopId) -> &[SourceSite] {
        match self.get(of_loop).map(|known| &known.place) {
            Some(Place::At(lines)) => lines,
            _ => &[],
        }
    }

    /// The loop around another; nothing where it is entered from several.
    fn parent(&self, of_loop: LoopId) -> Option<LoopId> {
        let known = self.get(of_loop)?;
        let parent = known.parents.most()?;
        (known.parents.get(parent) as f64 >= INSIDE * known.entries as f64).then_some(parent)
    }

    /// The loop whose iterations make a row of accesses: the innermost one that has most of them in one execution.
    ///
    /// Two nested loops over rows and columns of a matrix enter the inner one once for each row: a pass over the matrix is
    /// made by the outer one.
    pub(crate) fn carrying(&self, row: &Row<'_>) -> Option<LoopId> {
        let mut of_loop = row.loops.most()?;
        if (row.loops.get(of_loop) as f64) < MOST_ACCESSES * row.accesses as f64 {
            return None;
        }
        let (mut executions, mut iterations) = (row.executions, row.iterations);
        // Loops of functions that call each other may be around each other: further out is not for ever.
        for _ in 0..DEEPEST {
            if executions < SEVERAL {
                return (iterations >= ITERATIONS).then_some(of_loop);
            }
            let (known, parent) = (self.get(of_loop)?, self.parent(of_loop)?);
            let calls = known.entries as f64 / known.parent_iterations.max(1) as f64;
            if calls > CALLS {
                return None;
            }
            iterations = executions / calls;
            let each = known.entries as f64 / self.get(parent)?.entries.max(1) as f64;
            executions /= each.max(1.0);
            of_loop = parent;
        }
        None
    }
}

/// How a loop ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoopRun {
    /// How often it was entered.
    pub(crate) executions: u64,
    /// Iterations of all executions, and of the longest one.
    pub(crate) iterations: u64,
    pub(crate) longest: u64,
    /// Nanoseconds between entering and leaving it, while it was recorded.
    pub(crate) spent: u64,
    /// Whether its iterations were seen to depend on each other.
    pub(crate) order: Order,
    /// What they carry in registers, where the code was looked at.
    pub(crate) carried: Option<CarriedVariable>,
}

/// What the order of the iterations of a loop matters for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Nothing: no iteration uses what another one wrote.
    Any,
    /// Only for the order in which elements are added to structures.
    OfInsertions,
    /// An iteration uses what another one wrote.
    Needed,
}

/// Accesses that follow each other.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) accesses: u64,
    /// By the innermost loop around them.
    pub(crate) loops: &'a Tally<LoopId>,
    /// How often that loop was entered, and in how many iterations it made them.
    pub(crate) executions: f64,
    pub(crate) iterations: f64,
}

fn is_same_line(a: &SourceSite, b: &SourceSite) -> bool {
    (&a.file, a.line) == (&b.file, b.line)
}

#[cfg(test)]
mod tests {
    use lotse_model::site::SourceSite;

    use super::{LoopTable, Row};
    use crate::access::Iteration;
    use crate::instance::LoopId;
    use crate::tally::Tally;

    fn at(line: u32) -> Vec<SourceSite> {
        let function = Some("main".into());
        vec![SourceSite { file: "main.rs".into(), line: Some(line), column: None, function }]
    }

    fn iteration(of_loop: u32, number: u64) -> Option<Iteration> {
        Some(Iteration { of_loop: LoopId(of_loop), number })
    }

    /// Loop 0, and loop 1 in each of its 100 iterations; loop 2 in each of the 9 iterations of loop 1; loop 3 in both 0 and 1;
    /// loop 4 in loop 0, 50 times in each iteration.
    fn nested() -> LoopTable {
        let mut table = LoopTable::default();
        table.entered(LoopId(0), None);
        for number in 0..100 {
            table.entered(LoopId(1), iteration(0, number));
            (0..9).for_each(|inner| table.entered(LoopId(2), iteration(1, inner)));
            table.entered(LoopId(3), iteration(u32::from(number % 2 == 0), number));
            (0..50).for_each(|_| table.entered(LoopId(4), iteration(0, number)));
        }
        table
    }

    fn carrying(table: &LoopTable, of_loop: u32, executions: f64, iterations: f64) -> Option<u32> {
        let mut loops = Tally::default();
        loops.add(LoopId(of_loop), 1000);
        let row = Row { accesses: 1000, loops: &loops, executions, iterations };
        assert_eq!(table.carrying(&Row { accesses: 2001, ..row }), None, "most accesses are elsewhere");
        let row = Row { accesses: 1000, loops: &loops, executions, iterations };
        table.carrying(&row).map(|found| found.0)
    }

    #[test]
    fn the_loop_that_makes_a_row_of_accesses() {
        let carrying = |of_loop, executions, iterations| carrying(&nested(), of_loop, executions, iterations);
        assert_eq!(carrying(2, 1.0, 1000.0), Some(2), "one execution makes all accesses");
        assert_eq!(carrying(2, 9.0, 1000.0), Some(1), "all executions within one of the loop around it");
        assert_eq!(carrying(2, 900.0, 1000.0), Some(0), "and of the one around that");
        assert_eq!(carrying(2, 3000.0, 1000.0), None, "more than the outermost loop has");
        assert_eq!(carrying(3, 50.0, 1000.0), None, "entered from two loops");
    }

    #[test]
    fn what_makes_a_row_within_an_iteration_is_not_known() {
        assert_eq!(carrying(&nested(), 2, 1.0, 1.0), None, "all accesses in one iteration");
        assert_eq!(carrying(&nested(), 2, 3.0, 1000.0), None, "in three iterations of loop 1");
        assert_eq!(carrying(&nested(), 4, 1000.0, 1000.0), None, "a loop in between is not seen");
    }

    #[test]
    fn loops_around_each_other_end() {
        let mut table = LoopTable::default();
        (0..10).for_each(|number| {
            table.entered(LoopId(number % 2), iteration((number + 1) % 2, u64::from(number)))
        });
        assert_eq!(carrying(&table, 0, 5.0, 1000.0), None);
    }

    #[test]
    fn a_loop_of_the_library_that_two_lines_call_has_no_place() {
        let mut table = LoopTable::default();
        [at(5), at(5), Vec::new()].into_iter().for_each(|lines| table.placed(LoopId(0), lines));
        assert_eq!(table.site(LoopId(0)), at(5).first());
        table.placed(LoopId(0), at(6));
        table.placed(LoopId(0), at(5));
        assert_eq!(table.site(LoopId(0)), None);
        assert_eq!(table.site(LoopId(7)), None);
    }
}
