//! Live data structures: positions and numbers of elements.

use super::shadow::Epoch;
use crate::container::Container;
use crate::instance::{CodeId, Instance, InstanceId, ThreadId};

/// How the memory of a structure is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryLayout {
    /// Elements side by side in one block (a ring for `VecDeque`).
    Array,
    /// A hash table.
    HashTable,
    /// A tree of nodes.
    Tree,
}

/// The memory layout of a container.
pub(super) fn layout_of(container: Container) -> MemoryLayout {
    match container {
        Container::HashMap | Container::HashSet => MemoryLayout::HashTable,
        Container::BTreeMap | Container::BTreeSet => MemoryLayout::Tree,
        _ => MemoryLayout::Array,
    }
}

/// A live structure.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    pub(super) instance: Instance,
    pub(super) base: u64,
    pub(super) bytes: u64,
    /// Number of elements, as far as known.
    pub(super) length: u64,
    /// The place of the first element of a `VecDeque`.
    pub(super) head: u64,
    /// Number of its memory blocks.
    pub(super) blocks: u32,
    /// Whether so far only the elements listed by the line that created it were written (`vec![1, 2, 3]`).
    pub(super) is_fresh: bool,
    /// Whether it was reported to the consumer.
    pub(super) announced: bool,
    /// The last direct access, to which accesses to other fields of the same element are joined.
    pub(super) last: Option<DirectAccess>,
    /// The epochs in which the number of elements last changed, and in which an element was last used.
    pub(super) resized: Epoch,
    pub(super) used: Epoch,
    /// Whether the last change of the number of elements was an insertion.
    pub(super) grew: bool,
}

/// A direct access to an element, outside of a known operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DirectAccess {
    pub(super) thread: u32,
    pub(super) is_write: bool,
    pub(super) index: u64,
    pub(super) code: CodeId,
    /// Program counter of the instruction.
    pub(super) pc: u32,
    /// Bit set of the parts of the element accessed so far. A second access to the same part is another access.
    pub(super) offsets: u64,
    /// Whether a method returned a reference to the element that was not used yet.
    pub(super) is_reference: bool,
}

impl Structure {
    pub(super) fn new(id: u64, container: Container, element_size: u64, code: CodeId, thread: u32) -> Self {
        let element_size = u32::try_from(element_size).unwrap_or(0);
        let instance =
            Instance { thread: ThreadId(thread), ..Instance::new(id, container, element_size, code) };
        Self {
            instance,
            base: 0,
            bytes: 0,
            length: 0,
            head: 0,
            blocks: 0,
            is_fresh: false,
            announced: false,
            last: None,
            resized: 0,
            used: 0,
            grew: true,
        }
    }

    pub(super) fn id(&self) -> InstanceId {
        self.instance.id
    }

    pub(super) fn layout(&self) -> MemoryLayout {
        layout_of(self.instance.container)
    }

    fn size(&self) -> Option<u64> {
        (self.layout() == MemoryLayout::Array && self.instance.element_size > 0)
            .then_some(u64::from(self.instance.element_size))
    }

    /// Whether the places of its elements cannot be computed, because their size is not known.
    pub(super) fn has_unknown_places(&self) -> bool {
        self.layout() == MemoryLayout::Array && self.size().is_none()
    }

    /// Number of places for elements.
    pub(super) fn capacity(&self) -> Option<u64> {
        Some(self.bytes / self.size()?)
    }

    /// The element at an address, counted from the first place of the block.
    pub(super) fn place(&self, address: u64) -> Option<u64> {
        Some(address.checked_sub(self.base)? / self.size()?)
    }

    /// Number of elements in this many bytes.
    pub(super) fn elements(&self, bytes: u64) -> Option<u64> {
        Some(bytes / self.size()?)
    }

    /// The index of the element at a place. They differ only for a `VecDeque`, which is a ring.
    pub(super) fn index(&self, place: u64) -> u64 {
        match (self.instance.container, self.capacity()) {
            (Container::VecDeque, Some(capacity)) if capacity > 0 => {
                (place + capacity - self.head % capacity) % capacity
            }
            _ => place,
        }
    }

    /// Sets the head of a `VecDeque` so that the element with this index is at this place.
    pub(super) fn place_has_index(&mut self, place: u64, index: u64) {
        if let (Container::VecDeque, Some(capacity @ 1..)) = (self.instance.container, self.capacity()) {
            self.head = (place + capacity - index % capacity) % capacity;
        }
    }

    /// Whether an access writes an element listed by the line that creates the structure, which does not count as an access.
    pub(super) fn is_listing(&mut self, is_write: bool, is_same_line: impl Fn(CodeId) -> bool) -> bool {
        self.is_fresh = self.is_fresh && is_write && is_same_line(self.instance.site);
        self.is_fresh
    }

    /// The element with this index exists: the length is at least one more.
    pub(super) fn reaches(&mut self, index: u64) {
        self.length = self.length.max(index.saturating_add(1));
    }

    /// Whether a direct access is only to another field of the element that was accessed last.
    pub(super) fn joins(
        &mut self,
        direct: DirectAccess,
        address: u64,
        same_line: impl Fn(CodeId, CodeId) -> bool,
    ) -> bool {
        let Some(size) = self.size() else { return self.joins_nearby(direct, address, same_line) };
        let bit = 1 << ((address.wrapping_sub(self.base) % size) * 64 / size.max(64)).min(63);
        let direct = DirectAccess { offsets: bit, ..direct };
        let joins = self.last.is_some_and(|last| {
            last.offsets & bit == 0
                && (last.index, last.thread, last.is_write) == (direct.index, direct.thread, direct.is_write)
                && (last.is_reference || same_line(last.code, direct.code))
        });
        let before = self.last.filter(|_| joins).map_or(0, |last| last.offsets);
        self.last = Some(DirectAccess { offsets: before | bit, ..direct });
        joins
    }

