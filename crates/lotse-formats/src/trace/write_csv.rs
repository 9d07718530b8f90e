//! Writes traces as comma-separated values, with a row for each event, as in RFC 4180 except for line ends.
//!
//! Ranks are those of the communicator. Fields that an event does not have are empty. Locations may be written in any
//! order and to separate buffers.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use lotse_model::id::{CommunicatorId, LocationId, RegionId};
use lotse_model::trace::{Definitions, Event, EventKind, EventSink, Ticks};

use super::ticks::nanos_since_begin;
use crate::write::csv::field;

const HEAD: &str = "location,name,tick,seconds,event,region,communicator,peer,tag,bytes,received,request\n";

/// Writes the first line, with the names of the columns.
pub fn begin(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())
}

/// Writes the events of one location.
#[derive(Debug)]
pub struct CsvLocationWriter<'a, W: Write> {
    definitions: &'a Definitions,
    /// The fields at the beginning of each row: number and name of the location.
    place: String,
    /// A buffer for the current row.
    row: String,
    out: W,
    written: u64,
    failed: Option<io::Error>,
}

impl<'a, W: Write> CsvLocationWriter<'a, W> {
    /// A writer for a location.
    pub fn new(definitions: &'a Definitions, location: LocationId, out: W) -> Self {
        let mut place = location.0.to_string();
        field(&mut place, definitions.locations.get(location.index()).map_or("", |it| &it.name));
        Self { definitions, place, row: String::new(), out, written: 0, failed: None }
    }

    /// The number of events written, or the first error.
    pub fn finish(mut self) -> io::Result<u64> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.written),
        }
    }

    fn write(&mut self, at: Ticks, kind: EventKind, event: Event) -> io::Result<()> {
        self.row.clear();
        self.row.push_str(&self.place);
        let nanos = nanos_since_begin(&self.definitions.clock, at);
        let (sign, since) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
        let (whole, fraction) = (since / 1_000_000_000, since % 1_000_000_000);
        let filled = write!(self.row, ",{at},{sign}{whole}.{fraction:09},{}", kind.name());
        filled
            .and_then(|()| EventColumns::from_event(event).write(self.definitions, &mut self.row))
            .map_err(io::Error::other)?;
        self.out.write_all(self.row.as_bytes())?;
        self.written += 1;
        Ok(())
    }
}

impl<W: Write> EventSink for CsvLocationWriter<'_, W> {
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        if self.failed.is_none() && kind != EventKind::Attribute {
            self.failed = self.write(at, kind, event).err();
        }
    }
}

/// The values of an event for the columns of a row.
#[derive(Debug, Default)]
struct EventColumns {
    region: Option<RegionId>,
    communicator: Option<CommunicatorId>,
    peer: Option<u32>,
    tag: Option<u32>,
    bytes: Option<u64>,
    received: Option<u64>,
    request: Option<u64>,
}

impl EventColumns {
    /// Selects the values that an event has. `peer` is the other rank of a message, or the root of a collective operation.
    fn from_event(event: Event) -> Self {
        let none = Self::default();
        match event {
            Event::Enter { region } | Event::Leave { region } => Self { region: Some(region), ..none },
            Event::MpiSend { receiver: peer, communicator, tag, length }
            | Event::MpiRecv { sender: peer, communicator, tag, length } => {
                Self::message(peer, communicator, tag, length)
            }
            Event::MpiIsend { receiver: peer, communicator, tag, length, request }
            | Event::MpiIrecv { sender: peer, communicator, tag, length, request } => {
                Self { request: Some(request), ..Self::message(peer, communicator, tag, length) }
            }
            Event::MpiIsendComplete { request }
            | Event::MpiIrecvRequest { request }
            | Event::MpiRequestTest { request }
            | Event::MpiRequestCancelled { request }
            | Event::CollectiveRequest { request } => Self { request: Some(request), ..none },
            Event::CollectiveEnd { communicator, root, sent, received, .. } => {
                Self::collective(communicator, root, sent, received)
            }
            Event::CollectiveComplete { communicator, root, sent, received, request, .. } => {
                Self { request: Some(request), ..Self::collective(communicator, root, sent, received) }
            }
            Event::RmaOperation { remote, bytes, .. } => {
                Self { peer: Some(remote), bytes: Some(bytes), ..none }
            }
            Event::IoComplete { bytes } => Self { bytes: Some(bytes), ..none },
            _ => none,
        }
    }

