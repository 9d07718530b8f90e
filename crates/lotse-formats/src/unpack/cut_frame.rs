//! Turns a truncated Zstandard frame into a valid one, made of the complete blocks, the last of them marked as last.
//!
//! A decoder withholds up to 8 MiB of output that later blocks may refer to, and returns it only at the end of the frame.
//! Without the repair, that output of a truncated frame would be lost. RFC 8878 describes the layout.

/// The checksum flag of the frame header descriptor.
const CHECKSUM: u8 = 1 << 2;
const MAGIC: usize = 4;
const BLOCK_HEADER: usize = 3;

/// A frame of the complete blocks; `None` if the frame is not truncated, or has no complete block.
pub(super) fn whole_blocks(packed: &[u8]) -> Option<Vec<u8>> {
    let first = header_length(packed)?;
    let (mut at, mut last) = (first, None);
    while let Some(header) = packed.get(at..at + BLOCK_HEADER) {
        let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
        let length = if (header >> 1) & 3 == 1 { 1 } else { header as usize >> 3 };
        let end = at + BLOCK_HEADER + length;
        if end > packed.len() {
            break;
        }
        if header & 1 == 1 {
            return None;
        }
        last = Some(at);
        at = end;
    }
    let mut frame = packed[..at].to_vec();
    frame[MAGIC] &= !CHECKSUM;
    frame[last?] |= 1;
    Some(frame)
}

/// The length of the frame header with its magic number.
fn header_length(packed: &[u8]) -> Option<usize> {
    let descriptor = *packed.get(MAGIC)?;
    let single_segment = descriptor & (1 << 5) != 0;
    let window = usize::from(!single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_size = match descriptor >> 6 {
        0 => usize::from(single_segment),
        flag => 1 << flag,
    };
    let length = MAGIC + 1 + window + dictionary + content_size;
    (length <= packed.len()).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::whole_blocks;

    #[test]
    fn only_cut_frames_with_a_whole_block_are_ended() {
        let text = vec![7_u8; 1 << 20];
        let packed =
            ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Uncompressed);
        assert_eq!(whole_blocks(&packed), None);
        assert_eq!(whole_blocks(&packed[..20]), None);
        assert_eq!(whole_blocks(b""), None);
        let half = whole_blocks(&packed[..packed.len() / 2]).unwrap();
        assert!(half.len() <= packed.len() / 2 && half.len() > packed.len() / 4);
    }
}
