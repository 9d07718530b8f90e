//! Late progress: a send waits until its receiver calls the library again.

use lotse_model::Rule;
use lotse_model::trace::EventKind;

use super::late_receiver::{completion, posting};
use super::late_sender::entered;
use super::{PRIOR, Pattern, Search};
use crate::attention::Attended;
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::store::OpRef;
use crate::waits::{Book, Cause, Scene, Wait};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&LATE_PROGRESS],
    search: Search::Records(&[EventKind::MpiSend, EventKind::MpiIsendComplete], search),
};

/// Waiting for a receiver that is outside the library.
static LATE_PROGRESS: Metric =
    Metric::wait("late_progress", "late progress", Class::PointToPoint, Bound::Upper);

static RULE: Rule = Rule {
    id: "late_progress",
    version: 1,
    title: "late progress: a send waits until its receiver calls the library again",
    meaning: "A message can be sent before its receive is posted, as long as there is room for it. Where there is none \
              left, the sender waits until the receiver empties its buffers, and that it does in any call of the library: \
              the send ends before the receive begins, and yet it waited for the receiver.",
    computation: "E(c) - E(s), where s is the call that completes the send and c the first call with communication that \
                  the receiver's process enters after E(s); only if the receiver was in no such call at E(s), the \
                  receive is posted after X(s), and X(s) - E(c) is less than half of the wait (or E(c) - X(s) less than \
                  an eighth of the call: clocks differ). Calls that complete several requests and sends shorter than \
                  0.1 ms are left out. An upper bound.",
    picture: "sender    ── compute ──┤Send▒▒▒▒▒▒▒▒▒▒▒──├── compute
receiver  ─── compute ───────────┤Send──────├┤Recv├──
                       ↑E(s)     ↑E(c)  ↑X(s)",
    example: "Send from 0.102 to 0.122 s; the receiver computes until it enters a send of its own at 0.1219 s, and receives \
              at 0.1224 s: the sender waits 0.0199 s.",
    advice: "Look for the work that keeps the receiver away from the library; or let it ask now and then (MPI_Iprobe, \
             MPI_Test), post its receives early, or send fewer messages ahead.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "R. Brightwell, K. Underwood: An analysis of the impact of MPI overlap and independent progress, 2004",
    ],
};

fn search(scene: &Scene<'_>, op: OpRef, book: &mut Book) {
    let trace = scene.trace;
    let Some((call, send)) = completion(trace, op) else { return };
    let Some(posting) = posting(trace, send) else { return };
    if entered(trace, posting) <= trace.exit(call) {
        return;
    }
    let receiver = trace.location(posting.location).process;
    if let Some(Attended { location, at }) = scene.attention.ended(trace, call, receiver) {
        let (begin, end) = (trace.enter(call), at.min(trace.exit(call)));
        let cause = Some(Cause { location, at: end });
        book.book(
            trace,
            Wait {
                metric: Some(&LATE_PROGRESS),
                call,
                begin,
                end,
                cause,
                causal: true,
                is_overlapped: false,
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    /// Rank 0 sends from 1 ms to 20 ms; rank 1 enters a send of its own at `attends`, and receives at 21 ms.
    fn pipeline(attends: u64) -> Script {
        let mut script = Script::processes(3);
        script.send(0, 1_000_000, 20_000_000, 1, 0);
        script.send(1, attends, 20_500_000, 2, 0);
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
