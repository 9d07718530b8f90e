//! Estimates the transfer times of messages.
//!
//! The arrival of a message is not recorded. Let the send be entered at S, and the receive last from E to X:
//!
//! ```text
//! sender     ┤S send├                        transfer <= X - S   (equal if the receiver waited for the message)
//! receiver              ┤E receive X├        own work <= X - E   (if E >= S)
//! ```
//!
//! The transfer time of a message is estimated as the smallest X - S of all messages that are as long or longer between
//! the same two processes. The receive's own work (matching, copying) is estimated as the smallest X - E of all receives
//! that began after their send, or 0 if there is none.
//!
//! If a receive ended later than S plus the estimated transfer time, the message did not delay it and has slack. Otherwise
//! the message delayed it, and its own X - S is the transfer time.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};

use crate::matching::is_receive;
use crate::store::{CallRef, OpRef, Trace};

/// Sender, receiver, and the number of bits of the length.
type TransferKind = (ProcessId, ProcessId, u32);

/// The shortest times of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fastest {
    /// From the enter of the send to the exit of the receive.
    transfer: Ticks,
    /// From the enter of the receive to its exit, if the send was earlier.
    own: Option<Ticks>,
}

/// The shortest times of each kind of message.
#[derive(Debug)]
pub(super) struct Transfers(BTreeMap<TransferKind, Fastest>);

/// A receive of one or several messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Receive {
    /// How long it takes after all messages have arrived.
    pub(super) own: Ticks,
    /// From the enter of each send to the end of the receive, if only that message delayed it.
    pub(super) transfers: Vec<Ticks>,
}

impl Transfers {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut fastest: BTreeMap<TransferKind, Fastest> = BTreeMap::new();
        for call in calls(trace) {
            let (enter, exit) = (trace.enter(call), trace.exit(call));
            for (kind, sent) in messages(trace, call) {
                let own = (sent <= enter).then_some(exit - enter);
                let seen = Fastest { transfer: exit.saturating_sub(sent), own };
                fastest.entry(kind).and_modify(|known| *known = known.combined_with(seen)).or_insert(seen);
            }
        }
        Self(bounded_by_longer(fastest))
    }

    /// The estimated times of a call that completes messages, which are in the order of its records.
    pub(super) fn receive(&self, trace: &Trace, call: CallRef) -> Receive {
        let (enter, exit) = (trace.enter(call), trace.exit(call));
        let fastest_of =
            |(kind, sent): (TransferKind, Ticks)| self.0.get(&kind).map(|fastest| (sent, *fastest));
        let messages: Vec<(Ticks, Fastest)> = messages(trace, call).filter_map(fastest_of).collect();
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
    fn combined_with(self, other: Self) -> Self {
        let own = [self.own, other.own].into_iter().flatten().min();
        Self { transfer: self.transfer.min(other.transfer), own }
    }
}

/// Bounds the times of each kind by those of longer messages: a shorter message is not slower.
fn bounded_by_longer(mut fastest: BTreeMap<TransferKind, Fastest>) -> BTreeMap<TransferKind, Fastest> {
    let mut longer: Option<(ProcessId, ProcessId, Fastest)> = None;
    for ((from, to, _), known) in fastest.iter_mut().rev() {
        if let Some((_, _, it)) = longer.filter(|(a, b, _)| (a, b) == (from, to)) {
            *known = known.combined_with(it);
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
fn messages(trace: &Trace, call: CallRef) -> impl Iterator<Item = (TransferKind, Ticks)> + '_ {
    let location = call.location;
    let records = trace.timeline(location).ops_of(call.call).filter(|(_, op)| is_receive(op.shape()));
    let sends = records.filter_map(move |(op, _)| trace.links.partner(OpRef { location, op }));
    sends.map(move |send| {
        let length = match trace.op(send).event() {
            Event::MpiSend { length, .. } | Event::MpiIsend { length, .. } => length,
            _ => 0,
        };
        let process = |location: LocationId| trace.location(location).process;
        let sent = trace.call_of(send).map_or(trace.op(send).at, |call| trace.enter(call));
        ((process(send.location), process(location), u64::BITS - length.leading_zeros()), sent)
    })
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::{Receive, Transfers};
    use crate::fixture::Script;
    use crate::store::CallRef;

    /// The receiver waits for the first message (50 after its send). The second arrives long before its receive, which
    /// takes 5. The third is in transit when its receive begins, 20 after the send.
    #[test]
    fn receives_have_slack_compared_with_the_fastest_message() {
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

    /// If all receives waited, the receive's own work is unknown.
    #[test]
    fn a_single_message_is_its_own_estimate() {
        let mut script = Script::processes(2);
        script.send(0, 100, 101, 1, 0);
        script.recv(1, 10, 150, 0, 0);
        let trace = script.trace();
        let call = CallRef { location: LocationId(1), call: 0 };
        let receive = Transfers::new(&trace).receive(&trace, call);
        assert_eq!(receive, Receive { own: 0, transfers: vec![50] });
    }
}
