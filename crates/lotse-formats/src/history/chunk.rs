//! Writes chunks: type, length, checksum, payload.

use flate2::Crc;

use super::{Executable, RecordingEnd, RecordingStart};

pub(super) const MAGIC: [u8; 8] = *b"LTSHIST1";
/// Since version 2, the call stack of a guard ends at the first caller with a guard of its own that is still running; in
/// version 1 it is complete. Since version 3 ([`FIRST_PREDICTED`]), segments are [`PREDICTED`]. All versions can be read.
pub(super) const VERSION: u32 = 3;
/// The first version with [`PREDICTED`] segments.
pub(super) const FIRST_PREDICTED: u32 = 3;
/// Bytes of the file header.
pub(super) const HEADER: usize = 16;
/// Bytes of a chunk header.
pub(super) const HEAD: usize = 12;

pub(super) const START: u32 = 1;
pub(super) const PROCESS: u32 = 2;
pub(super) const STACKS: u32 = 3;
/// A segment whose records are differences to the records before them.
pub(super) const SEGMENT: u32 = 4;
pub(super) const END: u32 = 5;
pub(super) const EXECUTABLE: u32 = 6;
pub(super) const NAMES: u32 = 7;
pub(super) const SAMPLES: u32 = 8;
/// A segment whose records are differences to what the records before them predict.
pub(super) const PREDICTED: u32 = 9;

/// The file header.
#[must_use]
pub fn file_header() -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([0; 4]);
    bytes
}

/// The chunk that describes how a program was recorded.
#[must_use]
pub fn start_chunk(start: &RecordingStart) -> Vec<u8> {
    chunk(START, &json(start))
}

/// The chunk that describes how recording ended.
#[must_use]
pub fn end_chunk(end: &RecordingEnd) -> Vec<u8> {
    chunk(END, &json(end))
}

/// The chunk of a process: its id, the number of its memory map, and the map as text.
#[must_use]
pub fn process_chunk(number: u32, image: u32, map: &str) -> Vec<u8> {
    let mut payload = number.to_le_bytes().to_vec();
    payload.extend(image.to_le_bytes());
    payload.extend(map.as_bytes());
    chunk(PROCESS, &payload)
}

/// The chunk of a process's executable file.
#[must_use]
pub fn executable_chunk(executable: &Executable) -> Vec<u8> {
    chunk(EXECUTABLE, &json(executable))
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("the types have only keys that are strings")
}

pub(super) fn chunk(kind: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_chunk(&mut bytes, kind, &[payload]);
    bytes
}

/// Appends a chunk whose payload is the concatenation of `parts`.
pub(super) fn put_chunk(out: &mut Vec<u8>, kind: u32, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).expect("a chunk is below 4 GiB");
    let mut sum = Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    out.reserve(HEAD + length as usize);
    out.extend(kind.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(sum.sum().to_le_bytes());
    parts.iter().for_each(|part| out.extend(*part));
}

pub(super) fn checksum(payload: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(payload);
    crc.sum()
}
