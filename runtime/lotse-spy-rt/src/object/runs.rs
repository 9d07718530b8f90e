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

use lotse_wire::record::{FAR, Head, tag};
use lotse_wire::ring::{OpenRun, RUNS};

use crate::process;
use crate::ring::Ring;
use crate::stack;

/// The slot of a program counter in the table of open runs.
#[inline(always)]
fn slot(pc: u64) -> usize {
    (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % RUNS
}

/// Whether a guard is the next event of a run.
#[inline(always)]
fn continues(run: &OpenRun, frame: u64, pc: u64, caller: u64, event: u32) -> bool {
    run.pc == pc && run.next_address == frame && run.caller == caller && run.next_event == event
}

impl Ring {
    /// Records a load or store; the segment must not be full. `kind` contains the tag and the size.
    #[inline(always)]
    pub(crate) fn access(&mut self, address: u64, pc: u64, kind: u64) {
        let event = self.event as u32;
        self.event += 1;
        // SAFETY: a slot is below the length of the table.
        let run = unsafe { self.runs.get_unchecked_mut(slot(pc)) };
        if run.pc == pc && run.next_address == address && run.next_event == event {
            run.extend();
        } else {
            self.start_access(address, pc, kind, event);
        }
    }

    /// Records the beginning of a basic block; the segment must not be full.
    #[inline(always)]
    pub(crate) fn guard(&mut self, frame: u64, pc: u64, caller: u64) {
        let event = self.event as u32;
        self.event += 1;
        // SAFETY: a slot is below the length of the table.
        let run = unsafe { self.runs.get_unchecked_mut(slot(pc)) };
        if continues(run, frame, pc, caller, event) && self.entered.is_innermost(frame) {
            run.extend();
        } else {
            self.start_guard(frame, pc, caller, event);
        }
    }

    /// Handles an access that does not continue its run: it becomes the second event of a run, or starts a new one.
    #[inline(never)]
    fn start_access(&mut self, address: u64, pc: u64, kind: u64, event: u32) {
        let run = &mut self.runs[slot(pc)];
        if run.pc == pc && run.count == 1 && run.pair(address, event) {
            return;
        }
        let old = *run;
        let head = self.replace(&old, pc, kind) | u64::from(event) << 16;
        self.runs[slot(pc)] = OpenRun::one(pc, address, head);
    }

    /// The same for a guard; it also updates the entered frames, and records the call stack of a function that was entered.
    #[inline(never)]
    fn start_guard(&mut self, frame: u64, pc: u64, caller: u64, event: u32) {
        if self.has_frame(frame) {
            self.entered.enter(frame);
        } else {
            // Frames of different stacks cannot be compared, so the next guard records its complete call stack.
            self.entered.clear();
        }
        let run = &mut self.runs[slot(pc)];
        if continues(run, frame, pc, caller, event) {
            return run.extend();
        }
        let same = run.pc == pc && run.first_address == frame && run.caller == caller;
        if same && run.count == 1 && run.pair(frame, event) {
            return;
        }
        let stack = if same { run.stack } else { stack::guard_stack(self, frame) };
        let old = self.runs[slot(pc)];
        let head = self.replace(&old, pc, u64::from(tag::GUARD)) | u64::from(event) << 16;
        self.runs[slot(pc)] = OpenRun { stack, caller, ..OpenRun::one(pc, frame, head) };
    }

    /// Writes the old run of a slot, and returns the first word of the new one, without its event number.
    fn replace(&mut self, old: &OpenRun, pc: u64, kind: u64) -> u64 {
        if old.pc != 0 {
            self.write(old);
        }
        if old.pc == pc { old.head & !0xffff_0000 } else { self.head(pc, kind) }
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

    fn write(&mut self, run: &OpenRun) {
        let (words, count) = run.record();
        if let Some(words) = words.get(..count) {
            self.append(words);
        }
    }

    /// Writes all open runs.
    pub(crate) fn close_runs(&mut self) {
        for index in 0..RUNS {
            let run = self.runs[index];
            if run.pc != 0 {
                self.write(&run);
                self.runs[index].pc = 0;
            }
        }
    }
}
