//! Reads a trace with Lotse's reader and adds up all times and fields, as `programs/otf2_read.c` does with libotf2.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use lotse_formats::trace::otf2;
use lotse_host::FolderSource;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};

use crate::error::Error;

/// What all events of a trace add up to; printed as two numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    /// How many there are.
    pub events: u64,
    /// Their times and fields.
    pub sum: u64,
}

impl Checksum {
    /// Of an archive, on one thread.
    pub fn from_archive(anchor: &Path) -> Result<Self, Error> {
        let folder = FolderSource::open(anchor).map_err(|source| Error::trace(anchor, source))?;
        let input = otf2::open(&folder).map_err(|source| Error::trace(anchor, source))?;
        let mut checksum = Self::default();
        for stream in &input.streams {
            for piece in 0..stream.chunks() {
                let end = stream.decode(piece, &mut checksum);
                if let Some((place, why)) = end.damage {
                    return Err(Error::trace(anchor, format!("{place:?}: {why}")));
                }
            }
        }
        Ok(checksum)
    }
}

impl EventSink for Checksum {
    #[inline]
    fn event(&mut self, at: Ticks, _: EventKind, event: Event) {
        self.events += 1;
        self.sum = self.sum.wrapping_add(at).wrapping_add(fields(event));
    }
}

/// The fields of the events that a simulated trace has.
#[inline]
fn fields(event: Event) -> u64 {
    let total = |numbers: &[u64]| numbers.iter().fold(0, |sum: u64, it| sum.wrapping_add(*it));
    let message = |peer: u32, communicator: u32, tag: u32, length| {
        total(&[peer.into(), communicator.into(), tag.into(), length])
    };
    match event {
        Event::Enter { region } | Event::Leave { region } => region.0.into(),
        Event::MpiSend { receiver: peer, communicator, tag, length }
        | Event::MpiRecv { sender: peer, communicator, tag, length } => {
            message(peer, communicator.0, tag, length)
        }
        Event::MpiIsend { receiver: peer, communicator, tag, length, request }
        | Event::MpiIrecv { sender: peer, communicator, tag, length, request } => {
            message(peer, communicator.0, tag, length).wrapping_add(request)
        }
        Event::MpiIsendComplete { request } | Event::MpiIrecvRequest { request } => request,
        Event::CollectiveEnd { op, communicator, root, sent, received } => {
            total(&[op as u64, communicator.0.into(), root.unwrap_or(u32::MAX).into(), sent, received])
        }
        Event::AcquireLock { lock, order, .. } | Event::ReleaseLock { lock, order, .. } => {
            lock.wrapping_add(order.into())
        }
        _ => 0,
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.events, self.sum)
    }
}

impl FromStr for Checksum {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (events, sum) = text.trim().split_once(' ').unwrap_or((text, ""));
        Ok(Self { events: events.parse()?, sum: sum.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;
    use crate::trace::archive::Archive;
    use crate::trace::generate::{Shape, Workload};

    #[test]
    fn a_checksum_is_read_as_it_is_printed() {
        let checksum = Checksum { events: 3, sum: u64::MAX };
        assert_eq!(checksum.to_string().parse(), Ok(checksum));
        assert!("3".parse::<Checksum>().is_err());
    }

    #[test]
    fn what_was_simulated_is_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let shape = Shape { workload: Workload::Computing, locations: 4, steps: 50, seed: 1 };
        let archive = Archive::write(shape, folder.path()).unwrap();
        let mut sums: Vec<_> = (0..4).map(|_| Checksum::default()).collect();
        shape.simulate(&mut sums).unwrap();
        let read = Checksum::from_archive(&archive.anchor).unwrap();
        assert_eq!(read.events, archive.events);
        assert_eq!(read.sum, sums.iter().fold(0, |sum, it| it.sum.wrapping_add(sum)));
    }
}
