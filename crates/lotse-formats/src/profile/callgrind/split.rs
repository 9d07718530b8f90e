//! Cuts a part into pieces that can be decoded apart: before lines with `fn=`, roughly equal in size.

use std::ops::Range;

use memchr::memmem;

/// Large enough that what pieces repeat (names of callees) is little, small enough that all threads have work.
pub(super) const PIECE: usize = 16 << 20;

/// The pieces of a range, in order and without gaps.
pub(super) fn pieces(bytes: &[u8], range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let function = memmem::Finder::new(b"\nfn=");
    let mut pieces = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let from = start.saturating_add(size.max(1));
        let rest = bytes.get(from..range.end).unwrap_or(&[]);
        let end = function.find(rest).map_or(range.end, |found| from + found + 1);
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// Whether functions are in the file of the last `fi=`, as no `fl=` comes before the first of them.
pub(super) fn is_roaming(body: &[u8]) -> bool {
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
    use super::{is_roaming, pieces};

    #[test]
    fn pieces_begin_with_functions() {
        let text = b"fl=x\nfn=a\n1 1\nfn=b\n2 2\n\nfn=c\n3 3\n";
        for size in 0..40 {
            let cut = pieces(text, 0..text.len(), size);
            let joined: Vec<u8> = cut.iter().flat_map(|range| text[range.clone()].to_vec()).collect();
            assert_eq!(joined, text);
            assert!(cut.iter().skip(1).all(|range| text[range.clone()].starts_with(b"fn=")), "{cut:?}");
        }
        assert_eq!(pieces(text, 0..text.len(), 1).len(), 4);
        assert_eq!(pieces(text, 3..3, 1), []);
    }

    #[test]
    fn without_fl_the_file_roams() {
        assert!(is_roaming(b"fi=~\nfn=a\nfl=b\n"));
        assert!(!is_roaming(b"fl=~\nfn=a\n"));
        assert!(!is_roaming(b"\n1 1\n"));
    }
}
