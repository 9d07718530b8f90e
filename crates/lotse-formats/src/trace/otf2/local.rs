//! Reads the local definitions of a location: the mapping of its own numbers to global ones, and the offsets of its clock.

use lotse_model::trace::Ticks;

use super::chunks::Oddity;
use super::definition_records::DefinitionRecords;
use super::fields::FieldReader;

const MAPPING_TABLE: u8 = 5;
const CLOCK_OFFSET: u8 = 6;
const DENSE: u8 = 0;

/// The local definitions of a location. Mappings are pairs of the location's own number and the global number.
#[derive(Debug, Default)]
pub(super) struct LocalDefinitions {
    pub(super) attributes: Vec<(u64, u64)>,
    pub(super) regions: Vec<(u64, u64)>,
    pub(super) groups: Vec<(u64, u64)>,
    pub(super) communicators: Vec<(u64, u64)>,
    pub(super) windows: Vec<(u64, u64)>,
    pub(super) offsets: Vec<(Ticks, i64)>,
    pub(super) diagnostics: Vec<Oddity>,
}

/// Reads the file of local definitions.
pub(super) fn read(bytes: &[u8], chunk: Option<u64>) -> LocalDefinitions {
    let mut local = LocalDefinitions::default();
    let mut records = DefinitionRecords::new(bytes, chunk);
    let mut incomplete = 0_usize;
    for (number, fields) in records.by_ref() {
        let taken = match number {
            MAPPING_TABLE => local.mapping(fields),
            CLOCK_OFFSET => local.offset(fields),
            _ => Some(()),
        };
        incomplete += usize::from(taken.is_none());
    }
    local.diagnostics = records.diagnostics;
    if incomplete > 0 {
        let message = format!("{incomplete} records end before their last field: what was there was taken");
        local.diagnostics.push(Oddity { at: 0, message, loss: false });
    }
    if !local.offsets.is_sorted_by(|offset, next| offset.0 < next.0) {
        let message = "clock offsets are not in the order of time: they were sorted".to_owned();
        local.diagnostics.push(Oddity { at: 0, message, loss: false });
    }
    local
}

impl LocalDefinitions {
    /// Whether the location has mappings of its own numbers.
    pub(super) fn has_mappings(&self) -> bool {
        let maps = [&self.attributes, &self.regions, &self.groups, &self.communicators, &self.windows];
        maps.iter().any(|it| !it.is_empty())
    }

    /// Adds a mapping table: dense (the own numbers are 0, 1, 2, …) or sparse (pairs).
    fn mapping(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let kind = fields.byte()?;
        let (count, mode) = (fields.number()?, fields.byte()?);
        let mut ignored = Vec::new();
        let map = match kind {
            1 => &mut self.attributes,
            3 => &mut self.regions,
            4 => &mut self.groups,
            6 => &mut self.communicators,
            8 => &mut self.windows,
            _ => &mut ignored,
        };
        for index in 0..count {
            let own = if mode == DENSE { index } else { fields.number()? };
            map.push((own, fields.number()?));
        }
        Some(())
    }

    /// Adds a clock offset. Its time and standard deviation are not packed.
    fn offset(&mut self, mut fields: FieldReader<'_>) -> Option<()> {
        let at = fields.fixed()?;
        self.offsets.push((at, fields.number()? as i64));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn file(records: &[u8]) -> Vec<u8> {
        let mut bytes = vec![3, 0x42, 1];
        bytes.resize(18, 0);
        bytes.extend(records);
        bytes.extend([2, 1]);
        bytes
    }

    /// Bytes as the OTF2 library 3.0.2 writes them.
    #[test]
    fn tables_are_dense_or_sparse() {
        let dense = [5, 0x10, 3, 1, 4, 0, 2, 0, 0x33, 2, 1, 0x33, 2, 2, 0x33, 2, 3, 0x33];
        let local = read(&file(&dense), None);
        assert_eq!(local.regions, [(0, 0x3300), (1, 0x3301), (2, 0x3302), (3, 0x3303)]);
        let sparse = [5, 0xe, 6, 1, 2, 1, 1, 0x4d, 1, 1, 2, 0x88, 0x99, 2, 0x66, 0x77];
        let local = read(&file(&sparse), None);
        assert_eq!(local.communicators, [(0x4d, 1), (0x9988, 0x7766)]);
        assert!(local.diagnostics.is_empty());
    }

    #[test]
    fn offsets_may_be_negative_and_are_checked_for_their_order() {
        let mut records = vec![6, 0x13, 200, 0, 0, 0, 0, 0, 0, 0, 2, 0x2c, 1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f];
        records.extend([6, 0x19, 100, 0, 0, 0, 0, 0, 0, 0, 8, 0xfb]);
        records.extend([0xff; 7]);
        records.extend([0, 0, 0, 0, 0, 0, 0xe0, 0x3f]);
        let local = read(&file(&records), None);
        assert_eq!(local.offsets, [(200, 300), (100, -5)]);
        assert_eq!(local.diagnostics.len(), 1);
    }

    #[test]
    fn a_table_that_promises_more_than_it_has_gives_what_it_has() {
        let local = read(&file(&[5, 7, 8, 4, 0xff, 0xff, 0xff, 0x7f, 0]), None);
        assert!(local.windows.is_empty());
        assert_eq!(local.diagnostics.len(), 1);
        let local = read(&file(&[5, 6, 4, 1, 9, 0, 1, 7]), None);
        assert_eq!(local.groups, [(0, 7)]);
    }
}
