//! Large messages: time in calls that move many bytes at once.

use lotse_model::Rule;
use lotse_model::id::LocationId;
use lotse_model::rule::Threshold;
use lotse_model::trace::Event;

use super::{PRIOR, Pattern, Search, WOLF_2003};
use crate::metric::{Bound, Metric};
use crate::store::NO_CALL;
use crate::waits::{Scene, WaitCollector};

pub(super) const PATTERN: Pattern =
    Pattern { rule: &RULE, metrics: &[&LARGE_MESSAGES], search: Search::Locations(search) };

/// Time in calls that send or receive more bytes than the limit.
static LARGE_MESSAGES: Metric =
    Metric::share("large_messages", "large messages", Bound::Exact).may_be_well_spent();

static RULE: Rule = Rule {
    id: "large_messages",
    version: 1,
    title: "large messages: messages are large",
    meaning: "Time in calls that send or receive a large message. It may be well spent; but such messages are sent by \
              rendezvous, fill the network, and are where packing or computing meanwhile pays most.",
    computation: "X - E of every call with a record of a message of more than `bytes` bytes, or of a collective in \
                  which the member sends or receives more than that; each call once. Exact; no wait, but time that is \
                  also counted elsewhere.",
    picture: "",
    example: "A send of 2 MiB from 0.1 to 0.3 s: 0.2 s in large messages.",
    advice: "Send with MPI_Isend and compute meanwhile, cut the message into pieces that are used as they come, or \
             send less: only what changed, in lower precision, packed.",
    thresholds: &[Threshold {
        name: "bytes",
        default: 1_048_576.0,
        meaning: "bytes above which a message is large",
    }],
    prior: PRIOR,
    references: &[WOLF_2003],
};

fn search(scene: &Scene<'_>, location: LocationId, collector: &mut WaitCollector) {
    let limit = scene.thresholds.get(&RULE, "bytes");
    let timeline = scene.trace.timeline(location);
    let mut last_counted = NO_CALL;
    for (_, op) in timeline.ops.with_shape(|shape| bytes_moved(shape).is_some()) {
        let bytes = || op.message_length().or_else(|| bytes_moved(&op.event()));
        let is_large = || bytes().is_some_and(|bytes| bytes as f64 > limit);
        if op.call != last_counted && op.call != NO_CALL && is_large() {
            last_counted = op.call;
            let span = (timeline.enter(op.call), timeline.exit(op.call));
            collector.add_interval(&LARGE_MESSAGES, location, timeline.call_path(op.call), span);
        }
    }
}

/// The larger of the bytes that a record sends and receives; none for other records.
fn bytes_moved(event: &Event) -> Option<u64> {
    match *event {
        Event::MpiSend { length, .. }
        | Event::MpiIsend { length, .. }
        | Event::MpiRecv { length, .. }
        | Event::MpiIrecv { length, .. } => Some(length),
        Event::CollectiveEnd { sent, received, .. } | Event::CollectiveComplete { sent, received, .. } => {
            Some(sent.max(received))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{CollectiveOp, Event, EventKind};

    use crate::fixture::{Script, WORLD};
    use crate::patterns::amounts;

    #[test]
    fn calls_with_large_messages_are_counted_once() {
        let mut script = Script::processes(2);
        script.enter(0, 100, "MPI_Startall");
        for (tag, length) in [(0, 2 << 20), (1, 3 << 20), (2, 8)] {
            let event =
                Event::MpiIsend { receiver: 1, communicator: WORLD, tag, length, request: tag.into() };
            script.event(0, 110, EventKind::MpiIsend, event);
        }
        script.leave(0, 300, "MPI_Startall").send(0, 400, 500, 1, 9);
        assert_eq!(amounts(&script, "large_messages"), [(0, "MPI_Startall".to_owned(), 200)]);
    }

    #[test]
    fn the_limit_itself_is_not_large() {
        let mut script = Script::processes(2);
        let bcast = (CollectiveOp::Bcast, Some(0));
        script.exchange(0, (0, 10), "MPI_Bcast", bcast, ((1 << 20) + 1, 0));
        script.exchange(1, (0, 10), "MPI_Bcast", bcast, (0, 1 << 20));
        assert_eq!(amounts(&script, "large_messages"), [(0, "MPI_Bcast".to_owned(), 10)]);
    }
}
