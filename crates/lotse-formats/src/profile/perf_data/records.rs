//! The records of a file in the order of time. Records that describe the recording itself are processed here.

use std::io::Read as _;

use super::attribute::EventAttribute;
use super::bytes::PerfBytes;
use super::file::PerfDataFile;
use crate::diagnostics::Diagnostics;
use crate::error::Place;

pub(super) const MMAP: u32 = 1;
pub(super) const LOST: u32 = 2;
pub(super) const COMM: u32 = 3;
pub(super) const FORK: u32 = 7;
pub(super) const SAMPLE: u32 = 9;
pub(super) const MMAP2: u32 = 10;
pub(super) const AUX: u32 = 11;
pub(super) const LOST_SAMPLES: u32 = 13;
/// Kinds of records from here on are written by perf itself, not by the kernel.
const FIRST_PERF_KIND: u32 = 64;
const EVENT: u32 = 64;
const TRACING_DATA: u32 = 66;
const BUILD: u32 = 67;
const AUX_TRACE: u32 = 71;
const EVENT_UPDATE: u32 = 78;
const FEATURE: u32 = 80;
const COMPRESSED: u32 = 81;
const COMPRESSED2: u32 = 83;

/// The largest allowed ratio of decompressed to compressed bytes.
const MAX_RATIO: usize = 300;

/// A record of the kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct PerfRecord<'a> {
    pub(super) kind: u32,
    pub(super) flags: u16,
    pub(super) body: PerfBytes<'a>,
    pub(super) at: u64,
    time: u64,
}

/// Decompresses the compressed records, which together are one zstd stream.
pub(super) fn decompressed(file: &PerfDataFile<'_>, diagnostics: &mut Diagnostics) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut records = RecordIter::new(file, file.data, file.data_at);
    // Damage is reported when the records themselves are read.
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
    let limit = packed.len().saturating_mul(MAX_RATIO);
    // perf does not end its zstd frame; this is an empty last block.
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
        diagnostics.loss(Place::Whole, format!("packed records cannot be unpacked further: {problem}"));
    }
    unpacked
}

/// All records of the kernel, sorted by time if all have one. Events and features of a pipe are added to the file.
pub(super) fn all<'a>(
    file: &mut PerfDataFile<'a>,
    decompressed: &'a [u8],
    diagnostics: &mut Diagnostics,
) -> Vec<PerfRecord<'a>> {
    let mut all = Vec::new();
    for (bytes, at) in [(file.data, file.data_at), (decompressed, 0)] {
        let mut records = RecordIter::new(file, bytes, at);
        while let Some(record) = records.next() {
            match record {
                Ok(record) if record.kind < FIRST_PERF_KIND => all.push(record),
                Ok(record) => {
                    apply_perf_record(file, &record, diagnostics);
                }
                Err(at) => {
                    diagnostics
                        .loss(Place::Byte(at), "expected a record, found its end; what follows is left out");
                }
            }
        }
    }
    sort(file, &mut all);
    all
}

/// Applies a record in which perf describes the recording to the file.
fn apply_perf_record<'a>(
    file: &mut PerfDataFile<'a>,
    record: &PerfRecord<'a>,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let mut body = record.body;
    match record.kind {
        EVENT => {
            let (mut attribute, size) = EventAttribute::parse(body)?;
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
        BUILD => file.builds.add(record.flags, body)?,
        EVENT_UPDATE => {
            let (what, id) = (body.long()?, body.long()?);
            let attribute = file.attributes.iter_mut().find(|attribute| attribute.ids.contains(&id))?;
            // 2: a new name.
            if what == 2 {
                attribute.rename(body.text());
            }
        }
        AUX_TRACE => diagnostics.loss(Place::Byte(record.at), "a trace of the processor is not read"),
        _ => {}
    }
    Some(())
}

/// Sorts records by time, if every event records times.
fn sort(file: &PerfDataFile<'_>, records: &mut [PerfRecord<'_>]) {
    let from_end: Option<Vec<usize>> = file.attributes.iter().map(EventAttribute::time_from_end).collect();
    let Some((from_end, first)) = from_end.zip(file.attributes.first()) else { return };
    for record in records.iter_mut() {
        record.time = match record.kind {
            SAMPLE => super::sample::time(first, record.body),
            _ => {
                let start = record.body.rest.len().checked_sub(from_end[0]);
                start.and_then(|start| PerfBytes { rest: &record.body.rest[start..], big: file.big }.long())
            }
        }
        .unwrap_or(0);
    }
    records.sort_by_key(|record| record.time);
}

/// Iterates over records, until one is not complete.
struct RecordIter<'a> {
    bytes: PerfBytes<'a>,
    at: u64,
}

impl<'a> RecordIter<'a> {
    fn new(file: &PerfDataFile<'_>, bytes: &'a [u8], at: u64) -> Self {
        Self { bytes: PerfBytes { rest: bytes, big: file.big }, at }
    }

    /// The next record, or the offset of the first bad one.
    fn next(&mut self) -> Option<Result<PerfRecord<'a>, u64>> {
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

    fn take(&mut self, at: u64) -> Option<PerfRecord<'a>> {
        let (kind, flags, size) = (self.bytes.word()?, self.bytes.short()?, self.bytes.short()?);
        let body = self.bytes.take(usize::from(size).checked_sub(8)?)?;
        let body = PerfBytes { rest: body, big: self.bytes.big };
        let mut header = body;
        let length = match kind {
            TRACING_DATA => u64::from(header.word()?.next_multiple_of(8)),
            AUX_TRACE => header.long()?,
            _ => 0,
        };
        self.bytes.take(usize::try_from(length).ok()?)?;
        Some(PerfRecord { kind, flags, body, at, time: 0 })
    }
}
