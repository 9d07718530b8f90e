//! Sentences about how the programs were separated from other work on the machine.

use crate::answer::Answer;

/// What was applied, and what was requested but refused, with the reasons.
pub(super) fn sentences(answer: &Answer) -> impl Iterator<Item = String> {
    let record = answer.separation.as_ref();
    let applied = record.map(|record| {
        let effects: Vec<&str> = record.applied.iter().map(|it| it.effect.as_str()).collect();
        format!("separation: {}", if effects.is_empty() { "none".to_owned() } else { effects.join(", ") })
    });
    let refused = record.filter(|record| !record.refused.is_empty()).map(|record| {
        let reasons: Vec<String> =
            record.refused.iter().map(|it| format!("{} ({})", it.action, it.reason)).collect();
        format!("separation not done: {}", reasons.join("; "))
    });
    applied.into_iter().chain(refused)
}

#[cfg(test)]
mod tests {
    use super::sentences;
    use crate::answer::Answer;
    use lotse_model::results::{AppliedAction, RefusedAction, ResultSet, SeparationRecord};

    fn lines(applied: &[(&str, &str)], refused: &[(&str, &str)]) -> Vec<String> {
        let applied = applied.iter().map(|(action, effect)| AppliedAction {
            action: (*action).to_owned(),
            effect: (*effect).to_owned(),
        });
        let refused = refused.iter().map(|(action, reason)| RefusedAction {
            action: (*action).to_owned(),
            reason: (*reason).to_owned(),
        });
        let record = SeparationRecord { applied: applied.collect(), refused: refused.collect() };
        sentences(&Answer::from_results(&ResultSet { separation: Some(record), ..ResultSet::default() }))
            .collect()
    }

    #[test]
    fn effects_and_refusals_have_a_line_each() {
        let applied = [("nice", "autogroup -20, nice -20"), ("cpuset", "cpuset 1")];
        assert_eq!(lines(&applied, &[]), ["separation: autogroup -20, nice -20, cpuset 1"]);
        assert_eq!(
            lines(&[], &[("turbo", "there is no switch"), ("swap", "it does not swap")]),
            ["separation: none", "separation not done: turbo (there is no switch); swap (it does not swap)"]
        );
        assert_eq!(sentences(&Answer::from_results(&ResultSet::default())).count(), 0);
    }
}
