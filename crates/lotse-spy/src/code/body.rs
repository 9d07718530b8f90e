//! Describes a loop by its source lines, so that it can be found again in a program that was compiled differently.
//!
//! The machine code of a recorded program differs from that of the same program without recording, but both come from the
//! same source positions below the same calls, inlined or not. The frames that all code of a loop has in common end with
//! the function that contains the loop; the positions at which they begin to differ are those inside the loop:
//!
//! ```text
//! recorded:    main (9:5) <- compute (20:14) <- Range::next        inlined, all in one function of the machine code
//!              main (9:5) <- compute (22:9)  <- get_pixel (5:3)
//!              ╰── around ╯  ╰── places ──╯     ╰ callees
//! a sample:    main (9:5) <- compute (22:9)  <- get_pixel (6:7) <- exp      in the loop: everything called there belongs to it
//!              main (9:5) <- compute (25:9)                                 after the loop
//! ```
//!
//! A position may occur outside of the loop, too: in `for x in all() { … }` the call of `all` and the step of the iterator
//! have the same position. Such a position is in the loop only together with a callee that the loop has there.

use std::collections::{BTreeMap, BTreeSet};

use lotse_symbols::InlineFrame;
use serde::{Deserialize, Serialize};

use super::methods;
use super::names;

/// Line and column in a function.
pub(crate) type InFunction = (u32, u32);

/// A loop, described so that one can decide whether a call stack is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoopBody {
    /// The function that contains the loop.
    pub(crate) function: String,
    file: String,
    places: BTreeMap<InFunction, Callees>,
    /// The inlined callers of that function, innermost first, which are the same for all code of the loop.
    around: Vec<(String, InFunction)>,
}

/// The functions that count as called by the loop at a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Callees {
    /// The position is only in the loop: whatever is called there belongs to the loop.
    Any,
    /// The position is outside of the loop, too: only these callees belong to the loop.
    Only(BTreeSet<String>),
}

/// A frame of a sampled call stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StackFrame<'a> {
    pub(crate) function: &'a str,
    pub(crate) file: &'a str,
    pub(crate) place: InFunction,
}

impl LoopBody {
    /// Builds the description from all lines of the compiled function that contains the loop. Each line is given as its block
    /// and its inlined frames, innermost first; `is_inside` selects the blocks of the loop.
    pub(crate) fn new(lines: &[(u32, Vec<InlineFrame>)], is_inside: impl Fn(u32) -> bool) -> Option<Self> {
        let (inside, outside): (Vec<_>, Vec<_>) = lines.iter().partition(|(block, _)| is_inside(*block));
        let inside: Vec<InlineFrames<'_>> =
            inside.iter().map(|(_, frames)| InlineFrames::new(frames)).collect();
        let shared = shared(&inside);
        let (first, depth) = (inside.first()?, shared.checked_sub(1)?);
        let around =
            (0..depth).rev().map(|at| (function(first.at(at)).to_owned(), place(first.at(at)))).collect();
        let is_same_function = |line: &InlineFrames<'_>| line.shares(first) >= shared;
        let outside: BTreeSet<InFunction> = outside
            .iter()
            .map(|(_, frames)| InlineFrames::new(frames))
            .filter(is_same_function)
            .map(|line| place(line.at(depth)))
            .collect();
        let mut places = BTreeMap::new();
        for line in &inside {
            let at = place(line.at(depth));
            let new = if outside.contains(&at) { Callees::Only(BTreeSet::new()) } else { Callees::Any };
            if let (Callees::Only(callees), Some(callee)) =
                (places.entry(at).or_insert(new), line.callee(depth))
            {
                callees.insert(callee.to_owned());
            }
        }
        let file = first.at(depth).file.clone().into_iter().collect();
        Some(Self { function: function(first.at(depth)).to_owned(), file, places, around })
    }

    /// Whether a frame is at a position of the loop, but in a function with another name: the same generic function for other
    /// types, whose code the compiler may have merged with this one.
    pub(crate) fn is_sibling(&self, frame: &StackFrame<'_>) -> bool {
        frame.function != self.function && frame.file == self.file && self.places.contains_key(&frame.place)
    }

