//! Writes the synchronization objects of calls as attributes of their enter events, with the names that recorders use.

use lotse_model::trace::ObjectKind;

use super::record::EventRecord;

/// The most objects of a call: a condition variable and its mutex.
pub(super) const MOST_OBJECTS: usize = 2;

/// The names of the attributes, in the order of their numbers.
pub(super) const NAMES: [&str; 5] = ["mutex", "cond", "barrier", "sem", "rwlock"];

/// The type of addresses, `OTF2_TYPE_UINT64`.
pub(super) const ADDRESS: u8 = 4;

const ATTRIBUTE_LIST: u8 = 6;

/// Writes the attribute list before the enter of a call.
pub(super) fn encode(record: &mut EventRecord<'_>, objects: &[Option<(ObjectKind, u64)>]) {
    let count = objects.iter().flatten().count();
    let mut list = record.begin(ATTRIBUTE_LIST).narrow(count as u32);
    for &(kind, address) in objects.iter().flatten() {
        list = list.narrow(number(kind)).byte(ADDRESS).wide(address);
    }
    list.end();
}

fn number(kind: ObjectKind) -> u32 {
    match kind {
        ObjectKind::Lock => 0,
        ObjectKind::Condition => 1,
        ObjectKind::Barrier => 2,
        ObjectKind::Semaphore => 3,
        ObjectKind::RwLock => 4,
    }
}
