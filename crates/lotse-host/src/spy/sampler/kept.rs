//! A store of the kernel's records with bounded memory.
//!
//! When the store is full, every second sample is dropped, and from then on only every second one is stored. The stored samples are
//! therefore evenly distributed over the run, however long it is:
//!
//! ```text
//! capacity 4, samples 0 1 2 3        full: keep 0 2, from now on every 2nd
//!             0 2 4 6                full: keep 0 4, from now on every 4th
//! ```

use super::event::Attributes;

/// With this number of samples a share of one half is accurate to 2 percentage points.
const MOST_SAMPLES: usize = 4096;
/// Maximum bytes of other records: about processes and memory maps.
const MOST_OTHERS: usize = 64 << 20;

/// The record type of samples.
const SAMPLE: u32 = 9;
/// Bytes of a record's header: type, mode, length.
const HEAD: usize = 8;

/// Records of the kernel.
#[derive(Debug)]
pub(super) struct KeptRecords {
    others: Vec<u8>,
    samples: Vec<Vec<u8>>,
    /// One of `every` samples is stored.
    every: u64,
    seen: u64,
}

impl Default for KeptRecords {
    fn default() -> Self {
        Self { others: Vec::new(), samples: Vec::new(), every: 1, seen: 0 }
    }
}

impl KeptRecords {
    /// Stores consecutive records.
    pub(super) fn take_all(&mut self, mut bytes: &[u8]) {
        while let Some((kind, length)) =
            head(bytes).filter(|(_, length)| (HEAD..=bytes.len()).contains(length))
        {
            let (record, rest) = bytes.split_at(length);
            match kind {
                SAMPLE => self.sample(record),
                _ if self.others.len() + length <= MOST_OTHERS => self.others.extend_from_slice(record),
                _ => {}
            }
            bytes = rest;
        }
    }

    fn sample(&mut self, record: &[u8]) {
        let is_kept = self.seen.is_multiple_of(self.every);
        self.seen += 1;
        if !is_kept {
            return;
        }
        self.samples.push(record.to_vec());
        if self.samples.len() == MOST_SAMPLES {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// The factor of thinning: one of this many samples is stored.
    pub(super) fn every(&self) -> u64 {
        self.every
    }

    /// A perf.data file: header, the event, records. Readers sort records by time.
    pub(super) fn into_file(self, attributes: &Attributes) -> Vec<u8> {
        const HEADER: u64 = 104;
        let event = attributes.bytes();
        let entry = event.len() as u64 + 16;
        let data: u64 =
            self.samples.iter().map(|sample| sample.len() as u64).sum::<u64>() + self.others.len() as u64;
        // Size of the header, size of an event's entry; offset and size of events, records and event types; no feature bits.
        let words = [HEADER, entry, HEADER, entry, HEADER + entry, data, 0, 0, 0, 0, 0, 0];
        let mut file = b"PERFILE2".to_vec();
        file.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
        file.extend(event);
        file.extend([0; 16]);
        file.extend(self.others);
        self.samples.iter().for_each(|sample| file.extend(sample));
        file
    }
}

/// Type and length of the first record; `None` if its header is incomplete.
fn head(bytes: &[u8]) -> Option<(u32, usize)> {
    let kind = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?);
    let length = u16::from_ne_bytes(bytes.get(6..HEAD)?.try_into().ok()?);
    Some((kind, usize::from(length)))
}

#[cfg(test)]
mod tests {
    use super::{Attributes, KeptRecords, MOST_SAMPLES};

    fn record(kind: u32, number: u64) -> Vec<u8> {
        let mut bytes = kind.to_ne_bytes().to_vec();
        bytes.extend([0, 0]);
        bytes.extend(16_u16.to_ne_bytes());
        bytes.extend(number.to_ne_bytes());
        bytes
    }

    #[test]
    fn samples_that_are_too_many_are_thinned_out_evenly() {
        let mut kept = KeptRecords::default();
        let all = 5 * MOST_SAMPLES as u64;
        (0..all).for_each(|number| kept.take_all(&record(9, number)));
        assert_eq!(kept.every(), 8);
        let numbers = |sample: &Vec<u8>| u64::from_ne_bytes(sample[8..].try_into().unwrap());
        let numbers: Vec<u64> = kept.samples.iter().map(numbers).collect();
        assert_eq!(numbers, (0..all).step_by(8).collect::<Vec<_>>());
    }

    #[test]
    fn a_record_that_is_cut_ends_the_list() {
        let mut kept = KeptRecords::default();
        let mut bytes = [record(9, 1), record(10, 2), record(9, 3)].concat();
        bytes.truncate(40);
        kept.take_all(&bytes);
        assert_eq!((kept.samples.len(), kept.others.len()), (1, 16));
    }

    #[test]
    fn a_file_says_where_its_records_are() {
        let mut kept = KeptRecords::default();
        kept.take_all(&[record(9, 1), record(10, 2)].concat());
        let file = kept.into_file(&Attributes::new());
        assert_eq!(file.len(), 104 + 128 + 32);
        let word = |at: usize| u64::from_ne_bytes(file[at..at + 8].try_into().unwrap());
        assert_eq!(
            [word(8), word(16), word(24), word(32), word(40), word(48)],
            [104, 128, 104, 128, 232, 32]
        );
    }
}
