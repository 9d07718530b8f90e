//! Collective operations as our own writer represents them: instant events of a special category, and metadata events with
//! the members of communicators. Members are given by thread number; each thread number stands for one location.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Communicator, Event as TraceEvent, EventKind};

use crate::chrome_events::ChromeEvent;
use crate::json::{Fill, Number, fill_first};
use crate::trace::mpi_names;
use crate::trace::timeline::PointEvent;
use crate::trace::write_chrome::collectives::{CATEGORY, COMMUNICATOR, POST};

/// Collective operations and communicators of a trace.
#[derive(Debug, Default)]
pub(super) struct Collectives {
    /// The communicators by their numbers in the file.
    numbers: HashMap<u64, CommunicatorId>,
    communicators: Vec<CollectiveArguments>,
    points: Vec<(LocationId, PointEvent)>,
}

/// The arguments of the instant and metadata events.
#[derive(Debug, Default)]
struct CollectiveArguments {
    number: Number,
    name: String,
    of_self: bool,
    members: Vec<Number>,
    remote: Vec<Number>,
    root: Number,
    sent: Number,
    received: Number,
    request: Number,
}

impl Fill for CollectiveArguments {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        Some(match key {
            "number" => &mut self.number,
            "name" => &mut self.name,
            "self" => &mut self.of_self,
            "members" => &mut self.members,
            "remote" => &mut self.remote,
            "root" => &mut self.root,
            "sent" => &mut self.sent,
            "received" => &mut self.received,
            "request" => &mut self.request,
            _ => return None,
        })
    }
}

impl Collectives {
    /// Whether an event defines the members of a communicator.
    pub(super) fn defines(event: &ChromeEvent<'_>) -> bool {
        event.phase == b'M' && event.name == COMMUNICATOR
    }

    /// Adds the members of a communicator.
    pub(super) fn define(&mut self, event: &ChromeEvent<'_>) {
        let arguments = arguments(event);
        if let Some(number) = arguments.number.id() {
            let id = self.communicator(number);
            self.communicators[id.index() - 1] = arguments;
        }
    }

    /// Adds the event if it is a member's participation in a collective operation; `false` if not.
    pub(super) fn take(&mut self, event: &ChromeEvent<'_>, location: LocationId, at: i64) -> bool {
        if event.category != CATEGORY {
            return false;
        }
        let Some((kind, event)) = self.collective_event(event) else { return false };
        self.points.push((location, PointEvent { at, kind, event }));
        true
    }

    /// The trace event of an instant: the start of a non-blocking operation, its completion (if there is a request), or the
    /// end of a blocking operation.
    fn collective_event(&mut self, event: &ChromeEvent<'_>) -> Option<(EventKind, TraceEvent)> {
        let arguments = arguments(event);
        let request = arguments.request.id();
        if event.name == POST {
            let posted = TraceEvent::CollectiveRequest { request: request? };
            return Some((EventKind::NonBlockingCollectiveRequest, posted));
        }
        let op = mpi_names::operation_by_name(&event.name)?;
        let communicator = self.communicator(arguments.number.id()?);
        let root = arguments.root.id().and_then(|root| u32::try_from(root).ok());
        let (sent, received) = (arguments.sent.id().unwrap_or(0), arguments.received.id().unwrap_or(0));
        Some(match request {
            Some(request) => (
                EventKind::NonBlockingCollectiveComplete,
                TraceEvent::CollectiveComplete { op, communicator, root, sent, received, request },
            ),
            None => (
                EventKind::MpiCollectiveEnd,
                TraceEvent::CollectiveEnd { op, communicator, root, sent, received },
            ),
        })
    }

    /// The communicator with a number in the file. Ids begin at 1, because 0 is the undefined communicator.
    fn communicator(&mut self, number: u64) -> CommunicatorId {
        let communicators = &mut self.communicators;
        *self.numbers.entry(number).or_insert_with(|| {
            communicators.push(CollectiveArguments::default());
            CommunicatorId::from(communicators.len())
        })
    }

    /// The earliest time.
    pub(super) fn first(&self) -> Option<i64> {
        self.points.iter().map(|(_, point)| point.at).min()
    }

    /// The communicators in the order of their ids from 1, and the events with their locations.
    pub(super) fn resolved(
        self,
        threads: &HashMap<u64, LocationId>,
    ) -> (Vec<Communicator>, Vec<(LocationId, PointEvent)>) {
        let members = |numbers: Vec<Number>| {
            numbers.iter().map(|number| number.id().and_then(|it| threads.get(&it).copied())).collect()
        };
        let communicator = |it: CollectiveArguments| Communicator {
            name: it.name,
            members: members(it.members),
            remote: members(it.remote),
            parent: None,
            of_self: it.of_self,
        };
        let communicators: Vec<Communicator> = self.communicators.into_iter().map(communicator).collect();
        let mut points = self.points;
        points.iter_mut().for_each(|(_, point)| drop_invalid_root(&mut point.event, &communicators));
        (communicators, points)
    }
}

/// Removes a root that is not a rank of the communicator, since it would be an index beyond the members. Only a
/// communicator of a single process (`MPI_COMM_SELF`) has a root without a list of members.
fn drop_invalid_root(event: &mut TraceEvent, communicators: &[Communicator]) {
    if let TraceEvent::CollectiveEnd { communicator, root, .. }
    | TraceEvent::CollectiveComplete { communicator, root, .. } = event
    {
        let communicator = &communicators[communicator.index() - 1];
        let members = communicator.members.len().max(communicator.remote.len());
        *root = root.filter(|&rank| communicator.of_self || (rank as usize) < members);
    }
}

fn arguments(event: &ChromeEvent<'_>) -> CollectiveArguments {
    let mut arguments = CollectiveArguments::default();
    // Arguments can be any JSON. If they are nested too deep, the values before that are enough.
    drop(fill_first(event.args, &mut arguments));
    arguments
}
