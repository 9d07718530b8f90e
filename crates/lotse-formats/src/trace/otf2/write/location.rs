//! The events of one location.
//!
//! What a call is about (a mutex, a condition, a barrier) stands in the file before the enter of the call, but comes
//! after it: an enter is kept back until the next event is there.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use lotse_model::trace::{Event, EventKind, EventSink, ObjectKind, Ticks};

use super::attributes::{self, MOST_OBJECTS};
use super::chunks::Chunks;
use super::event::encode;
use super::record::{EventRecord, LONGEST_EVENT};

/// Takes the events of a location in their order.
pub struct LocationWriter<'a> {
    chunks: Chunks<'a>,
    /// The number of the first group that events can name.
    first_group: u32,
    last: Ticks,
    dropped: u64,
    /// Why writing stopped, where nobody could be told.
    failure: Option<io::Error>,
    /// The last event, if it is an enter, and what its call is about.
    entered: Option<Entered>,
    /// Whether the archive needs definitions of attributes.
    has_objects: &'a AtomicBool,
}

/// An enter that was not written yet.
#[derive(Debug, Clone, Copy)]
struct Entered {
    at: Ticks,
    event: Event,
    objects: [Option<(ObjectKind, u64)>; MOST_OBJECTS],
}

impl<'a> LocationWriter<'a> {
    pub(super) fn new(chunks: Chunks<'a>, first_group: u32, has_objects: &'a AtomicBool) -> Self {
        Self { chunks, first_group, last: 0, dropped: 0, failure: None, entered: None, has_objects }
    }

    /// Writes an event. The kind chooses where the format has several records for one thing; an event the format has
    /// no record for is dropped and counted.
    #[inline]
    pub fn push(&mut self, at: Ticks, kind: EventKind, event: Event) -> io::Result<()> {
        if let Event::Object { kind, address } = event {
            self.concerns(kind, address);
            return Ok(());
        }
        self.write_entered()?;
        if matches!(event, Event::Enter { .. }) {
            self.entered = Some(Entered { at, event, objects: [None; MOST_OBJECTS] });
            return Ok(());
        }
        self.write(at, kind, event, &[])
    }

    /// What the call that was entered last is about; told of no call, it has no place.
    #[cold]
    fn concerns(&mut self, kind: ObjectKind, address: u64) {
        let objects = self.entered.as_mut().map(|entered| &mut entered.objects);
        match objects.and_then(|objects| objects.iter_mut().find(|it| it.is_none())) {
            Some(place) => *place = Some((kind, address)),
            None => self.dropped += 1,
        }
    }

    #[inline]
    fn write_entered(&mut self) -> io::Result<()> {
        match self.entered.take() {
            Some(Entered { at, event, objects }) => self.write(at, EventKind::Enter, event, &objects),
            None => Ok(()),
        }
    }

    #[inline]
    fn write(
        &mut self,
        at: Ticks,
        kind: EventKind,
        event: Event,
        objects: &[Option<(ObjectKind, u64)>],
    ) -> io::Result<()> {
        self.chunks.reserve(LONGEST_EVENT)?;
        let needs_time = self.chunks.is_fresh() || at != self.last;
        let Some(room) = self.chunks.room() else { return Ok(()) };
        let mut record = EventRecord::new(room);
        if needs_time {
            record.time(at);
        }
        if objects.iter().any(Option::is_some) {
            attributes::encode(&mut record, objects);
            self.has_objects.store(true, Ordering::Relaxed);
        }
        if !encode(&mut record, kind, event, self.first_group) {
            self.dropped += 1;
            return Ok(());
        }
        let used = record.used();
        self.chunks.fill(used);
        self.last = at;
        Ok(())
    }

    /// How many events had no record.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Writes what is left; how many events there are, without those dropped.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.failure.is_none() {
            self.write_entered()?;
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let events = self.chunks.events();
        self.chunks.finish()?;
        Ok(events)
    }
}

/// After a failure nothing more is written, and [`LocationWriter::finish`] tells it.
impl EventSink for LocationWriter<'_> {
    #[inline]
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        if self.failure.is_none() {
            self.failure = self.push(at, kind, event).err();
        }
    }
}
