//! The records of a location, packed: a trace may have more records than anything else.
//!
//! Records repeat each other: most messages of a process go to the same few others, with the same tag. What many say
//! is kept once, as a shape; a row has its number and what the record says alone (`own`).
//!
//! ```text
//! rows     at    call   shape   own              shapes
//!          120   3      0       request 7        0   MpiIsend to 1, tag 0, 800 bytes
//!          130   4      1       request 8        1   MpiIrecv of 1, tag 0, 800 bytes
//!          250   6      0       request 9
//! ```

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use lotse_model::trace::{Event, EventKind, Ticks};

mod own;

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// When.
    pub at: Ticks,
    /// The primitive call it happened in; [`NO_CALL`] where it was in none.
    pub call: u32,
    /// What it was.
    pub kind: EventKind,
    /// What it says.
    pub event: Event,
}

/// A record outside all primitive calls.
pub const NO_CALL: u32 = u32::MAX;

/// The records of a location, in their order.
#[derive(Debug, Default)]
pub struct Ops {
    rows: Vec<Row>,
    shapes: Vec<Shape>,
    /// Shapes by what they say, while records are added.
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    at: Ticks,
    /// What this record alone says, see [`own`].
    own: u64,
    call: u32,
    shape: u32,
}

/// What records of one kind have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    kind: EventKind,
    event: Event,
}

impl Ops {
    /// How many records there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A record by its number. Panics where there is none.
    #[inline]
    pub fn get(&self, number: usize) -> Op {
        let Row { at, own, call, shape } = self.rows[number];
        let Shape { kind, event } = self.shapes[shape as usize];
        Op { at, call, kind, event: own::joined(event, own) }
    }

    /// When a record happened.
    #[inline]
    pub fn at(&self, number: usize) -> Ticks {
        self.rows[number].at
    }

    /// The primitive call that a record happened in; [`NO_CALL`] where it was in none.
    #[inline]
    pub fn call(&self, number: usize) -> u32 {
        self.rows[number].call
    }

    /// What a record was.
    #[inline]
    pub fn kind(&self, number: usize) -> EventKind {
        self.shapes[self.rows[number].shape as usize].kind
    }

    /// What a record says apart from numbers that are its own, such as its request: enough to tell what it is.
    #[inline]
    pub(crate) fn shape(&self, number: usize) -> &Event {
        &self.shapes[self.rows[number].shape as usize].event
    }

    /// All records.
    #[inline]
    pub fn iter(&self) -> Records<'_> {
        self.within(0..self.len())
    }

    /// The records from one on.
    #[inline]
    pub fn from(&self, first: usize) -> Records<'_> {
        self.within(first..self.len())
    }

    /// Some of the records.
    #[inline]
    pub fn within(&self, numbers: Range<usize>) -> Records<'_> {
        Records { ops: self, numbers }
    }

    /// The first record.
    pub fn first(&self) -> Option<Op> {
        self.iter().next()
    }

    /// The last record.
    pub fn last(&self) -> Option<Op> {
        self.iter().next_back()
    }

    /// How many records, in the order of time, happened before a moment.
    pub fn before(&self, moment: Ticks) -> usize {
        self.rows.partition_point(|row| row.at < moment)
    }

    /// Neighbours of the same call, by their numbers.
    pub fn by_call(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut first = 0;
        self.rows.chunk_by(|one, other| one.call == other.call).map(move |rows| {
            first += rows.len();
            first - rows.len()..first
        })
    }

    /// When each record happened, to be changed.
    pub fn times_mut(&mut self) -> impl Iterator<Item = &mut Ticks> {
        self.rows.iter_mut().map(|row| &mut row.at)
    }

    /// Adds a record.
    #[inline]
    pub(crate) fn push(&mut self, op: Op) {
        let (event, own) = own::split(op.event);
        let shape = self.shape_of(Shape { kind: op.kind, event });
        self.rows.push(Row { at: op.at, own, call: op.call, shape });
    }

    fn shape_of(&mut self, shape: Shape) -> u32 {
        let first = self.shapes.iter().take(COMPARED).position(|known| *known == shape);
        first.map_or_else(|| self.known_or_new(shape), |at| at as u32)
    }

    fn known_or_new(&mut self, shape: Shape) -> u32 {
        let Self { shapes, known, hasher, .. } = self;
        let hash = |shape: &Shape| hasher.hash_one((shape.kind as u8, shape.event));
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

    /// No more records come.
    pub(crate) fn close(&mut self) {
        self.known = HashTable::new();
        self.rows.shrink_to_fit();
        self.shapes.shrink_to_fit();
    }
}

/// So many shapes are compared before one is looked up: most locations have few.
const COMPARED: usize = 6;

impl FromIterator<Op> for Ops {
    fn from_iter<T: IntoIterator<Item = Op>>(records: T) -> Self {
        let mut ops = Self::default();
        records.into_iter().for_each(|op| ops.push(op));
        ops.close();
        ops
    }
}

/// Records in their order.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    ops: &'a Ops,
    numbers: Range<usize>,
}

impl Iterator for Records<'_> {
    type Item = Op;

    #[inline]
    fn next(&mut self) -> Option<Op> {
        self.numbers.next().map(|number| self.ops.get(number))
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<Op> {
        self.numbers.nth(skipped).map(|number| self.ops.get(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl DoubleEndedIterator for Records<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Op> {
        self.numbers.next_back().map(|number| self.ops.get(number))
    }
}

impl ExactSizeIterator for Records<'_> {}

impl<'a> IntoIterator for &'a Ops {
    type Item = Op;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::CommunicatorId;
    use lotse_model::trace::{Event, EventKind};

    use super::{Op, Ops, Row};

    fn send(receiver: u32, length: u64, request: u64) -> Op {
        let communicator = CommunicatorId(0);
        let event = Event::MpiIsend { receiver, communicator, tag: 5, length, request };
        Op { at: request, call: 1, kind: EventKind::MpiIsend, event }
    }

    #[test]
    fn records_are_what_was_added() {
        let records: Vec<Op> = (0..1000)
            .map(|number| {
                send(
                    number as u32 % 30,
                    if number % 7 == 0 { 1 << 40 } else { number },
                    number << (number % 50),
                )
            })
            .collect();
        let ops: Ops = records.iter().copied().collect();
        assert_eq!(ops.iter().collect::<Vec<_>>(), records);
        assert_eq!(ops.iter().rev().nth(3), records.get(996).copied());
    }

    #[test]
    fn what_records_have_in_common_is_kept_once() {
        let ops: Ops = (0..1000).map(|number| send(number as u32 % 30, number % 5, number)).collect();
        assert_eq!((ops.len(), ops.shapes.len()), (1000, 30));
        assert_eq!(size_of::<Row>(), 24);
    }

    #[test]
    fn neighbours_of_a_call_are_found() {
        let of_call = |call: u32| Op { call, ..send(0, 0, 0) };
        let ops: Ops = [1, 1, 2, 1].into_iter().map(of_call).collect();
        assert_eq!(ops.by_call().collect::<Vec<_>>(), [0..2, 2..3, 3..4]);
    }
}
