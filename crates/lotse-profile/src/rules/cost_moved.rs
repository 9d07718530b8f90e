//! Finds changes that made some functions cheaper and others more expensive by the same amount.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::format_share;

use super::{ComparisonContext, Draft, PRIOR, named_site, shell_word};
use crate::diff::{Basis, Change, FunctionDiff, Status};

pub(super) const RULE: Rule = Rule {
    id: "profile-cost-moved",
    version: 1,
    title: "cost moved to other functions rather than being saved",
    meaning: "Some functions got much cheaper and others about as much dearer, while the total hardly changed: the work is \
              now done elsewhere. Looking at the cheaper function alone would suggest a success.",
    computation: "Self costs of the default event type: what was saved and what was added must each be at least `share` of \
                  the old total, and the smaller of them at least `balance` of the larger. Differences within the noise \
                  of sampling do not count. Not applied to shares of the total, which always add up.",
    example: "parse lost 40 % of the run, tokenize, which it now calls, gained 38 %: the total fell by 2 %.",
    picture: "",
    advice: "Look at the functions that got dearer: inlined, renamed or called more often? Judge the change by the total, \
             or by a measurement of the whole program.",
    thresholds: &[
        Threshold {
            name: "share",
            default: 0.05,
            meaning: "saved and added at least, as a share of the old total",
        },
        Threshold {
            name: "balance",
            default: 0.7,
            meaning: "the smaller over the larger of saved and added",
        },
    ],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &ComparisonContext<'_>) -> Vec<Finding> {
    if context.answer.by == Basis::Share {
        return Vec::new();
    }
    (0..context.answer.totals.len()).filter_map(|at| judge(context, at)).collect()
}

/// A function with the difference of its self cost.
type Changed<'a> = (f64, &'a FunctionDiff);

/// A finding if both the saved and the added cost are large, and nearly balance.
fn judge(context: &ComparisonContext<'_>, at: usize) -> Option<Finding> {
    let answer = context.answer;
    let old_total = answer.totals[at].get(answer.ranked)?.old?.as_f64();
    let change = |function: &FunctionDiff| -> Option<Change> {
        function.versus.get(at)?.own.get(answer.ranked).copied()
    };
    let changed = answer.functions.iter().filter_map(|function| {
        let change = change(function).filter(|change| !change.noise)?;
        Some((change.difference.as_f64(), function))
    });
    let (mut saved, mut added): (Vec<Changed<'_>>, Vec<Changed<'_>>) =
        changed.filter(|(difference, _)| *difference != 0.0).partition(|(difference, _)| *difference < 0.0);
    for side in [&mut saved, &mut added] {
        side.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    }
    let sum =
        |side: &[Changed<'_>]| side.iter().map(|(difference, _)| difference.abs()).sum::<f64>() / old_total;
    let (less, more) = (sum(&saved), sum(&added));
    let limit = |name| context.thresholds.get(&RULE, name);
    let fires = less.min(more) >= limit("share") && less.min(more) >= limit("balance") * less.max(more);
    fires.then(|| finding(context, at, (&saved, less), (&added, more)))
}

fn finding(
    context: &ComparisonContext<'_>,
    at: usize,
    (saved, less): (&[Changed<'_>], f64),
    (added, more): (&[Changed<'_>], f64),
) -> Finding {
    let name =
        |side: &[Changed<'_>]| side.first().map_or_else(String::new, |(_, it)| it.function.display.clone());
    let total = &context.answer.totals[at][context.answer.ranked];
    let whole = match total.ratio {
        Some(ratio) if total.noise => {
            format!("{}, within the noise of sampling", signed_share(ratio - 1.0))
        }
        Some(ratio) => signed_share(ratio - 1.0),
        None => "an unknown part".to_owned(),
    };
    let files = &context.answer.files;
    // A renamed function looks like one that is gone and one that is new, though no cost moved.
    let unmatched = saved.iter().chain(added).take(2).any(|(_, it)| it.status != Status::Matched);
    let sites =
        added.first().into_iter().chain(saved.first()).map(|(_, it)| named_site(&it.function)).collect();
    Draft {
        rule: &RULE,
        level: Level::Warning,
        sites,
        severity: (less.min(more), "of the old total"),
        certainty: if unmatched { 0.5 } else { 0.8 },
        text: format!(
            "{} of the old total was saved (most in {}), but {} was added (most in {}); the total changed by {}",
            format_share(less, 1),
            name(saved),
            format_share(more, 1),
            name(added),
            whole
        ),
        data: vec![("saved", less), ("added", more)],
        recommendation: "judge the change by the total; find out why the dearer functions do more",
        verification: format!(
            "lotse profile diff --calls {} {}{}",
            shell_word(&files[0].file),
            shell_word(&files[at + 1].file),
            context.call.options_for("diff", &[])
        ),
    }
    .finish()
}

/// A change as a share, with its sign.
fn signed_share(change: f64) -> String {
    let sign = if change > 0.0 { "+" } else { "" };
    format!("{sign}{}", format_share(change, 1))
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::summed;
    use crate::diff::tests::{compared, everything};
    use crate::rules::{ComparisonContext, compared_findings};
    use lotse_model::Finding;
    use lotse_model::rule::Thresholds;

    fn found(old: &[(&str, u64)], new: &[(&str, u64)]) -> Vec<Finding> {
        let answer = compared(&[summed(old, &[]), summed(new, &[])], &everything());
        compared_findings(&ComparisonContext {
            answer: &answer,
            call: lotse_model::Invocation::NONE,
            thresholds: &Thresholds::default(),
        })
    }

    #[test]
    fn moved_cost_fires() {
        let findings =
            found(&[("main", 20), ("parse", 80)], &[("main", 20), ("parse", 40), ("tokenize", 38)]);
        assert_eq!(findings.len(), 1, "{findings:?}");
        let text = &findings[0].reason.text;
        assert!(text.contains("40.0 % of the old total was saved (most in parse)"), "{text}");
        assert!(text.contains("38.0 % was added (most in tokenize); the total changed by -2.0 %"), "{text}");
    }

    #[test]
    fn saved_cost_does_not() {
        assert_eq!(found(&[("main", 20), ("parse", 80)], &[("main", 25), ("parse", 40)]), []);
        assert_eq!(found(&[("main", 20), ("parse", 80)], &[("main", 20), ("parse", 80)]), []);
    }
}
