//! Late sender, wrong order: a receive waits although an older message is there already, for a later receive.

use lotse_model::Rule;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::Ticks;

use super::late_sender::{LATE_SENDER, last_send};
use super::{GEIMER_2009, PRIOR, Pattern, Search, WOLF_2003};
use crate::matching::is_receive;
use crate::metric::{Bound, Metric};
use crate::store::{NO_CALL, OpRef, Trace};
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&WRONG_ORDER, &SAME_SOURCE, &DIFFERENT_SOURCES],
    search: Search::Locations(search),
};

/// Waiting for a late sender while an older message waits to be received.
static WRONG_ORDER: Metric =
    Metric::part("late_sender_wrong_order", "late sender, wrong order", &LATE_SENDER, Bound::Exact);

static SAME_SOURCE: Metric = Metric::part(
    "late_sender_wrong_order_same_source",
    "late sender, wrong order, same source",
    &WRONG_ORDER,
    Bound::Exact,
);

static DIFFERENT_SOURCES: Metric = Metric::part(
    "late_sender_wrong_order_different_sources",
    "late sender, wrong order, different sources",
    &WRONG_ORDER,
    Bound::Exact,
);

static RULE: Rule = Rule {
    id: "late_sender_wrong_order",
    version: 1,
    title: "late sender, wrong order: a receive waits although an older message could be taken",
    meaning: "The receiver waits for a message that is sent late, while another message, sent before, is taken only \
              by a later receive. Taking messages in the order in which they are sent would have given it something \
              to do. From the same source, sender and receiver disagree about the order; from different sources, the \
              receiver prescribes an order that the senders do not keep.",
    computation: "The late-sender time of a receive, if a later receive of the process takes a message whose send \
                  record is earlier than the late one's. Receives of the same call do not count. All later receives \
                  are looked at; where several took older messages, the oldest tells whether the source is the same \
                  as that of the late one. Part of late_sender, exact.",
    picture: "sender A  ──┤Send x├──────────────────────────
sender B  ──── compute ────────┤Send y├─────────
receiver  ──┤Recv y▒▒▒▒▒▒▒▒▒▒▒▒───├┤Recv x├──────
              ↑ x could be taken here",
    example: "Recv of y from 0.5 to 0.81 s, y sent at 0.8 s; the next receive takes x, sent at 0.2 s: 0.3 s of late \
              sender are in the wrong order.",
    advice: "Receive in the order of arrival: MPI_ANY_SOURCE or MPI_ANY_TAG where the program allows it, or post all \
             receives with MPI_Irecv and use MPI_Waitany or MPI_Waitsome. From the same source: make both sides agree \
             on the order.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003, GEIMER_2009],
};

/// Visits the receives of a process backwards and keeps the oldest message among those visited.
fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let receives = receives(trace, &scene.led[location.index()]);
    let mut oldest: Option<SentMessage> = None;
    for receives_of_call in receives.chunk_by(|&a, &b| same_call(trace, a, b)).rev() {
        let messages = || {
            receives_of_call.iter().filter_map(|&receive| sent_message(trace, trace.links.partner(receive)?))
        };
        // Most receives are in order and need no further check.
        if let Some(oldest) = oldest.filter(|oldest| messages().any(|message| oldest.0 < message.0)) {
            reclassify(trace, receives_of_call[0], oldest, collector);
        }
        oldest = messages().chain(oldest).min();
    }
}

/// A message: when it was sent, and by which process.
type SentMessage = (Ticks, Option<ProcessId>);

fn sent_message(trace: &Trace, send: OpRef) -> Option<SentMessage> {
    Some((trace.op(send).at, trace.definitions.process_of(send.location)))
}

/// The receives of threads in their order.
fn receives(trace: &Trace, threads: &[LocationId]) -> Vec<OpRef> {
    let mut receives = Vec::new();
    for &location in threads {
        let own = trace.timeline(location).ops.with_shape(is_receive);
        receives.extend(own.map(|(op, _)| OpRef { location, op }));
    }
    if threads.len() > 1 {
        receives.sort_by_key(|&receive| (trace.op(receive).at, receive));
    }
    receives
}

