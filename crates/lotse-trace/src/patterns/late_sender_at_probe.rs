//! Late sender at a probe: a probe waits because the message is not sent yet.

use lotse_model::Rule;
use lotse_model::id::LocationId;

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::class::Class;
use crate::metric::{Bound, Metric};
use crate::polls::polls;
use crate::store::CallRef;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&AT_PROBE], search: Search::Locations(search) };

/// Waiting in a probe for a message that was not sent yet.
static AT_PROBE: Metric =
    Metric::wait("late_sender_at_probe", "late sender at a probe", Class::PointToPoint, Bound::Exact)
        .from_records();

static RULE: Rule = Rule {
    id: "late_sender_at_probe",
    version: 1,
    title: "late sender at a probe: a probe waits because its message is sent late",
    meaning: "MPI_Probe and MPI_Mprobe return when a message is there. The process does nothing until the sender comes \
              to its send; the receive behind the probe then no longer waits.",
    computation: "min(E(send), X(p)) - E(p), where p is the probe and send the one of the message that the location \
                  receives next. Exact where the process receives the message that it probed for, as nearly all \
                  programs do.",
    picture: "sender    ─── compute ───────────┤Send├──
receiver  ── compute ──┤Probe▒▒▒▒▒▒▒▒▒▒──├┤Recv├──
                       ↑E(p)           ↑E(send)",
    example: "MPI_Probe from 0.50 to 0.76 s, the message it found was sent at 0.75 s: the receiver waits 0.25 s.",
    advice: "Look at the delay costs: they name the call path that makes the sender late. Give the sender less work \
             or the receiver some of it, send earlier, or compute between asking with MPI_Iprobe.",
    thresholds: &[],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    for poll in polls(scene.trace, location).into_iter().filter(|poll| poll.blocks) {
        let call = CallRef { location, call: poll.last };
        collector.add_wait_until(scene.trace, &AT_PROBE, call, poll.sent, Some(poll.send.location));
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::cube_rows;

    #[test]
    fn a_probe_waits_for_the_message_that_is_received_next() {
        let mut script = Script::processes(3);
        script.send(0, 750, 755, 1, 0).send(2, 100, 105, 1, 0);
        script.call(1, 500, 760, "MPI_Probe").recv(1, 760, 765, 0, 0).recv(1, 770, 775, 2, 0);
        let expected = [("late_sender_at_probe", 1, "MPI_Probe".to_owned(), 250)];
        assert_eq!(cube_rows(&script), expected);
    }

    #[test]
    fn a_message_that_was_there_makes_nobody_wait() {
        let mut script = Script::processes(2);
        script.send(0, 100, 105, 1, 0);
        script.call(1, 500, 510, "MPI_Probe").recv(1, 510, 515, 0, 0);
        assert_eq!(cube_rows(&script), []);
    }
}
