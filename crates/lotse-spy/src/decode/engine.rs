//! Events become operations of structures.

mod dependences;
mod elements;
mod loops;
mod memory;
mod nesting;
mod operations;
mod touch;

use hashbrown::{HashMap, HashSet};
use lotse_formats::history::{EventDetail, HistoryEvent, RingStacks, SegmentHead, SegmentRef};

use super::blocks::{Blocks, Slot};
use super::contexts::{ContextId, Contexts};
use super::coverage::Coverage;
use super::iterations::{Clock, Flows};
use super::lanes;
use super::lookup::Lookup;
use super::selection::Selection;
use super::shadow::Shadow;
use super::structures::{Family, Structure, family};
use super::thread::{Moment, Running, ThreadState};
use crate::access::{Access, AccessRun, Iteration};
use crate::code::chains::{Call, CallId, ChainBook, ChainId, Owner};
use crate::code::image::Image;
use crate::code::methods::Operation;
use crate::container::Kind;
use crate::instance::{CodeId, CodeTable, Instance, InstanceId, LoopId, ThreadId};

/// Receives what structures do.
pub trait Consumer {
    /// A structure is used for the first time.
    fn created(&mut self, instance: Instance);
    /// Accesses to a structure, in the order of time.
    fn access(&mut self, id: InstanceId, run: AccessRun);
    /// Its memory grows: from and to so many elements.
    fn grown(&mut self, id: InstanceId, old: u64, new: u64, code: CodeId);
    /// It is gone; the places that its accesses name are these.
    fn dropped(&mut self, id: InstanceId, codes: &CodeTable);
}

/// What is kept from process to process: places of the code, counts.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Which structures are wanted.
    selection: Selection,
    book: ChainBook,
    /// What became of events.
    pub coverage: Coverage,
    /// Nanoseconds from the first event of each process to its last, of all processes together.
    pub recorded_ns: u64,
    instances: u64,
    /// How many loops have a number.
    loops: u32,
}

impl Decoded {
    /// Nothing yet, and only these structures later.
    #[must_use]
    pub fn selecting(selection: Selection) -> Self {
        Self { selection, ..Self::default() }
    }

    /// The same, when all is decoded.
    #[must_use]
    pub fn into_codes(self) -> CodeTable {
        self.book.codes
    }

    /// The places of the code that accesses name.
    #[must_use]
    pub fn codes(&self) -> &CodeTable {
        &self.book.codes
    }
}

/// Decodes all events of one process: a list of segments for each ring, with the ring's call stacks.
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
        blocks: Blocks::default(),
        structures: Vec::new(),
        fields: HashMap::new(),
        places: HashMap::new(),
        contexts: Contexts::new(),
        functions: HashMap::new(),
        entries: HashMap::new(),
        last_places: Lookup::new(),
        last_functions: Lookup::new(),
        last_guards: Lookup::new(),
        owners: HashMap::new(),
        flows: Flows::new(),
        placed: HashSet::new(),
        now: None,
        clock: Clock::default(),
        shadow: Shadow::new(dependences::GRANULES),
        dependent: Vec::new(),
        resized: Vec::new(),
    };
    let mut threads: Vec<ThreadState> = stacks.iter().map(|_| ThreadState::default()).collect();
    let mut numbers = vec![0; stacks.len()];
    let (mut first, mut last) = (u64::MAX, 0);
    let damaged = lanes::in_order(segments, |ring, head, time, event| {
        (first, last) = (first.min(time), last.max(time));
        let before = std::mem::replace(&mut numbers[ring], head.thread);
        if before != head.thread {
            engine.finish_thread(&mut threads[ring], before);
        }
        engine.event(&mut threads[ring], &Context { ring, stacks: stacks[ring], head, time }, event);
    });
    for (thread, number) in threads.iter_mut().zip(numbers) {
        engine.finish_thread(thread, number);
    }
    engine.finish();
    decoded.coverage.damaged_segments += damaged;
    decoded.recorded_ns += last.saturating_sub(first);
}

/// Where an event comes from.
struct Context<'a> {
    ring: usize,
    stacks: &'a RingStacks,
    head: &'a SegmentHead,
    time: u64,
}

