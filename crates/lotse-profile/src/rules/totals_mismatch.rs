//! Finds files whose stated sums differ from the sums of their costs.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::profile::{Part, StatedSum};
use lotse_model::rule::Threshold;
use lotse_model::site::Site;
use lotse_report::number::format_share;

use super::{Context, Draft, PRIOR, shell_word};
use crate::analysis::PartSum;
use crate::report::grouped;

pub(super) const RULE: Rule = Rule {
    id: "profile-totals-mismatch",
    version: 1,
    title: "a sum that the file states is not the sum of its costs",
    meaning: "Some costs were counted but belong to no function, or were lost: the profiler was stopped or cut off while it \
              wrote, or left something out. Shares are shares of what the functions add up to.",
    computation: "For every part of a file, each sum it states (summary, totals) is compared with the sum of all self costs. \
                  Fires on any difference above `share`; a warning from `warn` on.",
    example: "A callgrind file of rustc says `summary: 2094433106`, but `totals: 2094433086`, as its lines add up to.",
    picture: "",
    advice: "A tiny difference can be ignored. For a larger one make the profile again, let the program end by itself, \
             and see whether the file was cut.",
    thresholds: &[
        Threshold { name: "share", default: 0.0, meaning: "difference as a share of the stated sum, above" },
        Threshold {
            name: "warn",
            default: 0.001,
            meaning: "difference as a share of the stated sum: warning",
        },
    ],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let stated = |(_, part, sum)| {
        let part: &Part = part;
        part.stated.iter().filter_map(move |stated| judge(context, part, stated, sum))
    };
    context.parts().flat_map(stated).collect()
}

/// A finding about the event type with the greatest difference between a stated sum and the sum of costs.
fn judge(context: &Context<'_>, part: &Part, stated: &StatedSum, sums: &PartSum) -> Option<Finding> {
    let difference = |event: usize| {
        let stated_sum = context.profile.value(*stated.costs.get(event)?);
        let sum = *sums.totals.get(event)?;
        let share = (stated_sum - sum).abs() as f64 / stated_sum.abs().max(sum.abs()).max(1) as f64;
        Some((share, event, stated_sum, sum))
    };
    let all = (0..context.profile.events.len()).filter_map(difference);
    let (share, event, stated_sum, sum) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (share > context.threshold(&RULE, "share"))
        .then(|| finding(context, (part, stated), event, (stated_sum, sum, share)))
}

/// The finding for a stated sum of a part; a warning if the difference is large.
fn finding(
    context: &Context<'_>,
    (part, stated): (&Part, &StatedSum),
    event: usize,
    (stated_sum, sum, share): (i128, i128, f64),
) -> Finding {
    let warns = share >= context.threshold(&RULE, "warn");
    let tiny = if share < 0.0005 { "less than 0.1 %".to_owned() } else { format_share(share, 1) };
    let of_part = if context.profile.parts.len() > 1 { format!(" of {}", part.name) } else { String::new() };
    let file = part.source.as_deref().unwrap_or(context.file);
    Draft {
        rule: &RULE,
        level: if warns { Level::Warning } else { Level::Note },
        sites: vec![Site::Region { process: None, path: vec![file.to_owned()] }],
        severity: (share, "of the stated sum"),
        certainty: 1.0,
        text: format!(
            "the {}{of_part} says {} {}, but the costs add up to {} (a difference of {}, {tiny})",
            stated.name,
            grouped(stated_sum),
            context.profile.events[event].name,
            grouped(sum),
            grouped(sum - stated_sum)
        ),
        data: vec![("stated", stated_sum as f64), ("sum", sum as f64)],
        recommendation: "ignore a tiny difference; for a larger one profile again and let the program end by itself",
        verification: format!(
            "lotse profile parts {}{}",
            shell_word(context.file),
            context.call.options_for("parts", &[])
        ),
    }
    .finish()
}

#[cfg(test)]
mod tests {
    use lotse_model::finding::Level;
    use lotse_model::profile::StatedSum;

    use crate::analysis::tests::summed;
    use crate::rules::fixture::found;

    fn stated(sums: &[(&str, u64)]) -> lotse_model::Profile {
        let mut profile = summed(&[("main", 2_094_433_000), ("f", 86)], &[]);
        let stated = |&(name, cost): &(&str, u64)| StatedSum { name: name.to_owned(), costs: vec![cost] };
        profile.parts[0].stated = sums.iter().map(stated).collect();
        profile
    }

    #[test]
    fn a_tiny_difference_is_a_note_and_a_great_one_a_warning() {
        let profile = stated(&[("summary", 2_094_433_106), ("totals", 2_094_433_086)]);
        let findings = found(&profile, "profile-totals-mismatch");
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].level, Level::Note);
        let text = &findings[0].reason.text;
        assert!(text.contains("says 2,094,433,106 Ir, but the costs add up to 2,094,433,086"), "{text}");
        let findings = found(&stated(&[("totals", 1_000_000_000)]), "profile-totals-mismatch");
        assert_eq!(findings[0].level, Level::Warning);
    }

    #[test]
    fn equal_sums_and_no_sums_are_fine() {
        assert_eq!(found(&stated(&[("totals", 2_094_433_086)]), "profile-totals-mismatch"), []);
        assert_eq!(found(&stated(&[]), "profile-totals-mismatch"), []);
    }
}
