//! Reads the fields of a sample that are needed.

use super::attribute::{EventAttribute, field};
use super::bytes::PerfBytes;
use crate::unwind::CopiedThread;

/// A sample as in the file.
#[derive(Debug, Default)]
pub(super) struct PerfSample<'a> {
    pub(super) ip: u64,
    pub(super) process: Option<u32>,
    pub(super) thread: Option<u32>,
    pub(super) time: Option<u64>,
    pub(super) period: Option<u64>,
    /// Addresses, the innermost first, with context marks between them.
    pub(super) chain: CallChain<'a>,
    /// Copied registers and stack; `None` where they are not recorded, or the thread has no user mode.
    pub(super) thread_state: Option<CopiedThread<'a>>,
}

/// A call chain in the file's byte order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallChain<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl<'a> CallChain<'a> {
    pub(super) fn addresses(self) -> impl Iterator<Item = u64> + 'a {
        let chunks = self.bytes.chunks_exact(8);
        chunks.filter_map(move |chunk| PerfBytes { rest: chunk, big: self.big }.long())
    }
}

impl<'a> PerfSample<'a> {
    /// Reads a record; `None` where it ends before the call chain does. An incomplete copy of the stack counts as
    /// missing.
    pub(super) fn parse(attribute: &EventAttribute, mut body: PerfBytes<'a>) -> Option<Self> {
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
            sample.chain = CallChain { bytes: body.take(length)?, big: body.big };
        }
        if attribute.copies_stacks() {
            sample.thread_state = thread_state(attribute, body);
        }
        Some(sample)
    }
}

/// The time of a sample, without reading the rest.
pub(super) fn time(attribute: &EventAttribute, mut body: PerfBytes<'_>) -> Option<u64> {
    let before = field::IDENTIFIER | field::IP | field::THREAD;
    body.take(8 * (attribute.sample & before).count_ones() as usize)?;
    if attribute.has(field::TIME) { body.long() } else { None }
}

/// Registers and stack, which follow raw data and branches.
fn thread_state<'a>(attribute: &EventAttribute, mut body: PerfBytes<'a>) -> Option<CopiedThread<'a>> {
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
    // After the bytes comes the number of bytes that were filled.
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

/// Skips taken branches: source, target and flags, with counters and an index by bit.
fn skip_branches(recorded: u64, body: &mut PerfBytes<'_>) -> Option<()> {
    const INDEX: u64 = 1 << 17;
    const COUNTERS: u64 = 1 << 19;
    let count = usize::try_from(body.long()?).ok()?;
    let index = if recorded & INDEX != 0 { 8 } else { 0 };
    let each = if recorded & COUNTERS != 0 { 32 } else { 24 };
    body.take(count.checked_mul(each)?.checked_add(index)?)?;
    Some(())
}

/// Skips counters of the event or its group, with times, ids and losses by bit.
fn skip_counters(format: u64, body: &mut PerfBytes<'_>) -> Option<()> {
    const TIMES: u64 = 3;
    const PER_VALUE: u64 = 4 | 16;
    const GROUP: u64 = 8;
    let times = (format & TIMES).count_ones() as usize;
    let per_value = 1 + (format & PER_VALUE).count_ones() as usize;
    let values = if format & GROUP != 0 { usize::try_from(body.long()?).ok()? } else { 1 };
    body.take(values.checked_mul(per_value)?.checked_add(times)?.checked_mul(8)?)?;
    Some(())
}
