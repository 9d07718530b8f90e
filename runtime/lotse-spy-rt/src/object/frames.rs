//! The running functions, as far as their guards show them.
//!
//! If the caller of a function has guards, too, the function only needs to record its return address: the reader knows the
//! callers of its caller. Walking all frames for every call would cost more than everything else.
//!
//! ```text
//! main ── a ── std::sort ── b       main, a and b have guards; std is compiled without
//! recorded stack of b: return address in std, return address in a       (ends here: a is known to be running)
//! ```

/// Maximum number of frames that are remembered; beyond that the outermost ones are dropped.
const MOST: usize = 256;

/// Frames whose guards were recorded, outermost first: each has a lower address than the previous one.
///
/// A function that returned is removed when a function further out reaches its next guard, or when the frame pointers of a
/// later function do not lead to it.
#[repr(C)]
pub(crate) struct EnteredFrames {
    /// The innermost frame; 0 if there is none.
    innermost: u64,
    count: u64,
    frames: [u64; MOST],
}

impl EnteredFrames {
    #[inline(always)]
    pub(crate) fn is_innermost(&self, frame: u64) -> bool {
        self.innermost == frame
    }

    pub(crate) fn clear(&mut self) {
        (self.innermost, self.count) = (0, 0);
    }

    /// Makes a frame the innermost one.
    pub(crate) fn enter(&mut self, frame: u64) {
        while self.last().is_some_and(|last| last < frame) {
            self.count -= 1;
        }
        if self.last() != Some(frame) {
            self.push(frame);
        }
        self.innermost = frame;
    }

    /// Whether `outer`, a frame outside of the innermost one, is a remembered frame. Frames between the two belong to functions
    /// that have returned, and are removed.
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
