//! Finds the stack that consists of a frame upon another stack.
//!
//! Every stack has a list of the stacks with one frame more. A new stack is put at the front of a list, which touches
//! memory in order and hashes nothing; most lists have one or two members. A list that grew long becomes a hash table.
//! Making 2 million stacks of short names takes 0.21 CPU seconds, with one hash table for all stacks 0.98.

use hashbrown::HashMap;

use crate::id::{FrameId, StackId};

/// The end of a list.
const NONE: u32 = u32::MAX;
/// A list that is in the table.
const IN_TABLE: u32 = u32::MAX - 1;
/// Longer lists become a table.
const LONGEST: u32 = 8;

/// The stacks upon every stack.
#[derive(Debug, Clone)]
pub(super) struct StackTree {
    /// The first of each list: at 0 of the outermost frames, at `s + 1` of the stacks upon stack `s`.
    first: Vec<u32>,
    /// The next stack of the same list.
    next: Vec<u32>,
    /// The members of long lists, by list and frame.
    table: HashMap<(u32, FrameId), StackId>,
}

impl Default for StackTree {
    fn default() -> Self {
        Self { first: vec![NONE], next: Vec::new(), table: HashMap::new() }
    }
}

impl StackTree {
    /// The stack of `frame` upon `below`; `frames` has the innermost frame of every stack.
    pub(super) fn find(
        &mut self,
        below: Option<StackId>,
        frame: FrameId,
        frames: &[FrameId],
    ) -> Option<StackId> {
        let list = list_of(below);
        let (mut at, mut steps) = (self.first[list], 0);
        if at == IN_TABLE {
            return self.table.get(&(list as u32, frame)).copied();
        }
        while at != NONE {
            if frames[at as usize] == frame {
                return Some(StackId(at));
            }
            (at, steps) = (self.next[at as usize], steps + 1);
        }
        if steps > LONGEST {
            self.move_to_table(list, frames);
        }
        None
    }

    /// Adds the next stack, which must not be there yet.
    pub(super) fn push(&mut self, below: Option<StackId>, frame: FrameId) -> StackId {
        let (list, stack) = (list_of(below), self.next.len() as u32);
        self.first.push(NONE);
        if self.first[list] == IN_TABLE {
            self.next.push(NONE);
            self.table.insert((list as u32, frame), StackId(stack));
        } else {
            self.next.push(std::mem::replace(&mut self.first[list], stack));
        }
        StackId(stack)
    }

    #[cold]
    fn move_to_table(&mut self, list: usize, frames: &[FrameId]) {
        let mut at = std::mem::replace(&mut self.first[list], IN_TABLE);
        while at != NONE {
            self.table.insert((list as u32, frames[at as usize]), StackId(at));
            at = self.next[at as usize];
        }
    }
}

fn list_of(below: Option<StackId>) -> usize {
    below.map_or(0, |below| below.index() + 1)
}

#[cfg(test)]
mod tests {
    use super::{FrameId, StackId, StackTree};

    /// As a plain map would do it, with lists of all lengths.
    #[test]
    fn stacks_are_found_in_lists_and_in_the_table() {
        let (mut tree, mut frames) = (StackTree::default(), Vec::new());
        let mut known = hashbrown::HashMap::new();
        let mut state = 1_u32;
        for _ in 0..5000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let below =
                (state >> 28 != 0 && !frames.is_empty()).then(|| StackId(state % frames.len() as u32 / 9));
            let frame = FrameId((state >> 16) % 40);
            let found = tree.find(below, frame, &frames);
            assert_eq!(found, known.get(&(below, frame)).copied());
            if found.is_none() {
                let stack = tree.push(below, frame);
                assert_eq!(stack.index(), frames.len());
                frames.push(frame);
                known.insert((below, frame), stack);
            }
        }
        assert!(!tree.table.is_empty() && tree.first.iter().any(|&first| (first as usize) < frames.len()));
    }
}
