//! Accesses to a structure by loop.

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::AccessKind;
use crate::instance::{CodeId, LoopId};
use crate::key_counts::KeyCounts;

/// Maximum number of loops counted per structure, and per site.
const MOST: usize = 64;

/// The accesses of which a loop is the innermost one around them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopUse {
    #[serde(rename = "of_loop")]
    pub loop_id: LoopId,
    /// Number of reading accesses.
    pub reads: u64,
    /// Number of writing accesses, including insertions and deletions.
    pub writes: u64,
    /// Writes by call site.
    pub codes: KeyCounts<CodeId>,
    /// Number of structures that it accessed.
    pub structures: u64,
}

/// The loops that accessed a structure, or the structures of a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopUses {
    /// In the order of first access.
    pub uses: Vec<LoopUse>,
}

impl LoopUses {
    pub(crate) fn add_run(&mut self, run: &AccessRun) {
        let Some(iteration) = run.first.iteration else { return };
        let Some(used) = self.use_of_loop(iteration.loop_id) else { return };
        used.structures = 1;
        if matches!(
            run.first.kind,
            AccessKind::Read | AccessKind::Search | AccessKind::Copy | AccessKind::ForEach
        ) {
            used.reads += run.count;
        } else {
            used.writes += run.count;
            used.codes.add(run.first.code, run.count);
        }
    }

    /// Adds the accesses to another structure.
    pub(crate) fn merge(&mut self, other: &Self) {
        for LoopUse { loop_id, reads, writes, codes, structures } in &other.uses {
            let Some(used) = self.use_of_loop(*loop_id) else { continue };
            used.reads += reads;
            used.writes += writes;
            used.codes.merge(codes);
            used.structures += structures;
        }
    }

    /// The counts of a loop; `None` if there are too many loops.
    fn use_of_loop(&mut self, loop_id: LoopId) -> Option<&mut LoopUse> {
        let known = self.uses.iter().position(|known| known.loop_id == loop_id);
        let at = match known {
            Some(at) => at,
            None if self.uses.len() == MOST => return None,
            None => {
                self.uses.push(LoopUse {
                    loop_id,
                    reads: 0,
                    writes: 0,
                    codes: KeyCounts::default(),
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
    use super::{LoopUse, LoopUses};
    use crate::access::{Access, AccessRun, Iteration};
    use crate::container::AccessKind;
    use crate::instance::LoopId;

    fn access(loops: &mut LoopUses, kind: AccessKind, loop_id: Option<u32>) {
        let iteration = loop_id.map(|number| Iteration { loop_id: LoopId(number), number: 0 });
        loops.add_run(&AccessRun::single(Access { iteration, ..Access::at(kind, 0, 9, 0) }));
    }

    #[test]
    fn reads_and_writes_of_each_loop() {
        let mut loops = LoopUses::default();
        access(&mut loops, AccessKind::Write, None);
        for kind in [AccessKind::Read, AccessKind::Write, AccessKind::Insert] {
            access(&mut loops, kind, Some(3));
        }
        access(&mut loops, AccessKind::Search, Some(4));
        let count = |used: &LoopUse| (used.loop_id.0, used.reads, used.writes, used.codes.total());
        let counts: Vec<_> = loops.uses.iter().map(count).collect();
        assert_eq!(counts, [(3, 1, 2, 2), (4, 1, 0, 0)]);
    }

    #[test]
    fn loops_of_several_structures_are_added_up() {
        let [mut first, mut second] = [LoopUses::default(), LoopUses::default()];
        access(&mut first, AccessKind::Write, Some(3));
        access(&mut second, AccessKind::Write, Some(3));
        access(&mut second, AccessKind::Read, Some(4));
        first.merge(&second);
        let count = |used: &LoopUse| (used.loop_id.0, used.reads, used.writes, used.structures);
        assert_eq!(first.uses.iter().map(count).collect::<Vec<_>>(), [(3, 0, 2, 2), (4, 1, 0, 1)]);
    }

    #[test]
    fn further_loops_are_left_out() {
        let mut loops = LoopUses::default();
        (0..70).for_each(|number| access(&mut loops, AccessKind::Write, Some(number)));
        assert_eq!(loops.uses.len(), 64);
    }
}
