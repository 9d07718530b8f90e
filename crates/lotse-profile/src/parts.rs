//! The list of the parts of a profile with their totals.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::profile::Part;

use crate::analysis::{PartSum, Summary};
use crate::answer::PartAnswer;
use crate::events::Cost;

/// The names of all parts as they are listed. Threads often have the same name, so their number is added where the name lacks
/// it; parts that still have the same name, as those of a number that was used again, are numbered.
pub fn part_labels(profile: &Profile) -> Vec<String> {
    let is_alone = profile.parts.len() < 2;
    let label = |part: &Part| match part.thread {
        Some(thread) if !is_alone && !has_number(&part.name, thread) => {
            format!("{} (tid {thread})", part.name)
        }
        _ => part.name.clone(),
    };
    let labels: Vec<String> = profile.parts.iter().map(label).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    labels.iter().for_each(|label| *counts.entry(label).or_default() += 1);
    let unique = |(index, label): (usize, &String)| match counts[label.as_str()] {
        1 => label.clone(),
        _ => format!("{label}, part {}", index + 1),
    };
    labels.iter().enumerate().map(unique).collect()
}

/// Whether a name has the number as a word of its own.
fn has_number(name: &str, number: u64) -> bool {
    let number = number.to_string();
    name.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == number)
}

/// All parts; those that the summary includes are marked as chosen.
pub fn parts(profile: &Profile, summary: &Summary) -> Vec<PartAnswer> {
    let labels = part_labels(profile);
    let answer = |(index, (part, sum)): (usize, (&Part, &PartSum))| PartAnswer {
        number: index + 1,
        name: labels[index].clone(),
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
    use lotse_model::Profile;
    use lotse_model::profile::Part;

    use super::{part_labels, parts};
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

    #[test]
    fn threads_of_one_name_are_told_apart() {
        let labels = |parts: &[(&str, Option<u64>)]| {
            let part = |&(name, thread): &(&str, Option<u64>)| Part { thread, ..Part::new(name, 1, false) };
            part_labels(&Profile { parts: parts.iter().map(part).collect(), ..Profile::default() })
        };
        assert_eq!(labels(&[("xz", Some(4711)), ("xz", Some(12))]), ["xz (tid 4711)", "xz (tid 12)"]);
        assert_eq!(labels(&[("xz", Some(4711))]), ["xz"]);
        assert_eq!(labels(&[("part 1, thread 2", Some(2)), ("main", None)]), ["part 1, thread 2", "main"]);
        assert_eq!(labels(&[("w1", Some(1)), ("w1", Some(1))]), ["w1 (tid 1), part 1", "w1 (tid 1), part 2"]);
    }
}
