//! The user part of a call chain, which the kernel recorded by frame pointers.
//!
//! The n-th address is a caller of the one before only if the function there had a frame. Where the call frame information
//! says that it had none, a marker stands for the callers that are missing; an address outside of any mapping is no caller.

use lotse_model::profile::Frame;

use super::session::{CpuMode, PerfSession, ProcessMemory};
use crate::frame_pointers::{LOST, SKIPPED, marker};
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
        let (mut skipped, mut perhaps) = (false, false);
        self.chains.all += 1;
        for (depth, &address) in chain.iter().enumerate() {
            frames.push(self.frame(process, address, CpuMode::User, depth == 0));
            let callers = self.callers(process, chain, depth);
            match callers {
                Callers::Next => continue,
                Callers::Perhaps => {
                    perhaps = true;
                    continue;
                }
                // A marker is on a stack once: twice, it would look like a recursion.
                Callers::Skipped if !skipped => {
                    frames.push(marker(&mut self.builder, SKIPPED));
                    skipped = true;
                    continue;
                }
                Callers::Outermost => break,
                Callers::Nowhere => self.chains.nowhere += 1,
                Callers::Skipped | Callers::Other => self.chains.other += 1,
            }
            frames.push(marker(&mut self.builder, LOST));
            break;
        }
        self.chains.skipped += u64::from(skipped);
        self.chains.unknown += u64::from(perhaps);
        frames
    }

    fn callers(&mut self, process: Option<u32>, chain: &[u64], depth: usize) -> Callers {
        // The last byte of a call belongs to it; the return address may not.
        let at = |depth: usize, address: u64| address.saturating_sub(u64::from(depth > 0));
        let refers_to = self.frame_pointer(process, at(depth, chain[depth]));
        let next = chain.get(depth + 1).map(|&next| self.is_mapped(process, at(depth + 1, next)));
        match (refers_to, next) {
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

    fn is_mapped(&self, process: Option<u32>, address: u64) -> bool {
        let maps = process.and_then(|process| self.memory.get(&process));
        maps.is_some_and(|maps| maps.find(address).is_some())
    }

    fn frame_pointer(&mut self, process: Option<u32>, address: u64) -> Option<FramePointer> {
        let maps = self.memory.get(&process?)?;
        let mapped = ProcessMemory { maps, builder: &self.builder };
        self.unwinder.as_mut()?.frame_pointer(&mapped.at(address)?)
    }
}
