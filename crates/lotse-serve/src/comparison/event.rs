//! Event types of two profiles: their totals on both sides.

use lotse_profile::diff::Basis;

use super::ComparisonDocument;
use crate::api::{EventCheck, EventProblem, EventType, Problem, ProfileAbout, Scope};
use crate::profile::{check_event, event_type};

/// Checks a definition in both profiles; the event type has the totals of both.
pub(super) fn check(
    document: &ComparisonDocument<'_>,
    scope: &Scope,
    definition: &str,
) -> Result<EventCheck, Problem> {
    let new = check_event(&document.new, scope, definition)?;
    let Some(event) = new.event else { return Ok(new) };
    let old = check_event(&document.old, scope, definition)?;
    Ok(match old.problem {
        Some(problem) => {
            let message = format!("in the old profile: {}", problem.message);
            EventCheck { event: None, problem: Some(EventProblem { message, ..problem }) }
        }
        None => {
            let old_total = old.event.map(|old| old.total);
            EventCheck { event: Some(EventType { old_total, ..event }), problem: None }
        }
    })
}

/// What the new profile has, with only the event types that can be compared: those of the same name, or what is compared under
/// two names. A remark of the comparison names the others. The default one is that of the comparison.
pub(super) fn with_old_totals(
    document: &ComparisonDocument<'_>,
    profile: Option<ProfileAbout>,
) -> Result<Option<ProfileAbout>, Problem> {
    let Some(mut profile) = profile else { return Ok(None) };
    let scoped = document.old.analysis(&Scope::default())?;
    for event in &mut profile.events {
        let scope = Scope { event: Some(event.name.clone()), ..Scope::default() };
        let Ok(pairing) = document.pairing(&scope, &[]) else { continue };
        let old = pairing.columns[0].first();
        event.old_total = old.map(|column| event_type(column, &scoped.get().analysis.totals).total);
        event.by_share = pairing.basis == Basis::Share;
    }
    profile.events.retain(|event| event.old_total.is_some());
    // Cycles have other numbers and members in each profile.
    profile.groupings.retain(|group| *group != "cycle");
    if let Some(compared) = document.pairing(&Scope::default(), &[])?.columns[1].first() {
        profile.default_event.clone_from(&compared.name);
    }
    Ok(Some(profile))
}
