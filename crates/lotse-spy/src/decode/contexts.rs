//! Calling contexts: the lists of callers of running functions.
//!
//! The guard of a basic block records a call stack when its function is entered from a new place, but not when a caller
//! further out changed. A context is therefore composed of the function's own return address and the context of the function
//! that called it.

use std::rc::Rc;

use hashbrown::HashMap;

/// Number of a calling context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ContextId(u32);

impl ContextId {
    /// The context without callers.
    pub(super) const NONE: Self = Self(0);

    /// The number, counted from 0.
    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// All calling contexts, each stored once.
#[derive(Debug)]
pub(super) struct Contexts {
    callers: Vec<Rc<[u64]>>,
    /// The number of each list of callers. A recursion deeper than `DEEPEST` has the same truncated list at every level.
    numbers: HashMap<Rc<[u64]>, ContextId>,
    below: HashMap<(ContextId, u64), ContextId>,
    of_stack: HashMap<(usize, u32), ContextId>,
}

/// Callers beyond this depth are dropped.
const DEEPEST: usize = 48;

impl Contexts {
    pub(super) fn new() -> Self {
        let none: Rc<[u64]> = Rc::from([]);
        Self {
            callers: vec![Rc::clone(&none)],
            numbers: HashMap::from([(none, ContextId::NONE)]),
            below: HashMap::new(),
            of_stack: HashMap::new(),
        }
    }

    /// The return addresses of a context, innermost first.
    pub(super) fn callers(&self, id: ContextId) -> &[u64] {
        &self.callers[id.0 as usize]
    }

    /// The context of a function that returns to `address`, in a function with the context `outer`.
    pub(super) fn callee_context(&mut self, outer: ContextId, address: u64) -> ContextId {
        if let Some(&known) = self.below.get(&(outer, address)) {
            return known;
        }
        let outside = self.callers(outer).iter().copied().take(DEEPEST - 1);
        let list: Vec<u64> = std::iter::once(address).chain(outside).collect();
        let id = self.number(&list);
        self.below.insert((outer, address), id);
        id
    }

    /// The context of a recorded call stack of a ring.
    pub(super) fn stack_context(&mut self, ring: usize, stack: u32, list: &[u64]) -> ContextId {
        if let Some(&known) = self.of_stack.get(&(ring, stack)) {
            return known;
        }
        let id = self.number(list);
        self.of_stack.insert((ring, stack), id);
        id
    }

    fn number(&mut self, list: &[u64]) -> ContextId {
        if let Some(&known) = self.numbers.get(list) {
            return known;
        }
        let id = ContextId(self.callers.len() as u32);
        let list: Rc<[u64]> = list.into();
        self.callers.push(Rc::clone(&list));
        self.numbers.insert(list, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::{ContextId, Contexts};

    #[test]
    fn callers_are_put_together() {
        let mut contexts = Contexts::new();
        let outer = contexts.stack_context(0, 7, &[30, 40]);
        let inner = contexts.callee_context(outer, 20);
        assert_eq!(contexts.callers(inner), [20, 30, 40]);
        assert_eq!(contexts.callee_context(outer, 20), inner);
        assert!(contexts.callers(ContextId::NONE).is_empty());
        assert_eq!(contexts.stack_context(1, 3, &[20, 30, 40]), inner, "the same callers");
    }

    #[test]
    fn a_deep_recursion_has_few_contexts() {
        let mut contexts = Contexts::new();
        let ids = (0..1000).scan(ContextId::NONE, |context, _| {
            *context = contexts.callee_context(*context, 20);
            Some(context.number())
        });
        assert_eq!(ids.max(), Some(super::DEEPEST as u32));
    }
}
