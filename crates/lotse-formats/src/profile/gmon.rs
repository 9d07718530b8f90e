//! gmon.out, written by programs built with `gcc -pg`: the GNU and BSD formats, in both byte orders, with addresses of 32
//! or 64 bits.
//!
//! The file does not name the program, so all functions are addresses of the unknown object. glibc subtracts the load
//! address, so that the addresses of a position-independent program are those of the linker too. A function
//! `0x10-0x14` stands for a bin of the histogram and may overlap two real functions; `0x10` stands for a call site or
//! an entry point. glibc rounds call sites down, usually to 16 bytes, so that one near the start of a function can seem
//! to be in the function before it; gprof has the same problem.

mod layout;
mod records;

use hashbrown::HashMap;
use lotse_model::bytes::Source;
use lotse_model::id::{FileId, FunctionId, ObjectId};
use lotse_model::profile::{AddressSpace, Builder, EventType, Part, Unresolved};
use lotse_model::{Profile, Unit, Workers};

use self::layout::{GmonHeader, header};
use self::records::{GmonRecords, Histogram};
use crate::diagnostics::Diagnostics;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::Diagnostic;
use crate::reading::Reading;

pub(crate) const FORMAT: Format = Format {
    id: "gmon",
    title: "gmon.out of gcc -pg",
    extensions: &[],
    claim,
    reader: Reader::Profile(read),
};

fn claim(source: &dyn Source) -> Confidence {
    match header(source.bytes()) {
        Some(GmonHeader::Newer(_)) => Confidence::Likely,
        Some(_) => Confidence::Certain,
        None => Confidence::No,
    }
}

/// Reads the records in the layout that fits them (`layout`); what follows a damaged record is lost.
fn read(source: &dyn Source, _workers: &dyn Workers) -> Result<Reading<Profile>, FormatError> {
    let name = source.name();
    let header = match header(source.bytes()) {
        Some(GmonHeader::Newer(version)) => {
            let (name, found) = (name.to_owned(), version.to_string());
            return Err(FormatError::Version { name, found, known: "version 1" });
        }
        Some(header) => header,
        None => {
            return Err(Diagnostic::loss(Place::Byte(0), "expected the header of gmon.out").into_error(name));
        }
    };
    let records = layout::records(source.bytes(), header);
    let mut diagnostics = Diagnostics::default();
    if let Some((at, problem)) = records.flaw {
        diagnostics.loss(Place::Byte(at as u64), problem);
    }
    let value = profile(&records, &mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics: diagnostics.into_vec() })
}

/// The time of one sample: `numerator / denominator` units of `10^exponent` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SampleTime {
    exponent: i8,
    numerator: u128,
    denominator: u128,
}

impl SampleTime {
    /// The time of a sample at `rate` samples per second: exact where a power of ten is a multiple of the rate, else in
    /// nanoseconds. The unit is much smaller than a sample, since samples are divided among functions and callers.
    fn from_rate(rate: u32) -> Self {
        let rate = u128::from(rate);
        let exact = (6..=15).find(|&power| 10_u128.pow(power) % rate == 0);
        match exact {
            Some(power) => {
                Self { exponent: -(power as i8), numerator: 10_u128.pow(power) / rate, denominator: 1 }
            }
            None => Self { exponent: -9, numerator: 1_000_000_000, denominator: rate },
        }
    }

    fn cost(self, samples: u128) -> u64 {
        let cost = (samples * self.numerator + self.denominator / 2) / self.denominator;
        u64::try_from(cost).unwrap_or(u64::MAX)
    }
}

