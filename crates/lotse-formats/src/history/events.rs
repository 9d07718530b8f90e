//! The events of a segment, in the order in which they happened.

use lotse_wire::SEGMENT_EVENTS;
use lotse_wire::record::{FAR, tag, words_after};

use super::code::Bytes;
use super::segment::Last;

/// Something that a thread did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Where: relative to the base of the process, or the number of a far counter.
    pub counter: u32,
    /// Whether `counter` is the number of a far counter.
    pub far: bool,
    /// What.
    pub detail: Detail,
}

/// What a thread did.
#[expect(missing_docs, reason = "fields are named by the words of their variant's line")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Memory is read.
    Load { address: u64, size: u8 },
    /// Memory is written.
    Store { address: u64, size: u8 },
    /// A basic block begins in the function whose frame is given; the stack above it has a number.
    Guard { frame: u64, stack: u32 },
    /// Bytes are copied.
    Move { to: u64, from: u64, length: u64 },
    /// Bytes are set.
    Fill { address: u64, length: u64 },
    /// Memory is allocated.
    Allocate { address: u64, length: u64, epoch: u64, stack: u32 },
    /// Memory is resized, and perhaps moved.
    Reallocate { old: u64, address: u64, length: u64, epoch: u64, stack: u32 },
    /// Memory is freed.
    Free { address: u64, epoch: u64, stack: u32 },
    /// The recorder did not write what happened here.
    Gap,
}

const GAP: Event = Event { counter: 0, far: false, detail: Detail::Gap };

/// The decoded events of a segment. The memory is used again for the next one.
#[derive(Debug, Default)]
pub struct Events {
    events: Vec<Event>,
    /// How many events records may still have: a segment has each number once at most, so that a few bytes cannot cost
    /// much time.
    left: u32,
}

impl Events {
    /// The events in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Event] {
        &self.events
    }

    pub(super) fn clear(&mut self) {
        self.events.clear();
    }

    /// Decodes the records of a segment. False if they are damaged.
    pub(super) fn decode(&mut self, body: &[u8]) -> bool {
        self.events.clear();
        self.left = SEGMENT_EVENTS;
        let (mut bytes, mut last) = (Bytes::new(body), Last::default());
        while !bytes.is_empty() {
            if self.record(&mut bytes, &mut last).is_none() {
                return false;
            }
        }
        true
    }

    fn record(&mut self, bytes: &mut Bytes, last: &mut Last) -> Option<()> {
        let [tag, detail] = bytes.fixed()?;
        last.counter = last.counter.wrapping_add(bytes.signed()? as u32);
        last.event = last.event.wrapping_add(bytes.signed()? as u16);
        let address = &mut last.address[usize::from(tag) % 32];
        *address = address.wrapping_add(bytes.signed()? as u64);
        let first = *address;
        let place = Place { counter: last.counter, far: detail & FAR != 0, event: u32::from(last.event) };
        let size = detail & !FAR;
        match tag {
            tag::LOAD => self.put(place, Detail::Load { address: first, size }),
            tag::STORE => self.put(place, Detail::Store { address: first, size }),
            tag::LOAD_RUN => self.run(bytes, place, first, |address, _| Detail::Load { address, size }),
            tag::STORE_RUN => self.run(bytes, place, first, |address, _| Detail::Store { address, size }),
            tag::GUARD => self.run(bytes, place, first, |_, stack| Detail::Guard { frame: first, stack }),
            _ => {
                let mut words = [first; 5];
                for word in words.iter_mut().take(words_after(tag)?).skip(1) {
                    *word = first.wrapping_add(bytes.signed()? as u64);
                }
                self.put(place, single(tag, words)?)
            }
        }
    }

    fn run(
        &mut self,
        bytes: &mut Bytes,
        place: Place,
        first: u64,
        detail: impl Fn(u64, u32) -> Detail,
    ) -> Option<()> {
        let (stride, period, further) = (bytes.signed()?, bytes.number()?, bytes.number()?);
        let (period, further) = (u32::try_from(period).ok()?, u32::try_from(further).ok()?);
        for index in 0..=further {
            let address = first.wrapping_add((stride as u64).wrapping_mul(u64::from(index)));
            let event = place.event.checked_add(period.checked_mul(index)?)?;
            self.put(Place { event, ..place }, detail(address, stride as u32))?;
        }
        Some(())
    }

    fn put(&mut self, place: Place, detail: Detail) -> Option<()> {
        if place.event >= SEGMENT_EVENTS {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let at = place.event as usize;
        if at >= self.events.len() {
            self.events.resize(at + 1, GAP);
        }
        self.events[at] = Event { counter: place.counter, far: place.far, detail };
        Some(())
    }
}

#[derive(Clone, Copy)]
struct Place {
    counter: u32,
    far: bool,
    event: u32,
}

fn single(tag: u8, words: [u64; 5]) -> Option<Detail> {
    let [a, b, c, d, e] = words;
    Some(match tag {
        tag::MOVE => Detail::Move { to: a, from: b, length: c },
        tag::FILL => Detail::Fill { address: a, length: b },
        tag::ALLOCATE => Detail::Allocate { address: a, length: b, epoch: c, stack: d as u32 },
        tag::REALLOCATE => Detail::Reallocate { old: a, address: b, length: c, epoch: d, stack: e as u32 },
        tag::FREE => Detail::Free { address: a, epoch: b, stack: c as u32 },
        _ => return None,
    })
}
