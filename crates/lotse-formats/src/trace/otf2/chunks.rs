//! An event file cut at its chunks, each of which can be decoded alone.
//!
//! A chunk is a block of fixed size: 3, the mark of the byte order, the numbers of its first and last event, then
//! records from a time stamp on. The size stands in the anchor; where that is wrong or missing, it is found by the
//! head of the second chunk, which continues the count of the first. A chunk without a head is left out.

use memchr::memmem;

use super::fields::load;

/// Bytes before the first record of a chunk.
pub(super) const HEAD: usize = 18;
const LITTLE: u8 = 0x42;
const BIG: u8 = 0x23;
/// Record number of a chunk's head.
pub(super) const CHUNK_HEAD: u8 = 3;
const LEAST_SIZE: usize = 64;
/// What the OTF2 library allows: 256 KiB to 16 MiB, of which recorders take powers of two.
const USUAL_SIZES: std::ops::RangeInclusive<u32> = 18..=24;

/// A chunk that can be decoded alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) big: bool,
    first: u64,
    last: u64,
}

impl Piece {
    /// How many events the head promises, but no more than the bytes can hold: two for the smallest.
    pub(super) fn expected(&self) -> usize {
        let promised = self.last.wrapping_add(1).saturating_sub(self.first);
        let room = (self.end - self.start).saturating_sub(HEAD) / 2;
        usize::try_from(promised).unwrap_or(room).min(room)
    }
}

/// Something odd about a file: where, what, and whether events are missing for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Oddity {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) loss: bool,
}

/// The chunks of a file, and what was odd about them.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) pieces: Vec<Piece>,
    pub(super) oddities: Vec<Oddity>,
}

/// Whether the most significant byte comes first, by the mark of a head.
pub(super) fn byte_order(mark: u8) -> Option<bool> {
    match mark {
        LITTLE => Some(false),
        BIG => Some(true),
        _ => None,
    }
}

/// Cuts a file at its chunks, of the size that the anchor claims.
pub(super) fn split(bytes: &[u8], claimed: Option<u64>) -> Split {
    let mut split = Split::default();
    if bytes.is_empty() {
        return split;
    }
    let size = chunk_size(bytes, claimed, &mut split);
    let mut bad_from = None;
    for start in (0..bytes.len()).step_by(size) {
        match head(bytes, start) {
            Some(piece) => {
                split.note_damage(&mut bad_from, start);
                split.push(Piece { end: bytes.len().min(start.saturating_add(size)), ..piece });
            }
            None => bad_from = bad_from.or(Some(start)),
        }
    }
    split.note_damage(&mut bad_from, bytes.len());
    split
}

impl Split {
    fn push(&mut self, piece: Piece) {
        let next = self.pieces.last().map_or(1, |it| it.last.wrapping_add(1));
        if piece.first != next {
            let message = format!("events are numbered from {} where {next} was due", piece.first);
            self.oddities.push(Oddity { at: piece.start, message, loss: piece.first > next });
        }
        self.pieces.push(piece);
    }

    fn note_damage(&mut self, bad_from: &mut Option<usize>, end: usize) {
        if let Some(at) = bad_from.take() {
            let message = format!("no head of a chunk: {} bytes were left out", end - at);
            self.oddities.push(Oddity { at, message, loss: true });
        }
    }
}

/// The head at a position, of a chunk whose end is not yet known.
fn head(bytes: &[u8], start: usize) -> Option<Piece> {
    let head = bytes.get(start..)?.first_chunk::<HEAD>()?;
    let big = byte_order(head[1])?;
    let (first, last) = (load(head, 2, 8, big), load(head, 10, 8, big));
    let fits = last.wrapping_add(1) >= first;
    (head[0] == CHUNK_HEAD && fits).then_some(Piece { start, end: start, big, first, last })
}

fn chunk_size(bytes: &[u8], claimed: Option<u64>, split: &mut Split) -> usize {
    let claimed = claimed.and_then(|it| usize::try_from(it).ok()).filter(|it| *it >= LEAST_SIZE);
    let Some(first) = head(bytes, 0) else { return claimed.unwrap_or(bytes.len()) };
    let continues = |at: usize| head(bytes, at).is_some_and(|it| it.first == first.last.wrapping_add(1));
    let usual = USUAL_SIZES.map(|it| 1 << it).take_while(|it| *it < bytes.len()).find(|at| continues(*at));
    let right = claimed.is_some_and(|it| continues(it) || (it >= bytes.len() && usual.is_none()));
    let found = if right { claimed } else { usual.or_else(|| search(bytes, &first)) };
    let size = found.or(claimed).unwrap_or(bytes.len()).max(LEAST_SIZE);
    if let Some(claimed) = claimed.filter(|it| *it != size) {
        let message = format!("chunks are {size} bytes long, not {claimed} as the anchor says");
        split.oddities.push(Oddity { at: 0, message, loss: false });
    }
    size
}

/// Where the second chunk's head is, which continues the count of the first.
fn search(bytes: &[u8], first: &Piece) -> Option<usize> {
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
    use super::{Oddity, Split, split};

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

    fn ranges(split: &Split) -> Vec<(usize, usize)> {
        split.pieces.iter().map(|it| (it.start, it.end)).collect()
    }

    fn odd(split: &Split) -> Vec<(usize, bool)> {
        split.oddities.iter().map(|Oddity { at, loss, .. }| (*at, *loss)).collect()
    }

    #[test]
    fn chunks_are_pieces() {
        let split = split(&file(&[(1, 5), (6, 7), (8, 8)], 100)[..250], Some(100));
        assert_eq!(ranges(&split), [(0, 100), (100, 200), (200, 250)]);
        assert_eq!(odd(&split), []);
        assert_eq!(split.pieces.iter().map(|it| it.expected()).collect::<Vec<_>>(), [5, 2, 1]);
    }

    #[test]
    fn a_wrong_or_missing_size_is_found_from_the_heads() {
        let bytes = file(&[(1, 5), (6, 7), (8, 8)], 100);
        for claimed in [Some(150), Some(64), None] {
            let split = split(&bytes, claimed);
            assert_eq!(ranges(&split), [(0, 100), (100, 200), (200, 300)], "{claimed:?}");
            assert_eq!(split.oddities.len(), usize::from(claimed.is_some()));
        }
        let usual = file(&[(1, 5), (6, 7)], 1 << 18);
        assert_eq!(split(&usual, Some(1 << 24)).pieces.len(), 2, "a size that is too large is noticed");
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
        assert_eq!(split.pieces[0].expected(), 50);
    }

    #[test]
    fn files_without_a_head_give_no_piece() {
        assert_eq!(split(b"", Some(100)).oddities, []);
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
        assert!(split.pieces[0].big);
        assert_eq!(split.pieces[0].expected(), 3);
    }
}
