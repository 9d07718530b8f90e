//! Recognises a pprof file: all top-level fields are those of a profile.

use lotse_model::bytes::Source;

use super::wire::{FieldValue, MessageBytes};
use crate::format::Confidence;

/// How many fields a claim examines.
const LOOK: usize = 4096;

/// Claims bytes whose fields are all those of a profile; certainly if there are fields besides sample types.
pub(super) fn claim(source: &dyn Source) -> Confidence {
    let (mut types, mut others) = (0, 0);
    for field in (MessageBytes { bytes: source.bytes(), at: 0 }).fields().take(LOOK) {
        match field {
            Ok((1, FieldValue::Bytes(encoded))) if is_type(encoded) => types += 1,
            Ok(
                (2 | 3 | 4 | 5 | 6 | 13, FieldValue::Bytes(_)) | (7..=10 | 12..=15, FieldValue::Number(_)),
            ) => others += 1,
            Ok((11, FieldValue::Bytes(encoded))) if is_type(encoded) => others += 1,
            // A truncated file.
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

/// Whether a message is a sample type: a name and a unit, both indices of strings.
fn is_type(encoded: MessageBytes<'_>) -> bool {
    encoded.bytes.len() <= 20
        && encoded.fields().all(|field| matches!(field, Ok((1 | 2, FieldValue::Number(_)))))
}
