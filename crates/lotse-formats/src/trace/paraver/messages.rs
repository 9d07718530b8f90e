//! Communications become sends and receives inside the calls they belong to.
//!
//! Who is matched with whom is written in the file. Readers match by order and tag, so messages of one tag between two
//! tasks that overtake each other get tags of their own.

use std::collections::BTreeMap;

use lotse_model::id::LocationId;
use lotse_model::trace::{Definitions, Event, EventKind, Paradigm, Ticks};

use super::records::Message;
use super::world::{ALL, World};
use crate::json::Tally;
use crate::trace::timeline::Listed;

/// All communications.
#[derive(Debug, Default)]
pub(super) struct Messages {
    messages: Vec<Sent>,
}

#[derive(Debug, Clone, Copy)]
struct Sent {
    from: LocationId,
    sent: Ticks,
    to: LocationId,
    received: Ticks,
    size: u64,
    tag: u32,
}

impl Messages {
    /// Takes a communication.
    pub(super) fn add(&mut self, message: &Message, from: LocationId, to: LocationId) {
        let Message { sent, received, size, tag, .. } = *message;
        // Tags of MPI are not negative; what others write only has to be the same on both sides.
        let tag = tag as u32;
        self.messages.push(Sent { from, sent, to, received, size, tag });
    }

    /// Puts all sends and receives into the events of their locations.
    pub(super) fn place(
        mut self,
        lists: &mut [Vec<Listed>],
        world: &World,
        definitions: &Definitions,
        tally: &mut Tally,
    ) {
        self.part_tags(tally);
        let mut moments: Vec<Vec<Moment>> = vec![Vec::new(); lists.len()];
        for message in &self.messages {
            let Sent { from, sent, to, received, size: length, tag } = *message;
            let (Some(sender), Some(receiver)) = (world.rank(ALL, from), world.rank(ALL, to)) else {
                continue;
            };
            let send = Event::MpiSend { receiver, communicator: ALL, tag, length };
            let receive = Event::MpiRecv { sender, communicator: ALL, tag, length };
            moments[from.index()].push(Moment { listed: (sent, EventKind::MpiSend, send), ends: false });
            moments[to.index()].push(Moment { listed: (received, EventKind::MpiRecv, receive), ends: true });
        }
        for (list, mut moments) in lists.iter_mut().zip(moments) {
            moments.sort_by_key(|moment| moment.listed.0);
            *list = merged(list, &moments, definitions);
        }
    }

    fn part_tags(&mut self, tally: &mut Tally) {
        self.messages.sort_by_key(|message| message.sent);
        let mut channels: BTreeMap<(LocationId, LocationId, u32), Vec<usize>> = BTreeMap::new();
        for (row, message) in self.messages.iter().enumerate() {
            channels.entry((message.from, message.to, message.tag)).or_default().push(row);
        }
        let mut fresh = u32::MAX;
        for rows in channels.values() {
            if rows.is_sorted_by_key(|row| self.messages[*row].received) {
                continue;
            }
            tally.note("messages of one tag overtake each other; they got tags of their own", || {
                "messages".to_owned()
            });
            for row in rows {
                self.messages[*row].tag = fresh;
                fresh = fresh.wrapping_sub(1);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Moment {
    listed: Listed,
    /// Whether it belongs to the call that ends then, not to one that begins.
    ends: bool,
}

fn merged(mut events: &[Listed], moments: &[Moment], definitions: &Definitions) -> Vec<Listed> {
    let mut all = Vec::with_capacity(events.len() + moments.len());
    for moment in moments {
        let at = moment.listed.0;
        let before = events.partition_point(|event| event.0 < at);
        let same = events[before..].partition_point(|event| event.0 == at);
        let place = before + place(&events[before..before + same], moment.ends, definitions);
        all.extend_from_slice(&events[..place]);
        all.push(moment.listed);
        events = &events[place..];
    }
    all.extend_from_slice(events);
    all
}

/// Where among the events of its time a moment belongs.
fn place(same: &[Listed], ends: bool, definitions: &Definitions) -> usize {
    let of_mpi = |event: &Listed| match event.2 {
        Event::Leave { region } => definitions.regions[region.index()].paradigm == Paradigm::Mpi,
        _ => false,
    };
    let left = same.iter().rposition(of_mpi).filter(|_| ends);
    let entered = same.iter().rposition(|event| matches!(event.2, Event::Enter { .. })).map(|last| last + 1);
    left.or(entered).unwrap_or(0)
}
