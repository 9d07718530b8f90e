//! Collectives for Chrome's format, which knows none: an instant in the call of each member, and the members of each
//! communicator as metadata that viewers pass over.

use std::io::{self, Write};

use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Definitions, Event};

use super::quoted;
use crate::trace::mpi_names;

/// The category of instants that are a member's part in a collective; the reader knows it.
pub(in crate::trace) const CATEGORY: &str = "collective";
/// The name of metadata about a communicator.
pub(in crate::trace) const COMMUNICATOR: &str = "communicator";
/// The name of the instant at which a collective that does not block was called.
pub(in crate::trace) const POST: &str = "post";

/// Who belongs to which communicator. The first one stands for what was not defined.
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

/// Members as the numbers their threads have in the file.
fn threads(members: &[Option<LocationId>]) -> String {
    let one = |member: &Option<LocationId>| {
        member.map_or_else(|| "null".to_owned(), |location| (location.index() + 1).to_string())
    };
    members.iter().map(one).collect::<Vec<_>>().join(",")
}

/// What an instant says of a member's part; nothing for other events.
pub(super) fn described(definitions: &Definitions, event: Event) -> io::Result<Option<String>> {
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
        mpi_names::of_operation(op),
        quoted(name(definitions, communicator))?,
        communicator.index(),
        bytes.0,
        bytes.1
    )))
}

fn name(definitions: &Definitions, communicator: CommunicatorId) -> &str {
    definitions.communicators.get(communicator.index()).map_or("", |it| &it.name)
}
