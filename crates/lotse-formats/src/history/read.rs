//! Reads a history: all chunks at once, except for the events of segments, which are decoded on demand.

use std::collections::HashMap;

use lotse_wire::record::tag;

use super::chunk::{
    END, EXECUTABLE, FIRST_PREDICTED, HEAD, HEADER, MAGIC, NAMES, PREDICTED, PROCESS, SAMPLES, SEGMENT,
    STACKS, START, VERSION, checksum,
};
use super::code::ByteReader;
use super::events::{SegmentCode, SegmentEvents};
use super::names::{self, StoredNames};
use super::samples::{self, StoredSamples};
use super::segment::SegmentHead;
use super::{Executable, RecordingEnd, RecordingStart};
use crate::error::{FormatError, Place};
use crate::reading::{Diagnostic, Reading};

/// A history whose events are not decoded yet.
#[derive(Debug, Default)]
pub struct History<'a> {
    pub start: Option<RecordingStart>,
    pub end: Option<RecordingEnd>,
    /// In the order of their first memory map.
    pub processes: Vec<HistoryProcess<'a>>,
    /// The executable files of processes.
    pub executables: Vec<Executable>,
    /// Names of the code of executables, if the recording ended properly.
    pub names: Vec<StoredNames>,
    /// Samples of the unrecorded run, if there was one.
    pub samples: Option<StoredSamples>,
    /// By process and ring buffer.
    pub stacks: HashMap<(u32, u32), RingStacks>,
    /// In the order of the file.
    pub segments: Vec<SegmentRef<'a>>,
}

/// A recorded process with one of its memory maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryProcess<'a> {
    /// The process id.
    pub number: u32,
    /// The number of the map; numbers of ring buffers contain it from bit [`lotse_wire::ring::IMAGE_SHIFT`] on.
    pub image: u32,
    /// The memory map, in the format of `/proc/PID/maps`.
    pub map: &'a str,
}

/// Call stacks and far program counters of a ring buffer, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RingStacks {
    /// Return addresses, the innermost first.
    pub stacks: HashMap<u32, Vec<u64>>,
    /// Program counters too far from the base address for 32 bits.
    pub far: HashMap<u32, u64>,
}

/// A segment whose events are not decoded yet.
#[derive(Debug, Clone, Copy)]
pub struct SegmentRef<'a> {
    pub head: SegmentHead,
    payload: &'a [u8],
    code: SegmentCode,
    /// The checksum of the payload.
    sum: u32,
}

impl SegmentRef<'_> {
    /// Decodes the events; `false` if they are damaged. Then there are none, since a wrong address cannot be recognised.
    #[must_use]
    pub fn decode(&self, events: &mut SegmentEvents) -> bool {
        let body = self.payload.get(SegmentHead::BYTES..).unwrap_or(&[]);
        let is_good = checksum(self.payload) == self.sum && events.decode(body, self.code);
        if !is_good {
            events.clear();
        }
        is_good
    }

    /// Its length in the file, without the head of its chunk.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.payload.len()
    }
}

