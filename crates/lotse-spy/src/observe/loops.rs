//! Which loops access a structure, and how often.

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::Kind;
use crate::instance::{CodeId, LoopId};
use crate::tally::Tally;

/// Loops told apart for each structure, or for each site.
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
    /// Structures to which it did so.
    pub structures: u64,
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
        let Some(used) = self.of_loop(iteration.of_loop) else { return };
        used.structures = 1;
        if matches!(run.first.kind, Kind::Read | Kind::Search | Kind::Copy | Kind::ForEach) {
            used.reads += run.count;
        } else {
            used.writes += run.count;
            used.codes.add(run.first.code, run.count);
        }
    }

    /// Adds what loops did to another structure.
    pub(crate) fn merge(&mut self, other: &Self) {
        for LoopUse { of_loop, reads, writes, codes, structures } in &other.uses {
            let Some(used) = self.of_loop(*of_loop) else { continue };
            used.reads += reads;
            used.writes += writes;
            used.codes.merge(codes);
            used.structures += structures;
        }
    }

    fn of_loop(&mut self, of_loop: LoopId) -> Option<&mut LoopUse> {
        let known = self.uses.iter().position(|known| known.of_loop == of_loop);
        let at = match known {
            Some(at) => at,
            None if self.uses.len() == MOST => return None,
            None => {
                self.uses.push(LoopUse {
                    of_loop,
                    reads: 0,
                    writes: 0,
                    codes: Tally::default(),
                    structures: 0,
                });
                self.uses.len() - 1
            }
        };
        self.uses.get_mut(at)
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
    fn loops_of_several_structures_are_added_up() {
        let [mut first, mut second] = [Loops::default(), Loops::default()];
        access(&mut first, Kind::Write, Some(3));
        access(&mut second, Kind::Write, Some(3));
        access(&mut second, Kind::Read, Some(4));
        first.merge(&second);
        let count = |used: &LoopUse| (used.of_loop.0, used.reads, used.writes, used.structures);
        assert_eq!(first.uses.iter().map(count).collect::<Vec<_>>(), [(3, 0, 2, 2), (4, 1, 0, 1)]);
    }

    #[test]
    fn further_loops_are_left_out() {
        let mut loops = Loops::default();
        (0..70).for_each(|number| access(&mut loops, Kind::Write, Some(number)));
        assert_eq!(loops.uses.len(), 64);
    }
}
