//! Detects structures that are used as a stack.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_share;

use super::queue::{queue, stack};
use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, subject};
use crate::container::{AccessKind, Container};
use crate::settings::STACK;
use crate::severity::{CallPart, FindingCost};

pub(super) const RULE: Rule = Rule {
    id: "spy-stack",
    version: 1,
    title: "a structure is used as a stack",
    meaning: "Elements are inserted and taken out at the same end. In Rust a Vec with push and pop is the stack, so at \
              the back there is nothing to replace; at the front every operation moves all elements.",
    computation: "Insertions and deletions at the same end are stack operations. Fires for a Vec or VecDeque when they are at least `share` of the \
                  history, insertions and deletions each at least `side`, and more than the operations of a queue.",
    example: "`todo.insert(0, x)` and `todo.remove(0)`, where `push` and `pop` would do.",
    picture: "insert -> [d][c][b][a]\ndelete <-",
    advice: "At the front: use push and pop at the back. At the back: if the elements are independent work items, several \
             threads can take them from a shared stack (crossbeam-deque), or `rayon::scope` can replace it.",
    thresholds: STACK,
    prior: PRIOR,
    references: &["std::vec::Vec::pop"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, thresholds) = (context.protocol, context.thresholds);
    let used = stack(&protocol.ends);
    let share = protocol.share(used.total());
    let sides = [used.inserts, used.deletes].map(|side| protocol.share(side));
    let fires = protocol.instance.container.is_list()
        && share >= thresholds.stack_share
        && sides.iter().all(|side| *side >= thresholds.stack_side)
        && used.total() > queue(&protocol.ends).total();
    fires.then(|| matched(context, share))
}

fn matched(context: &HistoryContext<'_>, share: f64) -> RuleMatch {
    let protocol = context.protocol;
    let counts = [AccessKind::Insert, AccessKind::Delete].map(|kind| protocol.counts.kind(kind));
    let mut codes = counts[0].codes.clone();
    codes.merge(&counts[1].codes);
    let front = protocol.ends.insert.front > protocol.ends.insert.back;
    let moves = front && protocol.instance.container.is_contiguous();
    let end = if front { "front" } else { "back" };
    RuleMatch {
        // The type is chosen where the structure is created.
        primary_site: PrimarySite::Creation,
        parallel_loop: ParallelLoop::Unknown,
        level: if moves { Level::Warning } else { Level::Note },
        cost: FindingCost::from_calls(counts[0].cost + counts[1].cost, CallPart::Whole),
        certainty: if moves { 0.9 } else { 0.2 },
        text: format!(
            "{} of the accesses to {} insert or delete at its {end}",
            format_share(share, 0),
            subject(context.codes, protocol)
        ),
        data: vec![
            ("share", share),
            ("inserts", counts[0].events as f64),
            ("deletes", counts[1].events as f64),
        ],
        recommendation: recommendation(moves, protocol.instance.container).to_owned(),
        codes,
    }
}

fn recommendation(moves: bool, container: Container) -> &'static str {
    match (moves, container) {
        (true, _) => "turn it round: push and pop at the back move no elements",
        (false, Container::Vec) => {
            "a Vec is the right stack; if the elements are independent work, let several threads take them"
        }
        _ => {
            "a Vec with push and pop would do; if the elements are independent work, let several threads take them"
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::container::Container;
    use crate::rules::fixture::{History, fires, found};

    const ID: &str = "spy-stack";

    fn history(others: u64) -> History {
        History::new(Container::Vec).push(100).repeat(250, |it| it.push(1).pop(1)).jump(others)
    }

    #[test]
    fn sixty_percent_are_a_stack() {
        assert!(fires(ID, history(400)));
        assert!(!fires(ID, history(401)));
        assert!(!fires(
            ID,
            History::new(Container::Vec).push(100).repeat(500, |it| it.push(1).remove_front(1))
        ));
    }

    #[test]
    fn at_the_front_of_a_vec_it_is_worth_more() {
        let front = History::new(Container::Vec)
            .insert_front(100)
            .repeat(500, |it| it.insert_front(1).remove_front(1));
        let found_front = found(ID, vec![front]);
        assert!(found_front[0].finding.recommendation.starts_with("turn it round"), "{found_front:?}");
        let found_back = found(ID, vec![history(0).jump(400)]);
        assert!(found_front[0].finding.certainty.get() > found_back[0].finding.certainty.get());
    }
}
