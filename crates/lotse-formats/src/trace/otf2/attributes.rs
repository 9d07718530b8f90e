//! The attributes of an event, of which those count that say what a call of a threading library is about.
//!
//! Recorders without records for locks (eztrace) give the address of the mutex, condition, barrier, semaphore or
//! reader-writer lock as an attribute of the enter of the call. Lists are only looked into where the definitions have
//! such attributes.

use lotse_model::trace::{Event, ObjectKind};

use super::fields::Fields;
use super::ids::Lookup;

/// In the order of their positions, from 1 on.
const KINDS: [ObjectKind; 5] =
    [ObjectKind::Lock, ObjectKind::Condition, ObjectKind::Barrier, ObjectKind::Semaphore, ObjectKind::RwLock];

/// Most of what a call can be about: a condition and its mutex.
const MOST: usize = 2;

/// The position of an attribute of this name; `None` where it says nothing of interest.
pub(super) fn position(name: &[u8]) -> Option<u32> {
    let kind = match name {
        b"mutex" | b"lock" => ObjectKind::Lock,
        b"cond" => ObjectKind::Condition,
        b"barrier" => ObjectKind::Barrier,
        b"sem" => ObjectKind::Semaphore,
        b"rwlock" => ObjectKind::RwLock,
        _ => return None,
    };
    (1..).zip(KINDS).find(|(_, it)| *it == kind).map(|(position, _)| position)
}

/// What the attributes of a list say a call is about; of a list that ends early, those that are there.
pub(super) fn objects(mut fields: Fields<'_>, known: &Lookup) -> [Option<Event>; MOST] {
    let mut found = [None; MOST];
    let count = fields.number().unwrap_or(0);
    let mut free = found.iter_mut();
    for _ in 0..count {
        let (Some(number), Some(kind)) = (fields.number(), fields.byte()) else { break };
        let Some(address) = value(kind, &mut fields) else { break };
        let position = known.get(number) as usize;
        if let Some(&kind) = position.checked_sub(1).and_then(|at| KINDS.get(at)) {
            let Some(place) = free.next() else { break };
            *place = Some(Event::Object { kind, address });
        }
    }
    found
}

/// A value by its type: short and floating ones are not packed.
fn value(kind: u8, fields: &mut Fields<'_>) -> Option<u64> {
    match kind {
        1 | 5 => fields.byte().map(u64::from),
        2 | 6 => fields.low_bytes(2),
        9 => fields.low_bytes(4),
        10 => fields.low_bytes(8),
        _ => fields.number(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lotse_model::trace::{Event, ObjectKind};

    use super::{objects, position};
    use crate::trace::otf2::fields::Fields;
    use crate::trace::otf2::ids::{Ids, Lookup};

    fn told(list: &[u8]) -> Vec<Event> {
        let known = [(7, position(b"mutex").unwrap()), (9, position(b"cond").unwrap())];
        let known = Lookup::new(&Arc::new(Ids::of(&known)), &[]);
        objects(Fields::new(list, 0, list.len(), false), &known).into_iter().flatten().collect()
    }

    /// Bytes as the OTF2 library 3.0.2 writes them.
    #[test]
    fn values_of_all_widths_are_passed_over() {
        let list = [
            1, 8, 0, 1, 7, 1, 1, 2, 0x34, 0x12, 1, 2, 9, 0, 0, 0xc0, 0x3f, 1, 3, 10, 0, 0, 0, 0, 0, 0, 4,
            0x40, 1, 4, 11, 1, 1, 1, 5, 7, 4, 0xfd, 0xff, 0xff, 0xff, 1, 6, 6, 0xfe, 0xff, 1, 7, 4, 5, 0x9a,
            0x78, 0x56, 0x34, 0x12,
        ];
        let mutex = Event::Object { kind: ObjectKind::Lock, address: 0x12_3456_789a };
        assert_eq!(told(&list), [mutex]);
        assert_eq!(told(&list[..list.len() - 1]), [], "the value ends early");
    }

    #[test]
    fn a_condition_comes_with_its_mutex() {
        let list = [1, 3, 1, 9, 4, 1, 5, 1, 7, 4, 1, 6, 1, 7, 4, 1, 8];
        let objects = [(ObjectKind::Condition, 5), (ObjectKind::Lock, 6)];
        let expected = objects.map(|(kind, address)| Event::Object { kind, address });
        assert_eq!(told(&list), expected, "more than two are not told");
    }

    #[test]
    fn a_list_that_promises_too_much_ends() {
        assert_eq!(told(&[4, 0xff, 0xff, 0xff, 0x7f, 1, 7, 4, 0]).len(), 1);
        assert_eq!(told(&[]), []);
        assert_eq!(position(b"fork"), None);
    }
}
