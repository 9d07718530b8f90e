//! Records of a file in the order of their times; what is not a thing that happened is dealt with here.

use std::io::Read as _;

use super::attribute::Attribute;
use super::bytes::Bytes;
use super::file::File;
use crate::error::Place;
use crate::oddities::Oddities;

pub(super) const MMAP: u32 = 1;
pub(super) const LOST: u32 = 2;
pub(super) const COMM: u32 = 3;
pub(super) const FORK: u32 = 7;
pub(super) const SAMPLE: u32 = 9;
pub(super) const MMAP2: u32 = 10;
pub(super) const AUX: u32 = 11;
pub(super) const LOST_SAMPLES: u32 = 13;
/// Records from here on are perf's own, not the kernel's.
const OWN: u32 = 64;
const EVENT: u32 = 64;
const TRACING_DATA: u32 = 66;
const BUILD: u32 = 67;
const AUX_TRACE: u32 = 71;
const EVENT_UPDATE: u32 = 78;
const FEATURE: u32 = 80;
const COMPRESSED: u32 = 81;
const COMPRESSED2: u32 = 83;

/// How much may come out of so many packed bytes.
const UNPACKED: usize = 300;

/// A record of the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u32,
    pub(super) flags: u16,
    pub(super) body: Bytes<'a>,
    pub(super) at: u64,
    time: u64,
}

/// The records that are packed, one after the other.
pub(super) fn packed(file: &File<'_>, oddities: &mut Oddities) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut records = Records::new(file, file.data, file.data_at);
    // Damage is told when the records themselves are read.
    while let Some(Ok(record)) = records.next() {
        let mut body = record.body;
        match record.kind {
            COMPRESSED => packed.extend_from_slice(body.rest),
            COMPRESSED2 => {
                let length = body.long().and_then(|length| usize::try_from(length).ok());
                packed.extend_from_slice(length.and_then(|length| body.take(length)).unwrap_or(body.rest));
            }
            _ => {}
        }
    }
    if packed.is_empty() {
        return packed;
    }
    let limit = packed.len().saturating_mul(UNPACKED);
    // perf never ends its frame: an empty last block does.
    packed.extend([1, 0, 0]);
    let mut unpacked = Vec::new();
    let decoder = ruzstd::decoding::StreamingDecoder::new(&packed[..]);
    let problem = match decoder {
        Ok(decoder) => {
            decoder.take(limit as u64).read_to_end(&mut unpacked).err().map(|error| error.to_string())
        }
        Err(error) => Some(error.to_string()),
    };
    if let Some(problem) = problem {
        oddities.loss(Place::Whole, format!("packed records cannot be unpacked further: {problem}"));
    }
    unpacked
}

/// All records of the kernel, sorted by time where all have one; events and features of a pipe go into the file.
pub(super) fn all<'a>(file: &mut File<'a>, packed: &'a [u8], oddities: &mut Oddities) -> Vec<Record<'a>> {
    let mut all = Vec::new();
    for (bytes, at) in [(file.data, file.data_at), (packed, 0)] {
        let mut records = Records::new(file, bytes, at);
        while let Some(record) = records.next() {
            match record {
                Ok(record) if record.kind < OWN => all.push(record),
                Ok(record) => {
                    own(file, &record, oddities);
                }
                Err(at) => {
                    oddities
                        .loss(Place::Byte(at), "expected a record, found its end; what follows is left out");
                }
            }
        }
    }
    sort(file, &mut all);
    all
}

/// What perf says about the recording.
fn own<'a>(file: &mut File<'a>, record: &Record<'a>, oddities: &mut Oddities) -> Option<()> {
    let mut body = record.body;
    match record.kind {
        EVENT => {
            let (mut attribute, size) = Attribute::parse(body)?;
            body.take(size)?;
            while let Some(id) = body.long() {
                attribute.ids.push(id);
            }
            file.attributes.push(attribute);
        }
        FEATURE => {
            let feature = body.long()?;
            file.feature(feature, body.rest)?;
        }
        BUILD => file.builds.take(record.flags, body)?,
        EVENT_UPDATE => {
            let (what, id) = (body.long()?, body.long()?);
            let attribute = file.attributes.iter_mut().find(|attribute| attribute.ids.contains(&id))?;
            // 2: a new name.
            if what == 2 {
                attribute.rename(body.text());
            }
        }
        AUX_TRACE => oddities.loss(Place::Byte(record.at), "a trace of the processor is not read"),
        _ => {}
    }
    Some(())
}

fn sort(file: &File<'_>, records: &mut [Record<'_>]) {
    let from_end: Option<Vec<usize>> = file.attributes.iter().map(Attribute::time_from_end).collect();
    let Some((from_end, first)) = from_end.zip(file.attributes.first()) else { return };
    for record in records.iter_mut() {
        record.time = match record.kind {
            SAMPLE => super::sample::time(first, record.body),
            _ => {
                let start = record.body.rest.len().checked_sub(from_end[0]);
                start.and_then(|start| Bytes { rest: &record.body.rest[start..], big: file.big }.long())
            }
        }
        .unwrap_or(0);
    }
    records.sort_by_key(|record| record.time);
}

/// Records one after the other, until one is not all there.
struct Records<'a> {
    bytes: Bytes<'a>,
    at: u64,
}

impl<'a> Records<'a> {
    fn new(file: &File<'_>, bytes: &'a [u8], at: u64) -> Self {
        Self { bytes: Bytes { rest: bytes, big: file.big }, at }
    }

    /// A record, or where the first bad one is.
    fn next(&mut self) -> Option<Result<Record<'a>, u64>> {
        if self.bytes.rest.is_empty() {
            return None;
        }
        let (at, before) = (self.at, self.bytes.rest.len());
        let record = self.take(at);
        if record.is_none() {
            self.bytes.rest = &[];
        }
        self.at += (before - self.bytes.rest.len()) as u64;
        Some(record.ok_or(at))
    }

    fn take(&mut self, at: u64) -> Option<Record<'a>> {
        let (kind, flags, size) = (self.bytes.word()?, self.bytes.short()?, self.bytes.short()?);
        let body = self.bytes.take(usize::from(size).checked_sub(8)?)?;
        let body = Bytes { rest: body, big: self.bytes.big };
        let mut behind = body;
        let length = match kind {
            TRACING_DATA => u64::from(behind.word()?.next_multiple_of(8)),
            AUX_TRACE => behind.long()?,
            _ => 0,
        };
        self.bytes.take(usize::try_from(length).ok()?)?;
        Some(Record { kind, flags, body, at, time: 0 })
    }
}
