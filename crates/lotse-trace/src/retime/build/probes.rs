//! A process that asks for a message waits until it is sent.

use super::super::graph::Need;
use super::{Builder, Waiting};
use crate::polls::polls;
use crate::store::CallRef;

impl Builder<'_> {
    /// A probe, or a loop of tests, needs the send of the message that it found.
    pub(super) fn need_probes(&mut self) {
        let trace = self.trace;
        for location in trace.locations() {
            for poll in polls(trace, location) {
                let Some(source) = self.source_of(poll.send) else { continue };
                let (first, last) =
                    (CallRef { location, call: poll.first }, CallRef { location, call: poll.last });
                self.push(&Waiting {
                    call: first,
                    begin: trace.enter(first),
                    exit: trace.exit(last),
                    happened: self.graph.source(source).at,
                    on: &[Need::from(source)],
                    is_message: false,
                });
            }
        }
    }
}
