//! The structure of a perf.data file: magic, sections, events, features.

use lotse_model::profile::readable;

use super::attribute::EventAttribute;
use super::builds::BuildList;
use super::bytes::PerfBytes;
use crate::diagnostics::Diagnostics;
use crate::error::Place;
use crate::reading::Diagnostic;

/// The numbers of the features that are read.
pub(super) const FEATURE_BUILDS: u64 = 2;
pub(super) const FEATURE_VERSION: u64 = 5;
pub(super) const FEATURE_COMMAND: u64 = 11;
pub(super) const FEATURE_EVENTS: u64 = 12;

/// A file before its records are read.
#[derive(Debug, Default)]
pub(super) struct PerfDataFile<'a> {
    pub(super) big: bool,
    pub(super) attributes: Vec<EventAttribute>,
    /// All records, and their offset in the file.
    pub(super) data: &'a [u8],
    pub(super) data_at: u64,
    pub(super) command: Option<String>,
    pub(super) creator: Option<String>,
    pub(super) builds: BuildList,
}

/// Whether the file is big-endian, according to its magic; `None` where it is not a perf.data file.
pub(super) fn big_endian(bytes: &[u8]) -> Option<bool> {
    let mut size = PerfBytes { rest: bytes.get(8..16)?, big: false };
    match &bytes[..8] {
        b"PERFILE2" => Some(false),
        b"2ELIFREP" => Some(true),
        // The first version has the same magic for both; a header is shorter than 2^32 bytes.
        b"PERFFILE" => Some(size.long()? > u64::from(u32::MAX)),
        _ => None,
    }
}

impl<'a> PerfDataFile<'a> {
    /// Reads everything except the records.
    pub(super) fn parse(bytes: &'a [u8], diagnostics: &mut Diagnostics) -> Result<Self, Diagnostic> {
        let big = big_endian(bytes)
            .ok_or_else(|| Diagnostic::loss(Place::Byte(0), "expected PERFILE2, found something else"))?;
        let mut file = Self { big, ..Self::default() };
        let mut header = PerfBytes { rest: &bytes[8..], big };
        if header.long() == Some(16) {
            (file.data, file.data_at) = (&bytes[16..], 16);
            return Ok(file);
        }
        file.sections(bytes, header, diagnostics).ok_or_else(|| {
            Diagnostic::loss(Place::Byte(16), "expected where the sections are; the header ends too early")
        })?;
        Ok(file)
    }

    /// Reads the sections that the header lists. A recording that was interrupted has no features, and records up to
    /// the end of the file.
    fn sections(
        &mut self,
        bytes: &'a [u8],
        mut header: PerfBytes<'a>,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let entry = header.long()?;
        let (attributes, data) = ((header.long()?, header.long()?), (header.long()?, header.long()?));
        header.take(16)?;
        let features = header.take(32)?;
        self.read_attributes(bytes, attributes, entry, diagnostics);
        self.data_at = data.0.min(bytes.len() as u64);
        self.data = section(bytes, data).unwrap_or(&bytes[self.data_at as usize..]);
        if data.1 == 0 {
            self.data = &bytes[self.data_at as usize..];
            let message = "the recording was not finished; all that was written is read";
            diagnostics.note(Place::Byte(self.data_at), message);
            return Some(());
        }
        if (self.data.len() as u64) < data.1 || section(bytes, data).is_none() {
            let message = "the file ends before its records do";
            diagnostics.loss(Place::Byte(bytes.len() as u64), message);
            return Some(());
        }
        self.features(bytes, features, data.0 + data.1);
        Some(())
    }

    /// Reads one attribute for each recorded event, with the numbers of the events that its samples name.
    fn read_attributes(
        &mut self,
        bytes: &'a [u8],
        at: (u64, u64),
        entry: u64,
        diagnostics: &mut Diagnostics,
    ) {
        let entries = section(bytes, at).unwrap_or(&[]);
        let entry = usize::try_from(entry).unwrap_or(usize::MAX);
        if entries.is_empty() || entry < 64 {
            diagnostics.loss(Place::Byte(at.0), "expected events, found none");
            return;
        }
        for entry in entries.chunks_exact(entry) {
            let Some((mut attribute, _)) = EventAttribute::parse(PerfBytes { rest: entry, big: self.big })
            else {
                continue;
            };
            let mut place = PerfBytes { rest: &entry[entry.len() - 16..], big: self.big };
            let ids = place.long().zip(place.long()).and_then(|place| section(bytes, place));
            attribute.ids = ids.map_or(Vec::new(), |ids| self.ids(ids));
            self.attributes.push(attribute);
        }
    }

    fn ids(&self, bytes: &[u8]) -> Vec<u64> {
        let chunks = bytes.chunks_exact(8);
        chunks.filter_map(|chunk| PerfBytes { rest: chunk, big: self.big }.long()).collect()
    }

    /// Reads the features, which follow the records in the order of their bits.
    fn features(&mut self, bytes: &'a [u8], bits: &[u8], at: u64) {
        let Some(table) = usize::try_from(at).ok().and_then(|at| bytes.get(at..)) else { return };
        let mut table = PerfBytes { rest: table, big: self.big };
        let mut words = PerfBytes { rest: bits, big: self.big };
        for base in [0, 64, 128, 192] {
            let word = words.long().unwrap_or(0);
            for feature in (0..64).filter(|bit| word >> bit & 1 == 1).map(|bit| base + bit) {
                let Some(place) = table.long().zip(table.long()) else { return };
                if let Some(content) = section(bytes, place) {
                    // A truncated feature is not an error: it contains no measured values.
                    self.feature(feature, content);
                }
            }
        }
    }

    /// Reads a feature, from the end of a file or from a record.
    pub(super) fn feature(&mut self, feature: u64, content: &'a [u8]) -> Option<()> {
        let mut content = PerfBytes { rest: content, big: self.big };
        match feature {
            FEATURE_BUILDS => self.builds.add_list(content)?,
            FEATURE_VERSION => {
                let version = readable(content.counted_text()?).into_owned();
                self.creator = Some(format!("perf {version}"));
            }
            FEATURE_COMMAND => {
                let words = content.word()?;
                let words = (0..words).map_while(|_| content.counted_text().map(readable));
                self.command = Some(words.collect::<Vec<_>>().join(" "));
            }
            FEATURE_EVENTS => self.events(content)?,
            _ => {}
        }
        Some(())
    }

    /// Reads names and ids of events, in the order of the events.
    fn events(&mut self, mut content: PerfBytes<'a>) -> Option<()> {
        let (count, size) = (content.word()?, content.word()?);
        for number in 0..count as usize {
            let described =
                EventAttribute::parse(PerfBytes { rest: content.take(size as usize)?, big: self.big })?.0;
            let ids = content.word()?;
            let name = content.counted_text()?;
            let ids = self.ids(content.take((ids as usize).checked_mul(8)?)?);
            if number == self.attributes.len() {
                self.attributes.push(described);
            }
            let attribute = self.attributes.get_mut(number)?;
            attribute.rename(name);
            if attribute.ids.is_empty() {
                attribute.ids = ids;
            }
        }
        Some(())
    }
}

/// The bytes of a section; `None` where it is not complete.
fn section(bytes: &[u8], (offset, size): (u64, u64)) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    bytes.get(start..end)
}
