//! The state of a thread: its running functions, and its active calls into the library.
//!
//! Calls have no explicit end in a history. A call is active while events lie in it, and it is left when an event lies outside
//! of it. Since the compiler interleaves the instructions of neighbouring operations, a left call may be continued:
//!
//! ```text
//! line  a.push(x); b.push(y);        event            a.push       b.push
//!                                    store a[3]       active
//!                                    store b[7]       left         active
//!                                    store a.len      continued    left      (an instruction not seen in a.push before)
//!                                    store a[4]       new call               (the first instruction of a.push again)
//! ```

use crate::access::Iteration;
use crate::code::chains::{CallId, ChainId};
use crate::code::frame::LengthChange;
use crate::decode::blocks::Slot;
use crate::decode::contexts::ContextId;
use crate::decode::iterations::{ActiveLoop, LoopPosition};
use crate::decode::shadow::Epoch;

/// How many instructions of a call are remembered, to recognise when one is executed again.
const REMEMBERED: usize = 16;
/// Stands for a frame that was left.
const LEFT_FRAME: u64 = u64::MAX;
/// How many calls that were left may still be continued.
const RECENT: usize = 8;

/// The program counter and time of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedPc {
    pub(super) pc: u32,
    pub(super) time: u64,
}

/// The beginning of a basic block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockEntry {
    pub(super) frame: u64,
    pub(super) function: u64,
    pub(super) stack: u32,
    /// Whether it is the entry block of its function.
    pub(super) is_entry: bool,
}

/// A running function, as far as its guards show it.
#[derive(Debug, Clone)]
pub(super) struct RunningFunction {
    pub(super) frame: u64,
    pub(super) function: u64,
    pub(super) stack: u32,
    /// Its calling context.
    pub(super) context: ContextId,
    /// Its position in its loops.
    pub(super) position: LoopPosition,
}

/// An active call into the library.
#[derive(Debug, Clone)]
pub(super) struct ActiveCall {
    pub(super) call: CallId,
    /// The frame of the caller.
    frame: u64,
    /// The first distinct instructions seen in it, in order.
    seen: Vec<u32>,
    /// The structure it works on, once known.
    pub(super) bound: Option<Slot>,
    /// The first element touched, read or written.
    pub(super) first: Option<u64>,
    /// The first element written.
    pub(super) first_written: Option<u64>,
    /// The last element touched.
    pub(super) last: Option<u64>,
    /// In a search: another structure that was touched, and the element; one of the two contains the value searched for.
    pub(super) other: Option<(Slot, u64)>,
    /// In a search: whether two elements of the structure were touched, so that it is the one that is searched.
    pub(super) is_scanned: bool,
    /// Elements that were moved within the block: the first place, and how many.
    pub(super) moved: Option<(u64, u64)>,
    /// How it changed the number of elements of a table or tree.
    pub(super) change: Option<LengthChange>,
    /// A structure that was created within it.
    pub(super) made: Option<Slot>,
    /// Addresses outside of blocks that it accessed: fields of its structure.
    pub(super) fields: Vec<u64>,
    /// Whether it wrote one of these fields.
    pub(super) wrote_field: bool,
    /// In an operation on many elements of a table or tree: the instruction whose executions count as elements.
    pub(super) counted_at: Option<u32>,
    /// The same for insertions and deletions.
    pub(super) changed_at: Option<u32>,
    /// Whether it was reported as an access.
    pub(super) reported: bool,
    /// When it began.
    pub(super) time: u64,
    /// The loop iteration of the call; the outer `None` means not looked up yet.
    pub(super) iteration: Option<Option<Iteration>>,
}

impl ActiveCall {
    /// A call about which nothing is known yet.
    fn new(call: CallId, frame: u64, at: TimedPc) -> Self {
        Self {
            call,
            frame,
            seen: Vec::new(),
            bound: None,
            first: None,
            first_written: None,
            last: None,
            other: None,
            is_scanned: false,
            moved: None,
            change: None,
            made: None,
            fields: Vec::new(),
            wrote_field: false,
            counted_at: None,
            changed_at: None,
            reported: false,
            time: at.time,
            iteration: None,
        }
    }

    /// Reuses the memory for a new call.
    fn renew(&mut self, call: CallId, frame: u64, at: TimedPc) {
        let (mut seen, mut fields) = (std::mem::take(&mut self.seen), std::mem::take(&mut self.fields));
        seen.clear();
        fields.clear();
        seen.push(at.pc);
        *self = Self { seen, fields, ..Self::new(call, frame, at) };
    }

