//! Converts communications to sends and receives inside the MPI calls they belong to.
//!
//! The file states which send belongs to which receive, but the analyses of a trace match them by order and tag. So
//! messages between two locations with the same tag that overtake each other get new, different tags:
//!
//! ```text
//! sender     send A (tag 7)   send B (tag 7)
//! receiver   receive B        receive A          A gets tag 4294967295, B gets tag 4294967294
//! ```

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, Paradigm, Ticks};

use super::records::MessageRecord;
use super::topology::{ALL, Topology};
use crate::diagnostics::Diagnostics;
use crate::trace::timeline::TimedEvent;

/// All communications.
#[derive(Debug, Default)]
pub(super) struct MessageTable {
    messages: Vec<PlacedMessage>,
}

#[derive(Debug, Clone, Copy)]
struct PlacedMessage {
    from: LocationId,
    sent: Ticks,
    to: LocationId,
    received: Ticks,
    size: u64,
    tag: u32,
}

impl MessageTable {
    /// Adds a communication.
    pub(super) fn add(&mut self, message: &MessageRecord, from: LocationId, to: LocationId) {
        let MessageRecord { sent, received, size, tag, .. } = *message;
        // MPI's tags are not negative; other tags only have to be the same on both sides.
        let tag = tag as u32;
        self.messages.push(PlacedMessage { from, sent, to, received, size, tag });
    }

    /// Inserts all sends and receives into the event lists of their locations.
    pub(super) fn place_into(
        mut self,
        lists: &mut [Vec<TimedEvent>],
        topology: &Topology,
        definitions: &Definitions,
        diagnostics: &mut Diagnostics,
    ) {
        self.separate_tags(diagnostics);
        let mut additions: Vec<Vec<MessageEvent>> = vec![Vec::new(); lists.len()];
        for message in &self.messages {
            let PlacedMessage { from, sent, to, received, size: length, tag } = *message;
            let (Some(sender), Some(receiver)) = (topology.rank(ALL, from), topology.rank(ALL, to)) else {
                continue;
            };
            let send = Event::MpiSend { receiver, communicator: ALL, tag, length };
            let receive = Event::MpiRecv { sender, communicator: ALL, tag, length };
            additions[from.index()]
                .push(MessageEvent { event: (sent, EventKind::MpiSend, send), ends_call: false });
            additions[to.index()]
                .push(MessageEvent { event: (received, EventKind::MpiRecv, receive), ends_call: true });
        }
        for (list, mut additions) in lists.iter_mut().zip(additions) {
            additions.sort_by_key(|addition| addition.event.0);
            *list = merge(list, &additions, definitions);
        }
    }

    /// Gives new tags to the messages of each channel (sender, receiver, tag) that are not received in the order of sending.
    fn separate_tags(&mut self, diagnostics: &mut Diagnostics) {
        self.messages.sort_by_key(|message| message.sent);
        let mut channels: BTreeMap<(LocationId, LocationId, u32), Vec<usize>> = BTreeMap::new();
        for (row, message) in self.messages.iter().enumerate() {
            channels.entry((message.from, message.to, message.tag)).or_default().push(row);
        }
        let mut next_tag = u32::MAX;
        for rows in channels.values() {
            if rows.is_sorted_by_key(|row| self.messages[*row].received) {
                continue;
            }
            diagnostics
                .note_kind("messages of one tag overtake each other; they got tags of their own", || {
                    "messages".to_owned()
                });
            for row in rows {
                self.messages[*row].tag = next_tag;
                next_tag = next_tag.wrapping_sub(1);
            }
        }
    }
}

/// A send or receive to be inserted.
#[derive(Debug, Clone, Copy)]
struct MessageEvent {
    event: TimedEvent,
    /// Whether it belongs to a call that ends at its time, not to one that begins then.
    ends_call: bool,
}

/// Inserts the additions, which are in the order of time, into the events.
fn merge(
    mut events: &[TimedEvent],
    additions: &[MessageEvent],
    definitions: &Definitions,
) -> Vec<TimedEvent> {
    let mut all = Vec::with_capacity(events.len() + additions.len());
    for addition in additions {
        let at = addition.event.0;
        let before = events.partition_point(|event| event.0 < at);
        let same = events[before..].partition_point(|event| event.0 == at);
        let place = before + place_among(&events[before..before + same], addition.ends_call, definitions);
        all.extend_from_slice(&events[..place]);
        all.push(addition.event);
        events = &events[place..];
    }
    all.extend_from_slice(events);
    all
}

/// The position of an addition among the events of the same time: a receive before the last leave of an MPI call, anything
/// else after the last enter, or first if there is none.
fn place_among(same: &[TimedEvent], ends_call: bool, definitions: &Definitions) -> usize {
    let of_mpi = |event: &TimedEvent| match event.2 {
        Event::Leave { region } => definitions.regions[region.index()].paradigm == Paradigm::Mpi,
        _ => false,
    };
    let left = same.iter().rposition(of_mpi).filter(|_| ends_call);
    let entered = same.iter().rposition(|event| matches!(event.2, Event::Enter { .. })).map(|last| last + 1);
    left.or(entered).unwrap_or(0)
}
