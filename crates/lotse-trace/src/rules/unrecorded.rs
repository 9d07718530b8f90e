//! Calls of which the recorder wrote nothing but their times.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::site::Site;
use lotse_report::number::format_percent;

use super::{Context, Draft, PRIOR};

pub(super) static RULE: Rule = Rule {
    id: "trace-unrecorded",
    version: 1,
    title: "the recorder left out what calls do",
    meaning: "The trace has the times of these calls, but no record of the messages or operations in them. What they \
              wait for is not known: waits, their causes and gains are lower bounds.",
    computation: "Fires when no call of a name that sends, receives or is collective has a record, in the whole trace.",
    picture: "",
    example: "EZTrace 2.0 writes no messages for MPI_Sendrecv: 57 % of the time of a program that exchanges its halo \
              with it has no cause.",
    advice: "Record with a tool that writes these records (Score-P), or replace the calls by ones that are recorded.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let rows = &context.facts.unrecorded;
    let share: f64 = rows.iter().map(|row| row.share).sum();
    if rows.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = rows.iter().map(|row| row.region.as_str()).collect();
    let draft = Draft {
        rule: &RULE,
        level: if share >= 0.01 { Level::Warning } else { Level::Note },
        sites: vec![Site::Machine],
        severity: (share.min(1.0), "of the time of all locations"),
        certainty: 1.0,
        text: format!(
            "the recorder wrote nothing of what {} does ({} of the time of all locations): what these calls wait for \
             is not known",
            names.join(", "),
            format_percent(share.min(1.0), 1)
        ),
        data: vec![("share", share)],
        recommendation: RULE.advice.to_owned(),
        verification: Some(context.command("info", &[])),
    };
    vec![draft.finish()]
}
