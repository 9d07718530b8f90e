//! Events become operations of structures.

use hashbrown::HashMap;
use lotse_formats::history::{Detail, Event, SegmentHead, SegmentRef, Stacks};

use super::blocks::{Block, Blocks, Slot};
use super::contexts::{ContextId, Contexts};
use super::coverage::Coverage;
use super::lanes;
use super::structures::{Direct, Family, Structure, family};
use super::thread::{Active, Moment, Running, ThreadState};
use crate::access::{Access, AccessRun};
use crate::code::chains::{Call, CallId, ChainBook, ChainId, Change, Owner};
use crate::code::image::Image;
use crate::code::methods::Operation;
use crate::container::{Container, End, Kind};
use crate::instance::{CodeId, CodeTable, Instance, InstanceId, ThreadId};

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
    book: ChainBook,
    /// What became of events.
    pub coverage: Coverage,
    instances: u64,
}

impl Decoded {
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
    rings: Vec<(Vec<SegmentRef<'h>>, &'h Stacks)>,
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
        owners: HashMap::new(),
    };
    let mut threads: Vec<ThreadState> = stacks.iter().map(|_| ThreadState::default()).collect();
    let mut numbers = vec![0; stacks.len()];
    let damaged = lanes::in_order(segments, |ring, head, time, event| {
        if numbers[ring] != head.thread {
            numbers[ring] = head.thread;
            engine.finish_thread(&mut threads[ring], head.thread);
        }
        engine.event(&mut threads[ring], &Context { ring, stacks: stacks[ring], head, time }, event);
    });
    for (thread, number) in threads.iter_mut().zip(numbers) {
        engine.finish_thread(thread, number);
    }
    engine.finish();
    decoded.coverage.lost += damaged;
}

/// Where an event comes from.
struct Context<'a> {
    ring: usize,
    stacks: &'a Stacks,
    head: &'a SegmentHead,
    time: u64,
}

/// Memory that an instruction touches.
#[derive(Debug, Clone, Copy)]
struct Touch {
    address: u64,
    bytes: u64,
    is_write: bool,
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
    owners: HashMap<(usize, u32), Option<Owner>>,
}

impl Engine<'_, '_> {
    fn event(&mut self, thread: &mut ThreadState, context: &Context<'_>, event: &Event) {
        let pc = event.counter;
        match event.detail {
            Detail::Gap => return,
            Detail::Guard { frame, stack } => {
                let function = self.function(pc);
                thread.guard(frame, function, stack, |outer| self.context(outer, context, stack));
            }
            Detail::Allocate { address, length, stack, .. } => {
                return self.allocate(thread, context, address, length, stack);
            }
            Detail::Reallocate { old, address, length, stack, .. } => {
                return self.reallocate(thread, context, old, address, length, stack);
            }
            Detail::Free { address, .. } => return self.free(address),
            _ => {
                let function = self.function(pc);
                thread.at_function(function);
            }
        }
        if event.far {
            return;
        }
        let chain = self.chain(thread.context(), pc);
        if !self.decoded.book.chains[chain.0 as usize].has_no_line {
            self.sync(thread, chain, Moment { pc, time: context.time }, context.head.thread);
        }
        let touch = |address, bytes, is_write| Touch { address, bytes, is_write };
        match event.detail {
            Detail::Load { address, size } => {
                self.touch(thread, context, chain, touch(address, u64::from(size), false))
            }
            Detail::Store { address, size } => {
                self.touch(thread, context, chain, touch(address, u64::from(size), true))
            }
            Detail::Fill { address, length } => {
                self.touch(thread, context, chain, touch(address, length, true))
            }
            Detail::Move { to, from, length } => {
                self.note_move(thread, to, from, length);
                self.touch(thread, context, chain, touch(from, length, false));
                self.touch(thread, context, chain, touch(to, length, true));
            }
            _ => {}
        }
    }

    fn function(&mut self, pc: u32) -> u64 {
        let image = self.image;
        *self.functions.entry(pc).or_insert_with(|| image.function(u64::from(pc)))
    }

