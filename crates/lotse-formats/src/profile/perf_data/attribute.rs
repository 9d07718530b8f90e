//! The description of an event and the layout of its samples (`perf_event_attr`).

use std::borrow::Cow;

use lotse_model::profile::readable;

use super::bytes::PerfBytes;

/// An event that was recorded.
#[derive(Debug, Clone, Default)]
pub(super) struct EventAttribute {
    pub(super) kind: u32,
    pub(super) config: u64,
    /// `None` where the period changes to keep a frequency.
    pub(super) period: Option<u64>,
    pub(super) sample: u64,
    pub(super) read: u64,
    /// Whether records other than samples have ids and times too.
    pub(super) all_have_ids: bool,
    /// Whether call chains have addresses of the kernel only.
    kernel_chains: bool,
    /// Which fields of taken branches are recorded, by bit.
    pub(super) branches: u64,
    /// Which user registers are recorded, by bit.
    pub(super) registers: u64,
    pub(super) ids: Vec<u64>,
    pub(super) name: Option<String>,
}

/// The fields of a sample, by bit.
pub(super) mod field {
    pub(in super::super) const IP: u64 = 1;
    pub(in super::super) const THREAD: u64 = 1 << 1;
    pub(in super::super) const TIME: u64 = 1 << 2;
    pub(in super::super) const ADDRESS: u64 = 1 << 3;
    pub(in super::super) const READ: u64 = 1 << 4;
    pub(in super::super) const CHAIN: u64 = 1 << 5;
    pub(in super::super) const ID: u64 = 1 << 6;
    pub(in super::super) const CPU: u64 = 1 << 7;
    pub(in super::super) const PERIOD: u64 = 1 << 8;
    pub(in super::super) const STREAM: u64 = 1 << 9;
    pub(in super::super) const RAW: u64 = 1 << 10;
    pub(in super::super) const BRANCHES: u64 = 1 << 11;
    pub(in super::super) const USER_REGISTERS: u64 = 1 << 12;
    pub(in super::super) const USER_STACK: u64 = 1 << 13;
    pub(in super::super) const IDENTIFIER: u64 = 1 << 16;
}

impl EventAttribute {
    /// Reads the fields that all versions have; also gives back the size of this version.
    pub(super) fn parse(mut bytes: PerfBytes<'_>) -> Option<(Self, usize)> {
        let (kind, size) = (bytes.word()?, bytes.word()?);
        let (config, period, sample, read) = (bytes.long()?, bytes.long()?, bytes.long()?, bytes.long()?);
        let flags = bytes.long()?;
        // On big-endian machines, bit fields begin at the other end.
        let flags = if bytes.big { flags.reverse_bits() } else { flags };
        let period = (flags & (1 << 10) == 0).then_some(period);
        let (all_have_ids, kernel_chains) = (flags & (1 << 18) != 0, flags & (1 << 22) != 0);
        let size = if size == 0 { 64 } else { size as usize };
        let (branches, registers) = if size >= 88 { branches_and_registers(bytes)? } else { (0, 0) };
        let all = Self::default();
        let known = Self { kind, config, period, sample, read, all_have_ids, kernel_chains, ..all };
        Some((Self { branches, registers, ..known }, size))
    }

    /// Whether samples contain user registers and a copy of the user stack.
    pub(super) fn copies_stacks(&self) -> bool {
        self.has(field::USER_STACK) && self.has(field::USER_REGISTERS) && self.registers != 0
    }

    /// Whether samples contain chains of user code, which the kernel finds by frame pointers.
    pub(super) fn has_user_chains(&self) -> bool {
        self.has(field::CHAIN) && !self.kernel_chains
    }

    /// Whether samples contain the calls that the processor recorded (`--call-graph lbr`).
    pub(super) fn has_branch_calls(&self) -> bool {
        const CALL_STACK: u64 = 1 << 11;
        self.has(field::BRANCHES) && self.branches & CALL_STACK != 0
    }

    /// Whether a sample has a field.
    pub(super) fn has(&self, field: u64) -> bool {
        self.sample & field != 0
    }

    /// The name that perf uses.
    pub(super) fn name(&self) -> Cow<'_, str> {
        if let Some(name) = &self.name {
            return Cow::Borrowed(name);
        }
        let names: &[&'static str] = match self.kind {
            0 => &HARDWARE,
            1 => &SOFTWARE,
            _ => &[],
        };
        match usize::try_from(self.config).ok().and_then(|config| names.get(config)) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("event {}:{:#x}", self.kind, self.config)),
        }
    }

    /// Sets the name stated in the file, if it is not empty.
    pub(super) fn rename(&mut self, name: &[u8]) {
        if !name.is_empty() {
            self.name = Some(readable(name).into_owned());
        }
    }

    /// The offset of the event's id in a sample; `None` where it has none.
    pub(super) fn id_offset(&self) -> Option<usize> {
        if self.has(field::IDENTIFIER) {
            return Some(0);
        }
        let before = field::IP | field::THREAD | field::TIME | field::ADDRESS;
        self.has(field::ID).then(|| 8 * (self.sample & before).count_ones() as usize)
    }

    /// The distance of the time from the end of a record that is not a sample.
    pub(super) fn time_from_end(&self) -> Option<usize> {
        let after = field::ID | field::STREAM | field::CPU | field::IDENTIFIER;
        let timed = self.all_have_ids && self.has(field::TIME);
        timed.then(|| 8 + 8 * (self.sample & after).count_ones() as usize)
    }
}

/// The branch fields and user registers: two numbers after wake-ups and two configurations.
fn branches_and_registers(mut bytes: PerfBytes<'_>) -> Option<(u64, u64)> {
    bytes.take(24)?;
    bytes.long().zip(bytes.long())
}

const HARDWARE: [&str; 10] = [
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
];

const SOFTWARE: [&str; 9] = [
    "cpu-clock",
    "task-clock",
    "page-faults",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
];
