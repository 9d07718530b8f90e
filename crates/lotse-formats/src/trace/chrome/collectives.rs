//! Collectives as our own writer tells them: instants of a category of their own, and metadata with the members of
//! communicators. Members are named by the numbers of their threads, of which each stands for one location.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Communicator, Event as TraceEvent, EventKind};

use crate::chrome_events::Event;
use crate::json::{Fill, Number, fill_first};
use crate::trace::mpi_names;
use crate::trace::timeline::Point;
use crate::trace::write_chrome::collectives::{CATEGORY, COMMUNICATOR, POST};

/// Everything about collectives.
#[derive(Debug, Default)]
pub(super) struct Collectives {
    numbers: HashMap<u64, CommunicatorId>,
    communicators: Vec<Arguments>,
    points: Vec<(LocationId, Point)>,
}

/// The arguments of instants and of metadata.
#[derive(Debug, Default)]
struct Arguments {
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

impl Fill for Arguments {
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
    /// Whether an event gives the members of a communicator.
    pub(super) fn defines(event: &Event<'_>) -> bool {
        event.phase == b'M' && event.name == COMMUNICATOR
    }

    /// Takes the members of a communicator.
    pub(super) fn define(&mut self, event: &Event<'_>) {
        let arguments = arguments(event);
        if let Some(number) = arguments.number.id() {
            let id = self.communicator(number);
            self.communicators[id.index() - 1] = arguments;
        }
    }

    /// Takes a member's part in a collective; whether the event is one.
    pub(super) fn take(&mut self, event: &Event<'_>, location: LocationId, at: i64) -> bool {
        if event.category != CATEGORY {
            return false;
        }
        let Some((kind, event)) = self.part(event) else { return false };
        self.points.push((location, Point { at, kind, event }));
        true
    }

    fn part(&mut self, event: &Event<'_>) -> Option<(EventKind, TraceEvent)> {
        let arguments = arguments(event);
        let request = arguments.request.id();
        if event.name == POST {
            let posted = TraceEvent::CollectiveRequest { request: request? };
            return Some((EventKind::NonBlockingCollectiveRequest, posted));
        }
        let op = mpi_names::operation_named(&event.name)?;
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

    /// The communicator of a number; the first one of a trace is that of nobody.
    fn communicator(&mut self, number: u64) -> CommunicatorId {
        let communicators = &mut self.communicators;
        *self.numbers.entry(number).or_insert_with(|| {
            communicators.push(Arguments::default());
            CommunicatorId::from(communicators.len())
        })
    }

    /// The first time of all.
    pub(super) fn first(&self) -> Option<i64> {
        self.points.iter().map(|(_, point)| point.at).min()
    }

    /// Communicators, in the order of their ids from 1, and what happens where.
    pub(super) fn resolved(
        self,
        threads: &HashMap<u64, LocationId>,
    ) -> (Vec<Communicator>, Vec<(LocationId, Point)>) {
        let members = |numbers: Vec<Number>| {
            numbers.iter().map(|number| number.id().and_then(|it| threads.get(&it).copied())).collect()
        };
        let one = |it: Arguments| Communicator {
            name: it.name,
            members: members(it.members),
            remote: members(it.remote),
            parent: None,
            of_self: it.of_self,
        };
        let communicators: Vec<Communicator> = self.communicators.into_iter().map(one).collect();
        let mut points = self.points;
        points.iter_mut().for_each(|(_, point)| forget_strange_root(&mut point.event, &communicators));
        (communicators, points)
    }
}

/// A root that no member is would point out of the tables. A communicator of oneself lists no members.
fn forget_strange_root(event: &mut TraceEvent, communicators: &[Communicator]) {
    if let TraceEvent::CollectiveEnd { communicator, root, .. }
    | TraceEvent::CollectiveComplete { communicator, root, .. } = event
    {
        let of = &communicators[communicator.index() - 1];
        let members = of.members.len().max(of.remote.len());
        *root = root.filter(|&rank| of.of_self || (rank as usize) < members);
    }
}

fn arguments(event: &Event<'_>) -> Arguments {
    let mut arguments = Arguments::default();
    // Arguments are free in form; where they are nested too deep, what came before that is enough.
    drop(fill_first(event.args, &mut arguments));
    arguments
}
