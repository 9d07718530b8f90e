//! Event types of two profiles: their totals on both sides.

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

/// What the new profile has, with only the event types that the old one has too: others cannot be compared. A remark of the
/// comparison names them.
pub(super) fn with_old_totals(
    document: &ComparisonDocument<'_>,
    profile: Option<ProfileAbout>,
) -> Result<Option<ProfileAbout>, Problem> {
    let Some(mut profile) = profile else { return Ok(None) };
    let scope = Scope::default();
    let types = document.old.event_types(&scope)?;
    let scoped = document.old.analysis(&scope)?;
    for event in &mut profile.events {
        let old = types.all().iter().find(|column| column.name == event.name);
        event.old_total = old.map(|column| event_type(column, &scoped.get().analysis.totals).total);
    }
    profile.events.retain(|event| event.old_total.is_some());
    Ok(Some(profile))
}
