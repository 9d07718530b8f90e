//! What a sample holds, as far as it is needed.

use super::attribute::{Attribute, field};
use super::bytes::Bytes;
use crate::unwind::CopiedThread;

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
    /// What was copied of the thread; `None` where it was not in user mode before, or nothing is recorded.
    pub(super) thread_state: Option<CopiedThread<'a>>,
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
    /// Reads a record; `None` where it ends before the call chain does. A copied stack that is not all there counts as
    /// none.
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
        if attribute.copies_stacks() {
            sample.thread_state = thread_state(attribute, body);
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

/// Registers and stack, which lie behind raw data and branches.
fn thread_state<'a>(attribute: &Attribute, mut body: Bytes<'a>) -> Option<CopiedThread<'a>> {
    const ABI_64: u64 = 2;
    if attribute.has(field::RAW) {
        let length = body.word()?;
        body.take(length as usize)?;
    }
    if attribute.has(field::BRANCHES) {
        skip_branches(attribute.branches, &mut body)?;
    }
    let abi = body.long()?;
    if abi == 0 {
        return None;
    }
    let registers = body.take(8 * attribute.registers.count_ones() as usize)?;
    let room = usize::try_from(body.long()?).ok()?;
    let copied = body.take(room)?;
    // Behind the bytes stands how many of them were filled.
    let length = if room == 0 { 0 } else { usize::try_from(body.long()?).ok()?.min(room) };
    Some(CopiedThread {
        mask: attribute.registers,
        registers,
        is_64_bit: abi == ABI_64,
        stack: &copied[..length],
        is_cut: length == room,
        big: body.big,
    })
}

/// Taken branches: where from, where to and flags, with counters and an index by bit.
fn skip_branches(recorded: u64, body: &mut Bytes<'_>) -> Option<()> {
    const INDEX: u64 = 1 << 17;
    const COUNTERS: u64 = 1 << 19;
    let count = usize::try_from(body.long()?).ok()?;
    let index = if recorded & INDEX != 0 { 8 } else { 0 };
    let each = if recorded & COUNTERS != 0 { 32 } else { 24 };
    body.take(count.checked_mul(each)?.checked_add(index)?)?;
    Some(())
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
