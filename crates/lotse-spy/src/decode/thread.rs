//! What a thread is doing: its frames, and the calls into the library that are under way.

use crate::access::Iteration;
use crate::code::chains::{CallId, ChainId};
use crate::code::frame::Change;
use crate::decode::blocks::Slot;
use crate::decode::contexts::ContextId;
use crate::decode::iterations::{Position, UnderWay};
use crate::decode::shadow::Epoch;

/// How many instructions of an operation are remembered, to know one that comes again.
const REMEMBERED: usize = 16;
/// No frame.
const GONE: u64 = u64::MAX;
/// How many operations that were left may be continued.
const RECENT: usize = 8;

/// An instruction at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) pc: u32,
    pub(super) time: u64,
}

/// A basic block that begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entered {
    pub(super) frame: u64,
    pub(super) function: u64,
    pub(super) stack: u32,
    /// Whether it is the first one of its function.
    pub(super) is_entry: bool,
}

/// A function that runs, as far as its guards tell.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) frame: u64,
    pub(super) function: u64,
    pub(super) stack: u32,
    /// Its callers.
    pub(super) context: ContextId,
    /// Where it is in its loops.
    pub(super) position: Position,
}

/// A call into the library that is under way.
#[derive(Debug, Clone)]
pub(super) struct Active {
    pub(super) call: CallId,
    /// The frame it was made in.
    frame: u64,
    /// Instructions seen in it, the first one first.
    seen: Vec<u32>,
    /// The structure it works on.
    pub(super) bound: Option<Slot>,
    /// The first element touched, read or written.
    pub(super) first: Option<u64>,
    /// The first element written.
    pub(super) first_written: Option<u64>,
    /// The last element touched.
    pub(super) last: Option<u64>,
    /// Elements that were moved within the block: the first one, how many.
    pub(super) moved: Option<(u64, u64)>,
    /// What it did to the number of elements of a table or tree.
    pub(super) change: Option<Change>,
    /// A structure that was made within it.
    pub(super) made: Option<Slot>,
    /// Addresses outside of blocks that it used: the structure's own fields.
    pub(super) fields: Vec<u64>,
    /// Whether it wrote one of these fields.
    pub(super) wrote_field: bool,
    /// The instruction that stands for one element of an operation on many elements of a table or tree.
    pub(super) counted_at: Option<u32>,
    /// The same for changes of the number of elements.
    pub(super) changed_at: Option<u32>,
    /// Whether it was reported.
    pub(super) reported: bool,
    /// When it began.
    pub(super) time: u64,
    /// The iteration it was made in; nothing until it is looked up.
    pub(super) iteration: Option<Option<Iteration>>,
}

