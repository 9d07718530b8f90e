//! What a sample holds, as far as it is needed.

use super::attribute::{Attribute, field};
use super::bytes::Bytes;

/// A sample as in the file.
#[derive(Debug, Default)]
pub(super) struct Sample<'a> {
    pub(super) ip: u64,
    pub(super) process: Option<u32>,
    pub(super) thread: Option<u32>,
    pub(super) time: Option<u64>,
    pub(super) period: Option<u64>,
    /// Addresses, the innermost first, with marks between them.
    pub(super) chain: Chain<'a>,
}

/// A call chain in the file's byte order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Chain<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> Chain<'a> {
    pub(super) fn addresses(self) -> impl Iterator<Item = u64> + 'a {
        let chunks = self.bytes.chunks_exact(8);
        chunks.filter_map(move |chunk| Bytes { rest: chunk, big: self.big }.long())
    }
}

impl<'a> Sample<'a> {
    /// Reads up to the call chain; `None` where the record is too short.
    pub(super) fn parse(attribute: &Attribute, mut body: Bytes<'a>) -> Option<Self> {
        let mut sample = Self::default();
        let has = |field| attribute.has(field);
        if has(field::IDENTIFIER) {
            body.long()?;
        }
        if has(field::IP) {
            sample.ip = body.long()?;
        }
        if has(field::THREAD) {
            (sample.process, sample.thread) = (Some(body.word()?), Some(body.word()?));
        }
        if has(field::TIME) {
            sample.time = Some(body.long()?);
        }
        for skipped in [field::ADDRESS, field::ID, field::STREAM, field::CPU] {
            if has(skipped) {
                body.long()?;
            }
        }
        sample.period = if has(field::PERIOD) { Some(body.long()?) } else { attribute.period };
        if has(field::READ) {
            skip_counters(attribute.read, &mut body)?;
        }
        if has(field::CHAIN) {
            let length = usize::try_from(body.long()?).ok()?.checked_mul(8)?;
            sample.chain = Chain { bytes: body.take(length)?, big: body.big };
        }
        Some(sample)
    }
}

/// When a sample was taken, without reading the rest of it.
pub(super) fn time(attribute: &Attribute, mut body: Bytes<'_>) -> Option<u64> {
    let before = field::IDENTIFIER | field::IP | field::THREAD;
    body.take(8 * (attribute.sample & before).count_ones() as usize)?;
    if attribute.has(field::TIME) { body.long() } else { None }
}

/// Counters of the event or its group, with times, ids and losses by bit.
fn skip_counters(format: u64, body: &mut Bytes<'_>) -> Option<()> {
    const TIMES: u64 = 3;
    const PER_VALUE: u64 = 4 | 16;
    const GROUP: u64 = 8;
    let times = (format & TIMES).count_ones() as usize;
    let per_value = 1 + (format & PER_VALUE).count_ones() as usize;
    let values = if format & GROUP != 0 { usize::try_from(body.long()?).ok()? } else { 1 };
    body.take(values.checked_mul(per_value)?.checked_add(times)?.checked_mul(8)?)?;
    Some(())
}
