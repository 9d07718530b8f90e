//! Writes the anchor file, which a reader needs to open the other files.

use lotse_model::trace::Definitions;

use super::{DEFINITION_CHUNK, EVENT_CHUNK};

/// The version of the format (3.2) and of the OTF2 library that writes it in the same way (3.0.2).
const VERSIONS: [u8; 5] = [3, 2, 3, 0, 2];
/// Substrate and compression: plain files, not compressed.
const PLAIN: [u8; 2] = [1, 1];
/// Properties that have their own fields in the anchor.
const OWN_FIELDS: [&str; 3] = ["machine", "creator", "description"];

pub(super) struct AnchorWriter<'a> {
    pub(super) creator: &'a str,
    pub(super) definitions: &'a Definitions,
    pub(super) definition_count: u64,
    pub(super) location_count: u64,
    pub(super) event_count: u64,
}

impl AnchorWriter<'_> {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = b"\x03BOTF2\0".to_vec();
        out.extend(VERSIONS);
        out.extend((EVENT_CHUNK as u64).to_le_bytes());
        out.extend((DEFINITION_CHUNK as u64).to_le_bytes());
        out.extend(PLAIN);
        out.extend(self.location_count.to_le_bytes());
        out.extend(self.definition_count.to_le_bytes());
        for text in [self.machine(), self.creator, self.property("description").unwrap_or("")] {
            put_text(&mut out, text);
        }
        let properties: Vec<_> = self.properties().collect();
        out.extend((properties.len() as u32).to_le_bytes());
        properties.iter().flat_map(|(name, value)| [name, value]).for_each(|text| put_text(&mut out, text));
        out.extend(self.identifier().to_le_bytes());
        // No snapshots, no thumbnails.
        out.extend([0; 8]);
        out.extend([2, 1, 0]);
        out
    }

    /// The name of the machine: the property, else the name of the root of the machine tree.
    fn machine(&self) -> &str {
        let root = self.definitions.machines.iter().find(|it| it.parent.is_none());
        self.property("machine").unwrap_or_else(|| root.map_or("", |it| &it.name))
    }

    fn property(&self, wanted: &str) -> Option<&str> {
        self.definitions
            .properties
            .iter()
            .find_map(|(name, value)| (name == wanted).then_some(value.as_str()))
    }

    /// Properties without their own fields. The OTF2 library refuses archives with properties that have no value, or whose
    /// names are not of the form `SPACE::NAME`.
    fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.definitions.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(|(name, value)| is_proper(name) && !value.is_empty() && !OWN_FIELDS.contains(name))
    }

    /// An identifier of the trace: a hash (FNV-1a) of the clock, the counts and the creator.
    fn identifier(&self) -> u64 {
        let clock = self.definitions.clock;
        let identifying =
            [clock.offset, clock.length, self.definition_count, self.location_count, self.event_count];
        let bytes = identifying.into_iter().flat_map(u64::to_le_bytes).chain(self.creator.bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

fn is_proper(name: &str) -> bool {
    let word =
        |part: &str| !part.is_empty() && part.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    name.contains("::") && name.split("::").all(word)
}

/// Appends a text with its terminating zero; zeros inside the text are left out.
fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|&byte| byte != 0));
    out.push(0);
}
