//! The decoder proper: turns events into operations on structures.

mod consumer;
mod dependences;
mod elements;
mod loops;
mod memory;
mod nesting;
mod operations;
mod touch;

use std::cell::Cell;

use hashbrown::{HashMap, HashSet};
use lotse_formats::history::{EventDetail, HistoryEvent, RingStacks, SegmentHead, SegmentRef};

pub use self::consumer::Consumer;
use self::touch::Touch;
use super::blocks::{MemoryBlocks, Slot};
use super::contexts::{ContextId, Contexts};
use super::coverage::Coverage;
use super::iterations::{EpochClock, LoopFlows};
use super::lanes;
use super::lookup::LookupCache;
use super::selection::Selection;
use super::shadow::Shadow;
use super::structures::{MemoryLayout, Structure, layout_of};
use super::thread::{RunningFunction, ThreadState, TimedPc};
use crate::access::{Access, AccessRun, Iteration};
use crate::code::chains::{Call, CallId, ChainId, ChainTables, Owner};
use crate::code::image::Image;
use crate::code::methods::LibraryOperation;
use crate::container::AccessKind;
use crate::instance::{CodeId, CodeTable, LoopId, ThreadId};

/// The state that all processes of a history share: code places and counts.
#[derive(Debug, Default)]
pub struct Decoded {
    /// The structures to decode.
    selection: Selection,
    tables: ChainTables,
    /// Statistics of how events were classified.
    pub coverage: Coverage,
    /// Nanoseconds from the first event of each process to its last, of all processes together.
    pub recorded_ns: u64,
    instances: u64,
    /// Number of loops numbered so far.
    loops: u32,
}

impl Decoded {
    /// Nothing decoded yet; only the selected structures will be.
    #[must_use]
    pub fn selecting(selection: Selection) -> Self {
        Self { selection, ..Self::default() }
    }

    /// The code places, after everything was decoded.
    #[must_use]
    pub fn into_codes(self) -> CodeTable {
        self.tables.codes
    }

    /// The code places that accesses refer to.
    #[must_use]
    pub fn codes(&self) -> &CodeTable {
        &self.tables.codes
    }
}

/// Decodes all events of one process. Each ring is given as the list of its segments and its call stacks.
pub fn decode_process<'h>(
    decoded: &mut Decoded,
    image: &Image<'_>,
    rings: Vec<(Vec<SegmentRef<'h>>, &'h RingStacks)>,
    consumer: &mut dyn Consumer,
) {
    let (segments, stacks): (Vec<_>, Vec<_>) = rings.into_iter().unzip();
    decoded.coverage.lost += segments.iter().filter_map(|ring| Some(ring.last()?.head.lost)).sum::<u64>();
    let mut engine = Engine {
        image,
        decoded,
        consumer,
        blocks: MemoryBlocks::default(),
        structures: Vec::new(),
        fields: HashMap::new(),
        places: HashMap::new(),
        contexts: Contexts::new(),
        functions: HashMap::new(),
        entries: HashMap::new(),
        last_places: LookupCache::new(),
        last_functions: LookupCache::new(),
        last_guards: LookupCache::new(),
        owners: HashMap::new(),
        flows: LoopFlows::new(),
        located: HashSet::new(),
        now: None,
        clock: EpochClock::default(),
        shadow: Shadow::new(dependences::GRANULES),
        dependent: Vec::new(),
        unclear: Vec::new(),
        resized: Vec::new(),
    };
    let mut threads: Vec<ThreadState> = stacks.iter().map(|_| ThreadState::default()).collect();
    let mut numbers = vec![0; stacks.len()];
    let (mut first, mut last) = (u64::MAX, 0);
    let (read, mut reported) = (Cell::new(0), 0);
    let damaged = lanes::in_order(segments, &read, |ring, head, time, event| {
        if read.get() != reported {
            let before = std::mem::replace(&mut reported, read.get());
            engine.consumer.bytes_read(reported - before);
        }
        (first, last) = (first.min(time), last.max(time));
        let before = std::mem::replace(&mut numbers[ring], head.thread);
        if before != head.thread {
            engine.finish_thread(&mut threads[ring], before);
        }
        let origin = EventOrigin { ring, stacks: stacks[ring], head, time };
        engine.process_event(&mut threads[ring], &origin, event);
    });
    for (thread, number) in threads.iter_mut().zip(numbers) {
        engine.finish_thread(thread, number);
    }
    engine.finish();
    engine.consumer.bytes_read(read.get() - reported);
    decoded.coverage.damaged_segments += damaged;
    decoded.recorded_ns += last.saturating_sub(first);
}

/// Where an event comes from, and when.
struct EventOrigin<'a> {
    ring: usize,
    stacks: &'a RingStacks,
    head: &'a SegmentHead,
    time: u64,
}

