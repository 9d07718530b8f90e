//! Collective operations in Chrome's format, which has none: an instant event in the call of each member, and metadata
//! events, which viewers ignore, with the members of communicators.

use std::io::{self, Write};

use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Definitions, Event};

use super::quoted;
use crate::trace::mpi_names;

/// The category of instant events for the participation in a collective operation, which the reader recognises.
pub(in crate::trace) const CATEGORY: &str = "collective";
/// The name of metadata events with the members of a communicator.
pub(in crate::trace) const COMMUNICATOR: &str = "communicator";
/// The name of the instant event at the start of a non-blocking operation.
pub(in crate::trace) const POST: &str = "post";

/// Writes the members of all communicators but the first, which stands for undefined.
pub(super) fn communicators(definitions: &Definitions, out: &mut dyn Write) -> io::Result<()> {
    for (number, communicator) in definitions.communicators.iter().enumerate().skip(1) {
        write!(
            out,
            ",\n{{\"ph\":\"M\",\"name\":\"{COMMUNICATOR}\",\"pid\":0,\"tid\":0,\"args\":{{\"number\":{number},\
             \"name\":{},\"self\":{},\"members\":[{}],\"remote\":[{}]}}}}",
            quoted(&communicator.name)?,
            communicator.of_self,
            threads(&communicator.members),
            threads(&communicator.remote)
        )?;
    }
    Ok(())
}

/// The thread numbers of members in the file.
fn threads(members: &[Option<LocationId>]) -> String {
    let thread = |member: &Option<LocationId>| {
        member.map_or_else(|| "null".to_owned(), |location| (location.index() + 1).to_string())
    };
    members.iter().map(thread).collect::<Vec<_>>().join(",")
}

/// The JSON fields of an instant event for the participation in a collective operation; `None` for other events.
pub(super) fn event_fields(definitions: &Definitions, event: Event) -> io::Result<Option<String>> {
    let (op, communicator, root, bytes, request) = match event {
        Event::CollectiveEnd { op, communicator, root, sent, received } => {
            (op, communicator, root, (sent, received), None)
        }
        Event::CollectiveComplete { op, communicator, root, sent, received, request } => {
            (op, communicator, root, (sent, received), Some(request))
        }
        Event::CollectiveRequest { request } => {
            return Ok(Some(format!("\"name\":\"{POST}\",\"args\":{{\"request\":{request}}}")));
        }
        _ => return Ok(None),
    };
    let root = root.map_or_else(String::new, |root| format!(",\"root\":{root}"));
    let request = request.map_or_else(String::new, |request| format!(",\"request\":{request}"));
    Ok(Some(format!(
        "\"name\":\"{}\",\"args\":{{\"communicator\":{},\"number\":{},\"sent\":{},\"received\":{}{root}{request}}}",
        mpi_names::operation_name(op),
        quoted(name(definitions, communicator))?,
        communicator.index(),
        bytes.0,
        bytes.1
    )))
}

fn name(definitions: &Definitions, communicator: CommunicatorId) -> &str {
    definitions.communicators.get(communicator.index()).map_or("", |it| &it.name)
}
