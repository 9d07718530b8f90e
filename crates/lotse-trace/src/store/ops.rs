//! The records of a location in compressed form: a trace may have more records than anything else.
//!
//! Records are similar: most messages of a process go to the same few receivers with the same tag. What records have in
//! common is stored once, as a shape. A row has the index of its shape and the numbers of the record itself (`own`).
//!
//! ```text
//! rows     at    call   shape   own              shapes
//!          120   3      0       request 7        0   MpiIsend to 1, tag 0, 800 bytes
//!          130   4      1       request 8        1   MpiIrecv from 1, tag 0, 800 bytes
//!          250   6      0       request 9
//! ```

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use lotse_model::trace::{Event, EventKind, Ticks};

mod own;

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op<'a> {
    pub at: Ticks,
    /// The primitive call it happened in; [`NO_CALL`] if none.
    pub call: u32,
    shape: &'a EventShape,
    own: u64,
}

impl<'a> Op<'a> {
    /// The kind of its event.
    #[inline]
    pub fn kind(&self) -> EventKind {
        self.shape.kind
    }

    /// The complete event.
    #[inline]
    pub fn event(&self) -> Event {
        own::join(self.shape.event, self.own)
    }

    /// The event without the record's own numbers, such as its request: enough to match its variant, and faster.
    #[inline]
    pub fn shape(&self) -> &'a Event {
        &self.shape.event
    }

    /// The request that the record posts, completes, tests or cancels: faster than the complete event.
    #[inline]
    pub(crate) fn request(&self) -> Option<u64> {
        own::request(&self.shape.event, self.own)
    }

    /// The length of the message that the record sends or receives: faster than the complete event.
    #[inline]
    pub(crate) fn message_length(&self) -> Option<u64> {
        own::message_length(&self.shape.event, self.own)
    }
}

/// A record outside all primitive calls.
pub const NO_CALL: u32 = u32::MAX;

/// The records of a location, in their order.
#[derive(Debug, Default)]
pub struct Ops {
    rows: Vec<OpRow>,
    shapes: Vec<EventShape>,
    /// Indices of shapes by hash, while records are added.
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// By shape, while records are added: the shape of the record that followed the last record of this shape. Programs
    /// repeat themselves, so the next record mostly has this shape again.
    followers: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct OpRow {
    at: Ticks,
    /// The record's own numbers, see [`own`].
    own: u64,
    call: u32,
    shape: u32,
}

/// The common part of similar records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EventShape {
    kind: EventKind,
    event: Event,
}

impl Ops {
    /// No records, with room for some.
    pub(super) fn with_capacity(records: usize) -> Self {
        Self { rows: Vec::with_capacity(records), ..Self::default() }
    }

    /// The number of records.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A record by its index. Panics if there is none.
    #[inline]
    pub fn get(&self, number: usize) -> Op<'_> {
        self.op_of_row(self.rows[number])
    }

    /// The time of a record.
    #[inline]
    pub fn at(&self, number: usize) -> Ticks {
        self.rows[number].at
    }

    /// The primitive call that a record happened in; [`NO_CALL`] if none.
    #[inline]
    pub fn call(&self, number: usize) -> u32 {
        self.rows[number].call
    }

    /// The kind of a record.
    #[inline]
    pub fn kind(&self, number: usize) -> EventKind {
        self.shapes[self.rows[number].shape as usize].kind
    }

    /// The event of a record without its own numbers, such as its request: enough to match its variant.
    #[inline]
    pub(crate) fn shape(&self, number: usize) -> &Event {
        &self.shapes[self.rows[number].shape as usize].event
    }

    /// All shapes, by index.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &Event> {
        self.shapes.iter().map(|shape| &shape.event)
    }

    /// The index of a record's shape.
    #[inline]
    pub(crate) fn shape_number(&self, number: usize) -> usize {
        self.rows[number].shape as usize
    }

    /// Whether any record satisfies a predicate, which is called once per shape and does not see the records' own numbers.
    pub(crate) fn has(&self, predicate: impl Fn(&Event) -> bool) -> bool {
        self.shapes.iter().any(|shape| predicate(&shape.event))
    }

    /// The records whose shapes satisfy a predicate, with their indices. The predicate is called once per shape: records of
    /// other shapes cost one look at a flag.
    pub(crate) fn with_shape(
        &self,
        is_wanted: impl Fn(&Event) -> bool,
    ) -> impl Iterator<Item = (u32, Op<'_>)> {
        let wanted: Vec<bool> = self.shapes().map(is_wanted).collect();
        let rows = if wanted.contains(&true) { &self.rows[..] } else { &[] };
        let rows = (0..).zip(rows).filter(move |(_, row)| wanted[row.shape as usize]);
        rows.map(|(number, &row)| (number, self.op_of_row(row)))
    }

    #[inline]
    fn op_of_row(&self, OpRow { at, own, call, shape }: OpRow) -> Op<'_> {
        Op { at, call, shape: &self.shapes[shape as usize], own }
    }

    /// All records.
    #[inline]
    pub fn iter(&self) -> Records<'_> {
        self.within(0..self.len())
    }

    /// The records from an index on.
    #[inline]
    pub fn from(&self, first: usize) -> Records<'_> {
        self.within(first..self.len())
    }

    /// The records of a range.
    #[inline]
    pub fn within(&self, numbers: Range<usize>) -> Records<'_> {
        Records { ops: self, numbers }
    }

    /// The first record.
    pub fn first(&self) -> Option<Op<'_>> {
        self.iter().next()
    }

    /// The last record.
    pub fn last(&self) -> Option<Op<'_>> {
        self.iter().next_back()
    }

    /// The number of records before a time.
    pub fn before(&self, time: Ticks) -> usize {
        self.rows.partition_point(|row| row.at < time)
    }

    /// Ranges of adjacent records of the same call.
    pub fn by_call(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut first = 0;
        self.rows.chunk_by(|a, b| a.call == b.call).map(move |rows| {
            first += rows.len();
            first - rows.len()..first
        })
    }

    /// The times of all records, mutable.
    pub fn times_mut(&mut self) -> impl Iterator<Item = &mut Ticks> {
        self.rows.iter_mut().map(|row| &mut row.at)
    }

    /// Adds a record of a call.
    #[inline]
    pub(crate) fn push(&mut self, at: Ticks, call: u32, kind: EventKind, event: Event) {
        let (event, own) = own::split(event);
        let shape = self.shape_index(EventShape { kind, event });
        self.rows.push(OpRow { at, own, call, shape });
    }

    /// The records of a range, with renumbered calls.
    pub(crate) fn part(&self, numbers: Range<usize>, call: impl Fn(u32) -> u32) -> Self {
        let rows = self.rows[numbers].iter().map(|row| OpRow { call: call(row.call), ..*row }).collect();
        Self { rows, shapes: self.shapes.clone(), ..Self::default() }
    }

    fn shape_index(&mut self, shape: EventShape) -> u32 {
        let before = self.rows.last().map_or(0, |row| row.shape as usize);
        let guessed = self.followers.get(before).copied().unwrap_or(0);
        if self.shapes.get(guessed as usize).is_some_and(|known| *known == shape) {
            return guessed;
        }
        let first = self.shapes.iter().take(COMPARED).position(|known| *known == shape);
        let number = first.map_or_else(|| self.find_or_add_shape(shape), |at| at as u32);
        self.followers.resize(self.shapes.len(), 0);
        self.followers[before] = number;
        number
    }

    fn find_or_add_shape(&mut self, shape: EventShape) -> u32 {
        let Self { shapes, known, hasher, .. } = self;
        let hash = |shape: &EventShape| hasher.hash_one((shape.kind as u8, shape.event));
        let found = known.entry(
            hash(&shape),
            |&number| shapes[number as usize] == shape,
            |&number| hash(&shapes[number as usize]),
        );
        let number = *found.or_insert(shapes.len() as u32).get();
        if number as usize == shapes.len() {
            shapes.push(shape);
        }
        number
    }

    /// Frees memory that is only needed to add records.
    pub(crate) fn close(&mut self) {
        (self.known, self.followers) = (HashTable::new(), Vec::new());
        self.rows.shrink_to_fit();
        self.shapes.shrink_to_fit();
    }
}

