//! Which functions run, as far as their guards tell.
//!
//! A function that is called by another one whose guards were recorded needs to say only where it returns to: the
//! reader knows the callers of the other one. Following all frames for every call would cost more than all the rest.
//!
//! ```text
//! main ── a ── std::sort ── b       guards of main, a and b; std is compiled without
//! stack of b: returns into std, returns into a       (the end: a is one of the functions that run)
//! ```

/// How many frames are remembered. Where there are more, those furthest out are forgotten.
const MOST: usize = 256;

/// Frames whose guards were recorded, the outermost first: each lies at a lower address than the one before.
///
/// A function that returned is forgotten when one further out has its next guard, or when the frame pointers of a
/// later one do not lead to it.
#[repr(C)]
pub(crate) struct Entered {
    /// The innermost frame; 0 where none is remembered.
    innermost: u64,
    count: u64,
    frames: [u64; MOST],
}

impl Entered {
    #[inline(always)]
    pub(crate) fn is_innermost(&self, frame: u64) -> bool {
        self.innermost == frame
    }

    pub(crate) fn clear(&mut self) {
        (self.innermost, self.count) = (0, 0);
    }

    /// The frame is the innermost one now.
    pub(crate) fn enter(&mut self, frame: u64) {
        while self.last().is_some_and(|last| last < frame) {
            self.count -= 1;
        }
        if self.last() != Some(frame) {
            self.push(frame);
        }
        self.innermost = frame;
    }

    /// Whether the function of a frame further out than the innermost one runs. Frames between the two are of functions
    /// that returned.
    pub(crate) fn leads_to(&mut self, outer: u64) -> bool {
        let mut below = self.count.saturating_sub(1);
        while below > 0 && self.frame(below - 1).is_some_and(|frame| frame < outer) {
            below -= 1;
        }
        let innermost = self.innermost;
        if below + 1 < self.count {
            self.count = below;
            self.push(innermost);
        }
        below > 0 && self.frame(below - 1) == Some(outer)
    }

    fn frame(&self, index: u64) -> Option<u64> {
        self.frames.get(index as usize).copied()
    }

    fn last(&self) -> Option<u64> {
        self.frame(self.count.checked_sub(1)?)
    }

    fn push(&mut self, frame: u64) {
        if self.count as usize >= MOST {
            let (old, recent) = self.frames.split_at_mut(MOST / 2);
            old.copy_from_slice(recent);
            self.count = MOST as u64 / 2;
        }
        if let Some(place) = self.frames.get_mut(self.count as usize) {
            *place = frame;
            self.count += 1;
        }
    }
}