/// Makes the profile: self costs of histogram bins and of basic blocks, then calls.
fn profile(records: &GmonRecords, diagnostics: &mut Diagnostics) -> Profile {
    let mut builder = Builder::new();
    let first = records.histograms.first();
    let rate = first.map_or(100, |histogram| histogram.rate);
    let dimension = first.map_or("seconds", |histogram| histogram.dimension.as_str());
    let sample_time = SampleTime::from_rate(rate);
    builder.profile.events = events(dimension, sample_time, !records.blocks.is_empty());
    let width = builder.profile.events.len();
    let mut part = Part::new("1", width, false);
    let mut rows: HashMap<FunctionId, usize> = HashMap::new();
    // A bin of one byte and a block at the same address are the same function.
    let mut add_cost = |function: FunctionId, costs: &[u64]| {
        let next = part.own.function.len();
        let row = *rows.entry(function).or_insert(next);
        if row == next {
            part.own.function.push(function);
            part.own.costs.push(costs);
        } else {
            part.own.costs.add(row, costs);
        }
    };
    for ((start, end), samples) in samples(&records.histograms, rate, diagnostics) {
        add_cost(unresolved(&mut builder, start, end - start), &[sample_time.cost(u128::from(samples))]);
    }
    for &(address, count) in &records.blocks {
        add_cost(unresolved(&mut builder, address, 1), &[0, count]);
    }
    calls(records, &mut builder, &mut part);
    builder.profile.parts.push(part);
    builder.finish()
}

fn events(dimension: &str, sample_time: SampleTime, blocks: bool) -> Vec<EventType> {
    let mut events = vec![match dimension {
        "seconds" | "" => EventType::new("time", Unit::Seconds, sample_time.exponent),
        other => EventType::new(other, Unit::Count, sample_time.exponent),
    }];
    if blocks {
        events.push(EventType::count("executions"));
    }
    events
}

/// Samples by range of addresses, without ranges that have none; equal ranges of several histograms are added up.
fn samples(histograms: &[Histogram], rate: u32, diagnostics: &mut Diagnostics) -> Vec<((u64, u64), u64)> {
    let mut found: Vec<((u64, u64), u64)> = Vec::new();
    let mut rows: HashMap<(u64, u64), usize> = HashMap::new();
    for (number, histogram) in histograms.iter().enumerate() {
        if histogram.rate != rate {
            let place = Place::Path(format!("histogram {number}"));
            diagnostics
                .loss(place, format!("{} samples a second instead of {rate}; left out", histogram.rate));
            continue;
        }
        for (bin, &samples) in histogram.bins.iter().enumerate().filter(|&(_, &samples)| samples > 0) {
            let range = bin_range(histogram, bin);
            let row = *rows.entry(range).or_insert(found.len());
            match found.get_mut(row) {
                Some(known) => known.1 += u64::from(samples),
                None => found.push((range, u64::from(samples))),
            }
        }
    }
    found
}

/// The addresses of a bin. The size of the histogram need not be a multiple of the number of bins.
fn bin_range(histogram: &Histogram, bin: usize) -> (u64, u64) {
    let range = u128::from(histogram.high - histogram.low);
    let bins = histogram.bins.len().max(1) as u128;
    let at = |bin: usize| histogram.low + (range * bin as u128 / bins) as u64;
    let (start, end) = (at(bin), at(bin + 1));
    (start, end.max(start.saturating_add(1)).max(start))
}

fn calls(records: &GmonRecords, builder: &mut Builder, part: &mut Part) {
    let mut rows: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
    for arc in &records.arcs {
        let caller = unresolved(builder, arc.from, 1);
        let callee = unresolved(builder, arc.to, 1);
        let next = part.calls.len();
        let row = *rows.entry((caller, callee)).or_insert(next);
        if row == next {
            part.calls.caller.push(caller);
            part.calls.callee.push(callee);
            part.calls.count.push(arc.count);
        } else {
            part.calls.count[row] = part.calls.count[row].saturating_add(arc.count);
        }
    }
}

/// The function that stands for `extent` bytes at an address, to be resolved by symbols later.
fn unresolved(builder: &mut Builder, address: u64, extent: u64) -> FunctionId {
    let name = match extent {
        0 | 1 => format!("{address:#x}"),
        _ => format!("{address:#x}-{:#x}", address.saturating_add(extent)),
    };
    let known = builder.profile.functions.len();
    let function = builder.function(&name, ObjectId(0), FileId(0));
    if builder.profile.functions.len() > known {
        let space = AddressSpace::Linked;
        builder.profile.unresolved.push(Unresolved { function, address, extent: extent.max(1), space });
    }
    function
}

#[cfg(test)]
mod tests;
