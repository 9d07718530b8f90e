//! How long messages are on their way, as far as a run tells.
//!
//! No record says when a message arrived. For a send entered at S and a receive from E to X, the message was there by
//! X at the latest, so X - S bounds its transfer from above; where the receiver waited for it, X - S is its transfer.
//! A message is taken to need as long as the fastest that is as long or longer between the same two processes. Where
//! the receive came after the send, X - E bounds from above what the receive itself takes (looking, copying); the
//! least of these is taken, nothing where no receive came after its send.
//!
//! So a receive that ended later than that transfer after its send was not kept by the message, and has slack; one
//! that did not was kept, and its own X - S is the transfer.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};

use crate::store::{CallRef, OpRef, Trace};

/// From whom, to whom, and how many bits the length has.
type Kind = (ProcessId, ProcessId, u32);

/// The fastest of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fastest {
    /// From the enter of the send to the exit of the receive.
    transfer: Ticks,
    /// From the enter of the receive to its exit, where the send came first.
    own: Option<Ticks>,
}

/// The fastest messages of each kind.
#[derive(Debug)]
pub(super) struct Transfers(BTreeMap<Kind, Fastest>);

/// A receive of one or several messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Receive {
    /// What it takes itself once all messages are there.
    pub(super) own: Ticks,
    /// From the enter of each send to the end of the receive, if only the message kept it.
    pub(super) transfers: Vec<Ticks>,
}

impl Transfers {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut fastest: BTreeMap<Kind, Fastest> = BTreeMap::new();
        for call in calls(trace) {
            let (enter, exit) = (trace.enter(call), trace.exit(call));
            for (kind, sent) in messages(trace, call) {
                let own = (sent <= enter).then_some(exit - enter);
                let seen = Fastest { transfer: exit.saturating_sub(sent), own };
                fastest.entry(kind).and_modify(|known| *known = known.and(seen)).or_insert(seen);
            }
        }
        Self(with_longer(fastest))
    }

    /// What is known of a call that completes messages; of these in the order of its records.
    pub(super) fn receive(&self, trace: &Trace, call: CallRef) -> Receive {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        let of = |(kind, sent): (Kind, Ticks)| self.0.get(&kind).map(|fastest| (sent, *fastest));
        let messages: Vec<(Ticks, Fastest)> = messages(trace, call).filter_map(of).collect();
        let mut transfers: Vec<Ticks> = messages.iter().map(|(_, fastest)| fastest.transfer).collect();
        let own = messages.iter().filter_map(|(_, fastest)| fastest.own).max().unwrap_or(0);
        let arrived = |number: &usize| messages[*number].0 + transfers[*number];
        match (0..messages.len()).max_by_key(arrived) {
            Some(last) if arrived(&last) > enter + own => {
                transfers[last] = exit.saturating_sub(messages[last].0);
                Receive { own, transfers }
            }
            _ => Receive { own: exit - enter, transfers },
        }
    }
}

impl Fastest {
    fn and(self, other: Self) -> Self {
        let own = [self.own, other.own].into_iter().flatten().min();
        Self { transfer: self.transfer.min(other.transfer), own }
    }
}

/// What a longer message can do, a shorter one can.
fn with_longer(mut fastest: BTreeMap<Kind, Fastest>) -> BTreeMap<Kind, Fastest> {
    let mut longer: Option<(ProcessId, ProcessId, Fastest)> = None;
    for ((from, to, _), known) in fastest.iter_mut().rev() {
        if let Some((_, _, it)) = longer.filter(|(a, b, _)| (a, b) == (from, to)) {
            *known = known.and(it);
        }
        known.own = known.own.map(|own| own.min(known.transfer));
        longer = Some((*from, *to, *known));
    }
    fastest
}

/// The calls that complete messages.
fn calls(trace: &Trace) -> impl Iterator<Item = CallRef> + '_ {
    trace.locations().flat_map(move |location| {
        let ops = trace.timeline(location).ops.iter().enumerate();
        let receives = ops.filter(|(_, op)| is_receive(op.shape()));
        let calls = receives.filter_map(move |(op, _)| trace.call_of(OpRef { location, op: op as u32 }));
        let mut before = None;
        calls.filter(move |&call| before.replace(call) != Some(call))
    })
}

/// The messages that a call completes, and when their sends were entered.
fn messages(trace: &Trace, call: CallRef) -> impl Iterator<Item = (Kind, Ticks)> + '_ {
    let location = call.location;
    let records = trace.timeline(location).ops_of(call.call).filter(|(_, op)| is_receive(op.shape()));
    let sends = records.filter_map(move |(op, _)| trace.links.partner(OpRef { location, op }));
    sends.map(move |send| {
        let length = match trace.op(send).event() {
            Event::MpiSend { length, .. } | Event::MpiIsend { length, .. } => length,
            _ => 0,
        };
        let process = |of: LocationId| trace.location(of).process;
        let sent = trace.call_of(send).map_or(trace.op(send).at, |call| trace.enter(call));
        ((process(send.location), process(location), u64::BITS - length.leading_zeros()), sent)
    })
}

fn is_receive(event: &Event) -> bool {
    matches!(event, Event::MpiRecv { .. } | Event::MpiIrecv { .. })
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::{Receive, Transfers};
    use crate::fixture::Script;
    use crate::store::CallRef;

    /// The first message is waited for (50 after its send), the second comes long before its receive, which takes 5,
    /// the third is on its way when its receive begins, 20 after the send.
    #[test]
    fn the_fastest_tells_which_receives_had_slack() {
        let mut script = Script::processes(2);
        script.send(0, 100, 101, 1, 0).send(0, 200, 201, 1, 0).send(0, 600, 601, 1, 0);
        script.recv(1, 10, 150, 0, 0).recv(1, 500, 505, 0, 0).recv(1, 620, 652, 0, 0);
        let trace = script.trace();
        let transfers = Transfers::new(&trace);
        let receive = |call| transfers.receive(&trace, CallRef { location: LocationId(1), call });
        assert_eq!(receive(0), Receive { own: 5, transfers: vec![50] });
        assert_eq!(receive(1), Receive { own: 5, transfers: vec![50] });
        assert_eq!(receive(2), Receive { own: 5, transfers: vec![52] });
    }

    /// Nothing is known of the receive itself where all receives waited.
    #[test]
    fn a_message_alone_tells_of_itself() {
        let mut script = Script::processes(2);
        script.send(0, 100, 101, 1, 0);
        script.recv(1, 10, 150, 0, 0);
        let trace = script.trace();
        let call = CallRef { location: LocationId(1), call: 0 };
        let receive = Transfers::new(&trace).receive(&trace, call);
        assert_eq!(receive, Receive { own: 0, transfers: vec![50] });
    }
}
