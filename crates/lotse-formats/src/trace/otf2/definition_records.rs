//! Iterates over the records of a definition file, global or local, across its chunks.
//!
//! After damage, the rest of the chunk is skipped, not the rest of the file.

use memchr::memmem;

use super::chunks::{CHUNK_HEAD, HEAD, Oddity, byte_order};
use super::fields::FieldReader;

const END_OF_CHUNK: u8 = 0;
const END_OF_BUFFER: u8 = 1;
const END_OF_FILE: u8 = 2;

/// An iterator over records: their type and their fields.
#[derive(Debug)]
pub(super) struct DefinitionRecords<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The stated chunk size; 0 if unknown.
    chunk: usize,
    big: bool,
    /// Problems found so far.
    pub(super) diagnostics: Vec<Oddity>,
}

impl<'a> DefinitionRecords<'a> {
    /// Begins with the first chunk; `stated` is the chunk size in the anchor.
    pub(super) fn new(bytes: &'a [u8], stated: Option<u64>) -> Self {
        let chunk = stated.and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
        let mut records = Self { bytes, at: 0, chunk, big: false, diagnostics: Vec::new() };
        if !records.enter_chunk(0) {
            records.odd(0, "no head of a chunk: the file was left out");
            records.at = bytes.len();
        }
        records
    }

    /// Moves behind the chunk header at a position; `false` if there is none.
    fn enter_chunk(&mut self, at: usize) -> bool {
        let head = self.bytes.get(at..).and_then(|it| it.first_chunk::<HEAD>());
        let order = head.filter(|it| it[0] == CHUNK_HEAD).and_then(|it| byte_order(it[1]));
        if let Some(big) = order {
            self.big = big;
            self.at = at + HEAD;
        }
        order.is_some()
    }

    /// Moves to the next chunk: at the multiple of the chunk size, else at the next bytes that look like a chunk header.
    fn next_chunk(&mut self) -> bool {
        if self.chunk > HEAD {
            let boundary = self.at.next_multiple_of(self.chunk);
            if boundary < self.bytes.len() && self.enter_chunk(boundary) {
                return true;
            }
        }
        let mut wanted = [0; 10];
        wanted[..3].copy_from_slice(&self.bytes[..3]);
        wanted[9] = self.bytes[9];
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        memmem::find(rest, &wanted).is_some_and(|far| self.enter_chunk(self.at + far))
    }

    fn odd(&mut self, at: usize, message: &str) {
        self.diagnostics.push(Oddity { at, message: message.to_owned(), loss: true });
    }

    /// The record at the current position: its type, its fields, and the position of the next record.
    fn record(&self) -> Option<(u8, FieldReader<'a>, usize)> {
        let number = *self.bytes.get(self.at)?;
        let mut head = FieldReader::new(self.bytes, self.at + 1, self.bytes.len(), self.big);
        let length = match head.byte()? {
            0xff => usize::try_from(head.fixed()?).ok()?,
            short => usize::from(short),
        };
        let end = head.at().checked_add(length).filter(|end| *end <= self.bytes.len())?;
        Some((number, FieldReader::new(self.bytes, head.at(), end, self.big), end))
    }

    fn end(&mut self) -> Option<<Self as Iterator>::Item> {
        self.at = self.bytes.len();
        None
    }
}

impl<'a> Iterator for DefinitionRecords<'a> {
    type Item = (u8, FieldReader<'a>);

    /// Skips chunk ends and damaged rests of chunks.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.at >= self.bytes.len() {
                return None;
            }
            match self.bytes[self.at] {
                END_OF_FILE | END_OF_BUFFER => return self.end(),
                END_OF_CHUNK => {
                    if !self.next_chunk() {
                        return self.end();
                    }
                }
                _ => match self.record() {
                    Some((number, fields, next)) => {
                        self.at = next;
                        self.note_open_end();
                        return Some((number, fields));
                    }
                    None => {
                        self.odd(
                            self.at,
                            "a record goes on past the end: the rest of the chunk was left out",
                        );
                        if !self.next_chunk() {
                            return self.end();
                        }
                    }
                },
            }
        }
    }
}

impl DefinitionRecords<'_> {
    fn note_open_end(&mut self) {
        if self.at == self.bytes.len() {
            self.odd(self.at, "the file ends without a mark of its end: definitions may be missing");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DefinitionRecords;

    fn head() -> Vec<u8> {
        let mut head = vec![3, 0x42, 1];
        head.resize(18, 0);
        head
    }

    fn walk(bytes: &[u8], chunk: Option<u64>) -> (Vec<u8>, usize) {
        let mut records = DefinitionRecords::new(bytes, chunk);
        let mut numbers = Vec::new();
        for (number, mut fields) in records.by_ref() {
            numbers.push(number);
            assert_eq!(fields.byte(), Some(number));
        }
        (numbers, records.diagnostics.len())
    }

    #[test]
    fn records_of_short_and_long_length() {
        let mut bytes = head();
        bytes.extend([10, 2, 10, 0, 11, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 11, 1, 2, 2, 1]);
        assert_eq!(walk(&bytes, Some(4096)), (vec![10, 11], 0));
    }

    #[test]
    fn records_go_on_in_the_next_chunk_whatever_its_size() {
        let mut bytes = head();
        bytes.extend([10, 1, 10, 0]);
        bytes.resize(100, 0);
        bytes.extend(head());
        bytes.extend([11, 1, 11, 2, 1]);
        for chunk in [Some(100), Some(64), Some(1 << 60), Some(0), None] {
            assert_eq!(walk(&bytes, chunk), (vec![10, 11], 0), "{chunk:?}");
        }
    }

    #[test]
    fn damage_costs_the_rest_of_the_chunk() {
        let mut bytes = head();
        bytes.extend([10, 1, 10, 12, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff]);
        bytes.resize(100, 0);
        bytes.extend(head());
        bytes.extend([11, 1, 11, 2, 1]);
        assert_eq!(walk(&bytes, Some(100)), (vec![10, 11], 1));
    }

    #[test]
    fn cut_files_are_noted() {
        let mut bytes = head();
        bytes.extend([10, 1, 10]);
        assert_eq!(walk(&bytes, None), (vec![10], 1));
        bytes.extend([11, 9]);
        assert_eq!(walk(&bytes, None), (vec![10], 1));
        assert_eq!(walk(&bytes[..9], None), (vec![], 1));
        assert_eq!(walk(b"", None), (vec![], 1));
    }
}