/// The decoding state of one process.
struct Engine<'e, 'a> {
    image: &'e Image<'a>,
    decoded: &'e mut Decoded,
    consumer: &'e mut dyn Consumer,
    blocks: MemoryBlocks,
    structures: Vec<Structure>,
    /// Addresses of structure fields (capacity, pointer, length) outside of their blocks.
    fields: HashMap<u64, Slot>,
    /// Call chains by calling context and program counter.
    places: HashMap<(ContextId, u32), ChainId>,
    contexts: Contexts,
    functions: HashMap<u32, u64>,
    /// The entry guard of each function.
    entries: HashMap<u64, u32>,
    owners: HashMap<(usize, u32), Option<Owner>>,
    flows: LoopFlows,
    /// Loops whose source line was looked up, by calling context of their function.
    located: HashSet<(LoopId, ContextId)>,
    /// The iteration of the innermost loop around the current event.
    now: Option<Iteration>,
    clock: EpochClock,
    shadow: Shadow,
    /// Loops with a dependence between iterations found by the current event; not yet counted.
    dependent: Vec<LoopId>,
    /// Loops of which an iteration hands a variable of the library to a later one, and the call that reads it; not yet counted.
    unclear: Vec<(LoopId, Option<CallId>)>,
    /// Structures whose number or order of elements the current event changed, and how.
    resized: Vec<(Slot, AccessKind)>,
    last_places: LookupCache<u32>,
    last_functions: LookupCache<u64>,
    /// The function of each guard, and whether it is its entry guard.
    last_guards: LookupCache<(u64, bool)>,
}

impl Engine<'_, '_> {
    /// Decodes an event, and then counts the changes of lengths and the loops that ended with it.
    fn process_event(&mut self, thread: &mut ThreadState, origin: &EventOrigin<'_>, event: &HistoryEvent) {
        self.clock.time = origin.time;
        self.decode_event(thread, origin, event);
        if !self.resized.is_empty() {
            self.note_resized(thread);
        }
        if !thread.left.is_empty() {
            self.count_left(thread);
        }
        thread.last_time = origin.time;
    }

    /// Decodes one event: updates the running functions and active calls, then handles the memory that it accesses.
    fn decode_event(&mut self, thread: &mut ThreadState, origin: &EventOrigin<'_>, event: &HistoryEvent) {
        let pc = event.counter;
        match event.detail {
            EventDetail::Gap => return self.note_gap(thread),
            EventDetail::Guard { frame, stack } => self.block_begins(thread, origin, pc, (frame, stack)),
            EventDetail::Allocate { address, length, stack, .. } => {
                return self.allocate(thread, origin, address, length, stack);
            }
            EventDetail::Reallocate { old, address, length, stack, .. } => {
                return self.reallocate(thread, origin, old, address, length, stack);
            }
            EventDetail::Free { address, .. } => return self.free(address),
            _ => {
                let function = self.function(pc);
                thread.at_function(function);
                self.advance(thread, function, pc);
            }
        }
        if event.far {
            return;
        }
        let chain = self.chain(thread.context(), pc);
        if !self.decoded.tables.chains[chain.0 as usize].has_no_line {
            self.sync(thread, chain, TimedPc { pc, time: origin.time }, origin.head.thread);
        }
        self.now = self.iteration(thread, None);
        let touch = |address, bytes, is_write| Touch {
            pc,
            address,
            bytes,
            is_write,
            is_copy: false,
            is_shift: false,
        };
        match event.detail {
            EventDetail::Load { address, size } => {
                self.touch(thread, origin, chain, touch(address, u64::from(size), false))
            }
            EventDetail::Store { address, size } => {
                self.touch(thread, origin, chain, touch(address, u64::from(size), true))
            }
            EventDetail::Fill { address, length } => {
                self.touch(thread, origin, chain, touch(address, length, true))
            }
            EventDetail::Move { to, from, length } => {
                self.touch_moved(
                    thread,
                    origin,
                    chain,
                    [touch(from, length, false), touch(to, length, true)],
                );
            }
            _ => {}
        }
        self.look_up_iterations(thread);
    }

    fn function(&mut self, pc: u32) -> u64 {
        if let Some(known) = self.last_functions.get(u64::from(pc)) {
            return known;
        }
        let image = self.image;
        let function = *self.functions.entry(pc).or_insert_with(|| image.function(u64::from(pc)));
        self.last_functions.put(u64::from(pc), function);
        function
    }

    /// The function of a guard, and whether this is its entry guard: the first guard of the function that ever occurred.
    fn guard(&mut self, pc: u32) -> (u64, bool) {
        if let Some(known) = self.last_guards.get(u64::from(pc)) {
            return known;
        }
        let function = self.function(pc);
        let is_entry = *self.entries.entry(function).or_insert(pc) == pc;
        self.last_guards.put(u64::from(pc), (function, is_entry));
        (function, is_entry)
    }

