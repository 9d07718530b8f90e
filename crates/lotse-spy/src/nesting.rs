//! The loops of a program as they ran: their places, how often each was entered, and within which other loop.

use lotse_model::site::SourceSite;

use crate::instance::LoopId;
use crate::tally::Tally;

/// A loop whose entries come from one other loop by this share is inside of that loop.
const INSIDE: f64 = 0.9;

/// A share of the accesses from which on a loop stands for all of them.
const MOST_ACCESSES: f64 = 0.5;

/// From so many executions of a loop on, accesses are not those of one execution but of a loop around it.
const SEVERAL: f64 = 2.0;

/// Loops around a loop that are looked at.
const DEEPEST: usize = 16;

/// All loops that were entered, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoopTable {
    loops: Vec<KnownLoop>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct KnownLoop {
    entries: u64,
    place: Place,
    /// Entries by the loop around it.
    parents: Tally<LoopId>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Unknown,
    At(SourceSite),
    /// A loop of the library that several lines of the user's code call.
    Several,
}

impl LoopTable {
    /// A loop is entered within another, or within none.
    pub(crate) fn entered(&mut self, of_loop: LoopId, parent: Option<LoopId>) {
        let known = self.known(of_loop);
        known.entries += 1;
        if let Some(parent) = parent {
            known.parents.add(parent, 1);
        }
    }

    /// A loop was met at a place.
    pub(crate) fn placed(&mut self, of_loop: LoopId, site: SourceSite) {
        let known = self.known(of_loop);
        known.place = match std::mem::take(&mut known.place) {
            Place::Unknown => Place::At(site),
            Place::At(before) if is_same_line(&before, &site) => Place::At(before),
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
        match &self.get(of_loop)?.place {
            Place::At(site) => Some(site),
            Place::Unknown | Place::Several => None,
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
    /// `loops` counts accesses by the innermost loop around them, `executions` says how often that loop was entered for one
    /// row. Two nested loops over rows and columns of a matrix enter the inner one once for each row: a pass over the matrix is
    /// made by the outer one.
    pub(crate) fn carrying(&self, loops: &Tally<LoopId>, accesses: u64, executions: f64) -> Option<LoopId> {
        let mut of_loop = loops.most()?;
        if (loops.get(of_loop) as f64) < MOST_ACCESSES * accesses as f64 {
            return None;
        }
        let entries = |of_loop| self.get(of_loop).map_or(0, |known| known.entries).max(1) as f64;
        let mut executions = executions;
        // Loops of functions that call each other may be around each other: further out is not for ever.
        for _ in 0..DEEPEST {
            if executions < SEVERAL {
                return Some(of_loop);
            }
            let parent = self.parent(of_loop)?;
            executions /= (entries(of_loop) / entries(parent)).max(1.0);
            of_loop = parent;
        }
        None
    }
}

fn is_same_line(a: &SourceSite, b: &SourceSite) -> bool {
    (&a.file, a.line) == (&b.file, b.line)
}

#[cfg(test)]
mod tests {
    use lotse_model::site::SourceSite;

    use super::LoopTable;
    use crate::instance::LoopId;
    use crate::tally::Tally;

    fn at(line: u32) -> SourceSite {
        SourceSite { file: "main.rs".into(), line: Some(line), column: None, function: Some("main".into()) }
    }

    /// Loop 0, and loop 1 within it, 100 times; loop 2 within loop 1, 3 times each; loop 3 within both 0 and 1.
    fn nested() -> LoopTable {
        let mut table = LoopTable::default();
        table.entered(LoopId(0), None);
        for number in 0..100 {
            table.entered(LoopId(1), Some(LoopId(0)));
            (0..3).for_each(|_| table.entered(LoopId(2), Some(LoopId(1))));
            table.entered(LoopId(3), Some(LoopId(number % 2)));
        }
        table
    }

    fn accesses(of_loop: u32, count: u64) -> Tally<LoopId> {
        let mut tally = Tally::default();
        tally.add(LoopId(of_loop), count);
        tally
    }

    #[test]
    fn the_loop_that_makes_a_row_of_accesses() {
        let carrying = |of_loop, executions| nested().carrying(&accesses(of_loop, 1000), 1000, executions);
        assert_eq!(carrying(2, 1.0), Some(LoopId(2)), "one execution makes all accesses");
        assert_eq!(carrying(2, 3.0), Some(LoopId(1)), "all executions within one of the loop around it");
        assert_eq!(carrying(2, 300.0), Some(LoopId(0)), "and of the one around that");
        assert_eq!(carrying(2, 900.0), None, "more than the outermost loop has");
        assert_eq!(carrying(3, 50.0), None, "entered from two loops");
        assert_eq!(nested().carrying(&accesses(2, 1000), 2001, 1.0), None, "most accesses are elsewhere");
        assert_eq!(nested().carrying(&Tally::default(), 10, 0.0), None);
    }

    #[test]
    fn loops_around_each_other_end() {
        let mut table = LoopTable::default();
        (0..10).for_each(|number| table.entered(LoopId(number % 2), Some(LoopId((number + 1) % 2))));
        assert_eq!(table.carrying(&accesses(0, 10), 10, 5.0), None);
    }

    #[test]
    fn a_loop_of_the_library_that_two_lines_call_has_no_place() {
        let mut table = LoopTable::default();
        [at(5), at(5)].into_iter().for_each(|site| table.placed(LoopId(0), site));
        assert_eq!(table.site(LoopId(0)), Some(&at(5)));
        table.placed(LoopId(0), at(6));
        table.placed(LoopId(0), at(5));
        assert_eq!(table.site(LoopId(0)), None);
        assert_eq!(table.site(LoopId(7)), None);
    }
}
