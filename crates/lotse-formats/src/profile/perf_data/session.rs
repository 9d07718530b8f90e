//! Replays the records of the kernel: names of threads, forks, mapped objects, samples.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FileId, ObjectId, StackId};
use lotse_model::profile::{AddressSpace, Builder, Frame, Unresolved, readable};

use super::attribute::EventAttribute;
use super::builds::{BuildList, build_of_map};
use super::bytes::PerfBytes;
use super::file::PerfDataFile;
use super::maps::{Mapping, Mappings};
use super::records::{self, PerfRecord};
use super::sample::PerfSample;
use crate::diagnostics::Diagnostics;
use crate::error::Place;
use crate::frame_pointers::FramePointerStacks;
use crate::profile::perf_script::recording::{self, PerfRecording};
use crate::unwind::{MappedByte, MemoryMap, NOT_UNWOUND, Unwind, UserFrame};

const KERNEL: &str = "[kernel.kallsyms]";
/// Addresses from here on are marks in a call chain that state the mode of the next addresses.
const MARKS: u64 = -4095_i64 as u64;
/// The mark before the number of a user chain that is recorded later (`PERF_CONTEXT_USER_DEFERRED`).
const DEFERRED: u64 = -640_i64 as u64;
/// The note about `--call-graph lbr`.
const BRANCH_CALLS: &str = "calls that the processor recorded (--call-graph lbr) are not read here, only those by frame pointers; the text of \
                            `perf script` has them, and Lotse reads it";
/// The number of mappings that forks may copy, per byte of the file.
const COPIES_PER_BYTE: usize = 4;

/// The processor mode of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CpuMode {
    Kernel,
    User,
    /// A hypervisor or a guest, whose memory is not known.
    Other,
}

impl CpuMode {
    fn from_record(flags: u16) -> Self {
        match flags & 7 {
            1 => Self::Kernel,
            0 | 2 => Self::User,
            _ => Self::Other,
        }
    }

    fn from_mark(mark: u64) -> Self {
        match mark as i64 {
            -128 => Self::Kernel,
            -512 => Self::User,
            _ => Self::Other,
        }
    }
}

/// The state of all processes after the records so far, and the samples.
pub(super) struct PerfSession<'a, 'u> {
    attributes: &'a [EventAttribute],
    builds: &'a BuildList,
    /// Rows of `attributes` by the id in samples.
    events: HashMap<u64, usize>,
    /// Names of threads.
    names: HashMap<u32, String>,
    /// Mappings by process.
    pub(super) memory: HashMap<u32, Mappings>,
    kernel: Mappings,
    copies_left: usize,
    /// The size of the input in bytes.
    input: usize,
    pub(super) builder: Builder,
    recording: PerfRecording,
    pub(super) unwinder: Option<&'u mut dyn Unwind>,
    lost: u64,
    pub(super) chains: FramePointerStacks,
}

impl<'a, 'u> PerfSession<'a, 'u> {
    /// The state before the first record. `input` is the size of the input in bytes.
    pub(super) fn new(
        file: &'a PerfDataFile<'_>,
        input: usize,
        unwinder: Option<&'u mut dyn Unwind>,
    ) -> Self {
        let mut recording = PerfRecording::default();
        let mut events = HashMap::new();
        for (row, attribute) in file.attributes.iter().enumerate() {
            events.extend(attribute.ids.iter().map(|&id| (id, row)));
            // perf adds a dummy event, which counts nothing, to get records about processes.
            if !attribute.name().starts_with("dummy") {
                recording.event(&attribute.name());
            }
        }
        let mut builder = Builder::new();
        builder.profile.command.clone_from(&file.command);
        builder.profile.creator.clone_from(&file.creator);
        let copies_left = input.saturating_mul(COPIES_PER_BYTE);
        let (names, memory, kernel) = (HashMap::new(), HashMap::new(), Mappings::default());
        let (attributes, builds) = (&file.attributes, &file.builds);
        Self {
            attributes,
            builds,
            events,
            names,
            memory,
            kernel,
            copies_left,
            input,
            builder,
            recording,
            unwinder,
            lost: 0,
            chains: FramePointerStacks::default(),
        }
    }

    /// Processes a record; one that is too short is reported.
    pub(super) fn add(&mut self, record: &PerfRecord<'_>, diagnostics: &mut Diagnostics) {
        let done = match record.kind {
            records::COMM => self.comm(record.body, record.flags),
            records::FORK => self.fork(record.body),
            records::MMAP => self.map(record, 0),
            // 32 bytes are skipped: device, inode and version, or a build id; then protection and flags.
            records::MMAP2 => self.map(record, 32),
            records::SAMPLE => self.sample(record),
            records::LOST => self.count_lost(record.body, 8),
            records::LOST_SAMPLES => self.count_lost(record.body, 0),
            records::AUX => {
                diagnostics.loss(Place::Byte(record.at), "a trace of the processor is not read");
                Some(())
            }
            _ => Some(()),
        };
        if done.is_none() {
            diagnostics.loss(Place::Byte(record.at), "the record is too short; it is left out");
        }
    }

