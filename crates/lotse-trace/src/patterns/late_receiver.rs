//! Late receiver: a sender waits because the receive is not posted yet.

use lotse_model::Rule;
use lotse_model::trace::{Event, EventKind};

use super::late_sender::entered;
use super::{GEIMER_2009, PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&LATE_RECEIVER],
    search: Search::Records(&[EventKind::MpiSend, EventKind::MpiIsendComplete], search),
};

/// Waiting for a receive that was not posted yet.
static LATE_RECEIVER: Metric =
    Metric::wait("late_receiver", "late receiver", Class::PointToPoint, Bound::Upper).from_sends();

static RULE: Rule = Rule {
    id: "late_receiver",
    version: 1,
    title: "late receiver: a send waits because its receive is posted late",
    meaning: "The message is too long to be buffered, or the send is synchronous: the sender stands still until the \
              receiver asks for the message. The cause lies in what the receiver does before.",
    computation: "E(p) - E(s), where s is the call that completes the send (a blocking send, MPI_Wait) and p the call \
                  that posts the receive (MPI_Recv, MPI_Irecv); only if E(p) <= X(s), else the message was buffered \
                  and nobody waited. Calls that complete several requests are left out. An upper bound: that the \
                  send overlapped the posting does not prove that it waited for it.",
    picture: "sender    ── compute ──┤Send▒▒▒▒▒▒▒▒▒▒▒───├──
receiver  ─── compute ───────────┤Recv────├──
                       ↑E(s)     ↑E(p)",
    example: "Send from 0.30 to 0.80 s, Recv entered at 0.75 s: the sender waits 0.45 s. Had the send ended at \
              0.31 s: nothing.",
    advice: "Post the receive earlier, with MPI_Irecv, or send with MPI_Isend and compute until MPI_Wait. Look for \
             the work that keeps the receiver.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003, GEIMER_2009],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let Some((call, send)) = completion(trace, op) else { return };
    let Some(posting) = posting(trace, send) else { return };
    let posted = entered(trace, posting);
    if posted <= trace.exit(call) {
        collector.add_wait_until(trace, &LATE_RECEIVER, call, posted, Some(posting.location));
    }
}

/// The record that posted the receive of a send: the receive itself if it is blocking.
pub(crate) fn posting(trace: &Trace, send: OpRef) -> Option<OpRef> {
    let receive = trace.links.partner(send)?;
    Some(trace.links.other_half(receive).unwrap_or(receive))
}

/// The call that completes a send alone, and the send.
pub(super) fn completion(trace: &Trace, op: OpRef) -> Option<(CallRef, OpRef)> {
    let call = trace.call_of(op)?;
    // Launches on an accelerator are recorded as messages, but their sender does not wait for the receive.
    if trace.class(call).class.is_accelerator() {
        return None;
    }
    match trace.shape(op) {
        // A buffered send never waits for its receiver.
        Event::MpiSend { .. } => (trace.class(call).name != "mpi_bsend").then_some((call, op)),
        _ if trace.class(call).completes_one() => Some((call, trace.links.other_half(op)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn a_send_waits_until_the_receive_is_posted() {
        let mut script = Script::processes(2);
        script.send(0, 300, 800, 1, 0);
        script.recv(1, 750, 810, 0, 0);
        assert_eq!(cube_rows(&script), [("late_receiver", 0, "MPI_Send".to_owned(), 450)]);
    }

    #[test]
    fn a_send_that_is_over_before_was_buffered() {
        let mut script = Script::processes(2);
        script.send(0, 300, 310, 1, 0);
        script.recv(1, 750, 810, 0, 0);
        assert_eq!(cube_rows(&script), []);
    }

    fn isend_completed_in(region: &str) -> Script {
        let mut script = Script::processes(2);
        script.isend(0, 300, 1, 0, 9).enter(0, 400, region);
        script.event(0, 790, EventKind::MpiIsendComplete, Event::MpiIsendComplete { request: 9 });
        script.leave(0, 800, region);
        script.recv(1, 750, 810, 0, 0);
        script
    }

    #[test]
    fn a_posted_send_waits_in_its_wait_and_not_before() {
        let waited = [("late_receiver", 0, "MPI_Wait".to_owned(), 350)];
        assert_eq!(cube_rows(&isend_completed_in("MPI_Wait")), waited);
        assert_eq!(cube_rows(&isend_completed_in("MPI_Waitall")), []);
    }

    #[test]
    fn the_posting_counts_and_not_the_completion() {
        let mut script = Script::processes(2);
        script.send(0, 300, 800, 1, 0);
        script.irecv(1, 500, 4).enter(1, 700, "MPI_Wait");
        let event =
            Event::MpiIrecv { sender: 0, communicator: crate::fixture::WORLD, tag: 0, length: 8, request: 4 };
        script.event(1, 810, EventKind::MpiIrecv, event).leave(1, 810, "MPI_Wait");
        assert_eq!(cube_rows(&script), [("late_receiver", 0, "MPI_Send".to_owned(), 200)]);
    }
}
