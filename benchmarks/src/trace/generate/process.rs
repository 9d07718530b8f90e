//! One MPI process of the simulation: its clock, and the events of what it does.

use lotse_model::id::{CommunicatorId, RegionId};
use lotse_model::trace::{CollectiveOp, Event, EventKind, EventSink, LockKind, Ticks};

use super::regions::{self, Call};
use crate::dice::Dice;

const WORLD: CommunicatorId = CommunicatorId(1);
/// The tags of non-blocking and of synchronous messages.
const TAG: u32 = 7;
const MEETING_TAG: u32 = 8;
/// The speed of an average rank.
const NORMAL: u64 = 1024;

pub(super) struct Rank<'a, S> {
    sink: &'a mut S,
    dice: Dice,
    now: Ticks,
    /// Factor of computing times, in units of 1/1024.
    slowness: u64,
    /// Calls that are open, within one run of [`Rank::run_one_of`].
    stack: Vec<RegionId>,
    requests: u64,
    sent_length: u64,
    events: u64,
}

impl<'a, S: EventSink> Rank<'a, S> {
    pub(super) fn new(seed: u64, rank: u64, sink: &'a mut S) -> Self {
        Self {
            sink,
            dice: Dice::new(seed, "rank", rank),
            now: 0,
            slowness: NORMAL,
            stack: Vec::new(),
            requests: 0,
            sent_length: 0,
            events: 0,
        }
    }

    pub(super) fn now(&self) -> Ticks {
        self.now
    }

    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// The length of the last message that was sent.
    pub(super) fn sent_length(&self) -> u64 {
        self.sent_length
    }

    /// Becomes faster or slower by up to a fifth.
    pub(super) fn drift(&mut self) {
        self.slowness = NORMAL - 200 + self.dice.below(400);
    }

    pub(super) fn message_length(&mut self) -> u64 {
        1024 + 8 * self.dice.below(4096)
    }

    pub(super) fn enter(&mut self, region: RegionId) {
        self.emit(EventKind::Enter, Event::Enter { region });
        self.tick();
    }

    pub(super) fn leave(&mut self, region: RegionId) {
        self.emit(EventKind::Leave, Event::Leave { region });
        self.tick();
    }

    /// Lets time pass: so many nanoseconds, more on a slow rank, and an eighth more or less by chance.
    pub(super) fn compute(&mut self, nanoseconds: Ticks) {
        self.now += (nanoseconds * self.slowness * (896 + self.dice.below(256))) >> 20;
    }

    pub(super) fn run_one_of(&mut self, choices: &[&[Call]]) {
        let choice = self.dice.below(choices.len() as u64) as usize;
        for &(depth, region, own) in choices[choice] {
            self.unwind(depth);
            self.enter(region);
            self.stack.push(region);
            self.compute(own);
        }
        self.unwind(0);
    }

    /// A function that calls itself one to five deep.
    pub(super) fn recurse(&mut self) {
        for _ in 0..=self.dice.below(5) {
            self.enter(regions::REFINE);
            self.stack.push(regions::REFINE);
            self.compute(800);
        }
        self.unwind(0);
    }

    pub(super) fn post_receive(&mut self) {
        self.requests += 2;
        let request = self.requests;
        self.enter(regions::IRECV);
        self.emit(EventKind::MpiIrecvRequest, Event::MpiIrecvRequest { request });
        self.tick();
        self.leave(regions::IRECV);
    }

    /// Starts a non-blocking send. Returns its time.
    pub(super) fn send_on(&mut self, receiver: u32, length: u64) -> Ticks {
        let request = self.requests + 1;
        self.sent_length = length;
        self.enter(regions::ISEND);
        let sent = self.now;
        let event = Event::MpiIsend { receiver, communicator: WORLD, tag: TAG, length, request };
        self.emit(EventKind::MpiIsend, event);
        self.tick();
        self.leave(regions::ISEND);
        sent
    }

    /// Waits for the message from the left, and for its own to be on its way.
    pub(super) fn wait_all(&mut self, sender: u32, length: u64, arrival: Ticks) {
        let request = self.requests;
        self.enter(regions::WAITALL);
        self.now = self.now.max(arrival);
        let event = Event::MpiIrecv { sender, communicator: WORLD, tag: TAG, length, request };
        self.emit(EventKind::MpiIrecv, event);
        self.emit(EventKind::MpiIsendComplete, Event::MpiIsendComplete { request: request + 1 });
        self.tick();
        self.leave(regions::WAITALL);
    }

    /// Begins a synchronous send. Returns the time since which it waits.
    pub(super) fn begin_send(&mut self, receiver: u32, length: u64) -> Ticks {
        self.enter(regions::SEND);
        let event = Event::MpiSend { receiver, communicator: WORLD, tag: MEETING_TAG, length };
        self.emit(EventKind::MpiSend, event);
        self.now
    }

    pub(super) fn end_send(&mut self, over: Ticks) {
        self.now = over;
        self.leave(regions::SEND);
    }

    /// Begins a blocking receive. Returns the time since which it waits.
    pub(super) fn begin_receive(&mut self) -> Ticks {
        self.enter(regions::RECV);
        self.now
    }

    pub(super) fn end_receive(&mut self, sender: u32, length: u64, over: Ticks) {
        self.now = over;
        let event = Event::MpiRecv { sender, communicator: WORLD, tag: MEETING_TAG, length };
        self.emit(EventKind::MpiRecv, event);
        self.tick();
        self.leave(regions::RECV);
    }

    /// Enters a collective operation. Returns the time.
    pub(super) fn begin_collective(&mut self, region: RegionId) -> Ticks {
        self.enter(region);
        self.emit(EventKind::MpiCollectiveBegin, Event::CollectiveBegin);
        self.now
    }

    pub(super) fn end_collective(&mut self, region: RegionId, op: CollectiveOp, bytes: u64, over: Ticks) {
        self.now = over + self.dice.below(100);
        let event =
            Event::CollectiveEnd { op, communicator: WORLD, root: None, sent: bytes, received: bytes };
        self.emit(EventKind::MpiCollectiveEnd, event);
        self.tick();
        self.leave(region);
    }

    /// One of so many.
    pub(super) fn choose(&mut self, count: usize) -> usize {
        self.dice.below(count as u64) as usize
    }

    /// Acquires a lock and returns from the call.
    pub(super) fn acquire(&mut self, kind: LockKind, lock: u64, order: u32, at: Ticks) {
        self.now = at;
        self.emit(EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
        self.tick();
        self.leave(regions::LOCK);
    }

    /// Releases a lock and returns from the call. Returns the time of the release.
    pub(super) fn release(&mut self, kind: LockKind, lock: u64, order: u32) -> Ticks {
        let released = self.now;
        self.emit(EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
        self.tick();
        self.leave(regions::UNLOCK);
        released
    }

    fn unwind(&mut self, depth: usize) {
        while self.stack.len() > depth {
            let Some(region) = self.stack.pop() else { return };
            self.leave(region);
        }
    }

    fn emit(&mut self, kind: EventKind, event: Event) {
        self.sink.event(self.now, kind, event);
        self.events += 1;
    }

    /// Advances the clock by the cost of a call and its recording.
    fn tick(&mut self) {
        self.now += 20;
    }
}