    fn count_lost(&mut self, mut body: PerfBytes<'_>, before: usize) -> Option<()> {
        body.take(before)?;
        self.lost = self.lost.saturating_add(body.long()?);
        Some(())
    }

    fn comm(&mut self, mut body: PerfBytes<'_>, flags: u16) -> Option<()> {
        const EXEC: u16 = 1 << 13;
        let (process, thread) = (body.word()?, body.word()?);
        self.names.insert(thread, readable(body.text()).into_owned());
        if flags & EXEC != 0 {
            self.memory.remove(&process);
        }
        Some(())
    }

    fn fork(&mut self, mut body: PerfBytes<'_>) -> Option<()> {
        let (child, parent) = (body.word()?, body.word()?);
        let (thread, parent_thread) = (body.word()?, body.word()?);
        if let Some(name) = self.names.get(&parent_thread).cloned() {
            self.names.insert(thread, name);
        }
        let maps = self.memory.get(&parent).filter(|_| child != parent);
        if let Some((maps, left)) =
            maps.and_then(|maps| Some((maps, self.copies_left.checked_sub(maps.len())?)))
        {
            let maps = maps.clone();
            self.copies_left = left;
            self.memory.insert(child, maps);
        }
        Some(())
    }

    /// Adds a mapping of an object with code. `skipped` bytes before the path differ between versions of the record.
    fn map(&mut self, record: &PerfRecord<'_>, skipped: usize) -> Option<()> {
        const DATA: u16 = 1 << 13;
        let mut body = record.body;
        let (process, _) = (body.word()?, body.word()?);
        let (start, length, offset) = (body.long()?, body.long()?, body.long()?);
        let build = build_of_map(record.flags, PerfBytes { rest: body.take(skipped)?, big: body.big });
        let path = readable(body.text());
        if record.flags & DATA != 0 {
            return Some(());
        }
        let kernel = CpuMode::from_record(record.flags) == CpuMode::Kernel;
        let end = start.saturating_add(length);
        if let Some(symbol) = path.strip_prefix(KERNEL) {
            // The offset is the address of the symbol. If it is a symbol other than `_text`, the base is unknown.
            let (object, offset) = (self.kernel_object(), start.wrapping_sub(offset));
            if symbol == "_text" {
                self.kernel.insert(Mapping { start, end, offset, object });
            }
            return Some(());
        }
        let build = build.as_ref().or_else(|| self.builds.get(&path));
        let object = self.builder.object_of_build(&path, build);
        let map = Mapping { start, end, offset, object };
        if kernel {
            self.kernel.insert(Mapping { offset: 0, ..map })
        } else {
            self.memory.entry(process).or_default().insert(map)
        }
        Some(())
    }

    fn kernel_object(&mut self) -> ObjectId {
        self.builder.object_of_build(KERNEL, self.builds.get(KERNEL))
    }

    /// Adds a sample to the part of its thread.
    fn sample(&mut self, record: &PerfRecord<'_>) -> Option<()> {
        let attributes = self.attributes;
        let attribute = attributes.get(self.event(record.body)?)?;
        let sample = PerfSample::parse(attribute, record.body)?;
        let stack = self.stack(&sample, CpuMode::from_record(record.flags));
        let unnamed;
        let name = match sample.thread.and_then(|thread| self.names.get(&thread)) {
            Some(name) => name,
            None => {
                unnamed = sample.thread.map_or("all".to_owned(), |thread| format!(":{thread}"));
                &unnamed
            }
        };
        self.recording.add(&recording::ThreadSample {
            process: sample.process.map(u64::from),
            thread: sample.thread.map(u64::from),
            name,
            event: Some(&attribute.name()),
            weight: sample.period,
            time: sample.time.map(|time| i64::try_from(time).unwrap_or(i64::MAX)),
            stack,
        });
        Some(())
    }

    /// The row of the event of a sample.
    fn event(&self, mut body: PerfBytes<'_>) -> Option<usize> {
        let first = self.attributes.first()?;
        if self.attributes.len() == 1 {
            return Some(0);
        }
        let Some(offset) = first.id_offset() else { return Some(0) };
        body.take(offset)?;
        Some(self.events.get(&body.long()?).copied().unwrap_or(0))
    }