    /// Whether a stack, given innermost first, is in the loop and not in one of these inlined copies of it.
    pub(crate) fn contains(&self, stack: &[StackFrame<'_>], copies: &[&Self]) -> bool {
        let is_elsewhere = |at| copies.iter().any(|copy| copy.contains_at(stack, at));
        (0..stack.len()).any(|at| self.contains_at(stack, at) && !is_elsewhere(at))
    }

    /// Whether `other` is the same loop in a copy of the function that was inlined into one caller, while `self` is the copy that
    /// all other callers use.
    pub(crate) fn has_inlined_copy(&self, other: &Self) -> bool {
        self.function == other.function
            && self.around.len() < other.around.len()
            && other.around.starts_with(&self.around)
    }

    fn contains_at(&self, stack: &[StackFrame<'_>], at: usize) -> bool {
        stack[at].function == self.function
            && self.is_called(stack[at].place, at.checked_sub(1).map(|inner| stack[inner].function))
            && self.is_around(&stack[at + 1..])
    }

    fn is_called(&self, place: InFunction, callee: Option<&str>) -> bool {
        match (self.places.get(&place), callee) {
            (None, _) => false,
            (Some(Callees::Any), _) | (Some(Callees::Only(_)), None) => true,
            (Some(Callees::Only(callees)), Some(callee)) => {
                callees.contains(callee) || methods::is_step(&names::parse_method(callee))
            }
        }
    }

    fn is_around(&self, outer: &[StackFrame<'_>]) -> bool {
        let is_same = |((function, place), frame): (&(String, InFunction), &StackFrame<'_>)| {
            function == frame.function && *place == frame.place
        };
        // Where the outer frames of a stack are missing, any caller is possible.
        self.around.iter().zip(outer).all(is_same)
    }
}

/// The inlined frames of one code line, and the function that is called there.
struct InlineFrames<'a> {
    frames: &'a [InlineFrame],
    called: Option<&'a InlineFrame>,
}

impl<'a> InlineFrames<'a> {
    fn new(frames: &'a [InlineFrame]) -> Self {
        match frames.split_first() {
            Some((called, frames)) if called.line.is_none() => Self { frames, called: Some(called) },
            _ => Self { frames, called: None },
        }
    }

    /// The frame at a depth, counted from the outermost.
    fn at(&self, depth: usize) -> &'a InlineFrame {
        &self.frames[self.frames.len() - 1 - depth]
    }

    /// How many outer frames of both belong to the same calls.
    fn shares(&self, other: &Self) -> usize {
        let most = self.frames.len().min(other.frames.len());
        let is_same = |depth: usize| {
            self.at(depth).function == other.at(depth).function
                && (depth == 0 || place(self.at(depth - 1)) == place(other.at(depth - 1)))
        };
        (0..most).take_while(|&depth| is_same(depth)).count()
    }

    /// The function that the frame at a depth calls.
    fn callee(&self, depth: usize) -> Option<&'a str> {
        let inlined = (depth + 1 < self.frames.len()).then(|| self.at(depth + 1));
        inlined.or(self.called).map(function)
    }
}

