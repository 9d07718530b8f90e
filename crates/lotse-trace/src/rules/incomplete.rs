//! A trace that lost events.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::LocationId;
use lotse_model::site::Site;

use super::{Context, Draft, PRIOR};

pub(super) static RULE: Rule = Rule {
    id: "trace-incomplete",
    version: 1,
    title: "events of the trace are missing",
    meaning: "Files were cut off or damaged. What is there was analysed; waits for the lost events are not known, and \
              times of the locations concerned end early.",
    computation: "Fires when a location's events could not be read to their end.",
    picture: "",
    example: "A batch system killed the program before the recorder wrote its last buffer.",
    advice: "Record again and let the program end by itself; see the list of repairs for what was lost.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let lost = &context.facts.incomplete_locations;
    if lost.is_empty() {
        return Vec::new();
    }
    let site = |&number: &u32| Site::Region {
        process: Some(context.trace.location(LocationId(number)).name.clone()),
        path: Vec::new(),
    };
    let draft = Draft {
        rule: &RULE,
        level: Level::Warning,
        sites: lost.iter().take(10).map(site).collect(),
        severity: (lost.len() as f64 / context.facts.locations.max(1) as f64, "of the locations"),
        certainty: 1.0,
        text: format!("{} of {} locations lost events", lost.len(), context.facts.locations),
        data: vec![("locations", lost.len() as f64)],
        recommendation: RULE.advice.to_owned(),
        verification: Some(context.command("info", "")),
    };
    vec![draft.finish()]
}