    /// Forgets what was done, because another operation of the same call begins; the instructions seen are kept.
    pub(super) fn begin_again(&mut self, time: u64) {
        let pcs = std::mem::take(&mut self.seen);
        let fresh = Self::new(self.call, self.frame, TimedPc { pc: 0, time });
        *self = Self { seen: pcs, ..fresh };
    }

    /// A search touches a second structure. The one of which two elements are touched is searched; the other one has the value
    /// searched for. Returns whether it is the second one that is searched.
    pub(super) fn touch_other(&mut self, slot: Slot, place: u64) -> bool {
        match self.other {
            _ if self.is_scanned => false,
            None => {
                self.other = Some((slot, place));
                false
            }
            Some((known, before)) if known == slot && before != place => {
                self.other = self.bound.zip(self.last);
                (self.bound, self.last, self.is_scanned) = (Some(slot), Some(place), true);
                true
            }
            Some(_) => false,
        }
    }

    /// A search ended. If it touched one element of each of two structures, it searched the one of which that is the first.
    pub(super) fn settle_search(&mut self) {
        if let (false, Some((slot, 0)), Some(1..)) = (self.is_scanned, self.other, self.last) {
            self.other = self.bound.zip(self.last);
            (self.bound, self.last) = (Some(slot), Some(0));
        }
    }

    fn is_call_in_frame(&self, call: CallId, frame: u64) -> bool {
        self.call == call && self.frame == frame
    }

    fn note_instruction(&mut self, pc: u32) {
        if self.seen.len() < REMEMBERED && !self.seen.contains(&pc) {
            self.seen.push(pc);
        }
    }

    fn may_continue_at(&self, pc: u32) -> bool {
        self.seen.len() < REMEMBERED && !self.seen.contains(&pc)
    }
}

/// The state of a thread.
#[derive(Debug, Default)]
#[expect(clippy::vec_box, reason = "operations go from list to list, and are large")]
pub(super) struct ThreadState {
    pub(super) running: Vec<RunningFunction>,
    pub(super) active: Vec<Box<ActiveCall>>,
    recent: Vec<Box<ActiveCall>>,
    /// Ended calls, whose memory is reused.
    spare: Vec<Box<ActiveCall>>,
    /// The call chain that the active calls correspond to.
    pub(super) synced: Option<ChainId>,
    /// Loops that were left but not counted yet.
    pub(super) left: Vec<ActiveLoop>,
    /// The time of its last event.
    pub(super) last_time: u64,
}

impl ThreadState {
    /// Handles a guard: the function's frame is now the innermost one. `context` computes the calling context of a function that
    /// was not running before, from the functions that run around it.
    pub(super) fn guard(
        &mut self,
        entered: BlockEntry,
        context: impl FnOnce(&[RunningFunction]) -> ContextId,
    ) {
        let BlockEntry { frame, function, stack, is_entry } = entered;
        self.leave_frames(|running| {
            running.frame < frame || (running.frame == frame && running.function != function)
        });
        if is_entry {
            self.close_frame(frame);
        }
        let is_known =
            self.running.last().is_some_and(|running| running.frame == frame && running.stack == stack);
        if is_known {
            return;
        }
        self.leave_frames(|running| running.frame == frame);
        let context = context(&self.running);
        self.running.push(RunningFunction {
            frame,
            function,
            stack,
            context,
            position: LoopPosition::default(),
        });
    }

    /// The position of the innermost activation of a function, and the list of left loops.
    pub(super) fn position(&mut self, function: u64) -> Option<(&mut LoopPosition, &mut Vec<ActiveLoop>)> {
        let running = self.running.iter_mut().rev().find(|running| running.function == function)?;
        Some((&mut running.position, &mut self.left))
    }

    /// The positions of all running functions, innermost first.
    pub(super) fn positions(&self) -> impl Iterator<Item = &LoopPosition> {
        self.running.iter().rev().map(|running| &running.position)
    }

    /// The epoch in which the outermost active loop was entered; 0 if there is none.
    pub(super) fn outermost_began(&self) -> Epoch {
        self.running.iter().find_map(|running| running.position.began()).unwrap_or(0)
    }

