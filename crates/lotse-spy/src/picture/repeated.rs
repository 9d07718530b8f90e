//! Run-length encoding for lists with repeated values.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// More values than any grid has; limits the memory that a damaged file can request.
const MOST: usize = 1 << 20;

pub(super) fn serialize<S: Serializer>(values: &[u16], serializer: S) -> Result<S::Ok, S::Error> {
    let repeated: Vec<(u16, u32)> =
        values.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u32)).collect();
    repeated.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u16>, D::Error> {
    let mut values = Vec::new();
    for (value, count) in Vec::<(u16, u32)>::deserialize(deserializer)? {
        if values.len() + count as usize > MOST {
            return Err(D::Error::custom("a grid has too many cells"));
        }
        values.resize(values.len() + count as usize, value);
    }
    Ok(values)
}
