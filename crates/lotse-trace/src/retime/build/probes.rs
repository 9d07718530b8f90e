//! Waits of processes that probe or test for a message until it is sent.

use lotse_model::id::LocationId;

use super::super::graph::Need;
use super::notice_times::{MessageWait, NoticeTimes};
use super::{Builder, NewWait, WaitKind};
use crate::polls::{Poll, polls};
use crate::store::{CallRef, Trace};

impl Builder<'_> {
    /// Adds a wait for each probe or loop of tests: it depends on the send of the message that it found.
    pub(super) fn add_probe_waits(&mut self, notice_times: &NoticeTimes) {
        let trace = self.trace;
        for location in trace.locations() {
            for poll in polls(trace, location) {
                let Some(source) = self.source_of(poll.send) else { continue };
                let message_wait = poll.message_wait(trace, location);
                self.add_wait(&NewWait {
                    call: CallRef { location, call: poll.first },
                    begin: message_wait.enter,
                    exit: message_wait.exit,
                    happened: self.graph.source(source).at,
                    late: notice_times.lateness(trace, &message_wait),
                    needs: &[Need::from(source)],
                    kind: WaitKind::Notices,
                });
            }
        }
    }
}

impl Poll {
    /// The wait for the message, from the first call to the last.
    pub(super) fn message_wait(&self, trace: &Trace, location: LocationId) -> MessageWait {
        let call = |call| CallRef { location, call };
        let (enter, exit) = (trace.enter(call(self.first)), trace.exit(call(self.last)));
        MessageWait { send: self.send, to: location, probes: true, enter, sent: self.sent, exit }
    }
}
