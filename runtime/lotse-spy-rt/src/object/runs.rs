//! Events that repeat at equal distances become one record.

use lotse_wire::record::{FAR, Head, tag};
use lotse_wire::ring::{OpenRun, RUNS};

use crate::process;
use crate::ring::Ring;
use crate::stack;

#[inline(always)]
fn slot(pc: u64) -> usize {
    (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize % RUNS
}

/// Whether a guard is the one that a run expects.
#[inline(always)]
fn continues(run: &OpenRun, frame: u64, pc: u64, caller: u64, event: u32) -> bool {
    run.pc == pc && run.next_address == frame && run.caller == caller && run.next_event == event
}

impl Ring {
    /// A load or store in a segment that has room. `kind` has the tag and the size.
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

    /// The beginning of a basic block, in a segment that has room.
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

    #[inline(never)]
    fn start_guard(&mut self, frame: u64, pc: u64, caller: u64, event: u32) {
        if self.has_frame(frame) {
            self.entered.enter(frame);
        } else {
            // The reader cannot compare frames of different stacks: what comes next tells all its callers.
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
        let stack = if same { run.stack } else { stack::of_guard(self, frame) };
        let old = self.runs[slot(pc)];
        let head = self.replace(&old, pc, u64::from(tag::GUARD)) | u64::from(event) << 16;
        self.runs[slot(pc)] = OpenRun { stack, caller, ..OpenRun::one(pc, frame, head) };
    }

    /// Writes the run that has to go; gives the first word of the one that follows, without the number of its event.
    fn replace(&mut self, old: &OpenRun, pc: u64, kind: u64) -> u64 {
        if old.pc != 0 {
            self.write(old);
        }
        if old.pc == pc { old.head & !0xffff_0000 } else { self.head(pc, kind) }
    }

    /// The first word of a record, without the number of its event.
    pub(crate) fn head(&mut self, pc: u64, kind: u64) -> u64 {
        let distance = pc.wrapping_sub(self.base);
        if distance <= u64::from(u32::MAX) {
            return kind | distance << 32;
        }
        let number = self.far_counter(pc);
        kind | u64::from(FAR) << 8 | u64::from(number) << 32
    }

    #[cold]
    fn far_counter(&mut self, pc: u64) -> u32 {
        let number = self.far as u32;
        self.far += 1;
        // The reader takes the last one for far counters.
        process::note_modules();
        let head = Head { tag: tag::FAR_COUNTER, detail: 0, event: 0, counter: number };
        self.append_needed(&[head.word(), pc]);
        number
    }

    fn write(&mut self, run: &OpenRun) {
        let (words, count) = run.record();
        if let Some(words) = words.get(..count) {
            self.append(words);
        }
    }

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
