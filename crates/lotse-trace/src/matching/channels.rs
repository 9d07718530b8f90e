//! Sends or receives of a process, grouped by channel: peer, communicator and tag. Messages of a channel do not overtake
//! each other.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, ProcessId};

use crate::store::OpRef;

/// Messages with the same values match in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Channel {
    pub(super) peer: ProcessId,
    pub(super) communicator: CommunicatorId,
    pub(super) tag: u32,
}

/// A send or a receive.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageEnd {
    /// The number of its channel; after [`Channels::chain`] the index of the next end of the same channel.
    link: u32,
    /// Its position in the order of matching.
    pub(super) order: u32,
    pub(super) op: OpRef,
}

/// Ends by channel. The ends of a channel form a linked list within one vector: a vector per channel would take more memory
/// than the messages if every message has its own tag.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// By channel: its index in `chains`.
    known: HashMap<Channel, u32>,
    /// Channels in the order of their numbers, each with the first index of its chain.
    chains: Vec<(Channel, u32)>,
    pub(super) ends: Vec<MessageEnd>,
}

const NO_END: u32 = u32::MAX;

impl Channels {
    /// Adds an end to the channel of a number.
    pub(super) fn push(&mut self, number: u32, order: u32, op: OpRef) {
        self.ends.push(MessageEnd { link: number, order, op });
    }

    /// The number of a channel, which is added if it is new.
    pub(super) fn number_of(&mut self, channel: Channel) -> u32 {
        let next = self.chains.len() as u32;
        let number = *self.known.entry(channel).or_insert(next);
        if number == next {
            self.chains.push((channel, NO_END));
        }
        number
    }

    /// Sorts the ends and chains those of each channel. Must be called once, after the last `push`.
    pub(super) fn chain(&mut self) {
        if !self.ends.is_sorted_by_key(|end| end.order) {
            self.ends.sort_unstable_by_key(|end| end.order);
        }
        for (at, end) in (0..self.ends.len() as u32).zip(&mut self.ends).rev() {
            let first = &mut self.chains[end.link as usize].1;
            end.link = std::mem::replace(first, at);
        }
    }

    /// The number of ends.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All channels with their ends.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Channel, impl Iterator<Item = OpRef> + '_)> {
        self.chains.iter().map(|&(channel, first)| (channel, self.chain_from(first)))
    }

    /// The ends of a channel.
    pub(super) fn get(&self, channel: Channel) -> impl Iterator<Item = OpRef> + '_ {
        let first = self.known.get(&channel).map_or(NO_END, |&number| self.chains[number as usize].1);
        self.chain_from(first)
    }

    fn chain_from(&self, first: u32) -> impl Iterator<Item = OpRef> + '_ {
        let end = |at: u32| self.ends.get(at as usize);
        std::iter::successors(end(first), move |before| end(before.link)).map(|end| end.op)
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{CommunicatorId, LocationId, ProcessId};

    use super::{Channel, Channels};
    use crate::store::OpRef;

    fn channel(peer: u32, tag: u32) -> Channel {
        Channel { peer: ProcessId(peer), communicator: CommunicatorId(0), tag }
    }

    #[test]
    fn ends_of_a_channel_come_in_the_order_of_matching() {
        let mut channels = Channels::default();
        let pushed =
            [(channel(1, 0), 5, 50), (channel(2, 0), 6, 60), (channel(1, 0), 3, 70), (channel(1, 9), 8, 80)];
        for (channel, order, op) in pushed {
            let number = channels.number_of(channel);
            channels.push(number, order, OpRef { location: LocationId(0), op });
        }
        channels.chain();
        let ends = |channel| channels.get(channel).map(|end| end.op).collect::<Vec<_>>();
        assert_eq!(ends(channel(1, 0)), [70, 50]);
        assert_eq!(ends(channel(1, 9)), [80]);
        assert!(ends(channel(3, 0)).is_empty());
        let all: Vec<(Channel, usize)> =
            channels.iter().map(|(channel, ends)| (channel, ends.count())).collect();
        assert_eq!(all, [(channel(1, 0), 2), (channel(2, 0), 1), (channel(1, 9), 1)]);
        assert_eq!(channels.len(), 4);
    }
}
