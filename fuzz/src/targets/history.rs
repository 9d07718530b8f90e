//! Histories of data structures: as files, and as the words of a ring buffer that the collector splits into segments.

use lotse_formats::history::{History, SegmentEvents, Splitter, file_header};

pub(super) fn fuzz(data: &[u8]) {
    read(data);
    // Because of checksums, most mutated files have no valid segments; so the same bytes are also used as ring buffer words.
    let words: Vec<u64> =
        data.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect();
    let mut bytes = file_header();
    let mut splitter = Splitter::new(1, 0);
    for some in words.chunks(64) {
        splitter.feed(some, &mut bytes);
    }
    splitter.finish(&mut bytes);
    read(&bytes);
}

fn read(bytes: &[u8]) {
    let Ok(reading) = History::read("fuzz", bytes) else { return };
    let mut events = SegmentEvents::default();
    for segment in &reading.value.segments {
        let is_good = segment.decode(&mut events);
        assert!(is_good || events.as_slice().is_empty());
        assert!(events.as_slice().len() <= 1 << 16);
    }
}