    /// The calling context of a function that was entered, from the contexts of the functions that run around it.
    ///
    /// The recorded stack of a guard ends at the first caller that has guards itself. Functions without guards, such as those
    /// of a precompiled library, may lie between the two.
    fn context(&mut self, around: &[RunningFunction], origin: &EventOrigin<'_>, stack: u32) -> ContextId {
        let list = origin.stacks.stacks.get(&stack).map_or(&[][..], Vec::as_slice);
        if let (Some(outer), Some(&caller)) = (around.last(), list.first())
            && self.function_around(caller) == Some(outer.function)
        {
            return self.contexts.callee_context(outer.context, caller);
        }
        let end = list.last().and_then(|&end| self.function_around(end));
        // The list may still contain functions that have returned, so the innermost ones need not be callers.
        match around.iter().rev().find(|outer| Some(outer.function) == end) {
            Some(outer) => list
                .iter()
                .rev()
                .fold(outer.context, |callers, &address| self.contexts.callee_context(callers, address)),
            None => self.contexts.stack_context(origin.ring, stack, list),
        }
    }

    /// The function that contains a return address.
    fn function_around(&mut self, address: u64) -> Option<u64> {
        let place = u32::try_from(self.image.relative(address)?).ok()?;
        Some(self.function(place))
    }

    fn chain(&mut self, callers: ContextId, pc: u32) -> ChainId {
        let key = u64::from(callers.number()) << 32 | u64::from(pc);
        if let Some(known) = self.last_places.get(key) {
            return ChainId(known);
        }
        let id = match self.places.get(&(callers, pc)) {
            Some(&known) => known,
            None => {
                let callers_of = self.contexts.callers(callers);
                let id = self.decoded.tables.add(self.image, Some(u64::from(pc)), callers_of);
                self.places.insert((callers, pc), id);
                id
            }
        };
        self.last_places.put(key, id.0);
        id
    }

    fn call(&self, call: CallId) -> Call {
        self.decoded.tables.calls[call.0 as usize]
    }

    /// Whether the innermost active operation inserts elements.
    fn inserts(&self, thread: &ThreadState) -> bool {
        let operation = thread.active.last().and_then(|active| self.call(active.call).operation);
        operation.is_some_and(|operation| operation.kind == AccessKind::Insert)
    }

    /// Updates the active calls of a thread to those of the call chain at an event, and reports the operations that ended.
    fn sync(&mut self, thread: &mut ThreadState, chain: ChainId, at: TimedPc, number: u32) {
        if thread.stays_at(chain, at.pc) {
            return;
        }
        let calls = std::mem::take(&mut self.decoded.tables.chains[chain.0 as usize].calls);
        let kinds = std::mem::take(&mut self.decoded.tables.calls);
        let repeats =
            |call: CallId| kinds[call.0 as usize].operation.is_some_and(|operation| !has_loop(&operation));
        thread.sync(&calls, at, repeats, |active, over| {
            let call = kinds[active.call.0 as usize];
            self.report(active, call, over, number);
        });
        thread.synced = Some(chain);
        self.decoded.tables.calls = kinds;
        self.decoded.tables.chains[chain.0 as usize].calls = calls;
        if let (Some(active), Some(change)) =
            (thread.active.last_mut(), self.decoded.tables.chains[chain.0 as usize].change)
        {
            active.change = Some(change);
        }
    }

    fn new_access(&self, slot: Slot, kind: AccessKind, time: u64, thread: u32, code: CodeId) -> Access {
        let length = self.structures[slot as usize].length;
        let access = Access::without_index(kind, length, time);
        Access { thread: ThreadId(thread), code, iteration: self.now, ..access }
    }

    fn emit(&mut self, slot: Slot, run: AccessRun) {
        self.announce(slot);
        if dependences::resizes(run.first.kind) {
            self.resized.push((slot, run.first.kind));
        }
        let id = self.structures[slot as usize].id();
        self.consumer.access(id, AccessRun { last_time: run.last_time.max(run.first.time), ..run });
    }

    /// Reports a structure to the consumer when it is used for the first time.
    fn announce(&mut self, slot: Slot) {
        let structure = &mut self.structures[slot as usize];
        if !structure.announced {
            structure.announced = true;
            self.consumer.created(structure.instance);
        }
    }

    fn finish_thread(&mut self, thread: &mut ThreadState, number: u32) {
        let kinds = std::mem::take(&mut self.decoded.tables.calls);
        thread.finish(|active, over| self.report(active, kinds[active.call.0 as usize], over, number));
        self.decoded.tables.calls = kinds;
        self.resized.clear();
        self.count_left(thread);
    }

    fn finish(&mut self) {
        for slot in 0..self.structures.len() {
            self.drop_structure(slot as Slot);
        }
    }
}

/// Whether an operation is one access to the whole structure, so that its single loads and stores are not reported.
fn accesses_whole_structure(operation: &LibraryOperation) -> bool {
    let is_search =
        operation.kind == AccessKind::Search && layout_of(operation.container) == MemoryLayout::Array;
    !operation.many && (is_search || !operation.kind.has_index())
}

/// Whether the first instruction of an operation may be executed again within it. Operations of hash tables and trees first
/// compute a hash or find the root, and then loop over other instructions.
fn has_loop(operation: &LibraryOperation) -> bool {
    operation.many || accesses_whole_structure(operation)
}
