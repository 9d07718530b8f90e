//! Late sender: a receiver waits because the message is not sent yet.

use lotse_model::Rule;
use lotse_model::trace::{EventKind, Ticks};

use super::{PRIOR, Pattern, Search, WOLF_2003, is_test};
use crate::class::Class;
use crate::matching::is_receive;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&LATE_SENDER],
    search: Search::Records(&[EventKind::MpiRecv, EventKind::MpiIrecv], search),
};

/// Waiting for a message that was not sent yet.
pub(super) static LATE_SENDER: Metric =
    Metric::wait("late_sender", "late sender", Class::PointToPoint, Bound::Exact).from_records();

static RULE: Rule = Rule {
    id: "late_sender",
    version: 1,
    title: "late sender: a receive waits because its message is sent late",
    meaning: "The receiver is ready first and does nothing until the sender comes to its send. The cause lies before \
              the send, in what the sender does longer than the receiver.",
    computation: "min(E(send), X(r)) - E(r), where r is the call that completes the receive: MPI_Recv, MPI_Wait, \
                  MPI_Sendrecv and their like. A call that completes several messages waits once, for the longest. \
                  Where MPI_Sendrecv waits for both of its messages, tables count the wait that ends last. \
                  Calls that only ask, such as MPI_Test, do not wait. Exact.",
    picture: "sender    ─── compute ───────────┤Send├──
receiver  ── compute ──┤Recv▒▒▒▒▒▒▒▒▒▒▒───├──
                       ↑E(r)           ↑E(send)",
    example: "Recv from 0.50 to 0.77 s, Send entered at 0.75 s: the receiver waits 0.25 s.",
    advice: "Look at the delay costs: they name the call path that makes the sender late. Give the sender less work \
             or the receiver some of it, send earlier, or post the receive early and compute meanwhile.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let Some(call) = scene.trace.call_of(op) else { return };
    if !is_last_receive(scene.trace, op) {
        return;
    }
    if let Some((until, send)) = last_send(scene.trace, call) {
        collector.add_wait_until(scene.trace, &LATE_SENDER, call, until, Some(send.location));
    }
}

/// Whether a record is the last receive of its call: all receives of a call are handled together there.
fn is_last_receive(trace: &Trace, op: OpRef) -> bool {
    !trace.timeline(op.location).ops_after(op.op).any(|next| is_receive(next.shape()))
}

/// The send that a call waited for longest, and when it was entered.
pub(super) fn last_send(trace: &Trace, call: CallRef) -> Option<(Ticks, OpRef)> {
    let name = trace.class(call).name.as_str();
    if matches!(name, "mpi_irecv" | "mpi_imrecv") || is_test(name) {
        return None;
    }
    let timeline = trace.timeline(call.location);
    let receives = timeline.ops_of(call.call).filter(|(_, op)| is_receive(op.shape()));
    let sends = receives.filter_map(|(op, _)| trace.links.partner(OpRef { location: call.location, op }));
    sends.map(|send| (entered(trace, send), send)).max_by_key(|&(at, _)| at)
}

/// When the call of a record was entered.
pub(crate) fn entered(trace: &Trace, op: OpRef) -> Ticks {
    trace.call_of(op).map_or(trace.op(op).at, |call| trace.enter(call))
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::{Script, WORLD};
    use crate::patterns::{amounts, cube_rows};

    #[test]
    fn the_receiver_waits_until_the_send_is_entered() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").send(0, 750, 760, 1, 0).send(0, 800, 810, 1, 1).leave(0, 2000, "main");
        script.enter(1, 0, "main").recv(1, 500, 770, 0, 0).recv(1, 1300, 1310, 0, 1).leave(1, 2000, "main");
        assert_eq!(cube_rows(&script), [("late_sender", 1, "main/MPI_Recv".to_owned(), 250)]);
    }

    #[test]
    fn a_wrong_clock_cannot_make_it_longer_than_the_call() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").send(0, 900, 910, 1, 0).leave(0, 2000, "main");
        script.enter(1, 0, "main").recv(1, 500, 770, 0, 0).leave(1, 2000, "main");
        assert_eq!(cube_rows(&script), [("late_sender", 1, "main/MPI_Recv".to_owned(), 270)]);
    }

    #[test]
    fn a_test_does_not_wait_and_a_wait_only_after_computing() {
        for (region, expected) in [("MPI_Wait", vec![(1, "MPI_Wait".to_owned(), 150)]), ("MPI_Test", vec![])]
        {
            let mut script = Script::processes(2);
            script.send(0, 750, 760, 1, 0);
            script.irecv(1, 100, 3).enter(1, 600, region);
            let event = Event::MpiIrecv { sender: 0, communicator: WORLD, tag: 0, length: 8, request: 3 };
            script.event(1, 770, EventKind::MpiIrecv, event).leave(1, 780, region);
            assert_eq!(amounts(&script, "late_sender"), expected);
        }
    }
}
