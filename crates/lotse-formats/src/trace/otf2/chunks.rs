//! Finds the chunks of an event file, each of which can be decoded alone.
//!
//! A chunk is a block of fixed size with a header and records, the first of which is a time stamp:
//!
//! ```text
//! byte     0   1            2 … 9         10 … 17       18 …
//!          3   byte order   first event   last event    records
//! ```
//!
//! The size is stated in the anchor. If that is wrong or missing, the size is found by the header of the second chunk,
//! whose first event follows the last event of the first chunk. A chunk without a header is left out.

use memchr::memmem;

use super::fields::load;

/// Bytes of a chunk header.
pub(super) const HEAD: usize = 18;
const LITTLE: u8 = 0x42;
const BIG: u8 = 0x23;
/// The first byte of a chunk header.
pub(super) const CHUNK_HEAD: u8 = 3;
const LEAST_SIZE: usize = 64;
/// The exponents of chunk sizes that recorders use: the OTF2 library allows 256 KiB to 16 MiB.
const USUAL_SIZES: std::ops::RangeInclusive<u32> = 18..=24;

/// A chunk that can be decoded alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventChunk {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) big: bool,
    first: u64,
    last: u64,
}

impl EventChunk {
    /// The number of events that the header states, but at most what the bytes can hold: an event has at least two bytes.
    pub(super) fn expected_events(&self) -> usize {
        let stated = self.last.wrapping_add(1).saturating_sub(self.first);
        let room = (self.end - self.start).saturating_sub(HEAD) / 2;
        usize::try_from(stated).unwrap_or(room).min(room)
    }
}

/// A problem in a file: where, what, and whether something is missing because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Oddity {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) loss: bool,
}

/// The chunks of a file, and the problems found.
#[derive(Debug, Default)]
pub(super) struct ChunkList {
    pub(super) chunks: Vec<EventChunk>,
    pub(super) diagnostics: Vec<Oddity>,
}

/// Whether the file is big endian, by the byte order mark of a header; `None` if it is not a mark.
pub(super) fn byte_order(mark: u8) -> Option<bool> {
    match mark {
        LITTLE => Some(false),
        BIG => Some(true),
        _ => None,
    }
}

/// Finds the chunks of a file; `stated` is the chunk size in the anchor.
pub(super) fn split(bytes: &[u8], stated: Option<u64>) -> ChunkList {
    let mut split = ChunkList::default();
    if bytes.is_empty() {
        return split;
    }
    let size = chunk_size(bytes, stated, &mut split);
    let mut bad_from = None;
    for start in (0..bytes.len()).step_by(size) {
        match head(bytes, start) {
            Some(chunk) => {
                split.note_damage(&mut bad_from, start);
                split.push(EventChunk { end: bytes.len().min(start.saturating_add(size)), ..chunk });
            }
            None => bad_from = bad_from.or(Some(start)),
        }
    }
    split.note_damage(&mut bad_from, bytes.len());
    split
}

impl ChunkList {
    fn push(&mut self, chunk: EventChunk) {
        let next = self.chunks.last().map_or(1, |it| it.last.wrapping_add(1));
        if chunk.first != next {
            let message = format!("events are numbered from {} where {next} was due", chunk.first);
            self.diagnostics.push(Oddity { at: chunk.start, message, loss: chunk.first > next });
        }
        self.chunks.push(chunk);
    }

    fn note_damage(&mut self, bad_from: &mut Option<usize>, end: usize) {
        if let Some(at) = bad_from.take() {
            let message = format!("no head of a chunk: {} bytes were left out", end - at);
            self.diagnostics.push(Oddity { at, message, loss: true });
        }
    }
}

/// The chunk whose header is at a position; its end is not known yet.
fn head(bytes: &[u8], start: usize) -> Option<EventChunk> {
    let head = bytes.get(start..)?.first_chunk::<HEAD>()?;
    let big = byte_order(head[1])?;
    let (first, last) = (load(head, 2, 8, big), load(head, 10, 8, big));
    let fits = last.wrapping_add(1) >= first;
    (head[0] == CHUNK_HEAD && fits).then_some(EventChunk { start, end: start, big, first, last })
}

/// The chunk size: the stated one if a second chunk begins there or the file has only one chunk; else a usual size at which
/// a second chunk begins; else the result of a search for the second header.
fn chunk_size(bytes: &[u8], stated: Option<u64>, split: &mut ChunkList) -> usize {
    let stated = stated.and_then(|it| usize::try_from(it).ok()).filter(|it| *it >= LEAST_SIZE);
    let Some(first) = head(bytes, 0) else { return stated.unwrap_or(bytes.len()) };
    let continues = |at: usize| head(bytes, at).is_some_and(|it| it.first == first.last.wrapping_add(1));
    let usual = USUAL_SIZES.map(|it| 1 << it).take_while(|it| *it < bytes.len()).find(|at| continues(*at));
    let right = stated.is_some_and(|it| continues(it) || (it >= bytes.len() && usual.is_none()));
    let found = if right { stated } else { usual.or_else(|| search(bytes, &first)) };
    let size = found.or(stated).unwrap_or(bytes.len()).max(LEAST_SIZE);
    if let Some(stated) = stated.filter(|it| *it != size) {
        let message = format!("chunks are {size} bytes long, not {stated} as the anchor says");
        split.diagnostics.push(Oddity { at: 0, message, loss: false });
    }
    size
}

