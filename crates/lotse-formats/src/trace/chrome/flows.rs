//! Flow events with the same category and id become hops, each a send and a receive.
//!
//! A flow begins (`s`), passes through any number of steps (`t`) and ends (`f`). If an id is used for several flows, the
//! events are taken in the order of time. A hop from a location to itself does not become a message: later events of
//! the location depend on earlier ones anyway.
//!
//! ```text
//! location 0   s ─┐
//! location 1      └→ t ─┐        two hops: 0 sends to 1, 1 sends to 2
//! location 2            └→ f
//! ```

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{Event as TraceEvent, EventKind};

use crate::chrome_events::ChromeEvent;
use crate::diagnostics::Diagnostics;
use crate::json::{Fill, Number, fill_first};
use crate::trace::timeline::PointEvent;

/// All flow events of a trace.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// Indices into `flows` by category and id.
    categories: HashMap<String, HashMap<String, usize>>,
    flows: Vec<Vec<FlowEvent>>,
}

/// A flow event.
#[derive(Debug, Clone, Copy)]
struct FlowEvent {
    at: i64,
    location: LocationId,
    phase: u8,
    /// The length of the message, if the begin states it.
    bytes: u64,
}

/// The arguments that our own writer adds to the begin of a flow.
#[derive(Debug, Default)]
struct FlowArguments {
    bytes: Number,
}

impl Fill for FlowArguments {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        (key == "bytes").then_some(&mut self.bytes)
    }
}

fn bytes(event: &ChromeEvent<'_>) -> u64 {
    let mut arguments = FlowArguments::default();
    if event.args.contains("\"bytes\"") {
        // Arguments can be any JSON. If they are nested too deep, the values before that are enough.
        drop(fill_first(event.args, &mut arguments));
    }
    arguments.bytes.id().unwrap_or(0)
}

impl Flows {
    /// Adds a flow event.
    pub(super) fn add(&mut self, event: &ChromeEvent<'_>, location: LocationId, at: i64) {
        let ids = self.categories.entry_ref(&*event.category).or_default();
        let flows = &mut self.flows;
        let flow = *ids.entry_ref(&*event.id).or_insert_with(|| {
            flows.push(Vec::new());
            flows.len() - 1
        });
        self.flows[flow].push(FlowEvent { at, location, phase: event.phase, bytes: bytes(event) });
    }

    /// The earliest time.
    pub(super) fn first(&self) -> Option<i64> {
        self.flows.iter().flatten().map(|event| event.at).min()
    }

    /// The sends and receives of all hops, with their locations.
    pub(super) fn hop_events(
        self,
        communicator: CommunicatorId,
        diagnostics: &mut Diagnostics,
    ) -> Vec<(LocationId, PointEvent)> {
        let mut hops = Hops { communicator, tag: 0, points: Vec::new(), stray: 0, unended: 0 };
        self.flows.into_iter().for_each(|flow| hops.match_flow(flow));
        hops.report_unmatched(diagnostics);
        hops.points
    }
}

/// The hops of all flows, as sends and receives.
struct Hops {
    communicator: CommunicatorId,
    /// The tag of the next hop.
    tag: u32,
    points: Vec<(LocationId, PointEvent)>,
    /// The number of steps and ends without a begin.
    stray: usize,
    /// The number of begins without an end.
    unended: usize,
}

impl Hops {
    /// Adds the hops between consecutive events of a flow.
    fn match_flow(&mut self, mut events: Vec<FlowEvent>) {
        let begins = events.iter().filter(|event| event.phase == b's').count();
        // A single begin comes first, even if the clocks of the locations disagree.
        events.sort_by_key(|event| (begins == 1 && event.phase != b's', event.at));
        let mut from: Option<FlowEvent> = None;
        for event in events {
            match (from, event.phase) {
                (open, b's') => self.unended += usize::from(open.is_some()),
                (Some(from), _) => self.add_hop(from, event),
                (None, _) => self.stray += 1,
            }
            from = (event.phase != b'f' && (event.phase == b's' || from.is_some())).then_some(event);
        }
        self.unended += usize::from(from.is_some());
    }

    fn add_hop(&mut self, from: FlowEvent, to: FlowEvent) {
        if from.location == to.location {
            self.points.extend([from, to].map(|event| (event.location, PointEvent::other(event.at))));
            return;
        }
        let (communicator, tag, length) = (self.communicator, self.tag, from.bytes);
        self.tag = self.tag.wrapping_add(1);
        let (receiver, sender) = (to.location.0, from.location.0);
        let send = TraceEvent::MpiSend { receiver, communicator, tag, length };
        let receive = TraceEvent::MpiRecv { sender, communicator, tag, length };
        self.points.push((from.location, PointEvent { at: from.at, kind: EventKind::MpiSend, event: send }));
        self.points.push((to.location, PointEvent { at: to.at, kind: EventKind::MpiRecv, event: receive }));
    }

    fn report_unmatched(&self, diagnostics: &mut Diagnostics) {
        for _ in 0..self.stray {
            diagnostics.note_kind("a flow ends that never began; it was left out", || "flows".to_owned());
        }
        for _ in 0..self.unended {
            diagnostics.note_kind("a flow begins and never ends; it was left out", || "flows".to_owned());
        }
    }
}
