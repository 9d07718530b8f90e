//! Detects `remove(0)` and `insert(0, x)` that move many elements.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_count;

use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, at_front, cause, subject};
use crate::container::{AccessKind, Container};
use crate::settings::REMOVE_FRONT;
use crate::severity::{CallPart, FindingCost, move_cost};

pub(super) const RULE: Rule = Rule {
    id: "spy-remove-front",
    version: 1,
    title: "remove(0) or insert(0) moves many elements",
    meaning: "Each of these operations on a Vec moves every other element by one place. For a long Vec that is what they cost, \
              however rare they are among its accesses.",
    computation: "Fires when there are at least `operations` insertions and deletions at the front of a Vec or String and each moves \
                  at least `moved` elements on average. The severity is the share of the samples in these calls, or the modelled time of moving where there are no samples.",
    example: "`queue.remove(0)` on a Vec of 100,000 elements moves 99,999.",
    picture: "remove(0)   [a][b][c][d]\n                /  /  /\n            [b][c][d]",
    advice: "Replace Vec by VecDeque: remove(0) becomes pop_front(), insert(0, x) becomes push_front(x), and indexing stays.",
    thresholds: REMOVE_FRONT,
    prior: PRIOR,
    references: &["std::collections::VecDeque"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, ends) = (context.protocol, &context.protocol.ends);
    let (operations, moved) =
        (ends.insert.front + ends.delete.front, ends.insert.moved.saturating_add(ends.delete.moved));
    let each = moved as f64 / operations.max(1) as f64;
    let fires = protocol.instance.container.is_contiguous()
        && operations as f64 >= context.thresholds.front_operations
        && each >= context.thresholds.front_moved;
    // `swap_remove` moves only one element, whichever it deletes.
    let deletes = &protocol.counts.kind(AccessKind::Delete).codes;
    let swaps = deletes.most().is_some_and(|code| context.codes.method(code) == Some("swap_remove"));
    let fires = fires && !(swaps && ends.delete.front > ends.insert.front);
    fires.then(|| {
        let (delete, insert) = ((AccessKind::Delete, &ends.delete), (AccessKind::Insert, &ends.insert));
        let [(kind, main), (other, beside)] =
            if delete.1.front > insert.1.front { [delete, insert] } else { [insert, delete] };
        let times = main.front;
        // The first `push` is also an insertion at the front, but moves nothing.
        let moves_many = beside.moved as f64 >= context.thresholds.front_moved * beside.front as f64;
        let others = if moves_many { beside.front } else { 0 };
        let calls_of = |kind| at_front(context.codes, &protocol.counts.kind(kind).codes);
        let mut codes = calls_of(kind);
        let place = cause(context.codes, &codes);
        if others > 0 {
            codes.merge(&calls_of(other));
        }
        let cost = move_cost(&protocol.instance, moved);
        RuleMatch {
            // The call is replaced, whichever loop is around it.
            primary_site: PrimarySite::Cause,
            parallel_loop: ParallelLoop::Unknown,
            level: Level::Warning,
            cost: FindingCost::from_calls(cost, CallPart::Whole),
            certainty: 0.9,
            text: format!(
                "{place} {} at the front of {} {} times{}, and each time {} elements move",
                verb(kind),
                subject(context.codes, protocol),
                format_count(times as f64),
                also(context, other, others),
                format_count(each.round())
            ),
            data: vec![("operations", operations as f64), ("moved", moved as f64)],
            recommendation: match protocol.instance.container {
                Container::String => {
                    "append, and reverse once at the end; or collect the parts and join them once"
                }
                _ => "use a VecDeque: pop_front() and push_front() move nothing",
            }
            .to_owned(),
            codes,
        }
    })
}

fn verb(kind: AccessKind) -> &'static str {
    if kind == AccessKind::Delete { "deletes" } else { "inserts" }
}

/// The clause about the other kind of operation at the front.
fn also(context: &HistoryContext<'_>, kind: AccessKind, times: u64) -> String {
    if times == 0 {
        return String::new();
    }
    let place = cause(context.codes, &at_front(context.codes, &context.protocol.counts.kind(kind).codes));
    format!(" and {place} {} there {} times", verb(kind), format_count(times as f64))
}

#[cfg(test)]
mod tests {
    use crate::container::Container;
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-remove-front";

    #[test]
    fn a_hundred_operations_that_move_fifty() {
        let history = |length, operations| {
            History::filled(Container::Vec, length)
                .jump(2000)
                .repeat(operations, |it| it.long(length).remove_front(1))
        };
        assert!(fires(ID, history(51, 100)));
        assert!(!fires(ID, history(51, 99)));
        assert!(!fires(ID, history(50, 100)), "49 elements move");
        assert!(!fires("spy-front-access", history(51, 100)), "few among the accesses");
    }

    #[test]
    fn insertions_count_and_deques_do_not() {
        assert!(fires(ID, History::filled(Container::Vec, 60).insert_front(1000)));
        assert!(!fires(ID, History::filled(Container::VecDeque, 60).insert_front(1000)));
    }

    /// A VecDeque replaces both, so both are named and both count.
    #[test]
    fn insertions_and_deletions() {
        let history = History::filled(Container::Vec, 2000).remove_front(1000).by(4).insert_front(400);
        let sentence = text(ID, vec![history]);
        assert!(sentence.contains("main.rs:12 deletes at the front of"), "{sentence}");
        assert!(
            sentence.contains(" 1,000 times and main.rs:14 inserts there 400 times, and each time"),
            "{sentence}"
        );
        let pushed = text(ID, vec![History::new(Container::Vec).push(2000).remove_front(1000)]);
        assert!(!pushed.contains("inserts there"), "the first push moves nothing: {pushed}");
    }

    #[test]
    fn the_sentence() {
        let history = History::filled(Container::Vec, 2000).remove_front(1000);
        let expected = "remove front: main.rs:12 deletes at the front of the Vec created at main.rs:10 1,000 times, and each \
                        time 1,500 elements move";
        assert_eq!(text(ID, vec![history]), expected);
    }
}
