//! Which calls on stacks are part of a recursion: those between two frames of the same function.
//!
//! Stacks of two threads, `main;a;b` and `main;b;a`, make a cycle in the call graph though nothing recurses. Here a
//! call counts only if one stack has it between two frames of the same function.
//!
//! ```text
//! depth     0     1   2   3
//! stack     main  a   b   a        the second a begins a span from depth 1 to depth 3
//! starts          -1      +1       the calls a > b and b > a lie on it, main > a does not
//! ```
//!
//! Each span adds 1 at its end and subtracts 1 at its start. A frame that is left adds its sum to the frame below, so a
//! call lies on a span exactly if the sum of its frame is above 0 when the frame is left.

/// Finds recursive calls while a walk enters and leaves frames; holds the path from the root to the current frame.
pub(super) struct Circles {
    /// For every row of calls, whether it is part of a recursion.
    pub(super) circular: Vec<bool>,
    /// For each function, the depth of its innermost frame on the path.
    innermost: Vec<Option<u32>>,
    /// For each frame of the path: the previous innermost frame of its function, and the sum of spans.
    path: Vec<(Option<u32>, i64)>,
}

impl Circles {
    pub(super) fn new(functions: usize) -> Self {
        Self { circular: Vec::new(), innermost: vec![None; functions], path: Vec::new() }
    }

    /// Enters a frame of a function.
    pub(super) fn enter(&mut self, function: usize) {
        let before = self.innermost[function].replace(self.path.len() as u32);
        if let Some(start) = before {
            self.path[start as usize].1 -= 1;
        }
        self.path.push((before, i64::from(before.is_some())));
    }

    /// Leaves the innermost frame; returns whether its call is part of a recursion.
    pub(super) fn leave(&mut self, function: usize) -> bool {
        let Some((before, spans)) = self.path.pop() else { return false };
        self.innermost[function] = before;
        if let Some(below) = self.path.last_mut() {
            below.1 += spans;
        }
        spans > 0
    }
}
