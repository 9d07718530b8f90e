//! Decompresses gzip and Zstandard, which are recognised by their first bytes.
//!
//! Guarantees: the output is at most [`limit`] bytes long, so that a small hostile file cannot fill the memory; of a
//! damaged file everything before the damage is kept.

use std::io::{self, Read};

use lotse_model::bytes::Source;

use crate::error::{FormatError, Place};
use crate::reading::Diagnostic;

mod cut_frame;

/// A source whose main file may be compressed.
pub struct Unpacked<'a> {
    inner: &'a dyn Source,
    bytes: Option<Vec<u8>>,
}

impl Source for Unpacked<'_> {
    fn name(&self) -> &str {
        let name = self.inner.name();
        match self.bytes {
            Some(_) => [".gz", ".zst"].into_iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name),
            None => name,
        }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_else(|| self.inner.bytes())
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        self.inner.get(name)
    }

    fn siblings(&self) -> io::Result<Vec<String>> {
        self.inner.siblings()
    }

    fn named_with(&self) -> &[String] {
        self.inner.named_with()
    }
}

/// Decompresses the main file of a source if it is compressed. The diagnostics say what was lost.
pub fn unpack(source: &dyn Source) -> Result<(Unpacked<'_>, Vec<Diagnostic>), FormatError> {
    let Some((mut bytes, mut damage)) = layer(source.bytes()) else {
        return Ok((Unpacked { inner: source, bytes: None }, Vec::new()));
    };
    for _ in 1..MOST_LAYERS {
        let Some((inner, inner_damage)) = layer(&bytes) else { break };
        (bytes, damage) = (inner, damage.or(inner_damage));
    }
    if let (true, Some(problem)) = (bytes.is_empty(), &damage) {
        let (name, problem) = (source.name().to_owned(), problem.clone());
        return Err(FormatError::Damaged { name, place: Place::Whole, problem });
    }
    let place = Place::Byte(bytes.len() as u64);
    let damage = damage.map(|problem| Diagnostic::loss(place, format!("of the unpacked bytes: {problem}")));
    Ok((Unpacked { inner: source, bytes: Some(bytes) }, damage.into_iter().collect()))
}

/// How often a file may have been compressed.
const MOST_LAYERS: usize = 3;

/// Decompresses once. Gives the bytes and, if they are incomplete, the reason; `None` for bytes that are not compressed.
fn layer(packed: &[u8]) -> Option<(Vec<u8>, Option<String>)> {
    match packed {
        [0x1f, 0x8b, ..] => Some(inflate(packed)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(zstandard(packed)),
        _ => None,
    }
}

/// The largest output for an input of `packed` bytes. Profiles rarely shrink to less than a hundredth.
fn limit(packed: usize) -> u64 {
    (packed as u64).saturating_mul(300).saturating_add(16 << 20)
}

fn inflate(packed: &[u8]) -> (Vec<u8>, Option<String>) {
    read_all(flate2::bufread::MultiGzDecoder::new(packed), limit(packed.len()))
}

/// Decompresses frame by frame. Of a cut frame, the complete blocks are decompressed.
fn zstandard(packed: &[u8]) -> (Vec<u8>, Option<String>) {
    let (mut bytes, mut rest) = (Vec::new(), packed);
    let limit = limit(packed.len());
    while !rest.is_empty() {
        let (frame, left) = (rest, limit - bytes.len() as u64);
        let (more, damage) = zstandard_frame(&mut rest, left);
        let Some(damage) = damage else {
            bytes.extend(more);
            continue;
        };
        let cut = cut_frame::whole_blocks(frame);
        let beginning = cut.map(|frame| zstandard_frame(&mut &frame[..], left).0);
        // A frame may also be damaged inside. Then the decoder's own output may be longer.
        let longest = beginning.filter(|beginning| beginning.len() > more.len());
        bytes.extend(longest.unwrap_or(more));
        return (bytes, Some(damage));
    }
    (bytes, None)
}

/// Decompresses one frame. The decoder's own messages show its Rust types, so other messages replace them.
fn zstandard_frame(rest: &mut &[u8], limit: u64) -> (Vec<u8>, Option<String>) {
    const DAMAGED: &str =
        "the Zstandard data are cut or damaged here, and nothing after that can be unpacked";
    match ruzstd::decoding::StreamingDecoder::new(rest) {
        Err(_) => (Vec::new(), Some(DAMAGED.to_owned())),
        Ok(frame) => {
            let (bytes, damage) = read_all(frame, limit);
            let is_full = bytes.len() as u64 == limit;
            (bytes, damage.map(|damage| if is_full { damage } else { DAMAGED.to_owned() }))
        }
    }
}

/// Reads up to the limit. Gives the bytes and, if they are incomplete, the reason.
fn read_all(packed: impl Read, limit: u64) -> (Vec<u8>, Option<String>) {
    let mut bytes = Vec::new();
    let damage = match packed.take(limit).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 == limit => Some(format!("unpacks to more than {limit} bytes")),
        Ok(_) => None,
        Err(error) => Some(format!("cannot be unpacked further: {error}")),
    };
    (bytes, damage)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use lotse_model::bytes::{Memory, Source as _};

    use super::unpack;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> (String, usize, usize) {
        let source = Memory { name: "a.txt.gz", bytes };
        let (unpacked, damage) = unpack(&source).unwrap();
        (unpacked.name().to_owned(), unpacked.bytes().len(), damage.len())
    }

    #[test]
    fn packed_and_plain_bytes_come_out() {
        assert_eq!(unpacked(b"plain"), ("a.txt.gz".to_owned(), 5, 0));
        assert_eq!(unpacked(&gzip(b"hello world")), ("a.txt".to_owned(), 11, 0));
        let two = [gzip(b"hello "), gzip(b"world")].concat();
        assert_eq!(unpacked(&two), ("a.txt".to_owned(), 11, 0));
        let zstd = ruzstd::encoding::compress_to_vec(
            &b"hello world"[..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        assert_eq!(unpacked(&[zstd.clone(), zstd.clone()].concat()), ("a.txt".to_owned(), 22, 0));
        assert_eq!(unpacked(&gzip(&zstd)), ("a.txt".to_owned(), 11, 0));
    }

    #[test]
    fn damage_keeps_what_came_before() {
        let text: Vec<u8> =
            (0..200_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let packed = gzip(&text);
        let (_, kept, damage) = unpacked(&packed[..packed.len() / 2]);
        assert!(kept > 1000 && damage == 1, "{kept} {damage}");
        assert!(unpack(&Memory { name: "x", bytes: &[0x1f, 0x8b, 1, 2] }).is_err());
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let packed = ruzstd::encoding::compress_to_vec(&text[..], level);
        let (_, kept, damage) = unpacked(&packed[..packed.len() / 2]);
        assert!(kept > text.len() / 4 && damage == 1, "{kept} {damage}");
        let nothing = unpack(&Memory { name: "x", bytes: &packed[..100] }).err().unwrap().to_string();
        assert!(nothing.contains("cut or damaged") && !nothing.contains("Error {"), "{nothing}");
    }

    #[test]
    fn a_bomb_is_stopped() {
        let packed = gzip(&vec![0; 100 << 20]);
        let (_, kept, damage) = unpacked(&packed);
        assert!(kept < 60 << 20 && damage == 1, "{kept} {damage}");
    }
}
