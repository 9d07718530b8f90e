//! Which operation directly follows which: a search before an insertion, a lookup before a second one.

use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::Kind;
use crate::instance::CodeId;
use crate::tally::Tally;

/// Two operations that follow each other directly, by the same thread and from different call sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    /// The call site of the search.
    pub search: CodeId,
    /// The call site of what follows.
    pub then: CodeId,
    /// What follows.
    pub kind: Kind,
}

/// Accesses to a value that a search found, in one go.
const VALUES: u64 = 4;

/// What directly follows searches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AfterSearch {
    previous: Option<Access>,
    /// Insertions directly after a search.
    pub inserts: u64,
    /// Insertions, searches and deletions directly after a search.
    pub pairs: Tally<Pair>,
    /// Those pairs of which the recorder knows that both are about the same slot.
    pub same_slot: u64,
}

impl AfterSearch {
    /// Takes the next run of accesses in. Of a map (`is_map`) a value may be read or written between a search and what follows it.
    pub(crate) fn run(&mut self, run: &AccessRun, is_map: bool) {
        let is_value = matches!(run.first.kind, Kind::Read | Kind::Write) && run.count <= VALUES;
        let is_search =
            |previous: Access| previous.kind == Kind::Search && previous.thread == run.first.thread;
        if is_map && is_value && self.previous.is_some_and(is_search) {
            return;
        }
        if let Some(previous) = self.previous.filter(|previous| previous.thread == run.first.thread) {
            self.pair(&previous, &run.first);
        }
        self.previous = Some(run.last());
    }

    fn pair(&mut self, search: &Access, then: &Access) {
        let follows = matches!(then.kind, Kind::Insert | Kind::Search | Kind::Delete);
        if search.kind != Kind::Search || !follows || search.code == then.code {
            return;
        }
        self.inserts += u64::from(then.kind == Kind::Insert);
        let slots = search.index.zip(then.index);
        if slots.is_none_or(|(a, b)| a == b) {
            self.pairs.add(Pair { search: search.code, then: then.code, kind: then.kind }, 1);
            self.same_slot += u64::from(slots.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AfterSearch, Pair};
    use crate::access::{Access, AccessRun};
    use crate::container::Kind::{self, Insert, Read, Search};
    use crate::instance::{CodeId, ThreadId};

    fn observed(accesses: &[Access]) -> AfterSearch {
        let mut after = AfterSearch::default();
        accesses.iter().for_each(|access| after.run(&AccessRun::single(*access), false));
        after
    }

    /// `let n = map.get(k).copied(); map.insert(k, n + 1)` reads the value in between.
    #[test]
    fn a_value_may_be_read_between_two_look_ups_of_a_map() {
        let observed = |is_map: bool| {
            let mut after = AfterSearch::default();
            for access in [whole(Search, 1), whole(Read, 3), whole(Insert, 2)] {
                after.run(&AccessRun::single(access), is_map);
            }
            after.pairs.total()
        };
        assert_eq!((observed(true), observed(false)), (1, 0));
    }

    fn whole(kind: Kind, code: u32) -> Access {
        Access::whole(kind, 10, 0).by(CodeId(code))
    }

    #[test]
    fn direct_successors_of_searches_are_counted() {
        let after = observed(&[
            whole(Search, 1),
            whole(Insert, 2),
            whole(Search, 1),
            whole(Read, 3),
            whole(Insert, 2),
        ]);
        let pair = Pair { search: CodeId(1), then: CodeId(2), kind: Insert };
        assert_eq!((after.inserts, after.pairs.get(pair), after.pairs.total()), (1, 1, 1));
    }

    #[test]
    fn other_threads_and_other_slots_are_no_pairs() {
        let other = Access { thread: ThreadId(9), ..whole(Insert, 2) };
        assert_eq!(observed(&[whole(Search, 1), other]).inserts, 0);
        let at = |kind, code, slot| Access { index: Some(slot), ..whole(kind, code) };
        assert_eq!(observed(&[at(Search, 1, 5), at(Insert, 2, 6)]).pairs.total(), 0);
        let same = observed(&[at(Search, 1, 5), at(Insert, 2, 5)]);
        assert_eq!((same.pairs.total(), same.same_slot), (1, 1));
    }
}