    /// The callers of a function that began to run within another.
    fn context(&mut self, outer: Option<&Running>, context: &Context<'_>, stack: u32) -> ContextId {
        let list = context.stacks.stacks.get(&stack).map_or(&[][..], Vec::as_slice);
        let caller = list.first().and_then(|&address| Some((address, self.image.relative(address)?)));
        if let (Some(outer), Some((address, place))) = (outer, caller)
            && self.function(place as u32) == outer.function
        {
            return self.contexts.within(outer.context, address);
        }
        self.contexts.listed(context.ring, stack, list)
    }

    fn chain(&mut self, callers: ContextId, pc: u32) -> ChainId {
        if let Some(&known) = self.places.get(&(callers, pc)) {
            return known;
        }
        let id = self.decoded.book.add(self.image, Some(u64::from(pc)), self.contexts.callers(callers));
        self.places.insert((callers, pc), id);
        id
    }

    fn call(&self, call: CallId) -> Call {
        self.decoded.book.calls[call.0 as usize]
    }

    fn sync(&mut self, thread: &mut ThreadState, chain: ChainId, at: Moment, number: u32) {
        let calls = std::mem::take(&mut self.decoded.book.chains[chain.0 as usize].calls);
        let kinds = std::mem::take(&mut self.decoded.book.calls);
        let repeats =
            |call: CallId| kinds[call.0 as usize].operation.is_some_and(|operation| !has_loop(&operation));
        thread.sync(&calls, at, repeats, |active, over| {
            let call = kinds[active.call.0 as usize];
            self.report(active, call, over, number);
        });
        self.decoded.book.calls = kinds;
        self.decoded.book.chains[chain.0 as usize].calls = calls;
        if let (Some(active), Some(change)) =
            (thread.active.last_mut(), self.decoded.book.chains[chain.0 as usize].change)
        {
            active.change = Some(change);
        }
    }

    /// A copy within one block: the library makes or closes a gap.
    fn note_move(&mut self, thread: &mut ThreadState, to: u64, from: u64, length: u64) {
        let (Some(source), Some(target)) = (self.blocks.find(from), self.blocks.find(to)) else { return };
        let structure = &self.structures[source.slot as usize];
        let place = structure.place(from.min(to)).zip(structure.elements(length));
        let by_one = structure.elements(from.abs_diff(to)) == Some(1);
        if let (true, Some(active), Some(place)) =
            (source == target && by_one, thread.active.last_mut(), place)
        {
            active.moved.get_or_insert(place);
        }
    }

    fn touch(&mut self, thread: &mut ThreadState, context: &Context<'_>, chain: ChainId, touch: Touch) {
        self.decoded.coverage.accesses += 1;
        let Some(block) = self.blocks.find(touch.address) else {
            self.decoded.coverage.elsewhere += 1;
            if self.decoded.book.chains[chain.0 as usize].uses_fields {
                self.touch_field(thread, touch);
            } else if touch.is_write && !self.fields.is_empty() {
                self.fields.remove(&touch.address);
            }
            return;
        };
        let slot = block.slot;
        let here = &self.decoded.book.chains[chain.0 as usize];
        let (in_library, user) =
            (here.in_library || (here.has_no_line && !thread.active.is_empty()), here.user);
        let Some(user) = user else {
            self.decoded.coverage.library += 1;
            return;
        };
        if self.swallowed(thread, in_library, slot, touch) {
            self.decoded.coverage.named += 1;
            return;
        }
        let innermost = thread.active.last_mut().filter(|_| in_library);
        let Some(active) = innermost else {
            if let Some((code, operation)) = self.visits(thread, slot).filter(|_| !touch.is_write) {
                self.decoded.coverage.named += 1;
                return self.one_of_many(context, slot, code, operation, touch);
            }
            self.decoded.coverage.direct += 1;
            return self.direct(context, slot, user, touch);
        };
        let call = self.decoded.book.calls[active.call.0 as usize];
        if active.made == Some(slot) && call.creates {
            self.decoded.coverage.named += 1;
            return;
        }
        match call.operation {
            Some(operation) if family(operation.container) == self.structures[slot as usize].family() => {
                self.decoded.coverage.named += 1;
                if operation.many {
                    return self.one_of_many(context, slot, call.code, operation, touch);
                }
                self.bind(thread, context.time, slot, touch);
            }
            None if self.structures[slot as usize].family() != Family::Row => {
                self.decoded.coverage.unnamed += 1;
                self.bind(thread, context.time, slot, touch);
            }
            _ => {
                self.decoded.coverage.unnamed += 1;
                self.unknown_method(call.code);
                self.direct(context, slot, call.code, touch);
            }
        }
    }

