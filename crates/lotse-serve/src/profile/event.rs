//! Checks the definition of an event type while the user writes it.

use lotse_profile::events::{EventError, EventTypes};

use super::ProfileDocument;
use super::amount::event_type;
use crate::api::{EventCheck, EventProblem, Problem, Scope};

/// The event type that a definition makes, or what is wrong with it and where.
pub(crate) fn check(
    document: &ProfileDocument<'_>,
    scope: &Scope,
    definition: &str,
) -> Result<EventCheck, Problem> {
    let definitions: Vec<String> = scope.define.iter().cloned().chain([definition.to_owned()]).collect();
    let scoped = document.analysis(scope)?;
    Ok(match EventTypes::new(&document.opened().profile, &definitions) {
        Ok(types) => {
            let name = definition.split('=').next().unwrap_or(definition).trim().trim_matches('`');
            let column = types.all().iter().find(|column| column.name == name);
            let event = column.map(|column| event_type(column, &scoped.get().analysis.totals));
            EventCheck { event, problem: None }
        }
        Err(error) => EventCheck { event: None, problem: Some(problem(&error, definition)) },
    })
}

/// The error with its characters. An error in another definition is marked nowhere.
fn problem(error: &EventError, definition: &str) -> EventProblem {
    let span = error.place().filter(|place| place.text == definition).map(|place| place.span.clone());
    let units = |end: usize| definition.get(..end).map_or(0, |before| before.encode_utf16().count());
    let (from, to) = span.map_or((0, 0), |span| (units(span.start), units(span.end)));
    EventProblem { message: error.to_string(), from, to }
}
