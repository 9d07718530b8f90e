//! Binary CPU profiles: words of four or eight bytes in either byte order, followed by text.

use hashbrown::HashMap;
use lotse_model::Unit;
use lotse_model::profile::{EventType, readable};

use super::{LegacyProfile, LegacySample, maps};
use crate::diagnostics::Diagnostics;
use crate::error::Place;

/// The words still to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct CpuProfileWords<'a> {
    rest: &'a [u8],
    long: bool,
    big: bool,
    /// Microseconds.
    period: u64,
    java: bool,
}

impl<'a> CpuProfileWords<'a> {
    /// The words after the header `0 3 kind period 0`, if there is one.
    pub(super) fn recognise(bytes: &'a [u8]) -> Option<Self> {
        [(false, false), (false, true), (true, false), (true, true)].into_iter().find_map(|(long, big)| {
            let mut words = Self { rest: bytes, long, big, period: 0, java: false };
            let header = [words.next()?, words.next()?, words.next()?, words.next()?, words.next()?];
            match header {
                [0, 3, kind @ (0 | 1), period, 0] if period > 0 => {
                    Some(Self { period, java: kind == 1, ..words })
                }
                _ => None,
            }
        })
    }

    fn next(&mut self) -> Option<u64> {
        let (word, rest) = self.rest.split_at_checked(if self.long { 8 } else { 4 })?;
        self.rest = rest;
        let mut wide = [0; 8];
        if self.big {
            wide[8 - word.len()..].copy_from_slice(word);
            return Some(u64::from_be_bytes(wide));
        }
        wide[..word.len()].copy_from_slice(word);
        Some(u64::from_le_bytes(wide))
    }

    /// A count and its stack; `None` where the words end too early.
    fn stack(&mut self) -> Option<(u64, Vec<u64>)> {
        let (count, length) = (self.next()?, self.next()?);
        if length > self.rest.len() as u64 {
            return None;
        }
        let addresses: Option<Vec<u64>> = (0..length).map(|_| self.next()).collect();
        Some((count, addresses?))
    }
}

/// Reads samples up to the trailer, a stack of one 0 with count 0; then the memory map, or the symbols of Java.
pub(super) fn read(
    mut words: CpuProfileWords<'_>,
    at: u64,
    legacy: &mut LegacyProfile,
    diagnostics: &mut Diagnostics,
) {
    legacy.events = vec![EventType::count("samples"), EventType::new("cpu", Unit::Seconds, -9)];
    (legacy.numbered, legacy.innermost_is_pc) = (words.java, true);
    let at = at + if words.long { 40 } else { 20 };
    let total = words.rest.len();
    while !words.rest.is_empty() {
        let before = words;
        let Some((count, addresses)) = words.stack() else {
            let at = at + (total - before.rest.len()) as u64;
            diagnostics.loss(Place::Byte(at), "expected a stack, found its end; what follows is left out");
            words.rest = &[];
            break;
        };
        if count == 0 && addresses == [0] {
            break;
        }
        let time = words.period.checked_mul(1000).and_then(|nanos| nanos.checked_mul(count));
        let values = i64::try_from(count).ok().zip(time.and_then(|time| i64::try_from(time).ok()));
        match values {
            Some((count, time)) => legacy.samples.push(LegacySample { values: vec![count, time], addresses }),
            None => diagnostics.loss(Place::Byte(at), format!("{count} samples are too many for 63 bits")),
        }
    }
    let text = readable(words.rest);
    if words.java {
        text.lines().for_each(|line| legacy.symbols.java(line));
    } else {
        legacy.maps = maps::parse(&text);
        strip_handler(&mut legacy.samples);
    }
}

/// Removes frames of the signal handler: those that nearly all stacks have in second place, and a repeated first frame.
fn strip_handler(samples: &mut [LegacySample]) {
    for _ in 0..2 {
        let mut counts = HashMap::<u64, usize>::new();
        for second in samples.iter().filter_map(|sample| sample.addresses.get(1)) {
            *counts.entry(*second).or_default() += 1;
        }
        let enough = samples.len() - samples.len() / 32;
        let Some((&handler, _)) = counts.iter().find(|&(_, &count)| count >= enough) else { break };
        for sample in samples.iter_mut().filter(|sample| sample.addresses.get(1) == Some(&handler)) {
            sample.addresses.remove(1);
        }
    }
    for LegacySample { addresses, .. } in samples {
        if addresses.len() > 1 && addresses[0] == addresses[1] {
            addresses.remove(1);
        }
    }
}
