//! Compressed JSON: the length of the text in four bytes, then the text compressed with zlib.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest ratio of text to compressed bytes that is accepted, as a protection against hostile files.
const MOST: u64 = 256;

pub(super) fn pack(value: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_vec(value).expect("the types have only keys that are strings");
    let mut payload = u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    let mut encoder = ZlibEncoder::new(&mut payload, Compression::fast());
    encoder.write_all(&text).and_then(|()| encoder.finish().map(drop)).expect("memory takes all bytes");
    payload
}

pub(super) fn unpack<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    let (length, compressed) = payload.split_first_chunk::<4>()?;
    let length = u64::from(u32::from_le_bytes(*length));
    if length > MOST * compressed.len() as u64 {
        return None;
    }
    let mut text = Vec::new();
    ZlibDecoder::new(compressed).take(length).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};

    #[test]
    fn a_length_that_no_text_has_is_refused() {
        let mut bytes = pack(&[1, 2, 3]);
        assert_eq!(unpack(&bytes), Some(vec![1, 2, 3]));
        bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(unpack::<Vec<u32>>(&bytes), None);
        assert_eq!(unpack::<Vec<u32>>(&bytes[..3]), None);
    }
}
