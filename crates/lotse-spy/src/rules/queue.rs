//! Detects structures that are used as a queue.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_share;

use super::{HistoryContext, ParallelLoop, PrimarySite, RuleMatch, THESIS_PRIOR, subject};
use crate::container::{AccessKind, Container};
use crate::protocol::EndOperations;
use crate::settings::QUEUE;
use crate::severity::{CallPart, FindingCost};

pub(super) const RULE: Rule = Rule {
    id: "spy-queue",
    version: 1,
    title: "a structure is used as a queue",
    meaning: "Elements are inserted at one end and taken out at the other. The code that inserts and the code that takes \
              out can often run at the same time, as a pipeline; and a Vec moves all its elements for every one taken out at the front.",
    computation: "Insertions at one end and deletions at the other are queue operations. Fires when they are at least \
                  `share` of the history, insertions and deletions each at least `side`, and more than the operations of a \
                  stack (insertions and deletions at the same end).",
    example: "`work.push(job)` and `work.remove(0)` in a loop.",
    picture: "insert ->  [e][d][c][b][a]  -> delete",
    advice: "Use VecDeque. Where the code that inserts need not wait for the code that takes out, give each a thread and a \
             channel between them.",
    thresholds: QUEUE,
    prior: THESIS_PRIOR,
    references: &["std::collections::VecDeque", "std::sync::mpsc"],
};

/// Insertions and deletions that follow one discipline: first in, first out; or last in, first out.
pub(super) struct Discipline {
    pub(super) inserts: u64,
    pub(super) deletes: u64,
}

impl Discipline {
    pub(super) fn total(&self) -> u64 {
        self.inserts + self.deletes
    }
}

/// First in, first out, in the direction with more operations.
pub(super) fn queue(ends: &EndOperations) -> Discipline {
    let forward = Discipline { inserts: ends.insert.back, deletes: ends.delete.front };
    let backward = Discipline { inserts: ends.insert.front, deletes: ends.delete.back };
    if backward.total() > forward.total() { backward } else { forward }
}

/// Last in, first out, at the end with more operations.
pub(super) fn stack(ends: &EndOperations) -> Discipline {
    let back = Discipline { inserts: ends.insert.back, deletes: ends.delete.back };
    let front = Discipline { inserts: ends.insert.front, deletes: ends.delete.front };
    if front.total() > back.total() { front } else { back }
}

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, thresholds) = (context.protocol, context.thresholds);
    let used = queue(&protocol.ends);
    let share = protocol.share(used.total());
    let sides = [used.inserts, used.deletes].map(|side| protocol.share(side));
    let fires = protocol.instance.container.is_list()
        && share >= thresholds.queue_share
        && sides.iter().all(|side| *side >= thresholds.queue_side)
        && used.total() > stack(&protocol.ends).total();
    fires.then(|| {
        let counts = [AccessKind::Insert, AccessKind::Delete].map(|kind| protocol.counts.kind(kind));
        let mut codes = counts[0].codes.clone();
        codes.merge(&counts[1].codes);
        RuleMatch {
            // Another type is chosen where the structure is created.
            primary_site: PrimarySite::Creation,
            parallel_loop: ParallelLoop::Unknown,
            level: Level::Note,
            cost: FindingCost::from_calls(counts[0].cost + counts[1].cost, CallPart::Whole),
            certainty: 0.6,
            text: format!(
                "{} of the accesses to {} insert at one end or delete at the other",
                format_share(share, 0),
                subject(context.codes, protocol)
            ),
            data: vec![("share", share), ("inserts", used.inserts as f64), ("deletes", used.deletes as f64)],
            recommendation: recommendation(protocol.instance.container).to_owned(),
            codes,
        }
    })
}

fn recommendation(container: Container) -> &'static str {
    if container == Container::VecDeque {
        "check whether the code that inserts and the code that takes out can run at the same time, with a channel between"
    } else {
        "use a VecDeque, and check whether the code that inserts and the code that takes out can run at the same time, \
         with a channel between"
    }
}

#[cfg(test)]
mod tests {
    use crate::container::Container;
    use crate::rules::fixture::{History, fires, text};

    const ID: &str = "spy-queue";

    /// 600 queue operations and `others` other ones.
    fn history(others: u64) -> History {
        History::new(Container::Vec).push(100).repeat(250, |it| it.push(1).remove_front(1)).jump(others)
    }

    #[test]
    fn sixty_percent_are_a_queue() {
        assert!(fires(ID, history(400)));
        assert!(!fires(ID, history(401)));
    }

    #[test]
    fn both_directions_count() {
        let backward =
            History::new(Container::Vec).insert_front(100).repeat(500, |it| it.insert_front(1).pop(1));
        assert!(fires(ID, backward));
    }

    #[test]
    fn a_stack_and_a_list_are_no_queue() {
        assert!(!fires(ID, History::new(Container::Vec).push(100).repeat(500, |it| it.push(1).pop(1))));
        // Each side needs a tenth of the history.
        assert!(!fires(ID, History::new(Container::Vec).push(901).remove_front(100)));
        assert!(fires(ID, History::new(Container::Vec).push(900).remove_front(100)));
    }

    #[test]
    fn a_heap_is_not_replaced_by_a_queue() {
        assert!(!fires(
            ID,
            History::new(Container::BinaryHeap).push(100).repeat(500, |it| it.push(1).remove_front(1))
        ));
    }

    #[test]
    fn the_sentence() {
        let expected = "queue: 60 % of the accesses to the Vec created at main.rs:10 insert at one end or delete at the other";
        assert_eq!(text(ID, vec![history(400)]), expected);
    }
}