/// Searches the header of the second chunk, whose first event follows the last event of the first chunk.
fn search(bytes: &[u8], first: &EventChunk) -> Option<usize> {
    let next = first.last.wrapping_add(1);
    let mut wanted = [0; 10];
    wanted[0] = CHUNK_HEAD;
    wanted[1] = if first.big { BIG } else { LITTLE };
    let number = if first.big { next.to_be_bytes() } else { next.to_le_bytes() };
    wanted[2..].copy_from_slice(&number);
    let from = LEAST_SIZE.min(bytes.len());
    memmem::find(&bytes[from..], &wanted).map(|at| at + from).filter(|at| head(bytes, *at).is_some())
}

#[cfg(test)]
mod tests {
    use super::{ChunkList, Oddity, split};

    fn chunk(first: u64, last: u64, size: usize) -> Vec<u8> {
        let mut chunk = vec![3, 0x42];
        chunk.extend(first.to_le_bytes());
        chunk.extend(last.to_le_bytes());
        chunk.resize(size, 0);
        chunk
    }

    fn file(chunks: &[(u64, u64)], size: usize) -> Vec<u8> {
        chunks.iter().flat_map(|&(first, last)| chunk(first, last, size)).collect()
    }

    fn ranges(split: &ChunkList) -> Vec<(usize, usize)> {
        split.chunks.iter().map(|it| (it.start, it.end)).collect()
    }

    fn odd(split: &ChunkList) -> Vec<(usize, bool)> {
        split.diagnostics.iter().map(|Oddity { at, loss, .. }| (*at, *loss)).collect()
    }

    #[test]
    fn chunks_are_pieces() {
        let split = split(&file(&[(1, 5), (6, 7), (8, 8)], 100)[..250], Some(100));
        assert_eq!(ranges(&split), [(0, 100), (100, 200), (200, 250)]);
        assert_eq!(odd(&split), []);
        assert_eq!(split.chunks.iter().map(|it| it.expected_events()).collect::<Vec<_>>(), [5, 2, 1]);
    }

    #[test]
    fn a_wrong_or_missing_size_is_found_from_the_heads() {
        let bytes = file(&[(1, 5), (6, 7), (8, 8)], 100);
        for stated in [Some(150), Some(64), None] {
            let split = split(&bytes, stated);
            assert_eq!(ranges(&split), [(0, 100), (100, 200), (200, 300)], "{stated:?}");
            assert_eq!(split.diagnostics.len(), usize::from(stated.is_some()));
        }
        let usual = file(&[(1, 5), (6, 7)], 1 << 18);
        assert_eq!(split(&usual, Some(1 << 24)).chunks.len(), 2, "a size that is too large is noticed");
    }

    #[test]
    fn a_damaged_head_costs_its_chunk() {
        let mut bytes = file(&[(1, 5), (6, 7), (8, 8)], 100);
        bytes[100] = 9;
        let split = split(&bytes, Some(100));
        assert_eq!(ranges(&split), [(0, 100), (200, 300)]);
        assert_eq!(odd(&split), [(100, true), (200, true)], "the chunk, and the gap in the count");
    }

    #[test]
    fn promises_are_held_to_what_the_bytes_can_hold() {
        let split = split(&chunk(1, u64::MAX - 1, 118), None);
        assert_eq!(split.chunks[0].expected_events(), 50);
    }

    #[test]
    fn files_without_a_head_give_no_piece() {
        assert_eq!(split(b"", Some(100)).diagnostics, []);
        let cut = split(&chunk(1, 2, 18)[..17], Some(100));
        assert_eq!((ranges(&cut), odd(&cut)), (vec![], vec![(0, true)]));
        let noise = split(&[7; 1000], Some(1));
        assert_eq!((ranges(&noise), odd(&noise)), (vec![], vec![(0, true)]));
    }

    #[test]
    fn big_endian_heads_are_understood() {
        let mut bytes = vec![3, 0x23];
        bytes.extend(1_u64.to_be_bytes());
        bytes.extend(3_u64.to_be_bytes());
        bytes.resize(100, 0);
        let split = split(&bytes, None);
        assert!(split.chunks[0].big);
        assert_eq!(split.chunks[0].expected_events(), 3);
    }
}
