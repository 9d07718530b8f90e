//! The parts of a profile, with what each costs.

use lotse_model::Profile;
use lotse_model::id::PartId;
use lotse_model::profile::Part;

use crate::answer::PartAnswer;
use crate::events::Cost;

/// All parts; those chosen are marked.
pub fn parts(profile: &Profile, chosen: &[PartId]) -> Vec<PartAnswer> {
    let answer = |(index, part): (usize, &Part)| PartAnswer {
        number: index + 1,
        name: part.name.clone(),
        process: part.process,
        thread: part.thread,
        source: part.source.clone(),
        trigger: part.trigger.clone(),
        chosen: chosen.contains(&PartId::from(index)),
        samples: (!part.samples.is_empty()).then(|| part.samples.len()),
        totals: totals(profile, part),
    };
    profile.parts.iter().enumerate().map(answer).collect()
}

fn totals(profile: &Profile, part: &Part) -> Vec<Cost> {
    let costs = if part.samples.is_empty() { &part.own.costs } else { &part.samples.costs };
    (0..profile.events.len()).map(|event| Cost::Exact(costs.total(event))).collect()
}

#[cfg(test)]
mod tests {
    use lotse_model::id::PartId;

    use super::parts;
    use crate::analysis::tests::{stacked, summed};
    use crate::events::Cost;

    #[test]
    fn totals_come_from_samples_or_self_costs() {
        let answer = parts(&stacked(&[("a;b", 3), ("a", 4)]), &[PartId(0)]);
        assert_eq!(
            (answer[0].totals[0], answer[0].samples, answer[0].chosen),
            (Cost::Exact(7), Some(2), true)
        );
        let answer = parts(&summed(&[("a", 3), ("b", 5)], &[]), &[]);
        assert_eq!((answer[0].totals[0], answer[0].samples, answer[0].chosen), (Cost::Exact(8), None, false));
    }
}
