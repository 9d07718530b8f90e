//! The callers of functions that run.
//!
//! A guard of a function tells its stack when the function is entered from another place, but not when a caller further
//! out changed. Callers are therefore put together from the function's own return address and those of the function that
//! runs around it.

use std::rc::Rc;

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
    callers: Vec<Rc<[u64]>>,
    /// The same lists: a recursion that is deeper than what is kept has the same callers at every level.
    numbers: HashMap<Rc<[u64]>, ContextId>,
    below: HashMap<(ContextId, u64), ContextId>,
    of_stack: HashMap<(usize, u32), ContextId>,
}

/// More callers than this are left out.
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

    /// Return addresses, the innermost first.
    pub(super) fn callers(&self, id: ContextId) -> &[u64] {
        &self.callers[id.0 as usize]
    }

    /// A function that returns to an address within a function that has these callers.
    pub(super) fn within(&mut self, outer: ContextId, address: u64) -> ContextId {
        if let Some(&known) = self.below.get(&(outer, address)) {
            return known;
        }
        let outside = self.callers(outer).iter().copied().take(DEEPEST - 1);
        let list: Vec<u64> = std::iter::once(address).chain(outside).collect();
        let id = self.number(&list);
        self.below.insert((outer, address), id);
        id
    }

    /// The callers as a stack of a ring lists them.
    pub(super) fn listed(&mut self, ring: usize, stack: u32, list: &[u64]) -> ContextId {
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
        let outer = contexts.listed(0, 7, &[30, 40]);
        let inner = contexts.within(outer, 20);
        assert_eq!(contexts.callers(inner), [20, 30, 40]);
        assert_eq!(contexts.within(outer, 20), inner);
        assert!(contexts.callers(ContextId::NONE).is_empty());
        assert_eq!(contexts.listed(1, 3, &[20, 30, 40]), inner, "the same callers");
    }

    #[test]
    fn a_deep_recursion_has_few_contexts() {
        let mut contexts = Contexts::new();
        let ids = (0..1000).scan(ContextId::NONE, |context, _| {
            *context = contexts.within(*context, 20);
            Some(context.number())
        });
        assert_eq!(ids.max(), Some(super::DEEPEST as u32));
    }
}
