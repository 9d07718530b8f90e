//! A trace that lost events.

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level};
use lotse_model::id::LocationId;
use lotse_model::site::Site;

use super::{Context, Extent, FindingDraft, PRIOR};
use crate::unrecorded::{GapAnswer, GapKind};

pub(super) static RULE: Rule = Rule {
    id: "trace-incomplete",
    version: 1,
    title: "events of the trace are missing",
    meaning: "Files were cut off or damaged. What is there was analysed; waits for the lost events are not known, and \
              times of the locations concerned end early.",
    computation: "Fires when a location's events could not be read to their end, or when a few messages lack their \
                  send or their receive; where many do, trace-unrecorded reports it.",
    picture: "",
    example: "A batch system killed the program before the recorder wrote its last buffer.",
    advice: "Record again and let the program end by itself; see the list of repairs for what was lost.",
    thresholds: &[],
    prior: PRIOR,
    references: &[],
};

/// One finding if locations lost events or messages lack their other half; unmatched messages that are a gap of the
/// recorder are reported by another rule.
pub(super) fn find(context: &Context<'_>) -> Vec<Finding> {
    let facts = context.facts;
    let lost = &facts.incomplete_locations;
    let is_reported = |gap: &GapAnswer| matches!(gap.kind, GapKind::Receives | GapKind::Sends);
    let unmatched = match facts.gaps.iter().any(is_reported) {
        true => 0,
        false => facts.unmatched_sends + facts.unmatched_recvs,
    };
    let (locations, messages) = (facts.locations.max(1) as f64, (facts.messages + unmatched).max(1) as f64);
    let (text, (share, whole)) = match (lost.len(), unmatched) {
        (0, 0) => return Vec::new(),
        (0, _) => (unmatched_sentence(unmatched), (unmatched as f64 / messages, "of the messages")),
        (some, _) => {
            let lost = format!("{some} of {} locations lost events", facts.locations);
            let more =
                if unmatched > 0 { format!("; {}", unmatched_sentence(unmatched)) } else { String::new() };
            (lost + &more, (some as f64 / locations, "of the locations"))
        }
    };
    let site = |&number: &u32| Site::Region {
        process: Some(context.label(LocationId(number)).to_owned()),
        path: Vec::new(),
    };
    let sites = lost.iter().take(10).map(site).collect();
    let draft = FindingDraft {
        rule: &RULE,
        level: if lost.is_empty() { Level::Note } else { Level::Warning },
        sites: if lost.is_empty() { vec![Site::Machine] } else { sites },
        extent: Extent::Recording(share, whole),
        certainty: 1.0,
        text,
        data: vec![("locations", lost.len() as f64), ("messages", unmatched as f64)],
        recommendation: if lost.is_empty() { UNPAIRED_ADVICE } else { RULE.advice }.to_owned(),
        verification: Some(context.command("info", &[])),
    };
    vec![draft.finish()]
}

const UNPAIRED_ADVICE: &str = "Nothing needs to be done where the program cancels requests or sends what it never \
                               receives; else record with a tool that writes both ends of messages (Score-P).";

fn unmatched_sentence(unmatched: u64) -> String {
    format!("{unmatched} messages lack their send or their receive: waits for these are not known")
}