fn same_call(trace: &Trace, a: OpRef, b: OpRef) -> bool {
    let (first, second) = (trace.op(a), trace.op(b));
    a.location == b.location && first.call == second.call && first.call != NO_CALL
}

fn reclassify(trace: &Trace, receive: OpRef, oldest: SentMessage, collector: &mut WaitCollector) {
    let Some(call) = trace.call_of(receive) else { return };
    let Some((until, send)) = last_send(trace, call) else { return };
    let Some(late) = sent_message(trace, send) else { return };
    let span = (trace.enter(call), until.min(trace.exit(call)));
    if oldest.0 < late.0 {
        let part = if oldest.1 == late.1 { &SAME_SOURCE } else { &DIFFERENT_SOURCES };
        for metric in [&WRONG_ORDER, part] {
            collector.add_interval(metric, call.location, trace.path(call), span);
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::{Script, WORLD};
    use crate::patterns::{amounts, cube_rows};

    #[test]
    fn an_older_message_of_another_process_waits() {
        let mut script = Script::processes(3);
        script.recv(0, 500, 810, 2, 0).recv(0, 820, 830, 1, 0);
        script.send(1, 200, 210, 0, 0);
        script.send(2, 800, 805, 0, 0);
        let row = |metric| (metric, 0, "MPI_Recv".to_owned(), 300);
        let parts = ["late_sender", "late_sender_wrong_order", "late_sender_wrong_order_different_sources"];
        assert_eq!(cube_rows(&script), parts.map(row));
    }

    #[test]
    fn an_older_message_of_the_same_process_waits() {
        let mut script = Script::processes(2);
        script.recv(0, 500, 810, 1, 2).recv(0, 820, 830, 1, 1);
        script.send(1, 200, 210, 0, 1).send(1, 800, 805, 0, 2);
        let part = amounts(&script, "late_sender_wrong_order_same_source");
        assert_eq!(part, [(0, "MPI_Recv".to_owned(), 300)]);
    }

    #[test]
    fn the_oldest_of_several_decides_the_source() {
        let mut script = Script::processes(3);
        script.recv(0, 500, 810, 1, 2).recv(0, 820, 830, 1, 1).recv(0, 840, 850, 2, 0);
        script.send(1, 200, 210, 0, 1).send(1, 800, 805, 0, 2);
        script.send(2, 100, 110, 0, 0);
        assert_eq!(amounts(&script, "late_sender_wrong_order_same_source"), []);
        let part = amounts(&script, "late_sender_wrong_order_different_sources");
        assert_eq!(part, [(0, "MPI_Recv".to_owned(), 300)]);
    }

    #[test]
    fn messages_taken_in_order_or_together_are_only_late() {
        let mut script = Script::processes(3);
        script.recv(0, 500, 810, 2, 0).recv(0, 820, 910, 1, 0);
        script.irecv(0, 920, 1).irecv(0, 920, 2).enter(0, 930, "MPI_Waitall");
        for (request, sender) in [(2, 2), (1, 1)] {
            let event = Event::MpiIrecv { sender, communicator: WORLD, tag: 1, length: 8, request };
            script.event(0, 990, EventKind::MpiIrecv, event);
        }
        script.leave(0, 990, "MPI_Waitall");
        script.send(1, 900, 905, 0, 0).send(1, 940, 945, 0, 1);
        script.send(2, 800, 805, 0, 0).send(2, 980, 985, 0, 1);
        assert_eq!(amounts(&script, "late_sender_wrong_order"), []);
    }

    #[test]
    fn receives_of_another_thread_count() {
        let mut script = Script::hybrid(&[2, 1, 1]);
        script.recv(0, 500, 810, 2, 0);
        script.recv(1, 820, 830, 1, 0);
        script.send(2, 200, 210, 0, 0);
        script.send(3, 800, 805, 0, 0);
        assert_eq!(amounts(&script, "late_sender_wrong_order"), [(0, "MPI_Recv".to_owned(), 300)]);
    }
}
