//! Whether bytes are a pprof file: the fields at its top are those of one, to the end.

use lotse_model::bytes::Source;

use super::wire::{Piece, Value};
use crate::recognise::Confidence;

/// How many fields a claim looks at.
const LOOK: usize = 4096;

pub(super) fn claim(source: &dyn Source) -> Confidence {
    let (mut types, mut others) = (0, 0);
    for field in (Piece { bytes: source.bytes(), at: 0 }).fields().take(LOOK) {
        match field {
            Ok((1, Value::Bytes(piece))) if is_type(piece) => types += 1,
            Ok((2 | 3 | 4 | 5 | 6 | 13, Value::Bytes(_)) | (7..=10 | 12..=15, Value::Number(_))) => {
                others += 1
            }
            Ok((11, Value::Bytes(piece))) if is_type(piece) => others += 1,
            // A file that was cut off.
            Err(_) if types > 0 && others > 3 => return Confidence::Likely,
            _ => return Confidence::No,
        }
    }
    match (types, others) {
        (0, _) => Confidence::No,
        (_, 0) => Confidence::Possible,
        _ => Confidence::Certain,
    }
}

/// A name and a unit, both of them numbers of strings.
fn is_type(piece: Piece<'_>) -> bool {
    piece.bytes.len() <= 20 && piece.fields().all(|field| matches!(field, Ok((1 | 2, Value::Number(_)))))
}
