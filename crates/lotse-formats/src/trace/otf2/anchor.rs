//! Reads the anchor file: chunk sizes, counts, properties.

use super::chunks::byte_order;
use super::fields::FieldReader;
use crate::error::Place;
use crate::reading::Diagnostic;

const MAGIC: &[u8; 5] = b"OTF2\0";
const POSIX: u8 = 1;
const UNCOMPRESSED: u8 = 1;
/// The versions of the format and of the library that wrote the file.
const VERSION_BYTES: usize = 5;
/// The position of the substrate (how files are stored), after the magic number, the versions and two chunk sizes.
const SUBSTRATE: usize = 7 + VERSION_BYTES + 16;

/// The contents of an anchor file. A value is `None` if the file ends before it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) event_chunk: Option<u64>,
    pub(super) definition_chunk: Option<u64>,
    pub(super) locations: Option<u64>,
    pub(super) definitions: Option<u64>,
    /// Machine, creator and description, if they are not empty, then the properties of the recorder.
    pub(super) properties: Vec<(String, String)>,
    /// Whether the file ends too early.
    pub(super) cut: bool,
}

/// Whether the bytes begin like an anchor.
pub(super) fn claim(bytes: &[u8]) -> bool {
    bytes.len() >= 7 && bytes[0] == 3 && byte_order(bytes[1]).is_some() && bytes[2..7] == *MAGIC
}

/// Reads an anchor; of a truncated one, the values before the cut.
pub(super) fn read(bytes: &[u8]) -> Result<Anchor, Diagnostic> {
    if !claim(bytes) {
        return Err(Diagnostic::loss(Place::Byte(0), "this is no anchor of an OTF2 archive"));
    }
    let big = byte_order(bytes[1]) == Some(true);
    check_substrate(bytes)?;
    let mut anchor = Anchor::default();
    anchor.cut =
        read_fields(FieldReader::new(bytes, 7 + VERSION_BYTES, bytes.len(), big), &mut anchor).is_none();
    Ok(anchor)
}

fn read_fields(mut fields: FieldReader<'_>, anchor: &mut Anchor) -> Option<()> {
    anchor.event_chunk = Some(fields.fixed()?);
    anchor.definition_chunk = Some(fields.fixed()?);
    let _substrate_and_compression = (fields.byte()?, fields.byte()?);
    anchor.locations = Some(fields.fixed()?);
    anchor.definitions = Some(fields.fixed()?);
    read_properties(&mut fields, &mut anchor.properties)
}

/// Refuses archives in containers (SIONlib) and compressed files.
fn check_substrate(bytes: &[u8]) -> Result<(), Diagnostic> {
    let refused = |at: usize, problem: String| Err(Diagnostic::loss(Place::Byte(at as u64), problem));
    let (container, packing) = (bytes.get(SUBSTRATE), bytes.get(SUBSTRATE + 1));
    if let Some(substrate) = container.filter(|it| **it != POSIX) {
        let problem = format!("the archive lies in a container (substrate {substrate}), which is not read");
        return refused(SUBSTRATE, problem);
    }
    if let Some(compression) = packing.filter(|it| **it != UNCOMPRESSED) {
        let problem = format!("the files are packed (compression {compression}); only plain ones are read");
        return refused(SUBSTRATE + 1, problem);
    }
    Ok(())
}

fn read_properties(fields: &mut FieldReader<'_>, properties: &mut Vec<(String, String)>) -> Option<()> {
    for name in ["machine", "creator", "description"] {
        let value = text(fields)?;
        if !value.is_empty() {
            properties.push((name.to_owned(), value));
        }
    }
    let count = fields.low_bytes(4)?;
    for _ in 0..count {
        let name = text(fields).filter(|it| !it.is_empty())?;
        properties.push((name, text(fields)?));
    }
    fields.fixed().map(|_trace_id| ())
}

fn text(fields: &mut FieldReader<'_>) -> Option<String> {
    fields.text().map(|it| String::from_utf8_lossy(it).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{claim, read};

    /// As the OTF2 library 3.0.2 writes it.
    fn anchor() -> Vec<u8> {
        let mut bytes = b"\x03BOTF2\0\x03\x02\x03\0\x02".to_vec();
        bytes.extend((1_u64 << 20).to_le_bytes());
        bytes.extend((4_u64 << 20).to_le_bytes());
        bytes.extend([1, 1]);
        bytes.extend(2_u64.to_le_bytes());
        bytes.extend(32_u64.to_le_bytes());
        bytes.extend(b"mach\0\0desc\0\x02\0\0\0A\0one\0B\0\0");
        bytes.extend(0x1122_u64.to_le_bytes());
        bytes.extend(b"\0\0\0\0\0\0\0\0\x02\x01\0");
        bytes
    }

    #[test]
    fn an_anchor_says_sizes_counts_and_properties() {
        let anchor = read(&anchor()).unwrap();
        assert_eq!((anchor.event_chunk, anchor.definition_chunk), (Some(1 << 20), Some(4 << 20)));
        assert_eq!((anchor.locations, anchor.definitions), (Some(2), Some(32)));
        let pairs = [("machine", "mach"), ("description", "desc"), ("A", "one"), ("B", "")];
        assert_eq!(anchor.properties, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(!anchor.cut);
    }

    #[test]
    fn of_a_cut_anchor_the_beginning_is_kept() {
        let whole = anchor();
        for length in 7..whole.len() - 11 {
            let cut = read(&whole[..length]).unwrap();
            assert!(cut.cut, "{length}");
            assert_eq!(cut.event_chunk.is_some(), length >= 20);
        }
    }

    #[test]
    fn containers_and_packed_files_are_refused() {
        let mut sion = anchor();
        sion[28] = 2;
        assert!(read(&sion).unwrap_err().message.contains("container"));
        let mut packed = anchor();
        packed[29] = 2;
        assert!(read(&packed).unwrap_err().message.contains("packed"));
    }

    #[test]
    fn other_bytes_are_no_anchor() {
        assert!(claim(&anchor()));
        assert!(!claim(b"\x03BOTF1\0\x03\x02"));
        assert!(!claim(b"\x03B"));
        assert!(read(b"").is_err());
    }
}
