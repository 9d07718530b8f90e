//! The events of one location.

use std::io;

use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

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
}

impl<'a> LocationWriter<'a> {
    pub(super) fn new(chunks: Chunks<'a>, first_group: u32) -> Self {
        Self { chunks, first_group, last: 0, dropped: 0, failure: None }
    }

    /// Writes an event. The kind chooses where the format has several records for one thing; an event the format has
    /// no record for is dropped and counted.
    #[inline]
    pub fn push(&mut self, at: Ticks, kind: EventKind, event: Event) -> io::Result<()> {
        self.chunks.reserve(LONGEST_EVENT)?;
        let needs_time = self.chunks.is_fresh() || at != self.last;
        let Some(room) = self.chunks.room() else { return Ok(()) };
        let mut record = EventRecord::new(room);
        if needs_time {
            record.time(at);
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
    pub fn finish(self) -> io::Result<u64> {
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
