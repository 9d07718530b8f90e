//! Decodes bytes as UTF-8 text up to the first byte that is not UTF-8; a byte order mark is skipped.

use crate::error::Place;
use crate::reading::Diagnostic;

/// The longest valid text at the start of the bytes, and the error after it.
pub(crate) fn decode(bytes: &[u8]) -> (&str, Option<Diagnostic>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or(&[]);
            let text = std::str::from_utf8(good).unwrap_or("");
            (
                text,
                Some(Diagnostic::loss(
                    end_of(text),
                    "expected UTF-8 text, found other bytes; what follows is left out",
                )),
            )
        }
    }
}

/// The place after the last character.
fn end_of(text: &str) -> Place {
    let line = 1 + text.matches('\n').count() as u64;
    let column = 1 + text.rsplit('\n').next().map_or(0, |last| last.chars().count()) as u64;
    Place::At { line, column }
}

#[cfg(test)]
mod tests {
    use super::{Place, decode};

    #[test]
    fn text_ends_where_utf8_does() {
        let (text, flaw) = decode(b"\xef\xbb\xbfab\ncd\xff\xfeef");
        assert_eq!(text, "ab\ncd");
        assert_eq!(flaw.unwrap().place, Place::At { line: 2, column: 3 });
        assert!(decode("größer".as_bytes()).1.is_none());
    }
}