    /// An operation under way whose closure looks at one element after the other (`retain`).
    fn visits(&self, thread: &ThreadState, slot: Slot) -> Option<(CodeId, Operation)> {
        let here = self.structures[slot as usize].family();
        thread.active.iter().rev().find_map(|active| {
            let call = self.call(active.call);
            let operation = call.operation?;
            let visits =
                operation.many && operation.kind == Kind::Search && family(operation.container) == here;
            visits.then_some((call.code, operation))
        })
    }

    fn unknown_method(&mut self, code: CodeId) {
        let method = self.decoded.book.codes.method(code).unwrap_or("?").to_owned();
        *self.decoded.coverage.unknown_methods.entry(method).or_default() += 1;
    }

    /// Whether an access belongs to an operation on the whole structure.
    fn swallowed(&mut self, thread: &mut ThreadState, in_library: bool, slot: Slot, touch: Touch) -> bool {
        let innermost = thread.active.len().saturating_sub(1);
        let family_here = self.structures[slot as usize].family();
        for (depth, active) in thread.active.iter_mut().enumerate() {
            let Some(operation) = self.decoded.book.calls[active.call.0 as usize].operation else { continue };
            if !is_whole(&operation) || family(operation.container) != family_here {
                continue;
            }
            let at_once = depth == innermost && in_library;
            // Closures of a sort or a search look at elements before the library does.
            let through_closure = matches!(operation.kind, Kind::Sort | Kind::Search) && !touch.is_write;
            let binds = active.bound.is_none() && active.made != Some(slot) && (at_once || through_closure);
            if active.bound == Some(slot) || binds {
                active.bound = Some(slot);
                active.last = self.structures[slot as usize].place(touch.address);
                return true;
            }
            if active.made == Some(slot) {
                // The copy that the operation makes.
                return at_once;
            }
        }
        false
    }

    fn bind(&mut self, thread: &mut ThreadState, time: u64, slot: Slot, touch: Touch) {
        let Some(active) = thread.active.last_mut() else { return };
        let place = self.structures[slot as usize].place(touch.address);
        // A table that was made to replace the present one is the same table.
        if let Some(made) = active.made.filter(|made| *made != slot && active.bound == Some(*made)) {
            self.replace(made, slot);
            active.made = None;
            active.bound = Some(slot);
        }
        if *active.bound.get_or_insert(slot) != slot {
            return;
        }
        // Another element after the operation was left: the compiler made two copies of its code.
        if active.reported && place.is_some() && place != active.last {
            active.begin_again(time);
        }
        active.first = active.first.or(place);
        active.last = place.or(active.last);
        if touch.is_write {
            active.first_written = active.first_written.or(place);
        }
        for address in active.fields.drain(..) {
            self.fields.insert(address, slot);
        }
    }

    /// Memory outside of blocks: perhaps the fields of a structure that an operation works on.
    fn touch_field(&mut self, thread: &mut ThreadState, touch: Touch) {
        let operation = thread.active.last().and_then(|active| self.call(active.call).operation);
        let (Some(active), Some(operation)) = (thread.active.last_mut(), operation) else { return };
        if active.bound.is_none()
            && let Some(&slot) = self.fields.get(&touch.address)
            && self.structures[slot as usize].blocks > 0
            && self.structures[slot as usize].family() == family(operation.container)
        {
            active.bound = Some(slot);
        }
        match active.bound {
            Some(slot) if touch.bytes == 8 => drop(self.fields.insert(touch.address, slot)),
            _ if active.fields.len() < 4 => active.fields.push(touch.address),
            _ => {}
        }
    }

