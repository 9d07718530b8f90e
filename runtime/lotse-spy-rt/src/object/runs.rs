//! Joins events that repeat at equal distances into one record.
//!
//! A run has one program counter, a constant address stride, and a constant distance of event numbers (period), so that the runs
//! of several instructions in a loop can be open at the same time:
//!
//! ```text
//! for i in 0..n { b[i] = a[i] }      events   0 load a[0]   1 store b[0]   2 load a[1]   3 store b[1]   ...
//!
//! run of the load:    first event 0, period 2, address a, stride 8, n events
//! run of the store:   first event 1, period 2, address b, stride 8, n events
//! ```
//!
//! Open runs are kept in a table that is indexed by a hash of the program counter; a run is written when it is not continued or
//! its slot is needed.

use lotse_wire::SEGMENT_EVENTS;
use lotse_wire::record::{FAR, Head, tag};
use lotse_wire::ring::{OpenRun, RUNS, continuation};

use crate::process;
use crate::ring::Ring;
use crate::stack;

/// The slot of a program counter in the table of open runs. Calls of callbacks are at least eight bytes apart, so that those
/// of a loop of some kilobytes have slots of their own.
#[inline(always)]
fn slot(pc: u64) -> usize {
    (pc >> 2) as usize % RUNS
}

impl Ring {
    /// Records a load or store if it continues the run of its program counter.
    #[inline(always)]
    pub(crate) fn continue_access(&mut self, address: u64, pc: u64) -> bool {
        let key = continuation(pc, self.event as u16);
        let run = &mut self.runs[slot(pc)];
        let continues = run.key == key && run.next_address == address;
        if continues {
            run.extend();
            self.event += 1;
        }
        continues
    }

    /// Records the beginning of a basic block if it continues the run of its program counter. The frame is read only if it is that
    /// of the previous guard.
    #[inline(always)]
    pub(crate) fn continue_guard(&mut self, frame: u64, pc: u64) -> bool {
        let key = continuation(pc, self.event as u16);
        let run = &mut self.runs[slot(pc)];
        let continues = run.key == key
            && run.first_address == frame
            && self.entered.is_innermost(frame)
            // SAFETY: the frame lies on the stack, because it is the innermost one.
            && run.caller == unsafe { *(frame as *const u64).add(1) };
        if continues {
            run.key = key + run.period;
            self.event += 1;
        }
        continues
    }

    /// Records an access if it is the second event of a run. It calls nothing, so that no registers have to be saved.
    #[inline(always)]
    pub(crate) fn pair_access(&mut self, address: u64, pc: u64) -> bool {
        let event = self.event;
        let run = &mut self.runs[slot(pc)];
        let pairs =
            event < u64::from(SEGMENT_EVENTS) && run.is_one(pc) && run.pair(pc, address, event as u16);
        self.event = event + u64::from(pairs);
        pairs
    }

    /// Records an access that starts a run while there is room for the run that it replaces; `false` if nothing was done. It
    /// calls nothing, either.
    #[inline(always)]
    pub(crate) fn start_access_at_once(&mut self, address: u64, pc: u64, kind: u64) -> bool {
        let event = self.event;
        let distance = pc.wrapping_sub(self.base);
        let run = &self.runs[slot(pc)];
        let is_near = distance <= u64::from(u32::MAX);
        if event >= u64::from(SEGMENT_EVENTS)
            || !is_near
            || run.head == 0
            || run.is_guard()
            || !self.has_room_for_run()
        {
            return false;
        }
        let (words, count) = run.record_of_access();
        self.put(words, count);
        let run = &mut self.runs[slot(pc)];
        run.key = OpenRun::key_of_one(pc);
        run.period = 0;
        run.head = kind | event << 16 | distance << 32;
        run.first_address = address;
        self.event = event + 1;
        true
    }