    fn message(peer: u32, communicator: CommunicatorId, tag: u32, length: u64) -> Self {
        let (peer, communicator) = (Some(peer), Some(communicator));
        Self { peer, communicator, tag: Some(tag), bytes: Some(length), ..Self::default() }
    }

    /// The values of a collective operation; its root is the peer.
    fn collective(communicator: CommunicatorId, peer: Option<u32>, sent: u64, received: u64) -> Self {
        let (bytes, received) = (Some(sent), Some(received));
        Self { communicator: Some(communicator), peer, bytes, received, ..Self::default() }
    }

    fn write(&self, definitions: &Definitions, row: &mut String) -> fmt::Result {
        let region = self.region.and_then(|id| definitions.regions.get(id.index()));
        field(row, region.map_or("", |region| &region.name));
        let communicator = self.communicator.and_then(|id| definitions.communicators.get(id.index()));
        field(row, communicator.map_or("", |communicator| &communicator.name));
        number(row, self.peer.map(u64::from))?;
        number(row, self.tag.map(u64::from))?;
        number(row, self.bytes)?;
        number(row, self.received)?;
        number(row, self.request)?;
        row.push('\n');
        Ok(())
    }
}

fn number(row: &mut String, number: Option<u64>) -> fmt::Result {
    match number {
        Some(number) => write!(row, ",{number}"),
        None => row.write_char(','),
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{CommunicatorId, LocationId, ProcessId, RegionId};
    use lotse_model::trace::{
        Clock, CollectiveOp, Definitions, Event, EventKind, EventSink, Location, LocationKind, Region,
    };

    use super::{CsvLocationWriter, begin};

    #[test]
    fn every_event_is_a_row() {
        let mut definitions = Definitions::new(Clock { resolution: 1_000_000, offset: 10, length: 0 });
        definitions.regions.push(Region::named("f(int, \"x\")"));
        let (process, kind) = (ProcessId(0), LocationKind::Cpu);
        definitions.locations.push(Location { number: 7, name: "rank 0".into(), kind, process });
        let mut bytes = Vec::new();
        begin(&mut bytes).unwrap();
        let mut writer = CsvLocationWriter::new(&definitions, LocationId(0), &mut bytes);
        let communicator = CommunicatorId(0);
        writer.event(10, EventKind::Enter, Event::Enter { region: RegionId(1) });
        let send = Event::MpiIsend { receiver: 3, communicator, tag: 4, length: 5, request: 6 };
        writer.event(12, EventKind::MpiIsend, send);
        let op = CollectiveOp::Reduce;
        let end = Event::CollectiveEnd { op, communicator, root: Some(2), sent: 8, received: 9 };
        writer.event(1_000_010, EventKind::MpiCollectiveEnd, end);
        writer.event(9, EventKind::Unknown, Event::Other);
        assert_eq!(writer.finish().unwrap(), 4);
        expect_test::expect![[r#"
            location,name,tick,seconds,event,region,communicator,peer,tag,bytes,received,request
            0,rank 0,10,0.000000000,Enter,"f(int, ""x"")",,,,,,
            0,rank 0,12,0.000002000,MpiIsend,,(unknown),3,4,5,,6
            0,rank 0,1000010,1.000000000,MpiCollectiveEnd,,(unknown),2,,8,9,
            0,rank 0,9,-0.000001000,Unknown,,,,,,,
        "#]]
        .assert_eq(&String::from_utf8(bytes).unwrap());
    }
}
