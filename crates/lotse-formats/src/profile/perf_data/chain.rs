//! The user part of a call chain, which the kernel recorded by frame pointers.
//!
//! The n-th address is a caller of the one before only if the function there had a frame. Where the call frame information
//! says that it had none, a marker stands for the callers that are missing; an address outside of any mapping is no caller.
//!
//! Code that uses the register for data has not always changed it yet. What follows is believed if it could not be there by
//! chance: all addresses are mapped, one is inside of a frame, and the last is in code that has no caller or no frame.
//!
//! ```text
//! malloc (pushed rbp, not changed yet), run (frame), main (frame), __libc_start_call_main (no frame): a stack
//! malloc (rbp is a size),               an address in strtol:                                        two values of data
//! ```

use lotse_model::profile::Frame;

use super::session::{CpuMode, PerfSession, ProcessMemory};
use crate::frame_pointers::{LOST, marker, skipped_name};
use crate::unwind::{FramePointer, MemoryMap};

/// What is known about the callers of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Callers {
    /// The next address is the caller, or there is none.
    Next,
    /// Perhaps: it is not known whether the function has a frame.
    Perhaps,
    /// The next address is a caller further out.
    Skipped,
    Outermost,
    /// The frame pointer leads outside of any mapping.
    Nowhere,
    /// The frame pointer has another value.
    Other,
}

impl PerfSession<'_, '_> {
    /// The frames of a chain, the innermost first, with markers where callers are missing.
    pub(super) fn chained_frames(&mut self, process: Option<u32>, chain: &[u64]) -> Vec<Frame> {
        let mut frames = Vec::new();
        let (mut skipped, mut perhaps, mut is_whole) = (0_usize, false, false);
        self.chains.all += u64::from(!chain.is_empty());
        for (depth, &address) in chain.iter().enumerate() {
            frames.push(self.frame(process, address, CpuMode::User, depth == 0));
            let mut callers = self.callers(process, chain, depth);
            if callers == Callers::Other {
                is_whole = is_whole || self.is_whole_stack(process, chain, depth + 1);
                callers = if is_whole { Callers::Skipped } else { Callers::Other };
            }
            match callers {
                Callers::Next => continue,
                Callers::Perhaps => {
                    perhaps = true;
                    continue;
                }
                Callers::Skipped => {
                    skipped += 1;
                    frames.push(marker(&mut self.builder, &skipped_name(skipped)));
                    continue;
                }
                Callers::Outermost => break,
                Callers::Nowhere => self.chains.nowhere += 1,
                Callers::Other => self.chains.other += 1,
            }
            frames.push(marker(&mut self.builder, LOST));
            break;
        }
        self.chains.skipped += u64::from(skipped > 0);
        self.chains.unknown += u64::from(perhaps);
        frames
    }

    fn callers(&mut self, process: Option<u32>, chain: &[u64], depth: usize) -> Callers {
        let next = chain.get(depth + 1).map(|_| self.is_mapped(process, code(chain, depth + 1)));
        match (self.frame_pointer(process, code(chain, depth)), next) {
            (Some(FramePointer::Outermost), _) => Callers::Outermost,
            (_, Some(false)) => Callers::Nowhere,
            (Some(FramePointer::Own), _) => Callers::Next,
            (Some(FramePointer::Other), _) => Callers::Other,
            (Some(FramePointer::OfCaller), Some(true)) => Callers::Skipped,
            // The code that calls `main` has no frame, and there the chain ends regularly.
            (Some(FramePointer::OfCaller), None) if depth > 0 => Callers::Next,
            (Some(FramePointer::OfCaller), None) => Callers::Other,
            (None, _) => Callers::Perhaps,
        }
    }

    /// Whether the addresses from `first` on are return addresses up to where a thread begins.
    fn is_whole_stack(&mut self, process: Option<u32>, chain: &[u64], first: usize) -> bool {
        let mut in_frame = false;
        for depth in first..chain.len() {
            let is_last = depth + 1 == chain.len();
            // What is not mapped has no frame pointer.
            match self.frame_pointer(process, code(chain, depth)) {
                Some(FramePointer::Own) => in_frame = true,
                Some(FramePointer::Outermost) => return in_frame,
                Some(FramePointer::OfCaller) if is_last => return in_frame,
                Some(FramePointer::OfCaller | FramePointer::Other) => {}
                None => return false,
            }
        }
        false
    }

    /// Whether an address can be code. Of a process without any known mapping, each can.
    fn is_mapped(&self, process: Option<u32>, address: u64) -> bool {
        let maps = process.and_then(|process| self.memory.get(&process));
        maps.is_none_or(|maps| maps.find(address).is_some())
    }

    fn frame_pointer(&mut self, process: Option<u32>, address: u64) -> Option<FramePointer> {
        let maps = self.memory.get(&process?)?;
        let mapped = ProcessMemory { maps, builder: &self.builder };
        self.unwinder.as_mut()?.frame_pointer(&mapped.at(address)?)
    }
}

/// The address to look up for an entry of a chain: the last byte of a call belongs to it; the return address may not.
fn code(chain: &[u64], depth: usize) -> u64 {
    chain[depth].saturating_sub(u64::from(depth > 0))
}
