//! Text profiles: heaps, growth, contention, counts, threads.

mod kind;
mod scale;

use lotse_model::Unit;
use lotse_model::profile::EventType;

pub(super) use self::kind::{TextKind, kind};
use super::symbols::address;
use super::{LegacyProfile, LegacySample, maps, unknown};
use crate::diagnostics::Diagnostics;
use crate::error::Place;
use crate::reading::Diagnostic;

/// The sampling rate of Java heaps, bytes.
const JAVA_RATE: i64 = 524_288;

/// Reads a text profile, whose first line is line `before` of the file.
pub(super) fn read(
    text: &str,
    before: u64,
    legacy: &mut LegacyProfile,
    diagnostics: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let kind = kind(text).ok_or_else(unknown)?;
    let mut reader = TextReader { kind, period: 1, hertz: 0, java: false };
    let mut lines = (before..).zip(text.lines()).skip_while(|(_, line)| kind::is_blank(line)).skip(1);
    let mut end = text.len();
    for (number, line) in lines.by_ref() {
        if maps::begins(line) {
            end = line.as_ptr() as usize - text.as_ptr() as usize;
            break;
        }
        reader.line(line, number, legacy, diagnostics);
    }
    legacy.maps = maps::parse(&text[end..]);
    legacy.numbered = reader.java;
    legacy.events = reader.events();
    if reader.java {
        text.lines().for_each(|line| legacy.symbols.java(line));
    }
    Ok(())
}

/// The properties of the profile known from the lines so far.
struct TextReader {
    kind: TextKind,
    period: i64,
    hertz: i64,
    java: bool,
}

impl TextReader {
    fn line(&mut self, line: &str, number: u64, legacy: &mut LegacyProfile, diagnostics: &mut Diagnostics) {
        if line.starts_with('#') {
            legacy.symbols.go(line);
        } else if kind::is_blank(line) || self.attribute(line, legacy) || self.thread(line, legacy) {
        } else if let Some(sample) = self.sample(line) {
            legacy.samples.push(sample);
        } else if !(line.starts_with("---") || self.java && line.trim_start().starts_with("0x")) {
            diagnostics.loss(Place::Line(number), "expected a stack with its numbers; the line is left out");
        }
    }

    /// Reads `key = value` before the stacks; `false` for other lines.
    fn attribute(&mut self, line: &str, legacy: &mut LegacyProfile) -> bool {
        let Some((key, value)) = line.split_once('=').filter(|_| !line.contains('@')) else { return false };
        let number = value.trim().parse::<i64>();
        match (key.trim(), number) {
            ("cycles/second", Ok(hertz)) => self.hertz = hertz,
            ("sampling period", Ok(period)) => self.period = period,
            ("ms since reset", Ok(millis)) => legacy.duration = millis.checked_mul(1_000_000),
            ("format", _) => self.java |= value.trim() == "java",
            // The unit, which is known, and discarded samples.
            ("resolution" | "discarded samples", _) => {}
            _ => return false,
        }
        true
    }

    /// Reads a line of a thread's stack: a line `--- Thread`, then lines with addresses.
    fn thread(&self, line: &str, legacy: &mut LegacyProfile) -> bool {
        if self.kind != TextKind::Threads {
            return false;
        }
        if line.starts_with("--- Thread") {
            legacy.samples.push(LegacySample { values: vec![1], addresses: Vec::new() });
            return true;
        }
        let addresses: Vec<u64> = line.split_whitespace().filter_map(address).collect();
        let same = line.contains("same as previous thread");
        match legacy.samples.as_mut_slice() {
            [.., before, last] if same => last.addresses.clone_from(&before.addresses),
            [.., last] if !addresses.is_empty() => last.addresses.extend(addresses),
            _ => return line.starts_with("---"),
        }
        true
    }

    /// Parses numbers, `@`, addresses.
    fn sample(&self, line: &str) -> Option<LegacySample> {
        let (numbers, stack) = line.split_once('@')?;
        let numbers = numbers.split([' ', '\t', ':', '[', ']']).filter(|word| !word.is_empty());
        let numbers: Option<Vec<i64>> = numbers.map(|word| word.parse().ok()).collect();
        let values = self.values(&numbers?)?;
        let addresses: Option<Vec<u64>> = stack.split_whitespace().map(address).collect();
        Some(LegacySample { values, addresses: addresses? })
    }

    /// The costs of a sample, scaled up where the profile is sampled.
    fn values(&self, numbers: &[i64]) -> Option<Vec<i64>> {
        match (self.kind, numbers) {
            (TextKind::Heap { rate, allocated }, &[count, size, all_count, all_size]) => {
                let scale = |count, size| scale::heap(count, size, rate);
                let (used, all) = (scale(count, size)?, scale(all_count, all_size)?);
                Some(if allocated { [all, used].concat() } else { used.to_vec() })
            }
            // Java writes them in the opposite order.
            (TextKind::JavaHeap, &[size, count]) => {
                scale::heap(count, size, JAVA_RATE).map(|pair| pair.to_vec())
            }
            (TextKind::Contention, &[delay, count]) => {
                let period = self.period.max(1);
                let scaled =
                    if self.hertz > 0 { scale::delay(delay, period, self.hertz) } else { Some(delay) };
                let delay = if self.java { delay.checked_mul(period) } else { scaled };
                Some(vec![count.checked_mul(period)?, delay?])
            }
            (TextKind::Count, &[count]) => Some(vec![count]),
            _ => None,
        }
    }

    fn events(&self) -> Vec<EventType> {
        let bytes = |name| EventType::new(name, Unit::Bytes, 0);
        let (count, used) = (EventType::count, "inuse_objects");
        match self.kind {
            TextKind::Heap { allocated: true, .. } => {
                vec![count("alloc_objects"), bytes("alloc_space"), count(used), bytes("inuse_space")]
            }
            TextKind::Heap { allocated: false, .. } => vec![count("objects"), bytes("space")],
            TextKind::JavaHeap => vec![count(used), bytes("inuse_space")],
            TextKind::Contention => {
                let exponent = if self.java { -6 } else { -9 };
                vec![count("contentions"), EventType::new("delay", Unit::Seconds, exponent)]
            }
            TextKind::Count => vec![count("count")],
            TextKind::Threads => vec![count("thread")],
        }
    }
}
