//! Detects linear searches in sorted elements.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::frequent_search::linear;
use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, cause, subject};
use crate::settings::LINEAR_SEARCH_IN_SORTED;
use crate::severity::{CallPart, FindingCost};

pub(super) const RULE: Rule = Rule {
    id: "spy-linear-search-in-sorted",
    version: 1,
    title: "sorted elements are searched one by one",
    meaning: "The structure was sorted and not changed since, but a search looks at its elements from the first on. A binary search \
              finds the same with one comparison for each halving of the length.",
    computation: "Counts searches after a sort and before the next insertion, write, reversal or clearing. Binary searches do not \
                  count. Fires at `searches` of them, if they are at least `share` of the history.",
    example: "`keys.sort(); … keys.contains(&key)`",
    picture: "",
    advice: "Use binary_search, binary_search_by_key or partition_point. Check that the search uses the same order as the sort.",
    thresholds: LINEAR_SEARCH_IN_SORTED,
    prior: PRIOR,
    references: &["slice::binary_search"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, sorted) = (context.protocol, &context.protocol.sorted_searches);
    let codes = linear(context.codes, &sorted.codes);
    let count = codes.total();
    let fires = count as f64 >= context.thresholds.sorted_searches
        && protocol.share(count) >= context.thresholds.sorted_share
        && !protocol.instance.container.is_search_structure();
    fires.then(|| {
        let length = sorted.elements as f64 / sorted.codes.total() as f64;
        RuleMatch {
            // The search is replaced at the call, whichever loop is around it.
            primary_site: PrimarySite::Cause,
            parallel_loop: ParallelLoop::Unknown,
            level: Level::Warning,
            cost: FindingCost::from_calls(0.25 * length * count as f64, CallPart::Whole),
            certainty: 0.7,
            text: format!(
                "{} searches {} {} times while it is sorted, with {} elements on average",
                cause(context.codes, &codes),
                subject(context.codes, protocol),
                format_count(count as f64),
                format_count(length.round())
            ),
            data: vec![("searches", count as f64), ("length", length)],
            recommendation: "use binary_search or partition_point".to_owned(),
            codes,
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-linear-search-in-sorted";

    fn history(searches: u64, others: u64) -> History {
        History::filled(Container::Vec, 100)
            .without_index(AccessKind::Sort, 1)
            .without_index(AccessKind::Search, searches)
            .jump(others)
    }

    #[test]
    fn twenty_searches_and_two_percent() {
        assert!(fires(ID, history(20, 979)));
        assert!(!fires(ID, history(19, 979)));
        assert!(!fires(ID, history(20, 980)));
    }

    #[test]
    fn only_linear_searches_in_sorted_elements() {
        assert!(!fires(ID, History::filled(Container::Vec, 100).without_index(AccessKind::Search, 1000)));
        let changed = History::filled(Container::Vec, 100)
            .without_index(AccessKind::Sort, 1)
            .push(1)
            .without_index(AccessKind::Search, 1000);
        assert!(!fires(ID, changed));
        let binary = History::filled(Container::Vec, 100)
            .without_index(AccessKind::Sort, 1)
            .by(6)
            .without_index(AccessKind::Search, 1000);
        assert!(!fires(ID, binary));
    }

    #[test]
    fn the_sentence() {
        let expected = "linear search in sorted: main.rs:14 searches the Vec created at main.rs:10 1,000 times while it is \
                        sorted, with 100 elements on average";
        assert_eq!(text(ID, vec![history(1000, 0)]), expected);
    }
}