    /// An instruction of this function is executed: the functions that it called have returned.
    pub(super) fn at_function(&mut self, function: u64) {
        if self.running.last().is_some_and(|running| running.function == function) {
            return;
        }
        if self.running.iter().any(|running| running.function == function) {
            self.leave_frames(|running| running.function != function);
        }
    }

    /// Removes the innermost frames as long as `is_left`, with their loops and calls.
    fn leave_frames(&mut self, is_left: impl Fn(&RunningFunction) -> bool) {
        while let Some(mut running) = self.running.pop_if(|running| is_left(running)) {
            running.position.restart(&mut self.left);
            self.close_frame(running.frame);
        }
    }

    /// Calls from a frame that was left are not continued by another function at the same stack address.
    fn close_frame(&mut self, frame: u64) {
        let all = self.recent.iter_mut().chain(&mut self.active);
        all.filter(|active| active.frame == frame).for_each(|active| active.frame = LEFT_FRAME);
    }

    /// The calling context of the innermost running function.
    pub(super) fn context(&self) -> ContextId {
        self.running.last().map_or(ContextId::NONE, |running| running.context)
    }

    /// Whether an event lies in the same calls as the last one and begins no new call.
    pub(super) fn stays_at(&mut self, chain: ChainId, pc: u32) -> bool {
        if self.synced != Some(chain) {
            return false;
        }
        match self.active.last() {
            // Only the first instruction of a call may begin a new one.
            Some(active) => active.seen.first() != Some(&pc) && active.seen.contains(&pc),
            None => true,
        }
    }

    /// Updates the active calls to `calls`, those of the current event, and reports calls that ended, innermost first.
    ///
    /// A call is left when an event lies outside of it. It is continued, not started anew, if the thread returns in the same
    /// frame to an instruction of the call that was not seen before (see the module documentation). `repeats` says whether a
    /// repetition of the first instruction starts a new call. `report` is called with `false` when a call is left, and with
    /// `true` when it can no longer be continued.
    pub(super) fn sync(
        &mut self,
        calls: &[CallId],
        at: TimedPc,
        repeats: impl Fn(CallId) -> bool,
        mut report: impl FnMut(&mut ActiveCall, bool),
    ) {
        let same = self.active.iter().zip(calls).take_while(|(active, call)| active.call == **call).count();
        let mut unchanged = same;
        if same == calls.len() && same == self.active.len() {
            match self.active.last_mut() {
                Some(active) if active.seen.first() == Some(&at.pc) && repeats(active.call) => {
                    unchanged = same - 1
                }
                Some(active) => return active.note_instruction(at.pc),
                None => return,
            }
        }
        let again = unchanged < same;
        while self.active.len() > unchanged {
            let Some(mut active) = self.active.pop() else { break };
            report(&mut active, false);
            self.recent.push(active);
        }
        let frame = self.running.last().map_or(0, |running| running.frame);
        for &call in &calls[unchanged..] {
            let continues = |active: &ActiveCall| {
                !again && active.is_call_in_frame(call, frame) && active.may_continue_at(at.pc)
            };
            let known = self.recent.iter().position(|active| continues(active));
            let active = known.map(|at| self.recent.remove(at));
            self.discard(|active| active.is_call_in_frame(call, frame), &mut report);
            let mut active = active.unwrap_or_else(|| self.begin(call, frame, at));
            active.note_instruction(at.pc);
            self.active.push(active);
        }
        while self.recent.len() > RECENT {
            let mut active = self.recent.remove(0);
            report(&mut active, true);
            self.spare.push(active);
        }
    }

    fn begin(&mut self, call: CallId, frame: u64, at: TimedPc) -> Box<ActiveCall> {
        let mut active = self.spare.pop().unwrap_or_else(|| Box::new(ActiveCall::new(call, frame, at)));
        active.renew(call, frame, at);
        active
    }

    fn discard(
        &mut self,
        is_over: impl Fn(&ActiveCall) -> bool,
        report: &mut impl FnMut(&mut ActiveCall, bool),
    ) {
        let Self { recent, spare, .. } = self;
        for mut active in recent.extract_if(.., |active| is_over(active)) {
            report(&mut active, true);
            spare.push(active);
        }
    }

    /// Reports all remaining calls at the end of the thread.
    pub(super) fn finish(&mut self, mut report: impl FnMut(&mut ActiveCall, bool)) {
        for mut active in self.recent.drain(..).chain(self.active.drain(..).rev()) {
            report(&mut active, true);
        }
        self.leave_frames(|_| true);
        self.synced = None;
    }
}