    /// A line of the user's code, or library code without a name, reads or writes elements.
    fn direct(&mut self, context: &Context<'_>, slot: Slot, code: CodeId, touch: Touch) {
        let structure = &mut self.structures[slot as usize];
        let kind = if touch.is_write { Kind::Write } else { Kind::Read };
        let index = structure.place(touch.address).map(|place| structure.index(place));
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        if let Some(index) = index {
            let direct =
                Direct { thread: context.head.thread, is_write: touch.is_write, index, code, offsets: 0 };
            if count == 1
                && structure.joins(direct, touch.address, |a, b| self.decoded.book.is_same_line(a, b))
            {
                return;
            }
            structure.reaches(index + count - 1);
        }
        let access = Access { index, ..self.access(slot, kind, context.time, context.head.thread, code) };
        self.emit(
            slot,
            AccessRun { count, index_stride: i64::from(index.is_some()), ..AccessRun::single(access) },
        );
    }

    /// One element of an operation that works on many.
    fn one_of_many(
        &mut self,
        context: &Context<'_>,
        slot: Slot,
        code: CodeId,
        operation: Operation,
        touch: Touch,
    ) {
        let kind = match (operation.kind, touch.is_write) {
            (Kind::Delete, true) => return,
            (Kind::Search, true) => {
                // What is kept closes the gaps.
                let structure = &mut self.structures[slot as usize];
                structure.length = structure.place(touch.address).map_or(structure.length, |place| place + 1);
                return;
            }
            (kind @ (Kind::Delete | Kind::Search), false) | (kind @ (Kind::Insert | Kind::Write), true) => {
                kind
            }
            (_, false) => Kind::Read,
            (_, true) => Kind::Write,
        };
        if kind != Kind::Insert {
            return self.direct_as(context, slot, code, kind, touch);
        }
        let structure = &mut self.structures[slot as usize];
        let Some(place) = structure.place(touch.address) else { return };
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        let index = structure.index(place);
        // Another field of the element that was just inserted.
        if count == 1 && index + 1 == structure.length {
            return;
        }
        structure.length = index;
        let access =
            Access { index: Some(index), ..self.access(slot, kind, context.time, context.head.thread, code) };
        self.structures[slot as usize].length = index + count;
        self.emit(slot, AccessRun { count, index_stride: 1, length_stride: 1, ..AccessRun::single(access) });
    }

    fn direct_as(&mut self, context: &Context<'_>, slot: Slot, code: CodeId, kind: Kind, touch: Touch) {
        let structure = &mut self.structures[slot as usize];
        let index = structure.place(touch.address).map(|place| structure.index(place));
        let direct = index.map(|index| Direct {
            thread: context.head.thread,
            is_write: touch.is_write,
            index,
            code,
            offsets: 0,
        });
        let same_line = |a, b| self.decoded.book.is_same_line(a, b);
        if direct.is_some_and(|direct| structure.joins(direct, touch.address, same_line)) {
            return;
        }
        let count = structure.elements(touch.bytes).unwrap_or(1).max(1);
        let access = Access { index, ..self.access(slot, kind, context.time, context.head.thread, code) };
        self.emit(
            slot,
            AccessRun { count, index_stride: i64::from(index.is_some()), ..AccessRun::single(access) },
        );
    }

    fn access(&self, slot: Slot, kind: Kind, time: u64, thread: u32, code: CodeId) -> Access {
        let length = self.structures[slot as usize].length;
        Access { thread: ThreadId(thread), code, ..Access::whole(kind, length, time) }
    }

