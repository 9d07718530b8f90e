//! The own numbers of a record, in eight bytes: those that differ between records of the same shape.
//!
//! Two numbers share the eight bytes if both fit in four. Otherwise the second stays in the shape. [`PACKED`] in the shape
//! marks a second number that is packed.

use lotse_model::trace::Event;

/// In a shape: the number is packed with the record's own. No length has this value.
const PACKED: u64 = u64::MAX;

const BITS: u32 = 32;

/// Packs two numbers into one if both fit in four bytes.
fn pack(high: u64, low: u64) -> Option<u64> {
    (high >> BITS == 0 && low >> BITS == 0).then_some(high << BITS | low)
}

fn unpack(packed: u64) -> (u64, u64) {
    (packed >> BITS, packed & (u64::from(u32::MAX)))
}

/// Splits an event into its shape and its own numbers.
#[inline]
pub(super) fn split(event: Event) -> (Event, u64) {
    let mut shape = event;
    let own = match &mut shape {
        Event::MpiSend { length, .. } | Event::MpiRecv { length, .. } => std::mem::take(length),
        Event::MpiIsend { length, request, .. } | Event::MpiIrecv { length, request, .. } => {
            take_two(request, length)
        }
        Event::CollectiveEnd { sent, received, .. } | Event::RmaCollectiveEnd { sent, received, .. } => {
            take_two(sent, received)
        }
        Event::RmaOperation { matching, bytes, .. } => take_two(matching, bytes),
        Event::MpiIsendComplete { request }
        | Event::MpiIrecvRequest { request }
        | Event::MpiRequestTest { request }
        | Event::MpiRequestCancelled { request }
        | Event::CollectiveRequest { request }
        | Event::CollectiveComplete { request, .. } => std::mem::take(request),
        Event::AcquireLock { order, .. } | Event::ReleaseLock { order, .. } => {
            u64::from(std::mem::take(order))
        }
        Event::ThreadCreate { count, .. }
        | Event::ThreadBegin { count, .. }
        | Event::ThreadWait { count, .. }
        | Event::ThreadEnd { count, .. } => std::mem::take(count),
        Event::TaskCreate { generation, .. }
        | Event::TaskSwitch { generation, .. }
        | Event::TaskComplete { generation, .. } => u64::from(std::mem::take(generation)),
        Event::RmaComplete { matching, .. } => std::mem::take(matching),
        Event::IoComplete { bytes } => std::mem::take(bytes),
        Event::Object { address, .. } => std::mem::take(address),
        _ => 0,
    };
    (shape, own)
}

/// Takes two numbers out of an event, or only the first if they do not fit together.
fn take_two(first: &mut u64, second: &mut u64) -> u64 {
    match pack(*first, *second) {
        Some(own) => {
            (*first, *second) = (0, PACKED);
            own
        }
        None => std::mem::take(first),
    }
}

/// Puts the own numbers back into a shape.
#[inline]
pub(super) fn join(shape: Event, own: u64) -> Event {
    let mut event = shape;
    match &mut event {
        Event::MpiSend { length, .. } | Event::MpiRecv { length, .. } => *length = own,
        Event::MpiIsend { length, request, .. } | Event::MpiIrecv { length, request, .. } => {
            put_two(request, length, own);
        }
        Event::CollectiveEnd { sent, received, .. } | Event::RmaCollectiveEnd { sent, received, .. } => {
            put_two(sent, received, own);
        }
        Event::RmaOperation { matching, bytes, .. } => put_two(matching, bytes, own),
        Event::MpiIsendComplete { request }
        | Event::MpiIrecvRequest { request }
        | Event::MpiRequestTest { request }
        | Event::MpiRequestCancelled { request }
        | Event::CollectiveRequest { request }
        | Event::CollectiveComplete { request, .. } => *request = own,
        Event::AcquireLock { order, .. } | Event::ReleaseLock { order, .. } => *order = own as u32,
        Event::ThreadCreate { count, .. }
        | Event::ThreadBegin { count, .. }
        | Event::ThreadWait { count, .. }
        | Event::ThreadEnd { count, .. } => *count = own,
        Event::TaskCreate { generation, .. }
        | Event::TaskSwitch { generation, .. }
        | Event::TaskComplete { generation, .. } => *generation = own as u32,
        Event::RmaComplete { matching, .. } => *matching = own,
        Event::IoComplete { bytes } => *bytes = own,
        Event::Object { address, .. } => *address = own,
        _ => {}
    }
    event
}

