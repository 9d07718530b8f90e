//! The callers of functions that run.
//!
//! A guard of a function tells its stack when the function is entered from another place, but not when a caller further
//! out changed. Callers are therefore put together from the function's own return address and those of the function that
//! runs around it.

use hashbrown::HashMap;

/// A list of callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ContextId(u32);

impl ContextId {
    /// No callers.
    pub(super) const NONE: Self = Self(0);

    /// Its number, counted from 0.
    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// All lists of callers.
#[derive(Debug)]
pub(super) struct Contexts {
    callers: Vec<Vec<u64>>,
    below: HashMap<(ContextId, u64), ContextId>,
    of_stack: HashMap<(usize, u32), ContextId>,
}

/// More callers than this are left out.
const DEEPEST: usize = 48;

impl Contexts {
    pub(super) fn new() -> Self {
        Self { callers: vec![Vec::new()], below: HashMap::new(), of_stack: HashMap::new() }
    }

    /// Return addresses, the innermost first.
    pub(super) fn callers(&self, id: ContextId) -> &[u64] {
        &self.callers[id.0 as usize]
    }

    /// A function that returns to an address within a function that has these callers.
    pub(super) fn within(&mut self, outer: ContextId, address: u64) -> ContextId {
        let callers = &mut self.callers;
        *self.below.entry((outer, address)).or_insert_with(|| {
            let mut list = vec![address];
            list.extend(callers[outer.0 as usize].iter().take(DEEPEST - 1));
            callers.push(list);
            ContextId((callers.len() - 1) as u32)
        })
    }

    /// The callers as a stack of a ring lists them.
    pub(super) fn listed(&mut self, ring: usize, stack: u32, list: &[u64]) -> ContextId {
        let callers = &mut self.callers;
        *self.of_stack.entry((ring, stack)).or_insert_with(|| {
            callers.push(list.to_vec());
            ContextId((callers.len() - 1) as u32)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ContextId, Contexts};

    #[test]
    fn callers_are_put_together() {
        let mut contexts = Contexts::new();
        let outer = contexts.listed(0, 7, &[30, 40]);
        let inner = contexts.within(outer, 20);
        assert_eq!(contexts.callers(inner), [20, 30, 40]);
        assert_eq!(contexts.within(outer, 20), inner);
        assert!(contexts.callers(ContextId::NONE).is_empty());
    }
}