    /// The same for tables and trees, whose elements have no known size: fields up to 256 bytes apart belong together. When the
    /// first instruction is executed again, it accesses another element.
    fn joins_nearby(
        &mut self,
        direct: DirectAccess,
        address: u64,
        same_line: impl Fn(CodeId, CodeId) -> bool,
    ) -> bool {
        let uses_reference = |last: &DirectAccess| {
            last.is_reference
                && !direct.is_write
                && last.thread == direct.thread
                && same_line(last.code, direct.code)
        };
        if self.last.as_ref().is_some_and(uses_reference) {
            self.last = Some(DirectAccess { index: address, offsets: 1 << 32, ..direct });
            return true;
        }
        let near = |last: &DirectAccess| {
            let words = address.wrapping_sub(last.index) as i64 / 8;
            (-32..32).contains(&words).then(|| 1_u64 << (words + 32))
        };
        let joined = self.last.and_then(|last| {
            let bit = near(&last)?;
            let joins = last.offsets & bit == 0
                && !last.is_reference
                && last.pc != direct.pc
                && (last.thread, last.is_write) == (direct.thread, direct.is_write)
                && same_line(last.code, direct.code);
            joins.then_some(DirectAccess { offsets: last.offsets | bit, ..last })
        });
        self.last = Some(joined.unwrap_or(DirectAccess { index: address, offsets: 1 << 32, ..direct }));
        joined.is_some()
    }

    /// A method returned a reference to an element; its first use is not an access of its own.
    pub(super) fn give_reference(&mut self, thread: u32, index: u64, code: CodeId) {
        self.last = Some(DirectAccess {
            thread,
            is_write: false,
            index,
            code,
            pc: 0,
            offsets: 0,
            is_reference: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{DirectAccess, Structure};
    use crate::container::Container;
    use crate::instance::CodeId;

    #[test]
    fn a_deque_is_a_ring() {
        let mut deque = Structure::new(1, Container::VecDeque, 8, CodeId(0), 0);
        (deque.base, deque.bytes) = (1000, 64);
        assert_eq!(deque.capacity(), Some(8));
        deque.place_has_index(7, 0);
        assert_eq!([7, 0, 6].map(|place| deque.index(place)), [0, 1, 7]);
        deque.place_has_index(1, 2);
        assert_eq!(deque.head, 7);
    }

    #[test]
    fn fields_of_an_element_are_one_access() {
        let mut vec = Structure::new(1, Container::Vec, 24, CodeId(0), 0);
        (vec.base, vec.bytes) = (1000, 240);
        let direct = |index| DirectAccess {
            thread: 1,
            is_write: false,
            index,
            code: CodeId(3),
            pc: 9,
            offsets: 0,
            is_reference: false,
        };
        let same = |a, b| a == b;
        assert!(!vec.joins(direct(0), 1000, same));
        assert!(vec.joins(direct(0), 1008, same));
        assert!(!vec.joins(direct(0), 1008, same), "the same field again is another access");
        assert!(!vec.joins(direct(1), 1024, same));
    }

    #[test]
    fn a_reference_and_its_first_use_are_one_access() {
        let mut vec = Structure::new(1, Container::Vec, 8, CodeId(0), 0);
        (vec.base, vec.bytes) = (1000, 80);
        let direct = |code| DirectAccess {
            thread: 1,
            is_write: false,
            index: 2,
            code: CodeId(code),
            pc: 9,
            offsets: 0,
            is_reference: false,
        };
        vec.give_reference(1, 2, CodeId(3));
        assert!(vec.joins(direct(4), 1016, |a, b| a == b), "used on another line");
        assert!(!vec.joins(direct(4), 1016, |a, b| a == b), "used again");
    }

    #[test]
    fn an_index_into_a_table_and_the_read_through_it_are_one_access() {
        let mut map = Structure::new(1, Container::HashMap, 0, CodeId(0), 0);
        let direct = |code, is_write| DirectAccess {
            thread: 1,
            is_write,
            index: 0,
            code: CodeId(code),
            pc: 9,
            offsets: 0,
            is_reference: false,
        };
        let same = |a, b| a == b;
        map.give_reference(1, 0, CodeId(3));
        assert!(map.joins(direct(3, false), 5000, same));
        assert!(!map.joins(direct(3, false), 5000, same), "read again");
        map.give_reference(1, 0, CodeId(3));
        assert!(!map.joins(direct(4, false), 5000, same), "on another line");
        map.give_reference(1, 0, CodeId(3));
        assert!(!map.joins(direct(3, true), 5000, same), "a write is an access of its own");
    }

    #[test]
    fn fields_side_by_side_in_a_table_are_one_access() {
        let mut map = Structure::new(1, Container::HashMap, 0, CodeId(0), 0);
        let direct = DirectAccess {
            thread: 1,
            is_write: false,
            index: 0,
            code: CodeId(3),
            pc: 9,
            offsets: 0,
            is_reference: false,
        };
        let touches = [(5000, 1), (5008, 2), (4992, 3), (5016, 1), (5024, 2), (5400, 2)];
        let joined = touches.map(|(at, pc)| map.joins(DirectAccess { pc, ..direct }, at, |a, b| a == b));
        assert_eq!(joined, [false, true, true, false, true, false]);
    }
}
