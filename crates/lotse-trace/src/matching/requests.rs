//! Non-blocking operations: which record posted what another completes.

use hashbrown::HashMap;
use lotse_model::trace::Event;

use super::NO_OP;
use crate::store::Timeline;

/// For each record the one that posted or completes it, and how many requests do not fit.
pub(super) fn halves(timeline: &Timeline) -> (Vec<u32>, u64) {
    let mut halves = vec![NO_OP; timeline.ops.len()];
    let mut posted: HashMap<(Kind, u64), u32> = HashMap::new();
    let mut odd = 0;
    for (number, op) in timeline.ops.iter().enumerate() {
        let number = number as u32;
        match role(&op.event) {
            Some((kind, request, Role::Posts)) => {
                odd += u64::from(posted.insert((kind, request), number).is_some())
            }
            Some((kind, request, Role::Completes)) => match posted.remove(&(kind, request)) {
                Some(posting) => {
                    halves[number as usize] = posting;
                    halves[posting as usize] = number;
                }
                None => odd += 1,
            },
            None => {
                if let Event::MpiRequestCancelled { request } = op.event {
                    cancel(&mut posted, &mut halves, request, number);
                }
            }
        }
    }
    (halves, odd + posted.len() as u64)
}

/// What a request is for: their numbers are counted apart by some recorders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Send,
    Receive,
    Collective,
}

enum Role {
    Posts,
    Completes,
}

fn role(event: &Event) -> Option<(Kind, u64, Role)> {
    match *event {
        Event::MpiIsend { request, .. } => Some((Kind::Send, request, Role::Posts)),
        Event::MpiIsendComplete { request } => Some((Kind::Send, request, Role::Completes)),
        Event::MpiIrecvRequest { request } => Some((Kind::Receive, request, Role::Posts)),
        Event::MpiIrecv { request, .. } => Some((Kind::Receive, request, Role::Completes)),
        Event::CollectiveRequest { request } => Some((Kind::Collective, request, Role::Posts)),
        Event::CollectiveComplete { request, .. } => Some((Kind::Collective, request, Role::Completes)),
        _ => None,
    }
}

/// A cancelled request points to its cancellation.
fn cancel(posted: &mut HashMap<(Kind, u64), u32>, halves: &mut [u32], request: u64, number: u32) {
    for kind in [Kind::Send, Kind::Receive, Kind::Collective] {
        if let Some(posting) = posted.remove(&(kind, request)) {
            halves[posting as usize] = number;
            halves[number as usize] = posting;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::CommunicatorId;
    use lotse_model::trace::{Event, EventKind};

    use super::{NO_OP, halves};
    use crate::store::{NO_CALL, Op, Timeline};

    fn timeline(events: &[Event]) -> Timeline {
        let op = |&event| Op { at: 0, call: NO_CALL, kind: EventKind::Unknown, event };
        Timeline { ops: events.iter().map(op).collect(), ..Timeline::default() }
    }

    fn irecv(request: u64) -> Event {
        Event::MpiIrecv { sender: 0, communicator: CommunicatorId(1), tag: 0, length: 1, request }
    }

    #[test]
    fn completions_find_their_postings_out_of_order() {
        let posts = [Event::MpiIrecvRequest { request: 1 }, Event::MpiIrecvRequest { request: 2 }];
        let events = [posts[0], posts[1], irecv(2), irecv(1)];
        assert_eq!(halves(&timeline(&events)), (vec![3, 2, 1, 0], 0));
    }

    #[test]
    fn a_number_may_be_used_again() {
        let post = Event::MpiIrecvRequest { request: 7 };
        assert_eq!(halves(&timeline(&[post, irecv(7), post, irecv(7)])), (vec![1, 0, 3, 2], 0));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let post = Event::MpiIrecvRequest { request: 7 };
        assert_eq!(halves(&timeline(&[irecv(1), post])), (vec![NO_OP; 2], 2));
        let cancelled = Event::MpiRequestCancelled { request: 7 };
        assert_eq!(halves(&timeline(&[post, cancelled])), (vec![1, 0], 0));
    }
}
