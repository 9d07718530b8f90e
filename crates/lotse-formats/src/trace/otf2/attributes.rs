//! Attributes of events that name the synchronization object of a call to a threading library.
//!
//! Recorders without records for locks (eztrace) write the address of the mutex, condition variable, barrier, semaphore
//! or reader-writer lock as an attribute of the call's enter event. Attribute lists are decoded only if the definitions
//! have such attributes.

use lotse_model::trace::{Event, ObjectKind};

use super::fields::FieldReader;
use super::ids::IdLookup;

/// The kinds of objects by [`position`], which counts from 1.
const KINDS: [ObjectKind; 5] =
    [ObjectKind::Lock, ObjectKind::Condition, ObjectKind::Barrier, ObjectKind::Semaphore, ObjectKind::RwLock];

/// The most objects of a call: a condition variable and its mutex.
const MOST: usize = 2;

/// The position of the object kind that an attribute with this name describes; `None` for any other attribute.
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

/// The synchronization objects in an attribute list. Of a list that ends early, those before the end are returned.
pub(super) fn objects(mut fields: FieldReader<'_>, known: &IdLookup) -> [Option<Event>; MOST] {
    let mut found = [None; MOST];
    let count = fields.number().unwrap_or(0);
    let mut free = found.iter_mut();
    for _ in 0..count {
        let (Some(number), Some(kind)) = (fields.number(), fields.byte()) else { break };
        let Some(address) = attribute_value(kind, &mut fields) else { break };
        let position = known.get(number) as usize;
        if let Some(&kind) = position.checked_sub(1).and_then(|at| KINDS.get(at)) {
            let Some(place) = free.next() else { break };
            *place = Some(Event::Object { kind, address });
        }
    }
    found
}

/// The value of an attribute by its type code. Values of one and two bytes and floating point numbers are not packed.
fn attribute_value(kind: u8, fields: &mut FieldReader<'_>) -> Option<u64> {
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
    use crate::trace::otf2::fields::FieldReader;
    use crate::trace::otf2::ids::{IdLookup, IdTable};

    fn decoded(list: &[u8]) -> Vec<Event> {
        let known = [(7, position(b"mutex").unwrap()), (9, position(b"cond").unwrap())];
        let known = IdLookup::new(&Arc::new(IdTable::from_pairs(&known)), &[]);
        objects(FieldReader::new(list, 0, list.len(), false), &known).into_iter().flatten().collect()
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
        assert_eq!(decoded(&list), [mutex]);
        assert_eq!(decoded(&list[..list.len() - 1]), [], "the value ends early");
    }

    #[test]
    fn a_condition_comes_with_its_mutex() {
        let list = [1, 3, 1, 9, 4, 1, 5, 1, 7, 4, 1, 6, 1, 7, 4, 1, 8];
        let objects = [(ObjectKind::Condition, 5), (ObjectKind::Lock, 6)];
        let expected = objects.map(|(kind, address)| Event::Object { kind, address });
        assert_eq!(decoded(&list), expected, "at most two are returned");
    }

    #[test]
    fn a_list_that_promises_too_much_ends() {
        assert_eq!(decoded(&[4, 0xff, 0xff, 0xff, 0x7f, 1, 7, 4, 0]).len(), 1);
        assert_eq!(decoded(&[]), []);
        assert_eq!(position(b"fork"), None);
    }
}
