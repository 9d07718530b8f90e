//! The list of the parts of a profile with their totals.

use lotse_model::Profile;
use lotse_model::profile::Part;

use crate::analysis::{PartSum, Summary};
use crate::answer::PartAnswer;
use crate::events::Cost;

/// All parts; those that the summary includes are marked as chosen.
pub fn parts(profile: &Profile, summary: &Summary) -> Vec<PartAnswer> {
    let answer = |(index, (part, sum)): (usize, (&Part, &PartSum))| PartAnswer {
        number: index + 1,
        name: part.name.clone(),
        process: part.process,
        thread: part.thread,
        source: part.source.clone(),
        trigger: part.trigger.clone(),
        chosen: sum.chosen,
        samples: sum.samples,
        totals: sum.totals.iter().map(|&total| Cost::Exact(total)).collect(),
    };
    profile.parts.iter().zip(&summary.parts).enumerate().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::parts;
    use crate::analysis::tests::{stacked, summed};
    use crate::analysis::{Analysis, CycleMode};
    use crate::events::Cost;

    #[test]
    fn totals_come_from_samples_or_self_costs() {
        let profile = stacked(&[("a;b", 3), ("a", 4)]);
        let answer = parts(&profile, &Analysis::of_default_parts(&profile, CycleMode::Folded).summary());
        assert_eq!(
            (answer[0].totals[0], answer[0].samples, answer[0].chosen),
            (Cost::Exact(7), Some(2), true)
        );
        let mut profile = summed(&[("a", 3), ("b", 5)], &[]);
        profile.parts[0].selected = false;
        let answer = parts(&profile, &Analysis::of_default_parts(&profile, CycleMode::Folded).summary());
        assert_eq!((answer[0].totals[0], answer[0].samples, answer[0].chosen), (Cost::Exact(8), None, false));
    }
}