    /// The same for a guard that is not the first one of its function's execution, so that its call stack is known.
    #[inline(always)]
    pub(crate) fn start_guard_at_once(&mut self, frame: u64, pc: u64) -> bool {
        let event = self.event;
        let run = &mut self.runs[slot(pc)];
        let is_known = event < u64::from(SEGMENT_EVENTS)
            && run.first_address == frame
            && self.entered.is_innermost(frame)
            // SAFETY: the frame lies on the stack, because it is the innermost one.
            && run.caller == unsafe { *(frame as *const u64).add(1) }
            && run.is_at(pc);
        if !is_known {
            return false;
        }
        if !(run.is_one(pc) && run.pair(pc, frame, event as u16)) {
            if !self.has_room_for_run() {
                return false;
            }
            let (words, count) = self.runs[slot(pc)].record();
            self.put(words, count);
            let run = &mut self.runs[slot(pc)];
            run.key = OpenRun::key_of_one(pc);
            run.period = 0;
            run.head = run.head & !0xffff_0000 | event << 16;
        }
        self.event = event + 1;
        true
    }

    /// Records an access that does not continue its run: it becomes the second event of a run, or starts a new one.
    #[inline(always)]
    pub(crate) fn start_access(&mut self, address: u64, pc: u64, kind: u64) {
        let event = self.take_event();
        let run = &mut self.runs[slot(pc)];
        if !(run.is_one(pc) && run.pair(pc, address, event)) {
            let head = self.replace(pc, kind) | u64::from(event) << 16;
            self.runs[slot(pc)] = OpenRun::one(pc, address, head);
        }
    }

    /// The same for a guard; it also updates the entered frames, and records the call stack of a function that was entered.
    #[inline(always)]
    pub(crate) fn start_guard(&mut self, frame: u64, pc: u64, caller: u64) {
        let event = self.take_event();
        if self.has_frame(frame) {
            self.entered.enter(frame);
        } else {
            // Frames of different stacks cannot be compared, so the next guard records its complete call stack.
            self.entered.clear();
        }
        let run = &mut self.runs[slot(pc)];
        let same = run.first_address == frame && run.caller == caller;
        if same && run.key == continuation(pc, event) {
            return run.extend();
        }
        let same = same && run.is_at(pc);
        if same && run.is_one(pc) && run.pair(pc, frame, event) {
            return;
        }
        let stack = if same { run.stack } else { u64::from(stack::guard_stack(self, frame)) };
        let head = self.replace(pc, u64::from(tag::GUARD)) | u64::from(event) << 16;
        self.runs[slot(pc)] = OpenRun { stack, caller, ..OpenRun::one(pc, frame, head) };
    }

    /// Writes the run in the slot of a program counter, and returns the first word of the run that replaces it, without its
    /// event number.
    #[inline(always)]
    fn replace(&mut self, pc: u64, kind: u64) -> u64 {
        let old = &self.runs[slot(pc)];
        let (words, count) = old.record();
        let same = old.is_at(pc).then_some(old.head & !0xffff_0000);
        if old.head != 0 {
            self.append_run(words, count);
        }
        match same {
            Some(head) => head,
            None => self.head(pc, kind),
        }
    }

    /// The first word of a record, without its event number.
    pub(crate) fn head(&mut self, pc: u64, kind: u64) -> u64 {
        let distance = pc.wrapping_sub(self.base);
        if distance <= u64::from(u32::MAX) {
            return kind | distance << 32;
        }
        let number = self.far_counter(pc);
        kind | u64::from(FAR) << 8 | u64::from(number) << 32
    }

    /// Assigns a number to a program counter that is too far from the base for 32 bits.
    #[cold]
    fn far_counter(&mut self, pc: u64) -> u32 {
        let number = self.far as u32;
        self.far += 1;
        // The counter may be in a library loaded since; the reader uses the latest memory map for far counters.
        process::copy_memory_map();
        let head = Head { tag: tag::FAR_COUNTER, detail: 0, event: 0, counter: number };
        self.append_essential(&[head.word(), pc]);
        number
    }

    /// Writes all open runs.
    pub(crate) fn close_runs(&mut self) {
        for index in 0..RUNS {
            let run = &self.runs[index];
            if run.head != 0 {
                let (words, count) = run.record();
                self.append_run(words, count);
                // No event continues a run with this key.
                (self.runs[index].head, self.runs[index].key) = (0, 0);
            }
        }
    }
}
