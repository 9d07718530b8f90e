//! Writes a file in chunks of one size, except for the last. Each has a header and an end mark, and no record spans two.

use std::io::{self, Write};

/// The beginning of a chunk header; the second byte marks little endian.
const HEAD: [u8; 2] = [3, b'B'];
const END_OF_CHUNK: u8 = 0;
const END_OF_FILE: [u8; 2] = [2, 1];
/// The length of a header, with the numbers of the first and last event.
const HEAD_LENGTH: usize = 18;
/// Bytes of the smallest chunk: a header and an end mark.
pub(super) const LEAST: usize = HEAD_LENGTH + END_OF_FILE.len();

/// Buffers a chunk, and writes it when the next record does not fit.
pub(super) struct ChunkWriter<'a> {
    file: Box<dyn Write + Send + 'a>,
    buffer: Vec<u8>,
    used: usize,
    /// The number of the chunk's first event; events are numbered from 1.
    first: u64,
    /// The number of events so far, in all chunks.
    events: u64,
}

impl<'a> ChunkWriter<'a> {
    pub(super) fn new(file: Box<dyn Write + Send + 'a>, size: usize) -> Self {
        Self { file, buffer: vec![0; size.max(LEAST)], used: HEAD_LENGTH, first: 1, events: 0 }
    }

    /// The number of events so far.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// Whether the chunk has no record yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.used == HEAD_LENGTH
    }

    /// Ensures that `length` bytes fit, by beginning a new chunk if necessary.
    #[inline]
    pub(super) fn reserve(&mut self, length: usize) -> io::Result<()> {
        if length > self.free_bytes() { self.start_chunk(length) } else { Ok(()) }
    }

    /// The space that was reserved.
    #[inline]
    pub(super) fn room<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        self.buffer[self.used..].first_chunk_mut()
    }

    /// Marks `length` bytes of the reserved space as used by one event.
    #[inline]
    pub(super) fn fill(&mut self, length: usize) {
        self.used += length;
        self.events += 1;
    }

    /// Appends a record that is not an event.
    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        self.reserve(record.len())?;
        self.buffer[self.used..][..record.len()].copy_from_slice(record);
        self.used += record.len();
        Ok(())
    }

    /// Writes the last chunk, without padding.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.write_head();
        self.buffer[self.used..][..END_OF_FILE.len()].copy_from_slice(&END_OF_FILE);
        self.file.write_all(&self.buffer[..self.used + END_OF_FILE.len()])?;
        self.file.flush()
    }

    /// The free space before the end mark, which is longest in the last chunk.
    #[inline]
    fn free_bytes(&self) -> usize {
        self.buffer.len() - END_OF_FILE.len() - self.used
    }

    /// Writes the current chunk and begins a new one with room for `length` bytes.
    #[cold]
    fn start_chunk(&mut self, length: usize) -> io::Result<()> {
        if length > self.buffer.len() - LEAST {
            let message =
                format!("a record of {length} bytes does not fit in a chunk of {}", self.buffer.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.write_head();
        self.buffer[self.used..].fill(END_OF_CHUNK);
        self.file.write_all(&self.buffer)?;
        self.first = self.events + 1;
        self.used = HEAD_LENGTH;
        Ok(())
    }

    fn write_head(&mut self) {
        self.buffer[..2].copy_from_slice(&HEAD);
        self.buffer[2..10].copy_from_slice(&self.first.to_le_bytes());
        self.buffer[10..18].copy_from_slice(&self.events.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::ChunkWriter;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn written(records: &[&[u8]], size: usize) -> Vec<u8> {
        let shared = Shared::default();
        let mut chunks = ChunkWriter::new(Box::new(shared.clone()), size);
        records.iter().for_each(|record| chunks.append(record).unwrap());
        chunks.finish().unwrap();
        shared.0.lock().unwrap().clone()
    }

    #[test]
    fn an_empty_file_is_a_head_and_an_end() {
        let expected = [&[3, b'B', 1][..], &[0; 15], &[2, 1]].concat();
        assert_eq!(written(&[], 64), expected);
    }

    #[test]
    fn a_record_that_does_not_fit_begins_a_chunk() {
        let bytes = written(&[&[9; 8], &[8; 6], &[7]], 32);
        assert_eq!(bytes[18..32], [9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[32..34], [3, b'B']);
        assert_eq!(bytes[50..], [8, 8, 8, 8, 8, 8, 7, 2, 1]);
    }

    #[test]
    fn a_record_longer_than_a_chunk_is_refused() {
        let mut chunks = ChunkWriter::new(Box::new(Shared::default()), 32);
        assert!(chunks.append(&[1; 12]).is_ok());
        assert!(chunks.append(&[1; 13]).is_err());
    }
}
