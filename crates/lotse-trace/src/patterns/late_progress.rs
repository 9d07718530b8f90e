//! Late progress: a call waits until another process calls the library again.

use lotse_model::Rule;
use lotse_model::id::ProcessId;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::late_receiver::{completion, posting};
use super::late_sender::entered;
use super::{PRIOR, Pattern, Search, is_test};
use crate::attention::LibraryEntry;
use crate::class::Class;
use crate::matching::Link;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&LATE_PROGRESS], search: Search::Records(COMPLETIONS, search) };

/// Records of completions.
const COMPLETIONS: &[EventKind] = &[
    EventKind::MpiSend,
    EventKind::MpiIsendComplete,
    EventKind::MpiIrecv,
    EventKind::NonBlockingCollectiveComplete,
];

/// Collectives of more members are ignored: the cost is quadratic in the number of members.
const MOST_MEMBERS: usize = 256;

/// Waiting for a receiver that is outside the library.
static LATE_PROGRESS: Metric =
    Metric::wait("late_progress", "late progress", Class::PointToPoint, Bound::Upper);

static RULE: Rule = Rule {
    id: "late_progress",
    version: 1,
    title: "late progress: a call waits until another process calls the library again",
    meaning: "Most libraries move data only inside their calls. A message that was sent without blocking, or for which \
              there is no room left, goes on when the other process calls the library again, whatever for; so does a \
              collective that was begun without blocking. A process that waits for it waits until the other stops \
              computing.",
    computation: "E(c) - E(s), where s is the waiting call (a send, MPI_Wait, MPI_Waitall) and c the first call with \
                  communication that the other process enters after E(s) and after the call in which it did its own \
                  part \
                  (send, posting of the receive or of the collective); only if it was in no such call at that moment, \
                  and X(s) - E(c) is less than half of that time. Of several processes the last counts. For a \
                  blocking send \
                  whose receive is posted after X(s), E(c) - X(s) may be up to an eighth of the call: clocks differ. \
                  Calls \
                  shorter than 0.1 ms and collectives of more than 256 members are left out. An upper bound.",
    picture: "sender    ── compute ──┤Send▒▒▒▒▒▒▒▒▒▒▒──├── compute
receiver  ─── compute ───────────┤Send──────├┤Recv├──
                       ↑E(s)     ↑E(c)  ↑X(s)",
    example: "Send from 0.102 to 0.122 s; the receiver computes until it enters a send of its own at 0.1219 s, and \
              receives \
              at 0.1224 s: the sender waits 0.0199 s.",
    advice: "Look for the work that keeps the receiver away from the library; or let it ask now and then (MPI_Iprobe, \
             MPI_Test), post its receives early, or send fewer messages ahead.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "R. Brightwell, K. Underwood: An analysis of the impact of MPI overlap and independent progress, 2004",
    ],
};

fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let Some(call) = trace.call_of(op) else { return };
    if scene.attention.is_too_short(trace, call) {
        return;
    }
    let entry = match receiver_of_buffered_send(trace, op) {
        Some(receiver) => scene.attention.ended(trace, call, receiver),
        None if is_last_completion(trace, op) => scene.attention.last_entry(trace, call, others(trace, call)),
        None => None,
    };
    if let Some(LibraryEntry { location, at }) = entry {
        // Strictly before the end, so that two calls that end together do not wait for each other.
        let (begin, end) = (trace.enter(call), at.min(trace.exit(call).saturating_sub(1)));
        let metric = Some(&LATE_PROGRESS);
        let cause = Some(Cause { location, at: end });
        collector.add(trace, Wait { metric, call, begin, end, cause, causal: true, is_overlapped: false });
    }
}

/// The receiver of a buffered send: one that its call completes alone and that ends before the receive is posted.
fn receiver_of_buffered_send(trace: &Trace, op: OpRef) -> Option<ProcessId> {
    let (call, send) = completion(trace, op).filter(|_| is_send(trace.shape(op)))?;
    let posting = posting(trace, send)?;
    (entered(trace, posting) > trace.exit(call)).then(|| trace.location(posting.location).process)
}

