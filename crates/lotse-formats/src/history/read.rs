//! Reading a history: the heads of all chunks at once, events when asked for.

use std::collections::HashMap;

use lotse_wire::record::tag;

use super::chunk::{
    END, EXECUTABLE, HEAD, HEADER, MAGIC, NAMES, PROCESS, SAMPLES, SEGMENT, STACKS, START, VERSION, checksum,
};
use super::code::Bytes;
use super::events::Events;
use super::names::{self, StoredNames};
use super::samples::{self, StoredSamples};
use super::segment::SegmentHead;
use super::{End, Executable, Start};
use crate::error::{Flaw, FormatError, Place};
use crate::reading::{Diagnostic, Reading};

/// A history whose events are not decoded yet.
#[derive(Debug, Default)]
pub struct History<'a> {
    /// How the program was recorded.
    pub start: Option<Start>,
    /// How recording ended.
    pub end: Option<End>,
    /// The processes, in the order of their first map.
    pub processes: Vec<Process<'a>>,
    /// The files that processes ran.
    pub executables: Vec<Executable>,
    /// Names of the code of executables, where the recording ended properly.
    pub names: Vec<StoredNames>,
    /// Samples of the unrecorded run, where one was made.
    pub samples: Option<StoredSamples>,
    /// Call stacks and far counters, by process and ring.
    pub stacks: HashMap<(u32, u32), Stacks>,
    /// The segments in the order of the file.
    pub segments: Vec<SegmentRef<'a>>,
}

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process<'a> {
    /// The system's number.
    pub number: u32,
    /// Which of its maps: the numbers of rings have it from bit [`lotse_wire::ring::IMAGE_SHIFT`] on.
    pub image: u32,
    /// What was mapped, in the words of `/proc/PID/maps`.
    pub map: &'a str,
}

/// Call stacks and far counters of a ring, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stacks {
    /// Return addresses, innermost first.
    pub stacks: HashMap<u32, Vec<u64>>,
    /// Program counters that are far from the base.
    pub far: HashMap<u32, u64>,
}

/// A segment: what is known of it, and its events as bytes.
#[derive(Debug, Clone, Copy)]
pub struct SegmentRef<'a> {
    /// What is known without decoding.
    pub head: SegmentHead,
    payload: &'a [u8],
    sum: u32,
}

impl SegmentRef<'_> {
    /// Decodes the events. False if they are damaged: then there are none, for a wrong address would look like a right one.
    #[must_use]
    pub fn decode(&self, events: &mut Events) -> bool {
        let body = self.payload.get(SegmentHead::BYTES..).unwrap_or(&[]);
        let is_good = checksum(self.payload) == self.sum && events.decode(body);
        if !is_good {
            events.clear();
        }
        is_good
    }
}

impl<'a> History<'a> {
    /// Whether bytes begin a history.
    #[must_use]
    pub fn claims(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Reads all chunks. A file that was cut is read up to the cut.
    ///
    /// # Errors
    /// The header is not that of a history, or of another version.
    pub fn read(name: &str, bytes: &'a [u8]) -> Result<Reading<Self>, FormatError> {
        let mut reading =
            Reading { value: Self::default(), format_id: "lotse-history", diagnostics: Vec::new() };
        check_header(name, bytes)?;
        let mut at = HEADER;
        while at < bytes.len() {
            let Some(chunk) = next_chunk(&bytes[at..]) else {
                let message = "the file ends here: what follows is cut off or damaged";
                reading.diagnostics.push(Diagnostic::loss(Place::Byte(at as u64), message));
                break;
            };
            if reading.value.chunk(&chunk).is_none() {
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

    fn chunk(&mut self, &Chunk { kind, payload, sum }: &Chunk<'a>) -> Option<()> {
        // The events of a segment are checked when they are decoded: opening a large file stays quick.
        if kind != SEGMENT && checksum(payload) != sum {
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
            SEGMENT => self.segments.push(SegmentRef { head: read_head(payload)?, payload, sum }),
            _ => return None,
        }
        Some(())
    }

    fn read_stacks(&mut self, payload: &[u8]) -> Option<()> {
        let mut bytes = Bytes::new(payload);
        let process = u32::from_le_bytes(bytes.fixed()?);
        let ring = u32::from_le_bytes(bytes.fixed()?);
        let stacks = self.stacks.entry((process, ring)).or_default();
        while !bytes.is_empty() {
            let kind = bytes.byte()?;
            let number = u32::try_from(bytes.number()?).ok()?;
            match kind {
                tag::STACK => {
                    let depth = bytes.number()?;
                    let addresses: Option<Vec<u64>> = (0..depth).map(|_| bytes.number()).collect();
                    stacks.stacks.insert(number, addresses?);
                }
                tag::FAR_COUNTER => drop(stacks.far.insert(number, bytes.number()?)),
                _ => return None,
            }
        }
        Some(())
    }
}

/// The bytes of a history up to the end of its last whole chunk; nothing if there is no header.
#[must_use]
pub fn whole_length(bytes: &[u8]) -> Option<u64> {
    check_header("", bytes).ok()?;
    let mut at = HEADER;
    while let Some(chunk) = bytes.get(at..).filter(|rest| !rest.is_empty()).and_then(next_chunk) {
        at += HEAD + chunk.payload.len();
    }
    Some(at as u64)
}

fn check_header(name: &str, bytes: &[u8]) -> Result<(), FormatError> {
    let mut header = Bytes::new(bytes);
    let magic = header.fixed::<8>();
    let version = header.fixed().map(u32::from_le_bytes);
    match (magic, version) {
        (Some(MAGIC), Some(1..=VERSION)) if bytes.len() >= HEADER => Ok(()),
        (Some(MAGIC), Some(found)) if !(1..=VERSION).contains(&found) => {
            Err(FormatError::Version { name: name.to_owned(), found: found.to_string(), known: "1 and 2" })
        }
        (Some(MAGIC), _) => Err(Flaw::new(
            Place::Byte(bytes.len() as u64),
            format!("the file ends within its header of {HEADER} bytes: nothing was recorded"),
        )
        .of(name)),
        _ => Err(Flaw::new(Place::Byte(0), "this is not the header of a history").of(name)),
    }
}

struct Chunk<'a> {
    kind: u32,
    payload: &'a [u8],
    sum: u32,
}

fn next_chunk(bytes: &[u8]) -> Option<Chunk<'_>> {
    let mut head = Bytes::new(bytes);
    let [kind, length, sum] = [head.fixed()?, head.fixed()?, head.fixed()?].map(u32::from_le_bytes);
    Some(Chunk { kind, payload: head.rest().get(..length as usize)?, sum })
}

fn read_process(payload: &[u8]) -> Option<Process<'_>> {
    let mut bytes = Bytes::new(payload);
    let number = u32::from_le_bytes(bytes.fixed()?);
    let image = u32::from_le_bytes(bytes.fixed()?);
    Some(Process { number, image, map: std::str::from_utf8(bytes.rest()).ok()? })
}

fn read_head(payload: &[u8]) -> Option<SegmentHead> {
    let mut bytes = Bytes::new(payload);
    let [process, ring, thread] = [bytes.fixed()?, bytes.fixed()?, bytes.fixed()?].map(u32::from_le_bytes);
    let [before, time, epoch, lost] =
        [bytes.fixed()?, bytes.fixed()?, bytes.fixed()?, bytes.fixed()?].map(u64::from_le_bytes);
    Some(SegmentHead { process, ring, thread, before, time, epoch, lost, name: bytes.fixed()? })
}
