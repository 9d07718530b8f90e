//! Detects frequent insertions and deletions at the front.

use lotse_model::Rule;
use lotse_model::finding::Level;
use lotse_report::number::format_share;

use super::{HistoryContext, PRIOR, ParallelLoop, PrimarySite, RuleMatch, at_front, subject};
use crate::container::AccessKind;
use crate::settings::FRONT_ACCESS;
use crate::severity::{CallPart, FindingCost, move_cost};

pub(super) const RULE: Rule = Rule {
    id: "spy-front-access",
    version: 1,
    title: "elements are often inserted or deleted at the front",
    meaning: "A contiguous structure moves all its elements when one is inserted or deleted in front of them.",
    computation: "Fires for Vec and String when insertions and deletions at the front are at least `share` of the history. Operations \
                  on an empty structure or on its only element move nothing and do not count.",
    example: "`lines.insert(0, line)` for each line of a file read backwards.",
    picture: "",
    advice: "Use a VecDeque, or work at the back and reverse once. A linked list would avoid the moves too, but loses the \
             neighbourhood of elements in memory.",
    thresholds: FRONT_ACCESS,
    prior: PRIOR,
    references: &["std::collections::VecDeque"],
};

pub(super) fn find(context: &HistoryContext<'_>) -> Option<RuleMatch> {
    let (protocol, ends) = (context.protocol, &context.protocol.ends);
    let front = ends.insert.front - ends.insert.both + ends.delete.front - ends.delete.both;
    let share = protocol.share(front);
    let fires = protocol.instance.container.is_contiguous() && share >= context.thresholds.front_access_share;
    let mut codes = protocol.counts.kind(AccessKind::Insert).codes.clone();
    codes.merge(&protocol.counts.kind(AccessKind::Delete).codes);
    let codes = at_front(context.codes, &codes);
    fires.then(|| RuleMatch {
        // Another type is chosen where the structure is created.
        primary_site: PrimarySite::Creation,
        parallel_loop: ParallelLoop::Unknown,
        level: Level::Warning,
        cost: FindingCost::from_calls(
            move_cost(&protocol.instance, ends.insert.moved.saturating_add(ends.delete.moved)),
            CallPart::Whole,
        ),
        certainty: 0.8,
        text: format!(
            "{} of the accesses to {} insert or delete at the front",
            format_share(share, 0),
            subject(context.codes, protocol)
        ),
        data: vec![("share", share), ("front", front as f64)],
        recommendation: "use a VecDeque, or work at the back and reverse once".to_owned(),
        codes,
    })
}

#[cfg(test)]
mod tests {
    use crate::container::Container;
    use crate::rules::fixture::{History, fires};

    const ID: &str = "spy-front-access";

    #[test]
    fn thirty_percent_are_often() {
        let history =
            |others| History::filled(Container::Vec, 100).insert_front(150).remove_front(150).jump(others);
        assert!(fires(ID, history(700)));
        assert!(!fires(ID, history(701)));
    }

    #[test]
    fn a_deque_has_two_ends_and_an_empty_structure_none() {
        assert!(!fires(ID, History::filled(Container::VecDeque, 100).insert_front(1000)));
        let alone = History::new(Container::Vec).repeat(1000, |it| it.push(1).pop(1)).push(60);
        assert!(!fires(ID, alone));
    }
}
