//! Detects two lookups in a row in the same map.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::{format_count, format_share};

use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, cause, subject};
use crate::container::Container;
use crate::instance::CodeId;
use crate::key_counts::KeyCounts;
use crate::protocol::SearchPair;
use crate::settings::DOUBLE_LOOKUP;
use crate::severity::{CallPart, FindingCost};

pub(super) const RULE: Rule = Rule {
    id: "spy-double-lookup",
    version: 2,
    title: "a map is searched twice in a row",
    meaning: "A lookup is directly followed by another operation on the same map, at another place of the same function. If both are \
              about the same key, the search is done twice.",
    computation: "Counts lookups that the same thread directly follows by another lookup, an insertion or a deletion from another call \
                  site of the same function, in the same iteration of a loop where iterations are known. Fires when one call site has at least `pairs` of them and they are at least \
                  `share` of its lookups. Keys are not recorded: unless the recorder knows the slot, the rule cannot tell equal \
                  keys from different ones, and is less sure.",
    example: "`if map.contains_key(&k) { *map.get_mut(&k).unwrap() += 1 } else { map.insert(k, 1); }`",
    picture: "",
    advice: "Use `map.entry(k).or_insert(…)`, `if let Some(v) = map.get_mut(&k)`, or the value that `insert` and `remove` give back.",
    thresholds: DOUBLE_LOOKUP,
    prior: PRIOR,
    references: &["std::collections::hash_map::Entry"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let protocol = context.protocol;
    if !protocol.instance.container.is_search_structure() {
        return None;
    }
    let (search, pairs) = most(context)?;
    let lookups = protocol.counts.kind(crate::AccessKind::Search).codes.get(search);
    let share = pairs.total() as f64 / lookups.max(1) as f64;
    let fires = pairs.total() as f64 >= context.thresholds.double_lookup_pairs
        && share >= context.thresholds.double_lookup_share;
    fires.then(|| matched(context, search, &pairs, share))
}

/// The call site with the most lookups that another operation of the same function follows, and those operations.
fn most(context: &HistoryContext<'_>) -> Option<(CodeId, KeyCounts<CodeId>)> {
    let function = |code| context.codes.site(code).map(|site| (&site.file, &site.function));
    let is_entry = |code| context.codes.method(code) == Some("entry");
    let mut by_search: Vec<(CodeId, KeyCounts<CodeId>)> = Vec::new();
    for (SearchPair { search, then, .. }, count) in context.protocol.after_search.pairs.sorted() {
        if function(search).is_none() || function(search) != function(then) || is_entry(search) {
            continue;
        }
        match by_search.iter_mut().find(|(known, _)| *known == search) {
            Some((_, counts)) => counts.add(then, count),
            None => {
                let mut counts = KeyCounts::default();
                counts.add(then, count);
                by_search.push((search, counts));
            }
        }
    }
    by_search.into_iter().max_by_key(|(_, counts)| counts.total())
}

/// The description of the operation that follows a lookup: one place, or the most frequent of several.
fn follower(context: &HistoryContext<'_>, pairs: &KeyCounts<CodeId>) -> String {
    let place = cause(context.codes, pairs);
    if pairs.sorted().len() > 1 { format!("another operation (mostly at {place})") } else { place }
}

fn matched(context: &HistoryContext<'_>, search: CodeId, pairs: &KeyCounts<CodeId>, share: f64) -> RuleMatch {
    let protocol = context.protocol;
    let is_same = protocol.after_search.same_slot > 0;
    let mut first = KeyCounts::default();
    first.add(search, pairs.total());
    let mut codes = first.clone();
    codes.merge(pairs);
    let is_hash = matches!(protocol.instance.container, Container::HashMap | Container::HashSet);
    let each = if is_hash { 20.0 } else { 5.0 * (protocol.max_length as f64 + 1.0).log2() };
    RuleMatch {
        // The lookups are merged at the call, whichever loop is around them.
        primary_site: PrimarySite::Cause,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Note,
        cost: FindingCost::from_calls(pairs.total() as f64 * each, CallPart::Whole),
        certainty: if is_same { 0.9 } else { 0.4 },
        text: format!(
            "{} looks up {}, and {} follows directly {} times ({} of these lookups){}",
            cause(context.codes, &first),
            subject(context.codes, protocol),
            follower(context, pairs),
            format_count(pairs.total() as f64),
            format_share(share.min(1.0), 0),
            if is_same { "" } else { ", if the keys are the same" }
        ),
        data: vec![("pairs", pairs.total() as f64), ("share", share)],
        recommendation: "look up once: `entry(…)`, `if let Some(value) = map.get_mut(…)`, or the value that `insert` and `remove` \
                         give back"
            .to_owned(),
        codes,
    }
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-double-lookup";

    /// `lookups` lookups at line 30, of which the first `pairs` are followed by one at line 31.
    fn history(container: Container, lookups: u64, pairs: u64) -> History {
        let pair = |it: History| {
            it.by(20).without_index(AccessKind::Search, 1).by(21).without_index(AccessKind::Search, 1)
        };
        let alone = |it: History| {
            it.by(20).without_index(AccessKind::Search, 1).by(22).without_index(AccessKind::ForEach, 1)
        };
        History::filled(container, 100)
            .repeat(pairs, pair)
            .by(22)
            .without_index(AccessKind::ForEach, 1000)
            .repeat(lookups - pairs, alone)
    }

    #[test]
    fn a_hundred_pairs_and_four_fifths_of_the_lookups() {
        assert!(fires(ID, history(Container::HashMap, 100, 100)));
        assert!(!fires(ID, history(Container::HashMap, 99, 99)));
        assert!(fires(ID, history(Container::BTreeMap, 500, 400)));
        assert!(!fires(ID, history(Container::BTreeMap, 500, 399)));
    }

    #[test]
    fn a_vec_is_no_map() {
        assert!(!fires(ID, history(Container::Vec, 500, 500)));
    }

    #[test]
    fn the_sentence_says_what_is_not_known() {
        let expected = "double lookup: main.rs:30 looks up the HashMap created at main.rs:10, and main.rs:31 follows directly 400 \
                        times (100 % of these lookups), if the keys are the same";
        assert_eq!(text(ID, vec![history(Container::HashMap, 400, 400)]), expected);
    }
}
