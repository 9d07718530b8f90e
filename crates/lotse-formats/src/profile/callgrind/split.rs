//! Splits a part into chunks of roughly equal size that can be decoded independently. Chunks begin at `fn=` lines.

use std::ops::Range;

use memchr::memmem;

/// Large enough that chunks repeat little (names of callees), small enough that all threads have work.
pub(super) const CHUNK_SIZE: usize = 16 << 20;

/// The chunks of a range, in order and without gaps.
pub(super) fn chunks(bytes: &[u8], range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let function = memmem::Finder::new(b"\nfn=");
    let mut chunks = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let from = start.saturating_add(size.max(1));
        let rest = bytes.get(from..range.end).unwrap_or(&[]);
        let end = function.find(rest).map_or(range.end, |found| from + found + 1);
        chunks.push(start..end);
        start = end;
    }
    chunks
}

/// Whether functions are in the file of the last `fi=`: no `fl=` comes before the first function.
pub(super) fn fi_sets_function_file(body: &[u8]) -> bool {
    for line in body.split(|&byte| byte == b'\n') {
        match line.get(..3) {
            Some(b"fl=") => return false,
            Some(b"fn=") => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{chunks, fi_sets_function_file};

    #[test]
    fn chunks_begin_with_functions() {
        let text = b"fl=x\nfn=a\n1 1\nfn=b\n2 2\n\nfn=c\n3 3\n";
        for size in 0..40 {
            let cut = chunks(text, 0..text.len(), size);
            let joined: Vec<u8> = cut.iter().flat_map(|range| text[range.clone()].to_vec()).collect();
            assert_eq!(joined, text);
            assert!(cut.iter().skip(1).all(|range| text[range.clone()].starts_with(b"fn=")), "{cut:?}");
        }
        assert_eq!(chunks(text, 0..text.len(), 1).len(), 4);
        assert_eq!(chunks(text, 3..3, 1), []);
    }

    #[test]
    fn without_fl_the_file_of_fi_is_that_of_functions() {
        assert!(fi_sets_function_file(b"fi=~\nfn=a\nfl=b\n"));
        assert!(!fi_sets_function_file(b"fl=~\nfn=a\n"));
        assert!(!fi_sets_function_file(b"\n1 1\n"));
    }
}
