//! Sends or receives of a process by channel: peer, communicator and tag.

use std::ops::Range;

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, ProcessId};

use crate::store::OpRef;

/// What tells messages apart that overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Channel {
    pub(super) peer: ProcessId,
    pub(super) communicator: CommunicatorId,
    pub(super) tag: u32,
}

/// A send or a receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Its channel's number.
    channel: u32,
    /// Its place in the order that counts.
    pub(super) order: u32,
    pub(super) op: OpRef,
}

/// Ends as they come.
#[derive(Debug, Default)]
pub(super) struct Collected {
    known: HashMap<Channel, u32>,
    /// Channels in the order of their first ends.
    channels: Vec<Channel>,
    /// The last channel asked for: many messages in a row are alike.
    last: Option<(Channel, u32)>,
    pub(super) ends: Vec<End>,
}

/// Ends by channel; those of a channel in the order that counts.
#[derive(Debug)]
pub(super) struct Channels {
    known: HashMap<Channel, u32>,
    channels: Vec<Channel>,
    /// By channel: where its ends begin, and where the last one's end.
    starts: Vec<usize>,
    ends: Vec<OpRef>,
}

impl Collected {
    pub(super) fn push(&mut self, channel: Channel, order: u32, op: OpRef) {
        let number = match self.last {
            Some((last, number)) if last == channel => number,
            _ => self.number(channel),
        };
        self.last = Some((channel, number));
        self.ends.push(End { channel: number, order, op });
    }

    fn number(&mut self, channel: Channel) -> u32 {
        let next = self.channels.len() as u32;
        let number = *self.known.entry(channel).or_insert(next);
        if number == next {
            self.channels.push(channel);
        }
        number
    }

    pub(super) fn by_channel(mut self) -> Channels {
        self.ends.sort_by_key(|end| (end.channel, end.order));
        let mut starts = vec![0; self.channels.len() + 1];
        self.ends.iter().for_each(|end| starts[end.channel as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let ends = self.ends.iter().map(|end| end.op).collect();
        Channels { known: self.known, channels: self.channels, starts, ends }
    }
}

impl Channels {
    /// How many ends there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All channels with their ends.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Channel, &[OpRef])> {
        self.channels.iter().zip(self.ranges()).map(|(&channel, range)| (channel, &self.ends[range]))
    }

    /// The ends of a channel.
    pub(super) fn get(&self, channel: Channel) -> &[OpRef] {
        let Some(&number) = self.known.get(&channel) else { return &[] };
        &self.ends[self.starts[number as usize]..self.starts[number as usize + 1]]
    }

    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.starts.windows(2).map(|pair| pair[0]..pair[1])
    }
}