/// The request of a record.
#[inline]
pub(super) fn request(shape: &Event, own: u64) -> Option<u64> {
    match *shape {
        Event::MpiIsend { length, .. } | Event::MpiIrecv { length, .. } if length == PACKED => {
            Some(unpack(own).0)
        }
        Event::MpiIsend { .. }
        | Event::MpiIrecv { .. }
        | Event::MpiIsendComplete { .. }
        | Event::MpiIrecvRequest { .. }
        | Event::MpiRequestTest { .. }
        | Event::MpiRequestCancelled { .. }
        | Event::CollectiveRequest { .. }
        | Event::CollectiveComplete { .. } => Some(own),
        _ => None,
    }
}

/// The length of the message of a record.
#[inline]
pub(super) fn message_length(shape: &Event, own: u64) -> Option<u64> {
    match *shape {
        Event::MpiIsend { length, .. } | Event::MpiIrecv { length, .. } if length != PACKED => Some(length),
        Event::MpiIsend { .. } | Event::MpiIrecv { .. } => Some(unpack(own).1),
        Event::MpiSend { .. } | Event::MpiRecv { .. } => Some(own),
        _ => None,
    }
}

#[inline]
fn put_two(first: &mut u64, second: &mut u64, own: u64) {
    match *second {
        PACKED => (*first, *second) = unpack(own),
        _ => *first = own,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{CommunicatorId, WindowId};
    use lotse_model::trace::{CollectiveOp, Event, LockKind, ObjectKind, RmaOp, UNORDERED};
    use proptest::prelude::*;

    use super::{join, message_length, request, split};

    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![0..3_u64, Just(u64::from(u32::MAX)), Just(1 << 32), any::<u64>().prop_map(|it| it >> 1)]
    }

    /// One event of each kind with own numbers.
    fn events((a, b, c): (u64, u64, u64)) -> Vec<Event> {
        let (communicator, window) = (CommunicatorId(3), WindowId(4));
        let op = CollectiveOp::Alltoallv;
        let (order, generation) = (a as u32, b as u32);
        vec![
            Event::MpiSend { receiver: 1, communicator, tag: 2, length: a },
            Event::MpiIsend { receiver: 1, communicator, tag: 2, length: a, request: b },
            Event::MpiIrecv { sender: 1, communicator, tag: 2, length: a, request: b },
            Event::MpiIsendComplete { request: a },
            Event::MpiRequestTest { request: u64::MAX },
            Event::CollectiveEnd { op, communicator, root: Some(1), sent: a, received: b },
            Event::CollectiveComplete { op, communicator, root: None, sent: a, received: b, request: c },
            Event::RmaCollectiveEnd { op, window, root: None, sent: a, received: b },
            Event::RmaOperation { op: RmaOp::Get, window, remote: 7, bytes: a, matching: b },
            Event::RmaComplete { window, matching: a, remotely: true },
            Event::AcquireLock { kind: LockKind::Mutex, lock: a, order },
            Event::ReleaseLock { kind: LockKind::Mutex, lock: a, order: UNORDERED },
            Event::ThreadBegin { team: communicator, count: a },
            Event::TaskSwitch { team: communicator, thread: 3, generation },
            Event::IoComplete { bytes: a },
            Event::Object { kind: ObjectKind::Lock, address: u64::MAX - a },
            Event::Fork { threads: order },
        ]
    }

    fn request_of(event: &Event) -> Option<u64> {
        match *event {
            Event::MpiIsend { request, .. }
            | Event::MpiIrecv { request, .. }
            | Event::MpiIsendComplete { request }
            | Event::MpiIrecvRequest { request }
            | Event::MpiRequestTest { request }
            | Event::MpiRequestCancelled { request }
            | Event::CollectiveRequest { request }
            | Event::CollectiveComplete { request, .. } => Some(request),
            _ => None,
        }
    }

    fn length_of(event: &Event) -> Option<u64> {
        match *event {
            Event::MpiSend { length, .. }
            | Event::MpiIsend { length, .. }
            | Event::MpiRecv { length, .. }
            | Event::MpiIrecv { length, .. } => Some(length),
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn an_event_survives_the_round_trip(numbers in (number(), number(), number())) {
            for event in events(numbers) {
                let (shape, own) = split(event);
                prop_assert_eq!(join(shape, own), event);
                prop_assert_eq!(request(&shape, own), request_of(&event));
                prop_assert_eq!(message_length(&shape, own), length_of(&event));
            }
        }
    }

    #[test]
    fn short_numbers_leave_one_shape() {
        let shape = |length, request| {
            split(Event::MpiIsend { receiver: 0, communicator: CommunicatorId(0), tag: 0, length, request }).0
        };
        assert_eq!(shape(100, 1), shape(7, 1 << 31));
        assert_ne!(shape(100, 1 << 32), shape(7, 1 << 32), "there is no room for the length");
    }
}
