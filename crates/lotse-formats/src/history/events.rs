//! Decodes the events of a segment, in the order in which they happened.
//!
//! Each record is encoded as differences to the records before it ([`SegmentCode`]). A record may describe a series of
//! events, such as the loads of a loop: event number, address and stride of the first one, and how many follow.
//!
//! ```text
//! event 5, load of address 1000, stride 8, period 3, 2 further
//! →  event 5 loads 1000, event 8 loads 1008, event 11 loads 1016
//! ```

use lotse_wire::SEGMENT_EVENTS;
use lotse_wire::record::{FAR, Head, Spread, tag};

use super::code::ByteReader;
use super::prediction::{Prediction, RecordParts, further_words, has_spread};

/// How the records of a segment are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentCode {
    /// As differences to the record before ([`DeltaBase`]): histories of versions 1 and 2.
    Differences,
    /// As differences to a [`Prediction`].
    Predicted,
}

/// An action of a thread, such as a load or an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryEvent {
    /// The program counter relative to the base address of the process, or the number of a far program counter.
    pub counter: u32,
    /// Whether `counter` is the number of a far program counter.
    pub far: bool,
    pub detail: EventDetail,
}

/// What the thread did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventDetail {
    Load {
        address: u64,
        size: u8,
    },
    Store {
        address: u64,
        size: u8,
    },
    /// A basic block begins; `frame` is the address of its function's stack frame, `stack` the number of its call stack.
    Guard {
        frame: u64,
        stack: u32,
    },
    /// Bytes are copied, such as by `memmove`.
    Move {
        to: u64,
        from: u64,
        length: u64,
    },
    /// Bytes are set, such as by `memset`.
    Fill {
        address: u64,
        length: u64,
    },
    /// `epoch` numbers the allocations and frees of a process over all its threads.
    Allocate {
        address: u64,
        length: u64,
        epoch: u64,
        stack: u32,
    },
    /// A block of memory is resized, and possibly moved.
    Reallocate {
        old: u64,
        address: u64,
        length: u64,
        epoch: u64,
        stack: u32,
    },
    Free {
        address: u64,
        epoch: u64,
        stack: u32,
    },
    /// The recorder wrote nothing for this event.
    Gap,
}

const GAP: HistoryEvent = HistoryEvent { counter: 0, far: false, detail: EventDetail::Gap };

/// The decoded events of a segment. The memory is reused for the next segment.
#[derive(Debug, Default)]
pub struct SegmentEvents {
    events: Vec<HistoryEvent>,
    /// How many more events the records may have. A segment has each event number at most once, so a larger total is
    /// damage; without this limit a few damaged bytes could take a long time.
    left: u32,
    prediction: Prediction,
}

impl SegmentEvents {
    /// The events in the order in which they happened.
    #[must_use]
    pub fn as_slice(&self) -> &[HistoryEvent] {
        &self.events
    }

    pub(super) fn clear(&mut self) {
        self.events.clear();
    }

    /// Decodes the records of a segment; `false` if they are damaged.
    pub(super) fn decode(&mut self, body: &[u8], code: SegmentCode) -> bool {
        self.events.clear();
        self.left = SEGMENT_EVENTS;
        self.prediction.clear();
        let (mut bytes, mut last) = (ByteReader::new(body), DeltaBase::default());
        while !bytes.is_empty() {
            let parts = match code {
                SegmentCode::Differences => last.read(&mut bytes),
                SegmentCode::Predicted => self.prediction.read(&mut bytes),
            };
            if parts.and_then(|parts| self.put_record(&parts)).is_none() {
                return false;
            }
        }
        true
    }