fn is_send(event: &Event) -> bool {
    matches!(event, Event::MpiSend { .. } | Event::MpiIsendComplete { .. })
}

fn completes(event: &Event) -> bool {
    is_send(event) || matches!(event, Event::MpiIrecv { .. } | Event::CollectiveComplete { .. })
}

/// Whether a record is the last completion of its call: all completions of a call are handled together there. Calls that
/// only test do not wait.
fn is_last_completion(trace: &Trace, op: OpRef) -> bool {
    let is_test = trace.call_of(op).is_some_and(|call| is_test(&trace.class(call).name));
    !is_test && !trace.timeline(op.location).ops_after(op.op).any(|next| completes(next.shape()))
}

/// The processes that take part in what a call completes, and when each had finished the call with its own part.
fn others(trace: &Trace, call: CallRef) -> impl Iterator<Item = (ProcessId, Ticks)> {
    let location = call.location;
    let own = trace.location(location).process;
    let records = trace.timeline(location).ops_of(call.call);
    let parts = records.flat_map(move |(op, record)| parts(trace, OpRef { location, op }, &record.event()));
    let done = move |part: OpRef| {
        let over = trace.call_of(part).map_or(trace.op(part).at, |call| trace.exit(call));
        (trace.location(part.location).process, over)
    };
    parts.map(done).filter(move |(process, _)| *process != own)
}

/// The records of other processes on which a completion depends: the other half of a message, the postings of a
/// collective.
fn parts(trace: &Trace, op: OpRef, event: &Event) -> Vec<OpRef> {
    match event {
        Event::MpiIsendComplete { .. } => {
            trace.links.other_half(op).and_then(|send| posting(trace, send)).into_iter().collect()
        }
        Event::MpiIrecv { .. } => trace.links.partner(op).into_iter().collect(),
        Event::CollectiveComplete { .. } => {
            let Link::Collective(number) = trace.links.remote(op) else { return Vec::new() };
            let members = &trace.links.collectives[number as usize].members;
            if members.len() > MOST_MEMBERS {
                return Vec::new();
            }
            members.iter().map(|&member| trace.links.other_half(member).unwrap_or(member)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    /// Rank 0 sends from 1 to 20 million ticks; rank 1 enters a send of its own at `enters_library`, and receives at 21
    /// million.
    fn pipeline(enters_library: u64) -> Script {
        let mut script = Script::processes(3);
        script.send(0, 1_000_000, 20_000_000, 1, 0);
        script.send(1, enters_library, 20_500_000, 2, 0);
        script.recv(1, 21_000_000, 21_010_000, 0, 0);
        script.recv(2, 0, 20_510_000, 1, 0);
        script
    }

    #[test]
    fn a_send_waits_for_the_receivers_next_call() {
        let expected = [(0, "MPI_Send".to_owned(), 18_950_000)];
        assert_eq!(amounts(&pipeline(19_950_000), "late_progress"), expected);
    }

    #[test]
    fn a_send_that_goes_on_long_after_did_not_wait_for_that() {
        assert_eq!(amounts(&pipeline(9_000_000), "late_progress"), []);
    }

    #[test]
    fn a_receiver_inside_the_library_keeps_nobody_waiting() {
        assert_eq!(amounts(&pipeline(500_000), "late_progress"), []);
    }

    #[test]
    fn short_sends_are_left_alone() {
        let mut script = Script::processes(2);
        script.ticks_per_second(1_000_000_000);
        script
            .send(0, 300, 900, 1, 0)
            .send(1, 890, 895, 0, 0)
            .recv(1, 1000, 1010, 0, 0)
            .recv(0, 1000, 1001, 1, 0);
        assert_eq!(amounts(&script, "late_progress"), []);
    }
}
