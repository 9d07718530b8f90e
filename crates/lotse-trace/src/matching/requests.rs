//! Non-blocking operations: matches postings with their completions.
//!
//! A request belongs to its process: one thread may post it and another complete it. If several threads of a process have
//! requests, their records are processed in the order of time. A completion then takes the posting of its own thread if
//! there is one, because some recorders number requests per thread, and otherwise the oldest posting of another thread.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, Ticks};
use lotse_model::work;

use super::{Links, NO_OP, processes_with};
use crate::store::{OpRef, Timeline, Trace};

const KINDS: &[EventKind] = &[
    EventKind::MpiIsend,
    EventKind::MpiIsendComplete,
    EventKind::MpiIrecvRequest,
    EventKind::MpiIrecv,
    EventKind::MpiRequestCancelled,
    EventKind::NonBlockingCollectiveRequest,
    EventKind::NonBlockingCollectiveComplete,
];

/// Finds the other half of every posting and completion.
pub(super) fn link(trace: &Trace, links: &mut Links, workers: &dyn Workers) {
    let mut shared = processes_with(trace, KINDS);
    shared.retain(|threads| threads.len() > 1);
    let mut is_shared = vec![false; trace.timelines.len()];
    shared.iter().flatten().for_each(|location| is_shared[location.index()] = true);
    let unshared = work::map(workers, trace.timelines.len(), |at| match is_shared[at] {
        true => (vec![NO_OP; trace.timelines[at].ops.len()], 0),
        false => halves(&trace.timelines[at]),
    });
    for (local, odd) in unshared {
        links.local.push(local);
        links.odd_requests += odd;
    }
    for (pairs, odd) in work::map(workers, shared.len(), |at| shared_halves(trace, &shared[at])) {
        pairs.into_iter().for_each(|(posting, completion)| links.link_halves(posting, completion));
        links.odd_requests += odd;
    }
}

/// For each record of a timeline its other half, and the number of postings and completions without one.
pub(super) fn halves(timeline: &Timeline) -> (Vec<u32>, u64) {
    let mut halves = vec![NO_OP; timeline.ops.len()];
    let is_cancelled = |event: &Event| matches!(event, Event::MpiRequestCancelled { .. });
    let mut posted = OpenRequests::default();
    let mut odd = 0;
    for (number, op) in timeline.ops.with_shape(|event| role(event).is_some() || is_cancelled(event)) {
        let Some(request) = op.request() else { continue };
        match role(op.shape()) {
            Some((kind, RequestRole::Posts)) => {
                odd += u64::from(posted.insert((kind, request), number).is_some())
            }
            Some((kind, RequestRole::Completes)) => match posted.remove((kind, request)) {
                Some(posting) => {
                    halves[number as usize] = posting;
                    halves[posting as usize] = number;
                }
                None => odd += 1,
            },
            None => cancel(&mut posted, &mut halves, request, number),
        }
    }
    (halves, odd + posted.len() as u64)
}

/// Open requests with their postings. Mostly they are few, and then a linear search is faster than a hash table.
#[derive(Debug, Default)]
struct OpenRequests {
    few: Vec<(RequestKey, u32)>,
    many: HashMap<RequestKey, u32>,
}

type RequestKey = (RequestKind, u64);

const FEW: usize = 16;

impl OpenRequests {
    /// Adds a request; returns the posting that it replaces.
    fn insert(&mut self, key: RequestKey, posting: u32) -> Option<u32> {
        let before = self.remove(key);
        match self.few.len() < FEW {
            true => self.few.push((key, posting)),
            false => {
                self.many.insert(key, posting);
            }
        }
        before
    }

    fn remove(&mut self, key: RequestKey) -> Option<u32> {
        match self.few.iter().rposition(|(known, _)| *known == key) {
            Some(at) => Some(self.few.swap_remove(at).1),
            None if self.many.is_empty() => None,
            None => self.many.remove(&key),
        }
    }

    fn len(&self) -> usize {
        self.few.len() + self.many.len()
    }
}

