//! Determines which samples are in which library calls.
//!
//! A call is identified by a position in user code and the library method called there. A sample is in the call if its stack
//! has a frame at that position whose callee, inlined or not, is that method. Other work of the same line does not count:
//!
//! ```text
//! main (9:5) <- drain (20:14) <- Vec::remove <- ptr::copy        in the call of `remove` at 20:14
//! main (9:5) <- drain (20:14) <- price (31:5)                    not in it, though at the same line
//! main (9:5) <- drain (21:9)  <- Vec::push <- RawVec::grow_one   in `push` at 21:9, and in the growth that it makes
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::code::body::{InFunction, StackFrame};
use crate::code::frame::is_library;
use crate::code::names;
use crate::instance::Code;
use crate::severity::CallPart;

static NOWHERE: BTreeSet<u32> = BTreeSet::new();

/// Stacks, by the calls that they are in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallSamples {
    /// By position and method, and then by the calling function, since a generic function has several names.
    calls: HashMap<CallPlace, BTreeMap<String, CallStacks>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CallPlace {
    file: String,
    place: InFunction,
    method: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CallStacks {
    whole: BTreeSet<u32>,
    growth: BTreeSet<u32>,
}

impl CallSamples {
    /// Adds a stack, given innermost first.
    pub(super) fn add(&mut self, number: u32, stack: &[StackFrame<'_>]) {
        let is_library: Vec<bool> =
            stack.iter().map(|frame| is_library(frame.function, frame.file)).collect();
        let calls = (1..stack.len()).filter(|&at| !is_library[at] && is_library[at - 1]);
        for at in calls {
            let (caller, callee) = (stack[at], names::parse_method(stack[at - 1].function).name);
            let innermost = is_library[..at].iter().rposition(|is_library| !is_library);
            if innermost.is_some() && takes_elements(callee) {
                continue;
            }
            let place =
                CallPlace { file: caller.file.to_owned(), place: caller.place, method: callee.to_owned() };
            let stacks = self.calls.entry(place).or_default().entry(caller.function.to_owned()).or_default();
            stacks.whole.insert(number);
            let library = &stack[innermost.map_or(0, |inner| inner + 1)..at];
            if library.iter().any(|frame| grows(frame.function)) {
                stacks.growth.insert(number);
            }
        }
    }

    /// The stacks in a call; `None` if it has no position, or occurs only in a function with another name, which may be the same
    /// generic function for other types.
    pub(super) fn stacks(&self, code: &Code, calls: CallPart) -> Option<&BTreeSet<u32>> {
        let site = code.chain.first()?;
        let place = CallPlace {
            file: site.file.clone(),
            place: (site.line?, site.column.unwrap_or(0)),
            method: code.method.clone()?,
        };
        let Some(functions) = self.calls.get(&place) else { return Some(&NOWHERE) };
        let stacks = functions.get(site.function.as_deref()?)?;
        Some(match calls {
            CallPart::Whole => &stacks.whole,
            CallPart::Growth => &stacks.growth,
        })
    }
}

/// Whether a method consumes elements that user code computes inside of it; that work is not part of the structure's operation.
fn takes_elements(method: &str) -> bool {
    ["collect", "extend", "from_iter", "resize_with", "fill_with"].contains(&method)
}

/// Whether a library function replaces memory by a larger block.
fn grows(function: &str) -> bool {
    const NAMES: [&str; 7] = [
        "grow",
        "grow_amortized",
        "grow_exact",
        "grow_one",
        "finish_grow",
        "do_reserve_and_handle",
        "reserve_rehash",
    ];
    let owners = ["alloc::raw_vec::", "alloc::collections::vec_deque::", "hashbrown::"];
    owners.iter().any(|owner| function.contains(owner)) && NAMES.contains(&names::parse_method(function).name)
}

#[cfg(test)]
mod tests {
    use super::{CallSamples, grows};
    use crate::code::body::StackFrame;
    use crate::instance::{Code, CodeTable};
    use crate::severity::CallPart;

    const STD: &str = "/rustc/0/library/alloc/src/vec/mod.rs";
    const PUSH: &str = "<alloc::vec::Vec<u64>>::push";
    const REMOVE: &str = "<alloc::vec::Vec<u64>>::remove";
    const GROW: &str = "<alloc::raw_vec::RawVec<u64>>::grow_one";
    const COLLECT: &str = "<core::slice::iter::Iter<u64> as core::iter::traits::iterator::Iterator>::collect::<alloc::vec::Vec<u64>>";
    const SORT: &str = "<[u64]>::sort_by::<a::main::{closure#0}>";

    /// Frames, outermost first; library functions have line 0.
    fn samples(stacks: &[&[(&'static str, u32)]]) -> CallSamples {
        let mut samples = CallSamples::default();
        let frame = |&(function, line)| match line {
            0 => StackFrame { function, file: STD, place: (70, 3) },
            line => StackFrame { function, file: "src/main.rs", place: (line, 5) },
        };
        for (number, stack) in (0..).zip(stacks) {
            samples.add(number, &stack.iter().rev().map(frame).collect::<Vec<_>>());
        }
        samples
    }

    fn call(function: &str, line: u32, method: &str) -> Code {
        CodeTable::code_at("src/main.rs", line, 5, function, Some(method))
    }

    fn stacks_of_call(samples: &CallSamples, code: &Code) -> Option<Vec<u32>> {
        Some(samples.stacks(code, CallPart::Whole)?.iter().copied().collect())
    }

    #[test]
    fn a_call_is_a_place_and_a_method() {
        let samples = samples(&[
            &[("main", 9), ("take", 20), (REMOVE, 0), ("core::ptr::copy", 0)],
            &[("main", 9), ("take", 20), ("price", 31)],
            &[("main", 9), ("take", 20), (PUSH, 0)],
            &[("main", 9), ("take", 20)],
            &[("main", 9), ("take", 21), (REMOVE, 0)],
        ]);
        assert_eq!(stacks_of_call(&samples, &call("take", 20, "remove")), Some(vec![0]));
        assert_eq!(stacks_of_call(&samples, &call("take", 21, "remove")), Some(vec![4]));
        assert_eq!(stacks_of_call(&samples, &call("take", 22, "remove")), Some(vec![]), "not met");
        assert_eq!(stacks_of_call(&samples, &call("take::<u8>", 20, "remove")), None, "for another type");
        let unnamed = Code { method: None, ..call("take", 20, "") };
        assert_eq!(stacks_of_call(&samples, &unnamed), None, "no call of the library");
    }

    #[test]
    fn what_the_user_s_code_does_within_a_call() {
        let samples = samples(&[
            &[("main", 9), (SORT, 0), ("closure", 9)],
            &[("main", 10), (COLLECT, 0), ("closure", 10)],
            &[("main", 10), (COLLECT, 0)],
            &[("main", 9), (SORT, 0), ("closure", 9), (REMOVE, 0)],
        ]);
        assert_eq!(stacks_of_call(&samples, &call("main", 9, "sort_by")), Some(vec![0, 3]), "it compares");
        assert_eq!(
            stacks_of_call(&samples, &call("main", 10, "collect")),
            Some(vec![2]),
            "it makes elements"
        );
        assert_eq!(
            stacks_of_call(&samples, &call("closure", 9, "remove")),
            Some(vec![3]),
            "a call within a call"
        );
    }

    #[test]
    fn growth_is_a_part_of_a_call() {
        let samples = samples(&[
            &[("main", 9), (PUSH, 0), (GROW, 0), ("alloc::raw_vec::finish_grow", 0)],
            &[("main", 9), (PUSH, 0)],
        ]);
        let growth = samples.stacks(&call("main", 9, "push"), CallPart::Growth).unwrap();
        assert_eq!(growth.iter().copied().collect::<Vec<_>>(), [0]);
        assert_eq!(stacks_of_call(&samples, &call("main", 9, "push")), Some(vec![0, 1]));
        assert!(grows("<hashbrown::raw::RawTable<(u64, u64)>>::reserve_rehash::<a::hash>"));
        assert!(!grows("a::trees::grow") && !grows(PUSH));
    }
}
