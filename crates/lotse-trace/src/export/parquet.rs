//! Events as a Parquet table, a group of rows for each location.

use std::io::{self, Write};
use std::sync::Arc;

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, EventSink, Ticks};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Events, Written};

const SCHEMA: &str = "message events {
    required int32 location;
    required binary name (STRING);
    required int64 tick;
    required double seconds;
    required binary event (STRING);
    optional binary region (STRING);
    optional int32 peer;
    optional int64 bytes;
}";

/// Writes a row for each event.
pub(super) fn parquet(events: Events<'_>, out: &mut (dyn Write + Send)) -> io::Result<Written> {
    let schema = Arc::new(parse_message_type(SCHEMA).map_err(io::Error::other)?);
    let properties = Arc::new(WriterProperties::default());
    let mut file = SerializedFileWriter::new(out, schema, properties).map_err(io::Error::other)?;
    let mut complete = true;
    for location in events.locations() {
        let mut columns = EventColumns::default();
        complete &= events.feed(location, &mut columns);
        if !columns.tick.is_empty() {
            columns.write(events, location, &mut file).map_err(io::Error::other)?;
        }
    }
    file.close().map_err(io::Error::other)?;
    Ok(Written { complete, dropped: 0 })
}

/// The events of a location, by column.
#[derive(Default)]
struct EventColumns {
    tick: Vec<Ticks>,
    kind: Vec<EventKind>,
    region: Vec<Option<u32>>,
    peer: Vec<Option<u32>>,
    bytes: Vec<Option<u64>>,
}

impl EventSink for EventColumns {
    /// Adds a row; the columns that an event does not have stay empty.
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        let (region, peer, bytes) = match event {
            Event::Enter { region } | Event::Leave { region } => (Some(region.0), None, None),
            Event::MpiSend { receiver, length, .. } | Event::MpiIsend { receiver, length, .. } => {
                (None, Some(receiver), Some(length))
            }
            Event::MpiRecv { sender, length, .. } | Event::MpiIrecv { sender, length, .. } => {
                (None, Some(sender), Some(length))
            }
            Event::CollectiveEnd { root, sent, .. } => (None, root, Some(sent)),
            Event::RmaOperation { remote, bytes, .. } => (None, Some(remote), Some(bytes)),
            Event::IoComplete { bytes } => (None, None, Some(bytes)),
            _ => (None, None, None),
        };
        self.tick.push(at);
        self.kind.push(kind);
        self.region.push(region);
        self.peer.push(peer);
        self.bytes.push(bytes);
    }
}

impl EventColumns {
    /// Writes the columns of a location as one row group, in the order of [`SCHEMA`].
    fn write<W: Write + Send>(
        &self,
        events: Events<'_>,
        location: LocationId,
        file: &mut SerializedFileWriter<W>,
    ) -> Result<(), ParquetError> {
        let definitions = events.definitions();
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        let name = definitions.locations.get(location.index()).map_or("", |it| &it.name);
        let region = |id: u32| text(definitions.regions.get(id as usize).map_or("", |it| &it.name));
        let begin = definitions.clock.offset;
        let seconds = |&tick: &Ticks| match tick.checked_sub(begin) {
            Some(since) => definitions.seconds(since),
            None => -definitions.seconds(begin - tick),
        };
        let rows = self.tick.len();
        let mut group = file.next_row_group()?;
        required::<Int32Type, _>(&mut group, &vec![location.0 as i32; rows])?;
        required::<ByteArrayType, _>(&mut group, &vec![text(name); rows])?;
        required::<Int64Type, _>(&mut group, &self.tick.iter().map(|&it| it as i64).collect::<Vec<_>>())?;
        required::<DoubleType, _>(&mut group, &self.tick.iter().map(seconds).collect::<Vec<_>>())?;
        required::<ByteArrayType, _>(
            &mut group,
            &self.kind.iter().map(|it| text(it.name())).collect::<Vec<_>>(),
        )?;
        optional::<ByteArrayType, _>(&mut group, self.region.iter().map(|it| it.map(region)).collect())?;
        optional::<Int32Type, _>(&mut group, self.peer.iter().map(|it| it.map(|it| it as i32)).collect())?;
        optional::<Int64Type, _>(&mut group, self.bytes.iter().map(|it| it.map(|it| it as i64)).collect())?;
        group.close()?;
        Ok(())
    }
}

fn required<T: parquet::data_type::DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    column::<T, W>(group, values, None)
}

/// Writes an optional column: definition levels mark the rows that have a value.
fn optional<T: parquet::data_type::DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.is_some())).collect();
    let values: Vec<T::T> = rows.into_iter().flatten().collect();
    column::<T, W>(group, &values, Some(&levels))
}

fn column<T: parquet::data_type::DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("the schema has no further column".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
