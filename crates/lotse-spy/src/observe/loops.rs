//! Which loops access a structure, and how often.

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::Kind;
use crate::instance::{CodeId, LoopId};
use crate::tally::Tally;

/// Loops told apart for each structure.
const MOST: usize = 64;

/// What a loop did to a structure, as the innermost one around the accesses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopUse {
    /// The loop.
    pub of_loop: LoopId,
    /// Accesses that read.
    pub reads: u64,
    /// Accesses that write, insertions and deletions among them.
    pub writes: u64,
    /// Writes by call site.
    pub codes: Tally<CodeId>,
}

/// All loops that accessed a structure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Loops {
    /// By loop, in the order of appearance.
    pub uses: Vec<LoopUse>,
}

impl Loops {
    pub(crate) fn run(&mut self, run: &AccessRun) {
        let Some(iteration) = run.first.iteration else { return };
        let known = self.uses.iter().position(|known| known.of_loop == iteration.of_loop);
        let at = match known {
            Some(at) => at,
            None if self.uses.len() == MOST => return,
            None => {
                let (of_loop, codes) = (iteration.of_loop, Tally::default());
                self.uses.push(LoopUse { of_loop, reads: 0, writes: 0, codes });
                self.uses.len() - 1
            }
        };
        let used = &mut self.uses[at];
        if matches!(run.first.kind, Kind::Read | Kind::Search | Kind::Copy | Kind::ForEach) {
            used.reads += run.count;
        } else {
            used.writes += run.count;
            used.codes.add(run.first.code, run.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LoopUse, Loops};
    use crate::access::{Access, AccessRun, Iteration};
    use crate::container::Kind;
    use crate::instance::LoopId;

    fn access(loops: &mut Loops, kind: Kind, of_loop: Option<u32>) {
        let iteration = of_loop.map(|number| Iteration { of_loop: LoopId(number), number: 0 });
        loops.run(&AccessRun::single(Access { iteration, ..Access::at(kind, 0, 9, 0) }));
    }

    #[test]
    fn reads_and_writes_of_each_loop() {
        let mut loops = Loops::default();
        access(&mut loops, Kind::Write, None);
        for kind in [Kind::Read, Kind::Write, Kind::Insert] {
            access(&mut loops, kind, Some(3));
        }
        access(&mut loops, Kind::Search, Some(4));
        let count = |used: &LoopUse| (used.of_loop.0, used.reads, used.writes, used.codes.total());
        let counts: Vec<_> = loops.uses.iter().map(count).collect();
        assert_eq!(counts, [(3, 1, 2, 2), (4, 1, 0, 0)]);
    }

    #[test]
    fn further_loops_are_left_out() {
        let mut loops = Loops::default();
        (0..70).for_each(|number| access(&mut loops, Kind::Write, Some(number)));
        assert_eq!(loops.uses.len(), 64);
    }
}