impl Active {
    fn new(call: CallId, frame: u64, at: Moment) -> Self {
        Self {
            call,
            frame,
            seen: Vec::new(),
            bound: None,
            first: None,
            first_written: None,
            last: None,
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

    /// Becomes a new operation.
    fn renew(&mut self, call: CallId, frame: u64, at: Moment) {
        let (mut seen, mut fields) = (std::mem::take(&mut self.seen), std::mem::take(&mut self.fields));
        seen.clear();
        fields.clear();
        seen.push(at.pc);
        *self = Self { seen, fields, ..Self::new(call, frame, at) };
    }

    /// Forgets what was done: what follows is another operation.
    pub(super) fn begin_again(&mut self, time: u64) {
        let pcs = std::mem::take(&mut self.seen);
        let fresh = Self::new(self.call, self.frame, Moment { pc: 0, time });
        *self = Self { seen: pcs, ..fresh };
    }

    fn is(&self, call: CallId, frame: u64) -> bool {
        self.call == call && self.frame == frame
    }

    fn sees(&mut self, pc: u32) {
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
    pub(super) running: Vec<Running>,
    pub(super) active: Vec<Box<Active>>,
    recent: Vec<Box<Active>>,
    /// Operations that are over, whose memory is used again.
    spare: Vec<Box<Active>>,
    /// The chain whose calls are those under way.
    pub(super) synced: Option<ChainId>,
    /// Loops that were left, and not counted yet.
    pub(super) left: Vec<UnderWay>,
    /// When its last event was.
    pub(super) last_time: u64,
}

impl ThreadState {
    /// A guard: the function's frame is the innermost one now. `context` gives the callers of a function that was not
    /// running before, from the functions that run around it.
    pub(super) fn guard(&mut self, entered: Entered, context: impl FnOnce(&[Running]) -> ContextId) {
        let Entered { frame, function, stack, is_entry } = entered;
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
        self.running.push(Running { frame, function, stack, context, position: Position::default() });
    }

    /// The position of the innermost function that runs, if it is this one, and the list of loops that were left.
    pub(super) fn position(&mut self, function: u64) -> Option<(&mut Position, &mut Vec<UnderWay>)> {
        let running = self.running.iter_mut().rev().find(|running| running.function == function)?;
        Some((&mut running.position, &mut self.left))
    }

    /// Positions of all functions that run, the innermost first.
    pub(super) fn positions(&self) -> impl Iterator<Item = &Position> {
        self.running.iter().rev().map(|running| &running.position)
    }

    /// The epoch in which the outermost loop under way was entered.
    pub(super) fn outermost_began(&self) -> Epoch {
        self.running.iter().find_map(|running| running.position.began()).unwrap_or(0)
    }

    /// An instruction of a function: what it called has returned.
    pub(super) fn at_function(&mut self, function: u64) {
        if self.running.last().is_some_and(|running| running.function == function) {
            return;
        }
        if self.running.iter().any(|running| running.function == function) {
            self.leave_frames(|running| running.function != function);
        }
    }

    /// What was called from a frame that is left stays in `recent` until something else takes its place.
    fn leave_frames(&mut self, is_left: impl Fn(&Running) -> bool) {
        while let Some(mut running) = self.running.pop_if(|running| is_left(running)) {
            running.position.restart(&mut self.left);
            self.close_frame(running.frame);
        }
    }

    /// What was called from a frame is not continued by another function in the same place of the stack.
    fn close_frame(&mut self, frame: u64) {
        let all = self.recent.iter_mut().chain(&mut self.active);
        all.filter(|active| active.frame == frame).for_each(|active| active.frame = GONE);
    }

    /// The callers of the function that runs.
    pub(super) fn context(&self) -> ContextId {
        self.running.last().map_or(ContextId::NONE, |running| running.context)
    }

    /// Whether an event lies in the same calls as the last one and begins none anew.
    pub(super) fn stays_at(&mut self, chain: ChainId, pc: u32) -> bool {
        if self.synced != Some(chain) {
            return false;
        }
        match self.active.last() {
            // The same chain has the same instruction: only the first one of an operation may begin it anew.
            Some(active) => active.seen.first() != Some(&pc) && active.seen.contains(&pc),
            None => true,
        }
    }

    /// Brings the calls under way in line with those at an event, and reports those that ended, the innermost first.
    ///
    /// An operation ends when an event lies outside of it. It is continued, not begun anew, if the thread comes back in
    /// the same frame to an instruction of it that was not there before: the compiler mixes instructions of neighbours.
    /// `repeats` says of a call whether its first instruction begins a new operation when it comes again at once.
    /// `report` is called with false when an operation is left, and with true when it cannot be continued any more.
    pub(super) fn sync(
        &mut self,
        calls: &[CallId],
        at: Moment,
        repeats: impl Fn(CallId) -> bool,
        mut report: impl FnMut(&mut Active, bool),
    ) {
        let same = self.active.iter().zip(calls).take_while(|(active, call)| active.call == **call).count();
        let mut kept = same;
        if same == calls.len() && same == self.active.len() {
            match self.active.last_mut() {
                Some(active) if active.seen.first() == Some(&at.pc) && repeats(active.call) => {
                    kept = same - 1
                }
                Some(active) => return active.sees(at.pc),
                None => return,
            }
        }
        let again = kept < same;
        while self.active.len() > kept {
            let Some(mut active) = self.active.pop() else { break };
            report(&mut active, false);
            self.recent.push(active);
        }
        let frame = self.running.last().map_or(0, |running| running.frame);
        for &call in &calls[kept..] {
            let continues =
                |active: &Active| !again && active.is(call, frame) && active.may_continue_at(at.pc);
            let known = self.recent.iter().position(|active| continues(active));
            let active = known.map(|at| self.recent.remove(at));
            self.discard(|active| active.is(call, frame), &mut report);
            let mut active = active.unwrap_or_else(|| self.begin(call, frame, at));
            active.sees(at.pc);
            self.active.push(active);
        }
        while self.recent.len() > RECENT {
            let mut active = self.recent.remove(0);
            report(&mut active, true);
            self.spare.push(active);
        }
    }

    fn begin(&mut self, call: CallId, frame: u64, at: Moment) -> Box<Active> {
        let mut active = self.spare.pop().unwrap_or_else(|| Box::new(Active::new(call, frame, at)));
        active.renew(call, frame, at);
        active
    }

    fn discard(&mut self, is_over: impl Fn(&Active) -> bool, report: &mut impl FnMut(&mut Active, bool)) {
        let Self { recent, spare, .. } = self;
        for mut active in recent.extract_if(.., |active| is_over(active)) {
            report(&mut active, true);
            spare.push(active);
        }
    }

    /// Reports all that is left.
    pub(super) fn finish(&mut self, mut report: impl FnMut(&mut Active, bool)) {
        for mut active in self.recent.drain(..).chain(self.active.drain(..).rev()) {
            report(&mut active, true);
        }
        self.leave_frames(|_| true);
        self.synced = None;
    }
}
