//! A process that asks for a message waits until it is sent.

use lotse_model::id::LocationId;

use super::super::graph::Need;
use super::rests::{Rests, Waited};
use super::{Builder, WaitKind, Waiting};
use crate::polls::{Poll, polls};
use crate::store::{CallRef, Trace};

impl Builder<'_> {
    /// A probe, or a loop of tests, needs the send of the message that it found.
    pub(super) fn need_probes(&mut self, rests: &Rests) {
        let trace = self.trace;
        for location in trace.locations() {
            for poll in polls(trace, location) {
                let Some(source) = self.source_of(poll.send) else { continue };
                let waited = poll.waited(trace, location);
                self.push(&Waiting {
                    call: CallRef { location, call: poll.first },
                    begin: waited.enter,
                    exit: waited.exit,
                    happened: self.graph.source(source).at,
                    late: rests.late(trace, &waited),
                    on: &[Need::from(source)],
                    kind: WaitKind::Notices,
                });
            }
        }
    }
}

impl Poll {
    /// How long it took to find the message.
    pub(super) fn waited(&self, trace: &Trace, location: LocationId) -> Waited {
        let call = |call| CallRef { location, call };
        let (enter, exit) = (trace.enter(call(self.first)), trace.exit(call(self.last)));
        Waited { send: self.send, to: location, probes: true, enter, sent: self.sent, exit }
    }
}
