//! Searches in elements that are known to be sorted.

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::AccessKind;
use crate::instance::CodeId;
use crate::key_counts::KeyCounts;

/// Searches after a sort, until an element is inserted or written, or the order is reversed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SortedSearches {
    is_sorted: bool,
    /// Searches in sorted elements, by call site.
    pub codes: KeyCounts<CodeId>,
    /// Sum of the lengths at these searches.
    pub elements: u64,
}

impl SortedSearches {
    pub(crate) fn add_run(&mut self, run: &AccessRun) {
        match run.first.kind {
            AccessKind::Sort => self.is_sorted = true,
            AccessKind::Insert | AccessKind::Write | AccessKind::Reverse | AccessKind::Clear => {
                self.is_sorted = false
            }
            AccessKind::Search if self.is_sorted => {
                self.codes.add(run.first.code, run.count);
                let elements = run.mean(|access| access.length as f64) * run.count as f64;
                self.elements = self.elements.saturating_add(elements as u64);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SortedSearches;
    use crate::access::{Access, AccessRun};
    use crate::container::AccessKind::{self, Delete, Insert, Read, Reverse, Search, Sort, Write};

    fn searches(kinds: &[AccessKind]) -> u64 {
        let mut sorted = SortedSearches::default();
        kinds
            .iter()
            .for_each(|kind| sorted.add_run(&AccessRun::single(Access::without_index(*kind, 100, 0))));
        sorted.codes.total()
    }

    #[test]
    fn only_searches_after_a_sort_count() {
        assert_eq!(searches(&[Search, Sort, Search, Read, Search, Delete, Search]), 3);
        for spoils in [Insert, Write, Reverse] {
            assert_eq!(searches(&[Sort, Search, spoils, Search]), 1, "{spoils:?}");
        }
    }
}
