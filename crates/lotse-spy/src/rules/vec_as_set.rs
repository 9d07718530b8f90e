//! Detects a Vec that is searched before each insertion.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::{format_count, format_share};

use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, cause, subject};
use crate::container::AccessKind;
use crate::settings::VEC_AS_SET;
use crate::severity::{CallPart, FindingCost};

pub(super) const RULE: Rule = Rule {
    id: "spy-vec-as-set",
    version: 1,
    title: "a Vec is used as a set",
    meaning: "An element is inserted only if a search did not find it. That makes filling it quadratic in its length; a set does the \
              same in one step for each element.",
    computation: "Counts insertions that directly follow a search. Fires when they are at least `inserts` and at least `guarded` of \
                  all insertions.",
    example: "`if !seen.contains(&x) { seen.push(x) }`",
    picture: "[search][insert][search][search][insert] …",
    advice: "Use a HashSet or a BTreeSet: `seen.insert(x)` says whether x was new. Where the order of insertion matters, keep a Vec \
             beside it, or use an IndexSet.",
    thresholds: VEC_AS_SET,
    prior: PRIOR,
    references: &["std::collections::HashSet"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let protocol = context.protocol;
    let (inserts, searches) =
        (protocol.counts.kind(AccessKind::Insert), protocol.counts.kind(AccessKind::Search));
    let guarded = protocol.after_search.inserts;
    let share = guarded as f64 / inserts.events.max(1) as f64;
    let fires = !protocol.instance.container.is_search_structure()
        && share >= context.thresholds.guarded_share
        && guarded as f64 >= context.thresholds.guarded_inserts;
    fires.then(|| RuleMatch {
        // A set is chosen where the structure is created.
        primary_site: PrimarySite::Creation,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Warning,
        cost: FindingCost::from_calls(searches.cost, CallPart::Whole),
        certainty: 0.8,
        text: format!(
            "{} searches {} before {} of {} insertions ({})",
            cause(context.codes, &searches.codes),
            subject(context.codes, protocol),
            format_count(guarded as f64),
            format_count(inserts.events as f64),
            format_share(share, 0)
        ),
        data: vec![
            ("guarded", guarded as f64),
            ("inserts", inserts.events as f64),
            ("searches", searches.events as f64),
        ],
        recommendation: "use a HashSet or a BTreeSet".to_owned(),
        codes: searches.codes.clone(),
    })
}

#[cfg(test)]
mod tests {
    use crate::container::{AccessKind, Container};
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-vec-as-set";

    /// `guarded` insertions after a search and `others` other ones.
    fn history(container: Container, guarded: u64, others: u64) -> History {
        let guard = |it: History| it.without_index(AccessKind::Search, 1).push(1);
        History::new(container).push(others).jump(1000).repeat(guarded, guard)
    }

    #[test]
    fn half_of_the_insertions_and_at_least_twenty() {
        assert!(fires(ID, history(Container::Vec, 100, 100)));
        assert!(!fires(ID, history(Container::Vec, 100, 101)));
        assert!(fires(ID, history(Container::Vec, 20, 0).long(50).jump(1)));
        assert!(!fires(ID, history(Container::Vec, 19, 0).long(50).jump(1)));
    }

    #[test]
    fn a_map_is_none() {
        assert!(!fires(ID, history(Container::HashMap, 100, 0)));
    }

    #[test]
    fn the_sentence() {
        let expected = "vec as set: main.rs:14 searches the Vec created at main.rs:10 before 100 of 200 insertions (50 %)";
        assert_eq!(text(ID, vec![history(Container::Vec, 100, 100)]), expected);
    }
}
