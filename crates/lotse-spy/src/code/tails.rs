//! Finds functions that are missing in call stacks because the last thing that they do is a call.
//!
//! Such a tail call is a jump: the frame of the function is gone before the function that it calls begins.
//!
//! ```text
//! fn main()                       call evens     return address P
//! fn evens(..) { ...collect() }   jmp  from_iter
//! fn from_iter(..)                call malloc    return address Q
//!
//! stack  Q in from_iter, P in main: but the call before P is one of evens, and evens jumps to from_iter
//! ```
//!
//! The call before a return address names the function that was called. If another one runs there, the jumps at the ends
//! of functions say through which functions control went. Calls through pointers name no function and are left as they are.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use lotse_formats::history::TailPath;
use lotse_symbols::{Binary, Flow, Operation};

/// At most this many functions in a row are left by a jump.
const MOST_JUMPS: usize = 4;

/// The jumps that lead to a function; none if there is no way to it.
pub(super) fn jumps_to(function: u64, paths: &[TailPath]) -> &[u64] {
    paths.iter().find(|(known, _)| *known == function).map_or(&[], |(_, jumps)| jumps)
}

/// The calls and jumps of an executable's functions, decoded when they are needed.
pub(super) struct TailCalls<'b, 'a> {
    binary: &'b Binary<'a>,
    functions: RefCell<HashMap<u64, Rc<FunctionExits>>>,
}

/// Where a function goes.
#[derive(Debug, Default)]
struct FunctionExits {
    /// Return addresses of direct calls, and the functions that are called.
    calls: HashMap<u64, u64>,
    /// Functions that it jumps to at its end, with the address after the jump.
    jumps: Vec<(u64, u64)>,
}

impl<'b, 'a> TailCalls<'b, 'a> {
    pub(super) fn new(binary: &'b Binary<'a>) -> Self {
        Self { binary, functions: RefCell::default() }
    }

    /// The functions that may run without a frame of the function that is called before a return address, each once, with the
    /// jumps that lead there.
    pub(super) fn paths(&self, place: u64) -> Vec<TailPath> {
        let Some(caller) = self.binary.function_at(place.saturating_sub(1)) else { return Vec::new() };
        let Some(&called) = self.exits(caller.range().start).calls.get(&place) else { return Vec::new() };
        let mut known = BTreeSet::from([called]);
        let mut paths = Vec::new();
        let mut last: Vec<TailPath> = vec![(called, Vec::new())];
        for _ in 0..MOST_JUMPS {
            let mut next = Vec::new();
            for (function, path) in last {
                for &(target, jump) in &self.exits(function).jumps {
                    if known.insert(target) {
                        next.push((target, std::iter::once(jump).chain(path.iter().copied()).collect()));
                    }
                }
            }
            paths.extend(next.iter().cloned());
            last = next;
        }
        paths
    }

    fn exits(&self, function: u64) -> Rc<FunctionExits> {
        if let Some(known) = self.functions.borrow().get(&function) {
            return Rc::clone(known);
        }
        let exits = Rc::new(self.decoded(function));
        self.functions.borrow_mut().insert(function, Rc::clone(&exits));
        exits
    }

    fn decoded(&self, function: u64) -> FunctionExits {
        let Some(found) = self.binary.function_at(function) else { return FunctionExits::default() };
        let range = found.range();
        // Only x86-64 code can be decoded into operations.
        let Ok(operations) = self.binary.operations(range.clone()) else { return FunctionExits::default() };
        let is_function =
            |target: u64| self.binary.function_at(target).is_some_and(|other| other.range().start == target);
        exits(&operations, range.end, |target| target != range.start && is_function(target))
    }
}

/// The calls and the jumps to other functions among operations that end at `end`.
fn exits(operations: &[Operation], end: u64, is_other_function: impl Fn(u64) -> bool) -> FunctionExits {
    let ends = operations.iter().skip(1).map(|next| next.address).chain([end]);
    let mut exits = FunctionExits::default();
    for (operation, after) in operations.iter().zip(ends) {
        match operation.flow {
            Flow::Call { target: Some(target) } => {
                exits.calls.insert(after, target);
            }
            Flow::Jump { target: Some(target), .. } if is_other_function(target) => {
                exits.jumps.push((target, after));
            }
            _ => {}
        }
    }
    exits
}

#[cfg(test)]
mod tests {
    use lotse_symbols::operation::decode;

    use super::exits;

    #[test]
    fn calls_and_jumps_to_other_functions() {
        // 0: call 0x20  5: je 7  7: jmp 0x40  c: ret
        let code = [0xe8, 0x1b, 0, 0, 0, 0x74, 0, 0xe9, 0x34, 0, 0, 0, 0xc3];
        let found = exits(&decode(&code, 0), 13, |target| target >= 0x20);
        assert_eq!(found.calls.into_iter().collect::<Vec<_>>(), [(5, 0x20)]);
        assert_eq!(found.jumps, [(0x40, 12)]);
    }
}
