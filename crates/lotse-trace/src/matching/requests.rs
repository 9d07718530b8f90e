//! Non-blocking operations: which record posted what another completes.
//!
//! A request belongs to its process: one thread may post what another completes. Where several threads of a process
//! have requests, their records are followed in the order of time; a completion then takes the posting of its own
//! thread where there is one, for some recorders count requests by thread, and else the oldest of another.

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

/// Finds the halves of all records.
pub(super) fn link(trace: &Trace, links: &mut Links, workers: &dyn Workers) {
    let mut shared = processes_with(trace, KINDS);
    shared.retain(|threads| threads.len() > 1);
    let mut is_shared = vec![false; trace.timelines.len()];
    shared.iter().flatten().for_each(|location| is_shared[location.index()] = true);
    let alone = work::map(workers, trace.timelines.len(), |at| match is_shared[at] {
        true => (vec![NO_OP; trace.timelines[at].ops.len()], 0),
        false => halves(&trace.timelines[at]),
    });
    for (local, odd) in alone {
        links.local.push(local);
        links.odd_requests += odd;
    }
    for (pairs, odd) in work::map(workers, shared.len(), |at| shared_halves(trace, &shared[at])) {
        pairs.into_iter().for_each(|(posting, completion)| links.halve(posting, completion));
        links.odd_requests += odd;
    }
}

/// For each record the one that posted or completes it, and how many requests do not fit.
pub(super) fn halves(timeline: &Timeline) -> (Vec<u32>, u64) {
    let mut halves = vec![NO_OP; timeline.ops.len()];
    let is_cancelled = |event: &Event| matches!(event, Event::MpiRequestCancelled { .. });
    if !timeline.ops.has(|event| role(event).is_some() || is_cancelled(event)) {
        return (halves, 0);
    }
    let mut posted = Open::default();
    let mut odd = 0;
    for (number, op) in timeline.ops.iter().enumerate() {
        let number = number as u32;
        match role(&op.event()) {
            Some((kind, request, Role::Posts)) => {
                odd += u64::from(posted.insert((kind, request), number).is_some())
            }
            Some((kind, request, Role::Completes)) => match posted.remove((kind, request)) {
                Some(posting) => {
                    halves[number as usize] = posting;
                    halves[posting as usize] = number;
                }
                None => odd += 1,
            },
            None => {
                if let Event::MpiRequestCancelled { request } = op.event() {
                    cancel(&mut posted, &mut halves, request, number);
                }
            }
        }
    }
    (halves, odd + posted.len() as u64)
}

/// Requests that are open. Mostly they are few, and looking through them is faster than a table.
#[derive(Debug, Default)]
struct Open {
    few: Vec<(Key, u32)>,
    many: HashMap<Key, u32>,
}

type Key = (Kind, u64);

const FEW: usize = 16;

impl Open {
    /// Opens a request; gives the posting that it takes the place of.
    fn insert(&mut self, key: Key, posting: u32) -> Option<u32> {
        let before = self.remove(key);
        match self.few.len() < FEW {
            true => self.few.push((key, posting)),
            false => {
                self.many.insert(key, posting);
            }
        }
        before
    }

    fn remove(&mut self, key: Key) -> Option<u32> {
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

/// The requests of several threads of a process: postings with their completions, and how many do not fit.
fn shared_halves(trace: &Trace, threads: &[LocationId]) -> (Vec<(OpRef, OpRef)>, u64) {
    let mut posted = Posted::default();
    let (mut pairs, mut odd) = (Vec::new(), 0);
    let mut next: BinaryHeap<Reverse<Turn>> =
        threads.iter().filter_map(|&location| turn(trace, OpRef { location, op: 0 })).map(Reverse).collect();
    while let Some(Reverse((_, _, op))) = next.pop() {
        match (role(&trace.op(op).event()), trace.op(op).event()) {
            (Some((kind, request, Role::Posts)), _) => odd += u64::from(posted.add((kind, request), op)),
            (Some((kind, request, Role::Completes)), _) => match posted.take((kind, request), op) {
                Some(posting) => pairs.push((posting, op)),
                None => odd += 1,
            },
            (None, Event::MpiRequestCancelled { request }) => {
                let cancelled = Kind::ALL.iter().find_map(|&kind| posted.take((kind, request), op));
                pairs.extend(cancelled.map(|posting| (posting, op)));
            }
            (None, _) => {}
        }
        next.extend(turn(trace, OpRef { op: op.op + 1, ..op }).map(Reverse));
    }
    (pairs, odd + posted.0.values().map(|open| open.len() as u64).sum::<u64>())
}

/// When a record's turn is; at one moment what posts comes before what completes.
type Turn = (Ticks, bool, OpRef);

/// The turn of the first record from one on that is about requests.
fn turn(trace: &Trace, from: OpRef) -> Option<Turn> {
    let rest = trace.timeline(from.location).ops.from(from.op as usize);
    let mut turns = rest.zip(from.op..).filter_map(|(op, number)| {
        let completes = match role(&op.event()) {
            Some((_, _, role)) => matches!(role, Role::Completes),
            None if matches!(op.shape(), Event::MpiRequestCancelled { .. }) => true,
            None => return None,
        };
        Some((op.at, completes, OpRef { op: number, ..from }))
    });
    turns.next()
}

/// Postings without their completions, the oldest first.
#[derive(Default)]
struct Posted(HashMap<(Kind, u64), Vec<OpRef>>);

impl Posted {
    /// Whether it takes the place of one of the same thread that was never completed.
    fn add(&mut self, request: (Kind, u64), posting: OpRef) -> bool {
        let open = self.0.entry(request).or_default();
        let before = open.len();
        open.retain(|it| it.location != posting.location);
        open.push(posting);
        open.len() == before
    }

    fn take(&mut self, request: (Kind, u64), completion: OpRef) -> Option<OpRef> {
        let open = self.0.get_mut(&request)?;
        let own = open.iter().position(|it| it.location == completion.location);
        let posting = open.remove(own.unwrap_or(0));
        if open.is_empty() {
            self.0.remove(&request);
        }
        Some(posting)
    }
}

/// What a request is for: their numbers are counted apart by some recorders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Send,
    Receive,
    Collective,
}

impl Kind {
    const ALL: &[Self] = &[Self::Send, Self::Receive, Self::Collective];
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
fn cancel(posted: &mut Open, halves: &mut [u32], request: u64, number: u32) {
    for &kind in Kind::ALL {
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
    fn what_does_not_fit_is_counted() {
        let post = Event::MpiIrecvRequest { request: 7 };
        assert_eq!(halves(&timeline(&[irecv(1), post])), (vec![NO_OP; 2], 2));
        let cancelled = Event::MpiRequestCancelled { request: 7 };
        assert_eq!(halves(&timeline(&[post, cancelled])), (vec![1, 0], 0));
    }
}
