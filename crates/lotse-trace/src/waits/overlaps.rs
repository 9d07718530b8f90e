//! Overlapping waits of one call: MPI_Sendrecv waits for the sender of one message and the receiver of the other.
//!
//! ```text
//! MPI_Sendrecv   ┤▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒───├
//! late receiver  ├────────┤                ends first: overlapped
//! late sender    ├──────────────────┤      ends last: this is what the call waited for
//! ```
//!
//! Without the wait that ends first, the call would have waited just as long. So the time counts for the wait that ends
//! last.

use hashbrown::HashMap;

use super::Wait;
use crate::metric::Parent;

/// Marks the waits of a location that overlap a wait of the same call that ends later. `waits` is sorted by end.
pub(super) fn mark(waits: &mut [Wait]) {
    let mut last: HashMap<u32, usize> = HashMap::new();
    for number in (0..waits.len()).rev() {
        let wait = waits[number];
        if !is_counted(&wait) {
            continue;
        }
        let later = *last.entry(wait.call.call).or_insert(number);
        waits[number].is_overlapped = later != number && waits[later].begin < wait.end;
        if !waits[number].is_overlapped {
            last.insert(wait.call.call, number);
        }
    }
}

/// Whether it is a wait of a top-level metric.
fn is_counted(wait: &Wait) -> bool {
    wait.metric.is_some_and(|metric| metric.is_wait && matches!(metric.parent, Parent::Class(_)))
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::{Script, WORLD};
    use crate::patterns::search_waits;

    /// Rank 0 is in MPI_Sendrecv from 100; rank 1 posts its receive at 300 and sends at 500.
    #[test]
    fn the_wait_that_ends_last_counts() {
        let mut script = Script::processes(2);
        let (communicator, tag, length) = (WORLD, 0, 8);
        let send = Event::MpiSend { receiver: 1, communicator, tag, length };
        let receive = Event::MpiRecv { sender: 1, communicator, tag, length };
        script.enter(0, 0, "main").enter(0, 100, "MPI_Sendrecv").event(0, 100, EventKind::MpiSend, send);
        script.event(0, 600, EventKind::MpiRecv, receive).leave(0, 600, "MPI_Sendrecv").leave(0, 700, "main");
        script.enter(1, 0, "main").recv(1, 300, 310, 0, 0).send(1, 500, 520, 0, 0).leave(1, 700, "main");
        let waits = search_waits(&script.trace());
        let found: Vec<_> = waits.by_location[0]
            .iter()
            .map(|wait| (wait.metric.unwrap().id, wait.ticks(), wait.is_overlapped))
            .collect();
        assert_eq!(found, [("late_receiver", 200, true), ("late_sender", 400, false)]);
        let cube: Vec<_> = waits.cube.iter().map(|row| (row.metric.id, row.ticks)).collect();
        assert_eq!(cube, [("late_sender", 400), ("late_receiver", 200)], "severities keep both");
    }
}