    /// The stack of a sample: its call chain, then the unwound user stack if the chain has no user frames.
    fn stack(&mut self, sample: &PerfSample<'_>, mode: CpuMode) -> Option<StackId> {
        let mut frames = Vec::new();
        let (mut user, mut has_user) = (Vec::new(), false);
        let (mut mode, mut leaf) = (mode, true);
        let mut entries = sample.chain.addresses();
        while let Some(address) = entries.next() {
            if address >= MARKS {
                // Another user part is another chain of frames, which begins with a point of interruption too.
                has_user |= !user.is_empty();
                frames.extend(self.chained_frames(sample.process, &std::mem::take(&mut user)));
                mode = CpuMode::from_mark(address);
                // The first address after a mark is the point of interruption, not a return address.
                leaf = true;
                if address == DEFERRED {
                    entries.next();
                }
            } else if mode == CpuMode::User {
                user.push(address);
            } else {
                frames.push(self.frame(sample.process, address, mode, leaf));
                leaf = false;
            }
        }
        frames.extend(match user.is_empty() && !has_user {
            true => self.unwound_frames(sample),
            false => self.chained_frames(sample.process, &user),
        });
        if frames.is_empty() && sample.ip != 0 {
            frames.push(self.frame(sample.process, sample.ip, mode, true));
        }
        let mut stack = None;
        for frame in frames.into_iter().rev() {
            let frame = self.builder.frame(frame);
            stack = Some(self.builder.stack(stack, frame));
        }
        stack
    }

    fn unwound_frames(&mut self, sample: &PerfSample<'_>) -> Vec<Frame> {
        let unwound = self.unwind(sample).into_iter();
        let frame =
            |UserFrame { address, is_return }| self.frame(sample.process, address, CpuMode::User, !is_return);
        unwound.map(frame).collect()
    }

    /// The user frames, from the copied stack.
    fn unwind(&mut self, sample: &PerfSample<'_>) -> Vec<UserFrame> {
        let maps = sample.process.and_then(|process| self.memory.get(&process));
        match (&mut self.unwinder, &sample.thread_state, maps) {
            (Some(unwinder), Some(thread), Some(maps)) => {
                unwinder.unwind(thread, &ProcessMemory { maps, builder: &self.builder })
            }
            _ => Vec::new(),
        }
    }

    /// The frame of an address, by object and offset. For a return address (not `leaf`) the byte before it is looked up.
    pub(super) fn frame(&mut self, process: Option<u32>, address: u64, mode: CpuMode, leaf: bool) -> Frame {
        let at = if leaf { address } else { address.saturating_sub(1) };
        let memory = process.and_then(|process| self.memory.get(&process));
        let offset = |map: &Mapping| map.offset.wrapping_add(at - map.start);
        let (object, offset, space) = match mode {
            CpuMode::Kernel => match self.kernel.find(at) {
                Some(map) => (map.object, offset(map), AddressSpace::Kernel),
                None => (self.kernel_object(), at, AddressSpace::Linked),
            },
            CpuMode::User => match memory.and_then(|maps| maps.find(at)) {
                Some(map) => (map.object, offset(map), AddressSpace::FileOffset),
                None => (ObjectId(0), at, AddressSpace::Linked),
            },
            CpuMode::Other => (ObjectId(0), at, AddressSpace::Linked),
        };
        let known = self.builder.profile.functions.len();
        let named_by = if mode == CpuMode::Kernel { at } else { offset };
        let function = self.builder.function(&format!("{named_by:#x}"), object, FileId(0));
        if function.index() == known && object != ObjectId(0) {
            self.builder.profile.unresolved.push(Unresolved { function, address: offset, extent: 1, space });
        }
        Frame { function, file: FileId(0), line: 0, address, inlined: false }
    }

    /// The profile, after all that is to be known about the recording is noted.
    pub(super) fn finish(mut self, diagnostics: &mut Diagnostics) -> Profile {
        if self.recording.is_empty() {
            diagnostics.note(Place::Whole, "there is no sample in it");
        }
        if self.lost > 0 {
            diagnostics.note(Place::Whole, format!("perf lost {} records while recording", self.lost));
        }
        for path in &self.builds.ambiguous {
            let message = format!("perf lists two builds of {path}; the last one is taken, as perf does");
            diagnostics.note(Place::Whole, message);
        }
        if self.unwinder.is_none() && self.attributes.iter().any(EventAttribute::copies_stacks) {
            diagnostics.note(Place::Whole, NOT_UNWOUND);
        }
        if self.attributes.iter().any(EventAttribute::has_branch_calls) {
            diagnostics.note(Place::Whole, BRANCH_CALLS);
        }
        if let Some(note) = self.chains.note() {
            diagnostics.note(Place::Whole, note);
        }
        self.recording.finish(self.input, &mut self.builder.profile, diagnostics);
        self.builder.finish()
    }
}

/// The memory of one process, for an unwinder.
pub(super) struct ProcessMemory<'a> {
    pub(super) maps: &'a Mappings,
    pub(super) builder: &'a Builder,
}

impl MemoryMap for ProcessMemory<'_> {
    fn at(&self, address: u64) -> Option<MappedByte<'_>> {
        let map = self.maps.find(address)?;
        let path = self.builder.text(self.builder.profile.objects[map.object.index()]);
        let offset = map.offset.wrapping_add(address - map.start);
        let build = self.builder.profile.build(map.object);
        Some(MappedByte { object: map.object, path, build, offset })
    }
}
