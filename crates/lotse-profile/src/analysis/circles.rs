//! Which calls on stacks are part of a recursion: those between two frames of one function.
//!
//! Stacks of two threads, `main;a;b` and `main;b;a`, make a circle in the call graph though nothing recurses. Here a
//! call counts only where one stack has it between two frames of the same function.
//!
//! ```text
//! depth     0     1   2   3
//! stack     main  a   b   a        the second a begins a span from depth 1 to depth 3
//! starts          -1      +1       the calls a > b and b > a lie on it, main > a does not
//! ```
//!
//! Each span adds 1 where it ends and takes it away where it starts; leaving a frame passes its sum on to the frame
//! below, so that a call is on a span exactly where the sum is above 0 when its frame is left.

/// The path from a root to the frame that is visited.
pub(super) struct Circles {
    /// For every row of calls whether it is part of a recursion.
    pub(super) circular: Vec<bool>,
    /// For each function the depth of its innermost frame on the path.
    innermost: Vec<Option<u32>>,
    /// For each frame of the path: what its function's innermost frame was before, and the sum of spans.
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

    /// Leaves the innermost frame; says whether the call of it is part of a recursion.
    pub(super) fn leave(&mut self, function: usize) -> bool {
        let Some((before, spans)) = self.path.pop() else { return false };
        self.innermost[function] = before;
        if let Some(below) = self.path.last_mut() {
            below.1 += spans;
        }
        spans > 0
    }
}