impl<'a> History<'a> {
    /// Whether the bytes begin like a history.
    #[must_use]
    pub fn claims(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Reads all chunks. A truncated file is read up to the cut.
    ///
    /// # Errors
    /// The bytes have no header of a history, or one of another version.
    pub fn read(name: &str, bytes: &'a [u8]) -> Result<Reading<Self>, FormatError> {
        let mut reading =
            Reading { value: Self::default(), format_id: "lotse-history", diagnostics: Vec::new() };
        let version = check_header(name, bytes)?;
        let mut at = HEADER;
        while at < bytes.len() {
            let Some(chunk) = next_chunk(&bytes[at..]) else {
                let message = "the file ends here: what follows is cut off or damaged";
                reading.diagnostics.push(Diagnostic::loss(Place::Byte(at as u64), message));
                break;
            };
            if reading.value.add_chunk(&chunk, version).is_none() {
                let message = format!("a chunk of kind {} cannot be read and is skipped", chunk.kind);
                reading.diagnostics.push(Diagnostic::loss(Place::Byte(at as u64), message));
            }
            at += HEAD + chunk.payload.len();
        }
        if reading.value.end.is_none() {
            let message = "recording did not end properly: what was recorded until then is here";
            reading.diagnostics.push(Diagnostic::note(Place::Byte(bytes.len() as u64), message));
        }
        Ok(reading)
    }

    /// Adds a chunk; `None` if it is damaged or of a type that the version of the file does not have.
    fn add_chunk(&mut self, &Chunk { kind, payload, sum }: &Chunk<'a>, version: u32) -> Option<()> {
        // The checksum of a segment is checked when its events are decoded, so that opening a large file is quick.
        if !matches!(kind, SEGMENT | PREDICTED) && checksum(payload) != sum {
            return None;
        }
        match kind {
            START => self.start = Some(serde_json::from_slice(payload).ok()?),
            END => self.end = Some(serde_json::from_slice(payload).ok()?),
            EXECUTABLE => self.executables.push(serde_json::from_slice(payload).ok()?),
            NAMES => self.names.push(names::read(payload)?),
            SAMPLES => self.samples = Some(samples::read(payload)?),
            PROCESS => self.processes.push(read_process(payload)?),
            STACKS => self.read_stacks(payload)?,
            SEGMENT => self.add_segment(payload, SegmentCode::Differences, sum)?,
            PREDICTED if version >= FIRST_PREDICTED => {
                self.add_segment(payload, SegmentCode::Predicted, sum)?
            }
            _ => return None,
        }
        Some(())
    }

    fn add_segment(&mut self, payload: &'a [u8], code: SegmentCode, sum: u32) -> Option<()> {
        self.segments.push(SegmentRef { head: read_head(payload)?, payload, code, sum });
        Some(())
    }

    /// Reads definitions of call stacks and far program counters: a tag, a number, then the addresses or the counter.
    fn read_stacks(&mut self, payload: &[u8]) -> Option<()> {
        let mut bytes = ByteReader::new(payload);
        let process = u32::from_le_bytes(bytes.fixed()?);
        let ring = u32::from_le_bytes(bytes.fixed()?);
        let stacks = self.stacks.entry((process, ring)).or_default();
        while !bytes.is_empty() {
            let kind = bytes.byte()?;
            let number = u32::try_from(bytes.varint()?).ok()?;
            match kind {
                tag::STACK => {
                    let depth = bytes.varint()?;
                    let addresses: Option<Vec<u64>> = (0..depth).map(|_| bytes.varint()).collect();
                    stacks.stacks.insert(number, addresses?);
                }
                tag::FAR_COUNTER => drop(stacks.far.insert(number, bytes.varint()?)),
                _ => return None,
            }
        }
        Some(())
    }
}

/// The length of a history up to the end of its last complete chunk; `None` if there is no header.
#[must_use]
pub fn complete_length(bytes: &[u8]) -> Option<u64> {
    check_header("", bytes).ok()?;
    let mut at = HEADER;
    while let Some(chunk) = bytes.get(at..).filter(|rest| !rest.is_empty()).and_then(next_chunk) {
        at += HEAD + chunk.payload.len();
    }
    Some(at as u64)
}

/// The version of a history.
fn check_header(name: &str, bytes: &[u8]) -> Result<u32, FormatError> {
    let mut header = ByteReader::new(bytes);
    let magic = header.fixed::<8>();
    let version = header.fixed().map(u32::from_le_bytes);
    match (magic, version) {
        (Some(MAGIC), Some(version @ 1..=VERSION)) if bytes.len() >= HEADER => Ok(version),
        (Some(MAGIC), Some(found)) if !(1..=VERSION).contains(&found) => {
            Err(FormatError::Version { name: name.to_owned(), found: found.to_string(), known: "1 to 3" })
        }
        (Some(MAGIC), _) => Err(Diagnostic::loss(
            Place::Byte(bytes.len() as u64),
            format!("the file ends within its header of {HEADER} bytes: nothing was recorded"),
        )
        .into_error(name)),
        _ => Err(Diagnostic::loss(Place::Byte(0), "this is not the header of a history").into_error(name)),
    }
}

struct Chunk<'a> {
    kind: u32,
    payload: &'a [u8],
    sum: u32,
}

fn next_chunk(bytes: &[u8]) -> Option<Chunk<'_>> {
    let mut head = ByteReader::new(bytes);
    let [kind, length, sum] = [head.fixed()?, head.fixed()?, head.fixed()?].map(u32::from_le_bytes);
    Some(Chunk { kind, payload: head.rest().get(..length as usize)?, sum })
}

fn read_process(payload: &[u8]) -> Option<HistoryProcess<'_>> {
    let mut bytes = ByteReader::new(payload);
    let number = u32::from_le_bytes(bytes.fixed()?);
    let image = u32::from_le_bytes(bytes.fixed()?);
    Some(HistoryProcess { number, image, map: std::str::from_utf8(bytes.rest()).ok()? })
}

fn read_head(payload: &[u8]) -> Option<SegmentHead> {
    let mut bytes = ByteReader::new(payload);
    let [process, ring, thread] = [bytes.fixed()?, bytes.fixed()?, bytes.fixed()?].map(u32::from_le_bytes);
    let [before, time, epoch, lost] =
        [bytes.fixed()?, bytes.fixed()?, bytes.fixed()?, bytes.fixed()?].map(u64::from_le_bytes);
    Some(SegmentHead { process, ring, thread, before, time, epoch, lost, name: bytes.fixed()? })
}
