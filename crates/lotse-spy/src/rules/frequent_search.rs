//! Detects many linear searches in a long structure.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::{format_count, format_share};

use super::{HistoryContext, ParallelLoop, PrimarySite, RuleMatch, THESIS_PRIOR, cause, subject};
use crate::container::AccessKind;
use crate::instance::{CodeId, CodeTable};
use crate::key_counts::KeyCounts;
use crate::settings::FREQUENT_SEARCH;
use crate::severity::{CallPart, FindingCost};

pub(super) const RULE: Rule = Rule {
    id: "spy-frequent-search",
    version: 1,
    title: "a long structure is searched often",
    meaning: "A search in a Vec, slice or VecDeque looks at one element after the other. Many such searches in a long \
              structure cost more than anything else done with it.",
    computation: "Fires when linear searches are at least `share` of the history. Binary searches, and structures made for \
                  searching (maps, sets), do not count.",
    example: "`if names.contains(&name)` in a loop, with 10,000 names.",
    picture: "",
    advice: "Use a HashSet or HashMap, a BTreeMap where the order matters, or a sorted Vec with binary_search. Where the \
             structure must stay, several threads can search parts of it (`par_iter().find_any`).",
    thresholds: FREQUENT_SEARCH,
    prior: THESIS_PRIOR,
    references: &["std::collections, When should you use which collection?"],
};

/// Whether a method is a binary search.
pub(super) fn is_binary(codes: &CodeTable, code: CodeId) -> bool {
    codes.method(code).is_some_and(|name| name.starts_with("binary_search") || name == "partition_point")
}

/// Whether a method visits each element once, which is not a search for one of them.
fn visits_all(codes: &CodeTable, code: CodeId) -> bool {
    codes.method(code).is_some_and(|name| name.starts_with("retain") || name.starts_with("dedup"))
}

/// The linear searches for an element, by call site.
pub(super) fn linear(codes: &CodeTable, searches: &KeyCounts<CodeId>) -> KeyCounts<CodeId> {
    let mut linear = KeyCounts::default();
    let counts = |code: CodeId| !is_binary(codes, code) && !visits_all(codes, code);
    for (code, count) in searches.sorted().into_iter().filter(|(code, _)| counts(*code)) {
        linear.add(code, count);
    }
    linear.others = searches.others;
    linear
}

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let protocol = context.protocol;
    if protocol.instance.container.is_search_structure() {
        return None;
    }
    let searches = protocol.counts.kind(AccessKind::Search);
    let codes = linear(context.codes, &searches.codes);
    let count = codes.total();
    let share = protocol.share(count);
    (count > 0 && share >= context.thresholds.frequent_search_share).then(|| RuleMatch {
        // The search is replaced at the call, whichever loop is around it.
        primary_site: PrimarySite::Cause,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Warning,
        cost: FindingCost::from_calls(searches.cost * count as f64 / searches.events as f64, CallPart::Whole),
        certainty: 0.7,
        text: format!(
            "{} searches {} {} times ({} of its accesses), with up to {} elements",
            cause(context.codes, &codes),
            subject(context.codes, protocol),
            format_count(count as f64),
            format_share(share, 0),
            format_count(protocol.max_length as f64)
        ),
        data: vec![("searches", count as f64), ("share", share), ("length", protocol.max_length as f64)],
        recommendation: "use a HashSet or HashMap, or keep it sorted and use binary_search; else search parts of it in parallel"
            .to_owned(),
        codes,
    })
}

#[cfg(test)]
mod tests {
    use super::linear;
    use crate::container::{AccessKind, Container};
    use crate::instance::CodeTable;
    use crate::key_counts::KeyCounts;
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-frequent-search";

    fn history(container: Container, searches: u64) -> History {
        History::filled(container, 100).jump(1000 - searches).without_index(AccessKind::Search, searches)
    }

    #[test]
    fn a_pass_over_all_elements_is_no_search() {
        let mut codes = CodeTable::default();
        let lines = ["contains", "dedup_by", "retain", "binary_search"];
        let mut searches = KeyCounts::default();
        for (line, method) in (1..).zip(lines) {
            searches.add(codes.add(CodeTable::code_at("src/main.rs", line, 1, "main", Some(method))), 10);
        }
        assert_eq!(linear(&codes, &searches).total(), 10);
    }

    #[test]
    fn two_percent_are_often() {
        assert!(!fires(ID, history(Container::Vec, 19)));
        assert!(fires(ID, history(Container::Vec, 20)));
        assert!(!fires(ID, history(Container::Vec, 0)));
    }

    #[test]
    fn maps_and_binary_searches_are_made_for_it() {
        assert!(!fires(ID, history(Container::HashSet, 500)));
        let binary =
            History::filled(Container::Vec, 100).jump(500).by(6).without_index(AccessKind::Search, 500);
        assert!(!fires(ID, binary));
    }

    #[test]
    fn the_sentence() {
        let expected = "frequent search: main.rs:14 searches the Vec created at main.rs:10 500 times (50 % of its accesses), \
                        with up to 100 elements";
        assert_eq!(text(ID, vec![history(Container::Vec, 500)]), expected);
    }
}