    fn emit(&mut self, slot: Slot, run: AccessRun) {
        self.announce(slot);
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

    /// An operation was left, or is over for good.
    fn report(&mut self, active: &mut Active, call: Call, over: bool, thread: u32) {
        let reportable = match call.operation {
            Some(operation) => !operation.many,
            None => active.bound.is_some() && !self.is_drop(call.code),
        };
        if active.reported || !reportable {
            return;
        }
        let Some(slot) = active.bound else {
            if over {
                let method = self.decoded.book.codes.method(call.code).unwrap_or("?").to_owned();
                *self.decoded.coverage.unbound.entry(method).or_default() += 1;
            }
            return;
        };
        let structure = &self.structures[slot as usize];
        let operation = call.operation.unwrap_or(Operation {
            container: structure.instance.container,
            kind: Kind::Read,
            end: End::Anywhere,
            many: false,
        });
        let place = place_of(active, &operation);
        let wants_place = structure.family() == Family::Row && operation.kind.has_index();
        // `get` and the like only give a reference: who uses it reads.
        if wants_place && place.is_none() && (!over || operation.kind == Kind::Read) {
            return;
        }
        active.reported = true;
        self.decoded.coverage.operations += 1;
        self.settle_length(slot, active, &operation, place);
        let structure = &self.structures[slot as usize];
        let index = match operation.end {
            _ if !operation.kind.has_index() || structure.family() != Family::Row => None,
            End::Front => Some(0),
            End::Back if operation.kind == Kind::Insert => Some(structure.length),
            End::Back => structure.length.checked_sub(1),
            End::Anywhere => place.map(|place| structure.index(place)),
        };
        let access = Access { index, ..self.access(slot, operation.kind, active.time, thread, call.code) };
        self.emit(slot, AccessRun::single(access));
        self.change_length(slot, active, &operation);
    }

    /// Taking a structure down is no access to its elements.
    fn is_drop(&self, code: CodeId) -> bool {
        matches!(self.decoded.book.codes.method(code), Some("drop_in_place" | "drop" | "drop_glue"))
    }

    /// What an operation tells about the number of elements before it.
    fn settle_length(&mut self, slot: Slot, active: &Active, operation: &Operation, place: Option<u64>) {
        let structure = &mut self.structures[slot as usize];
        let Some(place) = place.filter(|_| structure.family() == Family::Row) else { return };
        let is_deque = structure.instance.container == Container::VecDeque;
        match (operation.kind, operation.end) {
            (Kind::Insert, End::Front) => {
                // The new first element lies before the old one.
                let capacity = structure.capacity().unwrap_or(0).max(1);
                structure.place_has_index((place + 1) % capacity, 0);
            }
            (Kind::Delete | Kind::Read, End::Front) => structure.place_has_index(place, 0),
            (Kind::Insert, End::Back) if is_deque => structure.place_has_index(place, structure.length),
            (Kind::Delete, End::Back) if is_deque => {
                structure.place_has_index(place, structure.length.saturating_sub(1))
            }
            (Kind::Insert, End::Back) => structure.length = place,
            (Kind::Delete, End::Back) => structure.length = place + 1,
            (Kind::Insert, End::Anywhere) if !is_deque => {
                structure.length = place + active.moved.map_or(0, |(_, count)| count)
            }
            (Kind::Delete, End::Anywhere) if !is_deque => {
                let after =
                    active.moved.map_or(structure.length.max(place + 1), |(_, count)| place + 1 + count);
                structure.length = after;
            }
            _ if !is_deque => structure.reaches(place),
            _ => {}
        }
    }

    fn change_length(&mut self, slot: Slot, active: &Active, operation: &Operation) {
        let structure = &mut self.structures[slot as usize];
        let is_row = structure.family() == Family::Row;
        let change = match operation.kind {
            Kind::Clear => {
                structure.length = 0;
                structure.head = 0;
                return;
            }
            Kind::Insert if is_row => Some(Change::Added),
            Kind::Delete if is_row => Some(Change::Removed),
            _ => active.change.filter(|_| !is_row),
        };
        match change {
            Some(Change::Added) => structure.length += 1,
            Some(Change::Removed) => structure.length = structure.length.saturating_sub(1),
            None => {}
        }
        if let (Container::VecDeque, End::Front, Some(capacity @ 1..)) =
            (structure.instance.container, operation.end, structure.capacity())
        {
            structure.head = match operation.kind {
                Kind::Insert => (structure.head + capacity - 1) % capacity,
                Kind::Delete => (structure.head + 1) % capacity,
                _ => structure.head,
            };
        }
    }

    fn allocate(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        address: u64,
        bytes: u64,
        stack: u32,
    ) {
        self.free(address);
        let Some(owner) = self.owner(context, stack) else { return };
        let row = family(owner.container) == Family::Row;
        let active = thread.active.last_mut();
        if let Some(slot) = active.as_ref().and_then(|active| active.bound).filter(|_| !row)
            && self.structures[slot as usize].family() == family(owner.container)
        {
            self.structures[slot as usize].blocks += 1;
            self.blocks.insert(Block { base: address, bytes, slot });
            return;
        }
        self.decoded.instances += 1;
        let id = self.decoded.instances;
        let mut structure =
            Structure::new(id, owner.container, owner.element_size, owner.code, context.head.thread);
        (structure.base, structure.bytes, structure.blocks) = (address, bytes, 1);
        if owner.is_full {
            structure.length = structure.capacity().unwrap_or(0);
        }
        let slot = self.structures.len() as Slot;
        self.structures.push(structure);
        self.blocks.insert(Block { base: address, bytes, slot });
        if let Some(active) = active {
            active.made = Some(slot);
            if !row && active.bound.is_none() {
                active.bound = Some(slot);
            }
        }
    }

    fn owner(&mut self, context: &Context<'_>, stack: u32) -> Option<Owner> {
        if let Some(known) = self.owners.get(&(context.ring, stack)) {
            return *known;
        }
        let callers = context.stacks.stacks.get(&stack).map_or(&[][..], Vec::as_slice);
        let owner = self.decoded.book.owner(self.image, callers);
        self.owners.insert((context.ring, stack), owner);
        owner
    }

    fn reallocate(
        &mut self,
        thread: &mut ThreadState,
        context: &Context<'_>,
        old: u64,
        address: u64,
        bytes: u64,
        stack: u32,
    ) {
        let Some(block) = self.blocks.remove(old) else {
            return self.allocate(thread, context, address, bytes, stack);
        };
        if address != old {
            self.free(address);
        }
        let code = self.owner(context, stack).map(|owner| owner.code);
        let structure = &mut self.structures[block.slot as usize];
        let before = structure.capacity();
        (structure.base, structure.bytes) = (address, bytes);
        let grown = before.zip(structure.capacity()).filter(|(old, new)| new > old);
        self.blocks.insert(Block { base: address, bytes, slot: block.slot });
        if let (Some((old, new)), Some(code)) = (grown, code) {
            self.announce(block.slot);
            let id = self.structures[block.slot as usize].id();
            self.consumer.grown(id, old, new, code);
        }
    }

    fn free(&mut self, address: u64) {
        let Some(block) = self.blocks.remove(address) else { return };
        let structure = &mut self.structures[block.slot as usize];
        structure.blocks = structure.blocks.saturating_sub(1);
        if structure.blocks == 0 {
            self.drop_structure(block.slot);
        }
    }

    fn drop_structure(&mut self, slot: Slot) {
        let structure = &mut self.structures[slot as usize];
        if structure.announced {
            structure.announced = false;
            let id = structure.id();
            self.consumer.dropped(id, &self.decoded.book.codes);
        }
    }

    /// A table grew into a new block.
    fn replace(&mut self, made: Slot, slot: Slot) {
        self.blocks.give(made, slot);
        let blocks = std::mem::take(&mut self.structures[made as usize].blocks);
        self.structures[slot as usize].blocks += blocks;
    }

    fn finish_thread(&mut self, thread: &mut ThreadState, number: u32) {
        let kinds = std::mem::take(&mut self.decoded.book.calls);
        thread.finish(|active, over| self.report(active, kinds[active.call.0 as usize], over, number));
        self.decoded.book.calls = kinds;
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

/// The place of the element that an operation is about.
fn place_of(active: &Active, operation: &Operation) -> Option<u64> {
    match operation.kind {
        // Moved elements make room where the new one goes.
        Kind::Insert => active.moved.map(|(place, _)| place).or(active.first_written),
        Kind::Search => active.last,
        _ => active.first,
    }
}