/// Number of shapes that are compared before the hash table is used: most locations have few.
const COMPARED: usize = 6;

/// Iterator over records.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    ops: &'a Ops,
    numbers: Range<usize>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Op<'a>;

    #[inline]
    fn next(&mut self) -> Option<Op<'a>> {
        self.numbers.next().map(|number| self.ops.get(number))
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<Op<'a>> {
        self.numbers.nth(skipped).map(|number| self.ops.get(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl<'a> DoubleEndedIterator for Records<'a> {
    #[inline]
    fn next_back(&mut self) -> Option<Op<'a>> {
        self.numbers.next_back().map(|number| self.ops.get(number))
    }
}

impl ExactSizeIterator for Records<'_> {}

impl<'a> IntoIterator for &'a Ops {
    type Item = Op<'a>;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::CommunicatorId;
    use lotse_model::trace::{Event, EventKind};

    use super::{OpRow, Ops};

    fn send(receiver: u32, length: u64, request: u64) -> Event {
        Event::MpiIsend { receiver, communicator: CommunicatorId(0), tag: 5, length, request }
    }

    fn ops(events: impl IntoIterator<Item = (u32, Event)>) -> Ops {
        let mut ops = Ops::default();
        for (at, (call, event)) in (0..).zip(events) {
            ops.push(at, call, EventKind::MpiIsend, event);
        }
        ops.close();
        ops
    }

    #[test]
    fn records_are_stored_without_loss() {
        let length = |number: u64| if number.is_multiple_of(7) { 1 << 40 } else { number };
        let event = |number: u64| send(number as u32 % 30, length(number), number << (number % 50));
        let events: Vec<Event> = (0..1000).map(event).collect();
        let ops = ops(events.iter().map(|&event| (3, event)));
        assert_eq!(ops.iter().map(|op| op.event()).collect::<Vec<_>>(), events);
        let last = ops.iter().rev().nth(3).unwrap();
        assert_eq!(
            (last.at, last.call, last.kind(), last.event()),
            (996, 3, EventKind::MpiIsend, events[996])
        );
    }

    #[test]
    fn equal_shapes_are_stored_once() {
        let ops = ops((0..1000).map(|number| (1, send(number as u32 % 30, number % 5, number))));
        assert_eq!((ops.len(), ops.shapes.len()), (1000, 30));
        assert_eq!(size_of::<OpRow>(), 24);
    }

    #[test]
    fn adjacent_records_of_a_call_are_grouped() {
        let ops = ops([1, 1, 2, 1].into_iter().map(|call| (call, send(0, 0, 0))));
        assert_eq!(ops.by_call().collect::<Vec<_>>(), [0..2, 2..3, 3..4]);
        let part = ops.part(1..3, |call| call + 10);
        assert_eq!(part.iter().map(|op| (op.at, op.call)).collect::<Vec<_>>(), [(1, 11), (2, 12)]);
    }
}