/// Memory that an instruction touches.
#[derive(Debug, Clone, Copy)]
struct Touch {
    pc: u32,
    address: u64,
    bytes: u64,
    is_write: bool,
    /// Whether the memory is copied from, or to.
    is_copy: bool,
}

struct Engine<'e, 'a> {
    image: &'e Image<'a>,
    decoded: &'e mut Decoded,
    consumer: &'e mut dyn Consumer,
    blocks: Blocks,
    structures: Vec<Structure>,
    /// Addresses of fields that structures have outside of their blocks.
    fields: HashMap<u64, Slot>,
    /// Chains by callers and place.
    places: HashMap<(ContextId, u32), ChainId>,
    contexts: Contexts,
    functions: HashMap<u32, u64>,
    /// The first guard of each function.
    entries: HashMap<u64, u32>,
    owners: HashMap<(usize, u32), Option<Owner>>,
    flows: Flows,
    /// Loops whose place is known, with the callers of their function.
    placed: HashSet<(LoopId, ContextId)>,
    /// The iteration of the innermost loop around the present event.
    now: Option<Iteration>,
    clock: Clock,
    shadow: Shadow,
    /// Loops that were found to have iterations that depend on each other.
    dependent: Vec<LoopId>,
    /// Structures whose number or order of elements changed, and how.
    resized: Vec<(Slot, Kind)>,
    last_places: Lookup<u32>,
    last_functions: Lookup<u64>,
    /// Functions of guards, and whether the guard is the function's first.
    last_guards: Lookup<(u64, bool)>,
}

impl Engine<'_, '_> {
    fn event(&mut self, thread: &mut ThreadState, context: &Context<'_>, event: &HistoryEvent) {
        self.clock.time = context.time;
        self.take(thread, context, event);
        if !self.resized.is_empty() {
            self.note_resized(thread);
        }
        if !thread.left.is_empty() {
            self.count_left(thread);
        }
        thread.last_time = context.time;
    }

    fn take(&mut self, thread: &mut ThreadState, context: &Context<'_>, event: &HistoryEvent) {
        let pc = event.counter;
        match event.detail {
            EventDetail::Gap => return self.note_gap(thread),
            EventDetail::Guard { frame, stack } => self.block_begins(thread, context, pc, (frame, stack)),
            EventDetail::Allocate { address, length, stack, .. } => {
                return self.allocate(thread, context, address, length, stack);
            }
            EventDetail::Reallocate { old, address, length, stack, .. } => {
                return self.reallocate(thread, context, old, address, length, stack);
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
        if !self.decoded.book.chains[chain.0 as usize].has_no_line {
            self.sync(thread, chain, Moment { pc, time: context.time }, context.head.thread);
        }
        self.now = self.iteration(thread, None);
        let touch = |address, bytes, is_write| Touch { pc, address, bytes, is_write, is_copy: false };
        match event.detail {
            EventDetail::Load { address, size } => {
                self.touch(thread, context, chain, touch(address, u64::from(size), false))
            }
            EventDetail::Store { address, size } => {
                self.touch(thread, context, chain, touch(address, u64::from(size), true))
            }
            EventDetail::Fill { address, length } => {
                self.touch(thread, context, chain, touch(address, length, true))
            }
            EventDetail::Move { to, from, length } => {
                let mut touches = [touch(from, length, false), touch(to, length, true)]
                    .map(|touch| Touch { is_copy: true, ..touch });
                // `v.push(w[i])` copies from one structure into another: it is the one written that gets an element.
                if self.inserts(thread) {
                    touches.reverse();
                }
                touches.into_iter().for_each(|touch| self.touch(thread, context, chain, touch));
                // Only now is it known whether this is another operation of the same code.
                self.note_move(thread, to, from, length);
            }
            _ => {}
        }
        self.place_operations(thread);
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

    /// The function of a guard, and whether it is the first guard of it: the first one that is ever met.
    fn guard(&mut self, pc: u32) -> (u64, bool) {
        if let Some(known) = self.last_guards.get(u64::from(pc)) {
            return known;
        }
        let function = self.function(pc);
        let is_entry = *self.entries.entry(function).or_insert(pc) == pc;
        self.last_guards.put(u64::from(pc), (function, is_entry));
        (function, is_entry)
    }

    /// The callers of a function that began to run, from those of the functions that run around it.
    ///
    /// The stack of a guard ends at the first caller whose own guards were recorded. Functions without guards, those of
    /// a library that was compiled before, may lie between the two.
    fn context(&mut self, around: &[Running], context: &Context<'_>, stack: u32) -> ContextId {
        let list = context.stacks.stacks.get(&stack).map_or(&[][..], Vec::as_slice);
        if let (Some(outer), Some(&caller)) = (around.last(), list.first())
            && self.function_around(caller) == Some(outer.function)
        {
            return self.contexts.within(outer.context, caller);
        }
        let end = list.last().and_then(|&end| self.function_around(end));
        // Functions that returned may still be in the list: the innermost ones may not be callers.
        match around.iter().rev().find(|outer| Some(outer.function) == end) {
            Some(outer) => list
                .iter()
                .rev()
                .fold(outer.context, |callers, &address| self.contexts.within(callers, address)),
            None => self.contexts.listed(context.ring, stack, list),
        }
    }

    /// The function that a return address lies in.
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
                let id = self.decoded.book.add(self.image, Some(u64::from(pc)), callers_of);
                self.places.insert((callers, pc), id);
                id
            }
        };
        self.last_places.put(key, id.0);
        id
    }

