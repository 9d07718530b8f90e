//! A call path on the critical path is distributed unevenly.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::rule::Threshold;
use lotse_report::number::{format_percent, format_seconds};

use super::{Context, FindingDraft, PRIOR};
use crate::analyze::rows::real_seconds;
use crate::critical::Imbalance;
use crate::report::short_path;
use crate::store::Paths;

pub(super) static RULE: Rule = Rule {
    id: "trace-imbalance",
    version: 1,
    title: "work on the critical path is spread unevenly",
    meaning: "What bounds the run time spends longer in a call path than the processes do on average. Others are \
              through with it earlier and wait somewhere else.",
    computation: "max(0, time of the call path on the critical path - its mean time over the processes), where the \
                  time of a process is the mean of its threads that came to the call path. Fires when that is at \
                  least `share` of the run time. Time with a lock that another thread waits for does not count: that \
                  is lock contention. If the work were spread evenly and nothing else became critical, the \
                  run would be shorter by so much: an upper bound.",
    picture: "rank 0  ┤solve████████████████████├  ← critical path: 0.8 s
rank 1  ┤solve████████├ waits ▒▒▒▒▒▒▒├   mean 0.65 s: 0.15 s too long",
    example: "Two ranks compute 0.8 and 0.5 s and meet: the path has 0.8 s, the mean is 0.65 s, the imbalance 0.15 s.",
    advice: "Divide the work by what it costs and not by how many elements there are, or let idle processes take \
             some of it.",
    thresholds: &[Threshold { name: "share", default: 0.02, meaning: "share of the run time at least" }],
    prior: PRIOR,
    references: &["D. Böhme et al.: Scalable critical-path based performance analysis, IPDPS 2012"],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let least = context.threshold(&RULE, "share") * context.path.length as f64;
    // A single location is never unbalanced, and time outside of all regions cannot be changed.
    if context.trace.cpu_locations().count() < 2 {
        return Vec::new();
    }
    let own = |row: &&Imbalance| row.path != Paths::ROOT && !context.trace.class_of(row.path).is_primitive();
    let held = super::waits::held_on_path(context);
    // Time explained by a contended lock is reported as waiting for the lock.
    let rest = |row: &Imbalance| Imbalance {
        excess: (row.excess - held.get(&row.path).copied().unwrap_or(0) as f64).max(0.0),
        ..*row
    };
    let uneven = context.path.imbalance.iter().filter(own).map(rest);
    uneven.filter(|row| row.excess > 0.0 && row.excess >= least).map(|row| finding(context, &row)).collect()
}

/// The finding of an unbalanced call path, at the location with most of its time on the critical path.
fn finding(context: &Context<'_>, row: &Imbalance) -> Finding {
    let trace = context.trace;
    let on_path = context.path.rows.iter().filter(|share| share.path == row.path);
    let location = on_path.max_by_key(|share| (share.ticks, std::cmp::Reverse(share.location)));
    let (excess, share) = (real_seconds(trace, row.excess), row.excess / context.path.length.max(1) as f64);
    let name = trace.path_name(row.path);
    FindingDraft {
        rule: &RULE,
        level: if share >= 0.1 { Level::Warning } else { Level::Note },
        sites: vec![context.site(location.map(|share| share.location), row.path)],
        severity: (share, "of the run time at most"),
        certainty: 0.7,
        text: format!(
            "{} takes {} on the critical path; that is {} ({} of the path) above the average: spread evenly, the run \
             would be at most so much shorter",
            short_path(&name),
            format_seconds(trace.seconds(row.on_path)),
            format_seconds(excess),
            format_percent(share, 1)
        ),
        data: vec![("seconds", excess), ("on_path", trace.seconds(row.on_path)), ("share", share)],
        recommendation: RULE.advice.to_owned(),
        verification: Some(
            context.command("what-if", &[&format!("--scale {}", super::shell_word(&scaled(row, &name)))]),
        ),
    }
    .finish()
}

/// The argument of `--scale` that reduces the path to its mean.
fn scaled(row: &Imbalance, name: &str) -> String {
    let remaining = 1.0 - row.excess / row.on_path.max(1) as f64;
    format!("{name}={remaining:.3}")
}
