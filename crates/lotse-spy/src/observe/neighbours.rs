//! Operations that directly follow a search: an insertion, or a second lookup.

use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::AccessKind;
use crate::instance::CodeId;
use crate::key_counts::KeyCounts;

/// A search and the operation that directly follows it in the same loop iteration, by the same thread and from different call
/// sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SearchPair {
    /// The call site of the search.
    pub search: CodeId,
    /// The call site of the operation that follows.
    pub then: CodeId,
    /// The kind of the operation that follows.
    pub kind: AccessKind,
}

/// Maximum length of a run that counts as access to the value found by a search.
const VALUES: u64 = 4;

/// What directly follows searches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AfterSearch {
    previous: Option<Access>,
    /// Insertions directly after a search.
    pub inserts: u64,
    /// Insertions, searches and deletions directly after a search.
    pub pairs: KeyCounts<SearchPair>,
    /// Pairs of which the recorder knows that both access the same slot.
    pub same_slot: u64,
}

impl AfterSearch {
    /// Adds the next run. In a map (`is_map`) the value found may be read or written between a search and the operation that
    /// follows it.
    pub(crate) fn add_run(&mut self, run: &AccessRun, is_map: bool) {
        let is_value = matches!(run.first.kind, AccessKind::Read | AccessKind::Write) && run.count <= VALUES;
        let is_search =
            |previous: Access| previous.kind == AccessKind::Search && previous.thread == run.first.thread;
        if is_map && is_value && self.previous.is_some_and(is_search) {
            return;
        }
        if let Some(previous) = self.previous.filter(|previous| previous.thread == run.first.thread) {
            self.pair(&previous, &run.first);
        }
        self.previous = Some(run.last());
    }

    fn pair(&mut self, search: &Access, then: &Access) {
        let follows = matches!(then.kind, AccessKind::Insert | AccessKind::Search | AccessKind::Delete);
        if search.kind != AccessKind::Search || !follows || search.code == then.code {
            return;
        }
        if are_in_different_iterations(search, then) {
            return;
        }
        self.inserts += u64::from(then.kind == AccessKind::Insert);
        let slots = search.index.zip(then.index);
        if slots.is_none_or(|(a, b)| a == b) {
            self.pairs.add(SearchPair { search: search.code, then: then.code, kind: then.kind }, 1);
            self.same_slot += u64::from(slots.is_some());
        }
    }
}

/// Whether two accesses are in different iterations of one loop: the second one is about another key.
fn are_in_different_iterations(a: &Access, b: &Access) -> bool {
    a.iteration.zip(b.iteration).is_some_and(|(a, b)| a.loop_id == b.loop_id && a.number != b.number)
}

#[cfg(test)]
mod tests {
    use super::{AfterSearch, SearchPair};
    use crate::access::{Access, AccessRun, Iteration};
    use crate::container::AccessKind::{self, Insert, Read, Search};
    use crate::instance::{CodeId, LoopId, ThreadId};

    fn observed(accesses: &[Access]) -> AfterSearch {
        let mut after = AfterSearch::default();
        accesses.iter().for_each(|access| after.add_run(&AccessRun::single(*access), false));
        after
    }

    /// `let n = map.get(k).copied(); map.insert(k, n + 1)` reads the value in between.
    #[test]
    fn a_value_may_be_read_between_two_look_ups_of_a_map() {
        let observed = |is_map: bool| {
            let mut after = AfterSearch::default();
            for access in [access(Search, 1), access(Read, 3), access(Insert, 2)] {
                after.add_run(&AccessRun::single(access), is_map);
            }
            after.pairs.total()
        };
        assert_eq!((observed(true), observed(false)), (1, 0));
    }

    fn access(kind: AccessKind, code: u32) -> Access {
        Access::without_index(kind, 10, 0).by(CodeId(code))
    }

    #[test]
    fn direct_successors_of_searches_are_counted() {
        let after = observed(&[
            access(Search, 1),
            access(Insert, 2),
            access(Search, 1),
            access(Read, 3),
            access(Insert, 2),
        ]);
        let pair = SearchPair { search: CodeId(1), then: CodeId(2), kind: Insert };
        assert_eq!((after.inserts, after.pairs.get(pair), after.pairs.total()), (1, 1, 1));
    }

    #[test]
    fn the_next_iteration_is_about_another_key() {
        let within = |code, number| Access {
            iteration: Some(Iteration { loop_id: LoopId(7), number }),
            ..access(Search, code)
        };
        let after = observed(&[within(1, 0), within(2, 0), within(1, 1), within(2, 1), within(1, 2)]);
        let pair = SearchPair { search: CodeId(1), then: CodeId(2), kind: Search };
        assert_eq!(after.pairs.sorted(), [(pair, 2)]);
    }

    #[test]
    fn other_threads_and_other_slots_are_no_pairs() {
        let other = Access { thread: ThreadId(9), ..access(Insert, 2) };
        assert_eq!(observed(&[access(Search, 1), other]).inserts, 0);
        let at = |kind, code, slot| Access { index: Some(slot), ..access(kind, code) };
        assert_eq!(observed(&[at(Search, 1, 5), at(Insert, 2, 6)]).pairs.total(), 0);
        let same = observed(&[at(Search, 1, 5), at(Insert, 2, 5)]);
        assert_eq!((same.pairs.total(), same.same_slot), (1, 1));
    }
}