    fn call(&self, call: CallId) -> Call {
        self.decoded.book.calls[call.0 as usize]
    }

    /// Whether the innermost operation under way adds elements.
    fn inserts(&self, thread: &ThreadState) -> bool {
        let operation = thread.active.last().and_then(|active| self.call(active.call).operation);
        operation.is_some_and(|operation| operation.kind == Kind::Insert)
    }

    fn sync(&mut self, thread: &mut ThreadState, chain: ChainId, at: Moment, number: u32) {
        if thread.stays_at(chain, at.pc) {
            return;
        }
        let calls = std::mem::take(&mut self.decoded.book.chains[chain.0 as usize].calls);
        let kinds = std::mem::take(&mut self.decoded.book.calls);
        let repeats =
            |call: CallId| kinds[call.0 as usize].operation.is_some_and(|operation| !has_loop(&operation));
        thread.sync(&calls, at, repeats, |active, over| {
            let call = kinds[active.call.0 as usize];
            self.report(active, call, over, number);
        });
        thread.synced = Some(chain);
        self.decoded.book.calls = kinds;
        self.decoded.book.chains[chain.0 as usize].calls = calls;
        if let (Some(active), Some(change)) =
            (thread.active.last_mut(), self.decoded.book.chains[chain.0 as usize].change)
        {
            active.change = Some(change);
        }
    }

    fn access(&self, slot: Slot, kind: Kind, time: u64, thread: u32, code: CodeId) -> Access {
        let length = self.structures[slot as usize].length;
        Access { thread: ThreadId(thread), code, iteration: self.now, ..Access::whole(kind, length, time) }
    }

    fn emit(&mut self, slot: Slot, run: AccessRun) {
        self.announce(slot);
        if dependences::resizes(run.first.kind) {
            self.resized.push((slot, run.first.kind));
        }
        let id = self.structures[slot as usize].id();
        self.consumer.access(id, AccessRun { last_time: run.last_time.max(run.first.time), ..run });
    }

    fn announce(&mut self, slot: Slot) {
        let structure = &mut self.structures[slot as usize];
        if !structure.announced {
            structure.announced = true;
            self.consumer.created(structure.instance);
        }
    }

    fn finish_thread(&mut self, thread: &mut ThreadState, number: u32) {
        let kinds = std::mem::take(&mut self.decoded.book.calls);
        thread.finish(|active, over| self.report(active, kinds[active.call.0 as usize], over, number));
        self.decoded.book.calls = kinds;
        self.resized.clear();
        self.count_left(thread);
    }

    fn finish(&mut self) {
        for slot in 0..self.structures.len() {
            self.drop_structure(slot as Slot);
        }
    }
}

/// Whether an operation is one event for the whole structure: what it touches is not reported.
fn is_whole(operation: &Operation) -> bool {
    let is_search = operation.kind == Kind::Search && family(operation.container) == Family::Row;
    !operation.many && (is_search || !operation.kind.has_index())
}

/// Whether the first instruction of an operation may come again within it. Tables and trees first compute a hash or find
/// the root, and then loop.
fn has_loop(operation: &Operation) -> bool {
    operation.many || is_whole(operation)
}
