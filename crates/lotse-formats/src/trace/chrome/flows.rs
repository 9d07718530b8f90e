//! Flow events of one category and id become hops: who told whom, and when.
//!
//! A flow begins (`s`), passes through any number of steps (`t`) and ends (`f`). Where an id is begun more than once,
//! its events are taken in the order of time. A hop from a location to itself is no message: what happens there
//! later depends on it anyway.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Event as TraceEvent, EventKind};

use crate::chrome_events::Event;
use crate::json::{Fill, Number, Tally, fill_first};
use crate::trace::timeline::Point;

/// All flow events.
#[derive(Debug, Default)]
pub(super) struct Flows {
    categories: HashMap<String, HashMap<String, usize>>,
    flows: Vec<Vec<End>>,
}

/// A flow event.
#[derive(Debug, Clone, Copy)]
struct End {
    at: i64,
    location: LocationId,
    phase: u8,
    /// How long the message is, where the begin says it.
    bytes: u64,
}

/// The arguments of a begin that our own writer wrote.
#[derive(Debug, Default)]
struct Arguments {
    bytes: Number,
}

impl Fill for Arguments {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        (key == "bytes").then_some(&mut self.bytes)
    }
}

fn bytes(event: &Event<'_>) -> u64 {
    let mut arguments = Arguments::default();
    if event.args.contains("\"bytes\"") {
        // Arguments are free in form; where they are nested too deep, what came before that is enough.
        drop(fill_first(event.args, &mut arguments));
    }
    arguments.bytes.id().unwrap_or(0)
}

impl Flows {
    /// Takes a flow event.
    pub(super) fn end(&mut self, event: &Event<'_>, location: LocationId, at: i64) {
        let ids = self.categories.entry_ref(&*event.category).or_default();
        let flows = &mut self.flows;
        let flow = *ids.entry_ref(&*event.id).or_insert_with(|| {
            flows.push(Vec::new());
            flows.len() - 1
        });
        self.flows[flow].push(End { at, location, phase: event.phase, bytes: bytes(event) });
    }

    /// The first time of all.
    pub(super) fn first(&self) -> Option<i64> {
        self.flows.iter().flatten().map(|end| end.at).min()
    }

    /// Sends and receives, with where they happen.
    pub(super) fn matched(self, communicator: CommunicatorId, tally: &mut Tally) -> Vec<(LocationId, Point)> {
        let mut hops = Hops { communicator, tag: 0, points: Vec::new(), stray: 0, unended: 0 };
        self.flows.into_iter().for_each(|flow| hops.flow(flow));
        hops.tell(tally);
        hops.points
    }
}

struct Hops {
    communicator: CommunicatorId,
    tag: u32,
    points: Vec<(LocationId, Point)>,
    /// Steps and ends without a begin.
    stray: usize,
    /// Begins without an end.
    unended: usize,
}

impl Hops {
    fn flow(&mut self, mut ends: Vec<End>) {
        let begins = ends.iter().filter(|end| end.phase == b's').count();
        // With one begin it comes first, even where clocks disagree.
        ends.sort_by_key(|end| (begins == 1 && end.phase != b's', end.at));
        let mut from: Option<End> = None;
        for end in ends {
            match (from, end.phase) {
                (open, b's') => self.unended += usize::from(open.is_some()),
                (Some(from), _) => self.hop(from, end),
                (None, _) => self.stray += 1,
            }
            from = (end.phase != b'f' && (end.phase == b's' || from.is_some())).then_some(end);
        }
        self.unended += usize::from(from.is_some());
    }

    fn hop(&mut self, from: End, to: End) {
        if from.location == to.location {
            self.points.extend([from, to].map(|end| (end.location, Point::other(end.at))));
            return;
        }
        let (communicator, tag, length) = (self.communicator, self.tag, from.bytes);
        self.tag = self.tag.wrapping_add(1);
        let (receiver, sender) = (to.location.0, from.location.0);
        let send = TraceEvent::MpiSend { receiver, communicator, tag, length };
        let receive = TraceEvent::MpiRecv { sender, communicator, tag, length };
        self.points.push((from.location, Point { at: from.at, kind: EventKind::MpiSend, event: send }));
        self.points.push((to.location, Point { at: to.at, kind: EventKind::MpiRecv, event: receive }));
    }

    fn tell(&self, tally: &mut Tally) {
        for _ in 0..self.stray {
            tally.note("a flow ends that never began; it was left out", || "flows".to_owned());
        }
        for _ in 0..self.unended {
            tally.note("a flow begins and never ends; it was left out", || "flows".to_owned());
        }
    }
}