    /// Adds the one or more events of a record; `None` if it is damaged.
    fn put_record(&mut self, parts: &RecordParts) -> Option<()> {
        let RecordParts { head: Head { tag, detail, event, counter }, address: first, .. } = *parts;
        let position = EventPosition { counter, far: detail & FAR != 0, event: u32::from(event) };
        let size = detail & !FAR;
        match tag {
            tag::LOAD => self.put_event(position, EventDetail::Load { address: first, size }),
            tag::STORE => self.put_event(position, EventDetail::Store { address: first, size }),
            tag::LOAD_RUN => {
                self.put_series(parts, position, |address, _| EventDetail::Load { address, size })
            }
            tag::STORE_RUN => {
                self.put_series(parts, position, |address, _| EventDetail::Store { address, size })
            }
            tag::GUARD => {
                self.put_series(parts, position, |_, stack| EventDetail::Guard { frame: first, stack })
            }
            _ => self.put_event(position, single_event(parts)?),
        }
    }

    /// Adds a series of events. `detail` makes an event from an address and the stride, which for guards is the number of the
    /// call stack instead.
    fn put_series(
        &mut self,
        parts: &RecordParts,
        position: EventPosition,
        detail: impl Fn(u64, u32) -> EventDetail,
    ) -> Option<()> {
        let Spread { stride, period, further } = parts.spread;
        for index in 0..=u32::from(further) {
            let address =
                parts.address.wrapping_add((i64::from(stride) as u64).wrapping_mul(u64::from(index)));
            let event = position.event.checked_add(u32::from(period).checked_mul(index)?)?;
            self.put_event(EventPosition { event, ..position }, detail(address, stride as u32))?;
        }
        Some(())
    }

    /// Stores an event at its number; skipped numbers become gaps.
    fn put_event(&mut self, position: EventPosition, detail: EventDetail) -> Option<()> {
        if position.event >= SEGMENT_EVENTS {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let at = position.event as usize;
        if at >= self.events.len() {
            self.events.resize(at + 1, GAP);
        }
        self.events[at] = HistoryEvent { counter: position.counter, far: position.far, detail };
        Some(())
    }
}

/// The values of the last record, which the next one is encoded relative to.
#[derive(Debug, Default)]
struct DeltaBase {
    counter: u32,
    event: u16,
    /// The last address of each record tag.
    address: [u64; 32],
}

impl DeltaBase {
    /// Reads the first parts of a record; `None` if they are damaged.
    fn read(&mut self, bytes: &mut ByteReader) -> Option<RecordParts> {
        let [tag, detail] = bytes.fixed()?;
        self.counter = self.counter.wrapping_add(bytes.zigzag()? as u32);
        self.event = self.event.wrapping_add(bytes.zigzag()? as u16);
        let address = &mut self.address[usize::from(tag) % 32];
        *address = address.wrapping_add(bytes.zigzag()? as u64);
        let first = *address;
        let mut further = [first; 4];
        for word in further.iter_mut().take(further_words(tag)?) {
            *word = first.wrapping_add(bytes.zigzag()? as u64);
        }
        let mut spread = Spread::from_word(0);
        if has_spread(tag) {
            spread.stride = i32::try_from(bytes.zigzag()?).ok()?;
            spread.period = u16::try_from(bytes.varint()?).ok()?;
            spread.further = u16::try_from(bytes.varint()?).ok()?;
        }
        let head = Head { tag, detail, event: self.event, counter: self.counter };
        Some(RecordParts { head, address: first, spread, further })
    }
}

#[derive(Clone, Copy)]
struct EventPosition {
    counter: u32,
    far: bool,
    event: u32,
}

/// The event of a record with one event.
fn single_event(parts: &RecordParts) -> Option<EventDetail> {
    let (a, [b, c, d, e]) = (parts.address, parts.further);
    Some(match parts.head.tag {
        tag::MOVE => EventDetail::Move { to: a, from: b, length: c },
        tag::FILL => EventDetail::Fill { address: a, length: b },
        tag::ALLOCATE => EventDetail::Allocate { address: a, length: b, epoch: c, stack: d as u32 },
        tag::REALLOCATE => {
            EventDetail::Reallocate { old: a, address: b, length: c, epoch: d, stack: e as u32 }
        }
        tag::FREE => EventDetail::Free { address: a, epoch: b, stack: c as u32 },
        _ => return None,
    })
}
