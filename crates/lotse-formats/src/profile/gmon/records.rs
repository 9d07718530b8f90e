//! The records of gmon.out in a given byte order and width of addresses.
//!
//! There are two formats: GNU, with a magic word and tagged records, and BSD, one histogram followed by calls up to the
//! end of the file.

use super::layout::GmonLayout;

/// The contents of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GmonRecords {
    pub(super) histograms: Vec<Histogram>,
    pub(super) arcs: Vec<CallArc>,
    /// Addresses of basic blocks and how often they were executed.
    pub(super) blocks: Vec<(u64, u64)>,
    /// Where the first unreadable record begins, and what was expected.
    pub(super) flaw: Option<(usize, &'static str)>,
}

/// Samples of the program counter, by equal bins of a range of addresses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Histogram {
    pub(super) low: u64,
    pub(super) high: u64,
    /// Samples per second.
    pub(super) rate: u32,
    /// The unit of samples, usually `seconds`.
    pub(super) dimension: String,
    pub(super) bins: Vec<u16>,
}

/// Calls from a call site to a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallArc {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) count: u64,
}

const SHORT: &str = "the file ends within a record";

/// Reads the records of the GNU format after its header.
pub(super) fn gnu(bytes: &[u8], layout: GmonLayout) -> GmonRecords {
    let mut records = GmonRecords::default();
    let mut reader = GmonCursor { bytes, at: 20, layout };
    while reader.at < bytes.len() {
        let start = reader.at;
        if let Err(problem) = tagged(&mut reader, &mut records) {
            records.flaw = Some((start, problem));
            return records;
        }
    }
    records
}

fn tagged(reader: &mut GmonCursor<'_>, records: &mut GmonRecords) -> Result<(), &'static str> {
    match reader.take(1)?[0] {
        0 => records.histograms.push(gnu_histogram(reader)?),
        1 => {
            let (from, to) = (reader.word()?, reader.word()?);
            records.arcs.push(CallArc { from, to, count: u64::from(reader.u32()?) });
        }
        2 => {
            for _ in 0..reader.u32()? {
                let block = (reader.word()?, reader.word()?);
                records.blocks.push(block);
            }
        }
        _ => return Err("expected a histogram, calls or blocks"),
    }
    Ok(())
}

fn gnu_histogram(reader: &mut GmonCursor<'_>) -> Result<Histogram, &'static str> {
    let (low, high) = (reader.word()?, reader.word()?);
    let (size, rate) = (reader.u32()?, reader.u32()?);
    let name = reader.take(15)?;
    let name = name.split(|&byte| byte == 0).next().unwrap_or(name);
    let dimension = String::from_utf8_lossy(name).into_owned();
    reader.take(1)?;
    histogram(reader, Histogram { low, high, rate, dimension, bins: Vec::new() }, size as usize)
}

fn histogram(reader: &mut GmonCursor<'_>, empty: Histogram, bins: usize) -> Result<Histogram, &'static str> {
    if empty.low > empty.high || empty.rate == 0 || empty.rate > 1_000_000_000 {
        return Err("expected a range of addresses and a sampling rate");
    }
    let layout = reader.layout;
    let bytes = reader.take(bins.saturating_mul(2))?;
    let bins = bytes.chunks_exact(2).map(|bin| layout.u16([bin[0], bin[1]])).collect();
    Ok(Histogram { bins, ..empty })
}

/// Reads the histogram and the calls of the BSD format.
pub(super) fn bsd(bytes: &[u8], layout: GmonLayout) -> GmonRecords {
    let mut records = GmonRecords::default();
    let mut reader = GmonCursor { bytes, at: 0, layout };
    match bsd_histogram(&mut reader) {
        Ok(histogram) => records.histograms.push(histogram),
        Err(problem) => {
            records.flaw = Some((0, problem));
            return records;
        }
    }
    while reader.at < bytes.len() {
        let start = reader.at;
        match [reader.word(), reader.word(), reader.word()] {
            [Ok(from), Ok(to), Ok(count)] => records.arcs.push(CallArc { from, to, count }),
            _ => {
                records.flaw = Some((start, SHORT));
                break;
            }
        }
    }
    records
}

fn bsd_histogram(reader: &mut GmonCursor<'_>) -> Result<Histogram, &'static str> {
    let (low, high) = (reader.word()?, reader.word()?);
    let (size, _version, rate) = (reader.u32()?, reader.u32()?, reader.u32()?);
    reader.take(12)?;
    let bytes = (size as usize).checked_sub(reader.at).ok_or("the histogram is smaller than its header")?;
    // Old versions do not write the rate; it was always 100.
    let rate = if rate == 0 { 100 } else { rate };
    let empty = Histogram { low, high, rate, dimension: "seconds".to_owned(), bins: Vec::new() };
    histogram(reader, empty, bytes / 2)
}

struct GmonCursor<'a> {
    bytes: &'a [u8],
    at: usize,
    layout: GmonLayout,
}

impl<'a> GmonCursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], &'static str> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let (taken, _) = rest.split_at_checked(length).ok_or(SHORT)?;
        self.at += length;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        let bytes = self.take(4)?;
        Ok(self.layout.u32([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// An address.
    fn word(&mut self) -> Result<u64, &'static str> {
        if !self.layout.wide {
            return self.u32().map(u64::from);
        }
        let first = u64::from(self.u32()?);
        let second = u64::from(self.u32()?);
        Ok(if self.layout.big { first << 32 | second } else { second << 32 | first })
    }
}