/// The requests of several threads of a process: pairs of posting and completion, and the number of postings and
/// completions without one. A heap merges the records of the threads by time.
fn shared_halves(trace: &Trace, threads: &[LocationId]) -> (Vec<(OpRef, OpRef)>, u64) {
    let mut posted = SharedRequests::default();
    let (mut pairs, mut odd) = (Vec::new(), 0);
    let first = |&location: &LocationId| next_request_event(trace, OpRef { location, op: 0 });
    let mut next: BinaryHeap<Reverse<RequestEvent>> = threads.iter().filter_map(first).map(Reverse).collect();
    while let Some(Reverse((_, _, op))) = next.pop() {
        next.extend(next_request_event(trace, OpRef { op: op.op + 1, ..op }).map(Reverse));
        let Some(request) = trace.op(op).request() else { continue };
        match role(trace.shape(op)) {
            Some((kind, RequestRole::Posts)) => odd += u64::from(posted.add((kind, request), op)),
            Some((kind, RequestRole::Completes)) => match posted.take((kind, request), op) {
                Some(posting) => pairs.push((posting, op)),
                None => odd += 1,
            },
            // The request is cancelled.
            None => {
                let cancelled = RequestKind::ALL.iter().find_map(|&kind| posted.take((kind, request), op));
                pairs.extend(cancelled.map(|posting| (posting, op)));
            }
        }
    }
    (pairs, odd + posted.0.values().map(|open| open.len() as u64).sum::<u64>())
}

/// Time, whether the record completes a request, record. At equal times postings sort first.
type RequestEvent = (Ticks, bool, OpRef);

/// The first record that posts, completes or cancels a request, at or after `from`.
fn next_request_event(trace: &Trace, from: OpRef) -> Option<RequestEvent> {
    let rest = trace.timeline(from.location).ops.from(from.op as usize);
    let mut events = rest.zip(from.op..).filter_map(|(op, number)| {
        let completes = match role(op.shape()) {
            Some((_, role)) => matches!(role, RequestRole::Completes),
            None if matches!(op.shape(), Event::MpiRequestCancelled { .. }) => true,
            None => return None,
        };
        Some((op.at, completes, OpRef { op: number, ..from }))
    });
    events.next()
}

/// Postings that are not completed yet, of all threads of a process, the oldest first.
#[derive(Default)]
struct SharedRequests(HashMap<(RequestKind, u64), Vec<OpRef>>);

impl SharedRequests {
    /// Adds a posting; returns whether it replaces one of the same thread that was never completed.
    fn add(&mut self, request: (RequestKind, u64), posting: OpRef) -> bool {
        let open = self.0.entry(request).or_default();
        let before = open.len();
        open.retain(|it| it.location != posting.location);
        open.push(posting);
        open.len() == before
    }

    /// Removes the posting that a completion belongs to.
    fn take(&mut self, request: (RequestKind, u64), completion: OpRef) -> Option<OpRef> {
        let open = self.0.get_mut(&request)?;
        let own = open.iter().position(|it| it.location == completion.location);
        let posting = open.remove(own.unwrap_or(0));
        if open.is_empty() {
            self.0.remove(&request);
        }
        Some(posting)
    }
}

/// The kind of a request. Some recorders number each kind separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum RequestKind {
    Send,
    Receive,
    Collective,
}

impl RequestKind {
    const ALL: &[Self] = &[Self::Send, Self::Receive, Self::Collective];
}

enum RequestRole {
    Posts,
    Completes,
}

/// What a record does with its request; none if it only asks for it, cancels it, or has none.
fn role(event: &Event) -> Option<(RequestKind, RequestRole)> {
    match *event {
        Event::MpiIsend { .. } => Some((RequestKind::Send, RequestRole::Posts)),
        Event::MpiIsendComplete { .. } => Some((RequestKind::Send, RequestRole::Completes)),
        Event::MpiIrecvRequest { .. } => Some((RequestKind::Receive, RequestRole::Posts)),
        Event::MpiIrecv { .. } => Some((RequestKind::Receive, RequestRole::Completes)),
        Event::CollectiveRequest { .. } => Some((RequestKind::Collective, RequestRole::Posts)),
        Event::CollectiveComplete { .. } => Some((RequestKind::Collective, RequestRole::Completes)),
        _ => None,
    }
}

/// Makes the posting of a cancelled request and its cancellation each other's halves.
fn cancel(posted: &mut OpenRequests, halves: &mut [u32], request: u64, number: u32) {
    for &kind in RequestKind::ALL {
        if let Some(posting) = posted.remove((kind, request)) {
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
    use crate::store::{NO_CALL, Timeline};

    fn timeline(events: &[Event]) -> Timeline {
        let mut timeline = Timeline::default();
        for &event in events {
            timeline.ops.push(0, NO_CALL, EventKind::Unknown, event);
        }
        timeline
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
    fn unmatched_requests_are_counted() {
        let post = Event::MpiIrecvRequest { request: 7 };
        assert_eq!(halves(&timeline(&[irecv(1), post])), (vec![NO_OP; 2], 2));
        let cancelled = Event::MpiRequestCancelled { request: 7 };
        assert_eq!(halves(&timeline(&[post, cancelled])), (vec![1, 0], 0));
    }
}