/// How many outer frames all lines have in common.
fn shared(lines: &[InlineFrames<'_>]) -> usize {
    let Some((first, rest)) = lines.split_first() else { return 0 };
    rest.iter().map(|line| line.shares(first)).min().unwrap_or(first.frames.len())
}

fn function(frame: &InlineFrame) -> &str {
    frame.function.as_deref().unwrap_or("")
}

fn place(frame: &InlineFrame) -> InFunction {
    (frame.line.unwrap_or(0), frame.column.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use lotse_symbols::InlineFrame;

    use super::{LoopBody, StackFrame};

    const NEXT: &str = "<core::ops::Range<usize> as core::iter::Iterator>::next";

    /// Frames, outermost first: function and line; line 0 stands for a called function.
    fn line(frames: &[(&str, u32)]) -> Vec<InlineFrame> {
        let frame = |&(function, line): &(&str, u32)| InlineFrame {
            function: Some(function.to_owned()),
            file: None,
            line: (line > 0).then_some(line),
            column: Some(5),
        };
        frames.iter().rev().map(frame).collect()
    }

    fn contains(body: &LoopBody, frames: &[(&str, u32)]) -> bool {
        let frame = |&(function, line)| StackFrame { function, file: "", place: (line, 5) };
        body.contains(&frames.iter().rev().map(frame).collect::<Vec<_>>(), &[])
    }

    /// Block 1 is the loop; `all` is called at line 20 before it, and `work` at line 22 within it.
    fn body() -> LoopBody {
        let lines = [
            (0, line(&[("main", 9), ("compute", 20), ("all", 0)])),
            (1, line(&[("main", 9), ("compute", 20), (NEXT, 3)])),
            (1, line(&[("main", 9), ("compute", 22), ("work", 0)])),
            (1, line(&[("main", 9), ("compute", 23), ("get", 5)])),
            (2, line(&[("main", 9), ("compute", 25)])),
        ];
        LoopBody::new(&lines, |block| block == 1).unwrap()
    }

    #[test]
    fn lines_of_the_loop_and_what_they_call() {
        let body = body();
        assert_eq!(body.function, "compute");
        assert!(contains(&body, &[("main", 9), ("compute", 22)]));
        assert!(contains(&body, &[("start", 1), ("main", 9), ("compute", 22), ("work", 70), ("exp", 3)]));
        assert!(
            contains(&body, &[("main", 9), ("compute", 23), ("other", 1)]),
            "only the loop has this line"
        );
        assert!(!contains(&body, &[("main", 9), ("compute", 25)]), "behind it");
        assert!(!contains(&body, &[("main", 9), ("work", 22)]), "another function");
    }

    #[test]
    fn what_is_called_before_the_loop_at_one_of_its_places() {
        let body = body();
        assert!(contains(&body, &[("main", 9), ("compute", 20), (NEXT, 4)]));
        assert!(!contains(&body, &[("main", 9), ("compute", 20), ("all", 50)]));
    }

    #[test]
    fn the_same_function_called_elsewhere() {
        let body = body();
        assert!(!contains(&body, &[("main", 10), ("compute", 22)]), "another copy of the loop");
        assert!(contains(&body, &[("compute", 22)]), "callers that are missing");
        assert!(
            contains(&body, &[("main", 9), ("compute", 22), ("main", 9), ("compute", 25)]),
            "a recursion"
        );
    }

    #[test]
    fn the_same_line_for_another_type() {
        let at = |function, file, line| StackFrame { function, file, place: (line, 5) };
        assert!(body().is_sibling(&at("compute::<u8>", "", 22)));
        assert!(!body().is_sibling(&at("compute", "", 22)), "the function itself");
        assert!(!body().is_sibling(&at("compute::<u8>", "other.rs", 22)));
        assert!(!body().is_sibling(&at("compute::<u8>", "", 25)), "not in the loop");
    }

    #[test]
    fn callers_that_have_a_copy_of_their_own() {
        let all = LoopBody::new(&[(1, line(&[("compute", 22)]))], |_| true).unwrap();
        let copy = body();
        assert!(all.has_inlined_copy(&copy) && !copy.has_inlined_copy(&all) && !all.has_inlined_copy(&all));
        let frame = |function, line| StackFrame { function, file: "", place: (line, 5) };
        let stack = |caller| [frame("compute", 22), frame("main", caller)];
        assert!(all.contains(&stack(9), &[]) && !all.contains(&stack(9), &[&copy]));
        assert!(all.contains(&stack(10), &[&copy]), "another caller");
    }

    #[test]
    fn a_condition_is_in_the_loop_though_it_is_checked_before() {
        let lines = [
            (0, line(&[("search", 7), ("is_left", 0)])),
            (1, line(&[("search", 7), ("is_left", 0)])),
            (1, line(&[("search", 8)])),
        ];
        let body = LoopBody::new(&lines, |block| block == 1).unwrap();
        assert!(contains(&body, &[("search", 7), ("is_left", 40)]));
        assert!(LoopBody::new(&lines, |_| false).is_none());
    }
}
