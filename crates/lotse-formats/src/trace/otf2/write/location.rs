//! Writes the events of one location.
//!
//! The synchronization objects of a call (a mutex, a condition variable, a barrier) are written before the enter of the
//! call, but the model has them after it. So an enter is held back until the next event.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use lotse_model::trace::{Event, EventKind, EventSink, ObjectKind, Ticks};

use super::attributes::{self, MOST_OBJECTS};
use super::chunks::ChunkWriter;
use super::event::encode;
use super::record::{EventRecord, LONGEST_EVENT};

/// Writes the events of a location, which must be in the order of time.
pub struct Otf2LocationWriter<'a> {
    chunks: ChunkWriter<'a>,
    /// The number of the first group that events can refer to.
    first_group: u32,
    /// The time of the last event.
    last: Ticks,
    dropped: u64,
    /// The first error of the [`EventSink`], which cannot return it.
    failure: Option<io::Error>,
    /// The last event, if it is an enter, with the objects of its call.
    pending: Option<PendingEnter>,
    /// Whether the archive needs definitions of attributes.
    has_objects: &'a AtomicBool,
}

/// An enter that was not written yet.
#[derive(Debug, Clone, Copy)]
struct PendingEnter {
    at: Ticks,
    event: Event,
    objects: [Option<(ObjectKind, u64)>; MOST_OBJECTS],
}

impl<'a> Otf2LocationWriter<'a> {
    pub(super) fn new(chunks: ChunkWriter<'a>, first_group: u32, has_objects: &'a AtomicBool) -> Self {
        Self { chunks, first_group, last: 0, dropped: 0, failure: None, pending: None, has_objects }
    }

    /// Writes an event. `kind` chooses between several records for the same event; an event without a record in OTF2 is
    /// dropped and counted.
    #[inline]
    pub fn push(&mut self, at: Ticks, kind: EventKind, event: Event) -> io::Result<()> {
        if let Event::Object { kind, address } = event {
            self.add_object(kind, address);
            return Ok(());
        }
        self.write_pending_enter()?;
        if matches!(event, Event::Enter { .. }) {
            self.pending = Some(PendingEnter { at, event, objects: [None; MOST_OBJECTS] });
            return Ok(());
        }
        self.write(at, kind, event, &[])
    }

    /// Adds an object to the pending enter; without one, or if it has too many objects, the object is dropped.
    #[cold]
    fn add_object(&mut self, kind: ObjectKind, address: u64) {
        let objects = self.pending.as_mut().map(|pending| &mut pending.objects);
        match objects.and_then(|objects| objects.iter_mut().find(|it| it.is_none())) {
            Some(place) => *place = Some((kind, address)),
            None => self.dropped += 1,
        }
    }

    #[inline]
    fn write_pending_enter(&mut self) -> io::Result<()> {
        match self.pending.take() {
            Some(PendingEnter { at, event, objects }) => self.write(at, EventKind::Enter, event, &objects),
            None => Ok(()),
        }
    }

    /// Writes the records of an event: a time stamp if the time has changed or the chunk is new, the attribute list if there
    /// are objects, then the event.
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

    /// The number of events that could not be written because OTF2 has no record for them.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Writes the rest, and returns the number of events written.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.failure.is_none() {
            self.write_pending_enter()?;
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let events = self.chunks.events();
        self.chunks.finish()?;
        Ok(events)
    }
}

/// After an error nothing more is written; [`Otf2LocationWriter::finish`] returns the error.
impl EventSink for Otf2LocationWriter<'_> {
    #[inline]
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        if self.failure.is_none() {
            self.failure = self.push(at, kind, event).err();
        }
    }
}
