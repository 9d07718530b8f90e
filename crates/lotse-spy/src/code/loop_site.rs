//! Finds the line of user code that contains a loop.
//!
//! Instructions of a loop come from the function that contains it, from functions inlined into its body, and from the
//! iterator. The frames that all of them share end with the function that contains the loop:
//!
//! ```text
//! first instruction of the header   compute (line 20) <- Range::next
//! last one before the jump back     compute (line 22) <- get_pixel (line 5)
//!                                   ╰── shared ─────╯    the loop is in compute, from line 20 on
//! ```

use std::rc::Rc;

use lotse_model::site::SourceSite;

use super::frame::SourceFrame;
use super::image::Image;

/// How many lines (the loop's and its callers') are kept.
const CALLERS: usize = 6;

/// The line of a loop followed by the lines of its callers, innermost first. `places` are instructions of the loop, given as
/// return addresses; `callers` are those of the function. If the loop is in library code, the line that calls the library is
/// returned.
pub(crate) fn loop_lines(image: &Image<'_>, places: &[u64], callers: &[u64]) -> Vec<SourceSite> {
    let stacks: Vec<Rc<[SourceFrame]>> = places
        .iter()
        .map(|&place| image.frames(place))
        .filter(|frames| frames.first().is_some_and(|frame| frame.line > 0))
        .collect();
    let own: Vec<SourceSite> = frames_of_loop(&stacks).into_iter().map(site).collect();
    let outside = callers.iter().filter_map(|&address| image.relative(address));
    let frames = outside.flat_map(|place| image.frames(place).to_vec());
    let outside = frames.filter(|frame| !frame.is_library).map(|frame| site(&frame));
    own.into_iter().chain(outside).take(CALLERS).collect()
}

/// The user frames that all stacks share, innermost first; the innermost one is the one with the smallest line.
fn frames_of_loop(stacks: &[Rc<[SourceFrame]>]) -> Vec<&SourceFrame> {
    let mut users = (0..shared(stacks)).rev().filter(|&depth| !at(&stacks[0], depth).is_library);
    let Some(innermost) = users.next() else { return Vec::new() };
    let lines = stacks.iter().map(|stack| at(stack, innermost)).filter(|frame| frame.line > 0);
    let first = lines.min_by_key(|frame| (frame.line, frame.column));
    first.into_iter().chain(users.map(|depth| at(&stacks[0], depth))).collect()
}

/// How many outer frames of all stacks belong to the same calls.
fn shared(stacks: &[Rc<[SourceFrame]>]) -> usize {
    let Some((first, rest)) = stacks.split_first() else { return 0 };
    let with_first = |other: &Rc<[SourceFrame]>| {
        let most = first.len().min(other.len());
        let same_function = |depth| at(first, depth).function == at(other, depth).function;
        let same_call = |depth| {
            let (a, b) = (at(first, depth), at(other, depth));
            (a.line, a.column) == (b.line, b.column)
        };
        (0..most).take_while(|&depth| same_function(depth) && (depth == 0 || same_call(depth - 1))).count()
    };
    rest.iter().map(with_first).min().unwrap_or(first.len())
}

/// The frame at a depth, counted from the outermost.
fn at(stack: &[SourceFrame], depth: usize) -> &SourceFrame {
    &stack[stack.len() - 1 - depth]
}

fn site(frame: &SourceFrame) -> SourceSite {
    let known = |number: u32| (number > 0).then_some(number);
    SourceSite {
        file: frame.file.clone(),
        line: known(frame.line),
        column: known(frame.column),
        function: Some(frame.function.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{SourceFrame, frames_of_loop};

    /// Frames, outermost first; library functions begin with `core`.
    fn stack(frames: &[(&str, u32)]) -> Rc<[SourceFrame]> {
        let frame = |&(function, line): &(&str, u32)| {
            let file = if function.starts_with("core") { "/rustc/1/library/core.rs" } else { "main.rs" };
            let frame = lotse_symbols::InlineFrame {
                function: Some(function.to_owned()),
                file: Some(file.to_owned()),
                line: Some(line),
                column: Some(5),
            };
            SourceFrame::new(frame, |_| None)
        };
        frames.iter().rev().map(frame).collect()
    }

    fn found(stacks: &[&[(&str, u32)]]) -> Option<(String, u32)> {
        let stacks: Vec<_> = stacks.iter().map(|frames| stack(frames)).collect();
        frames_of_loop(&stacks).first().map(|frame| (frame.function.clone(), frame.line))
    }

    fn place(function: &str, line: u32) -> Option<(String, u32)> {
        Some((function.to_owned(), line))
    }

    #[test]
    fn the_function_that_contains_the_loop() {
        let next: &[_] = &[("main", 20), ("core::next", 9)];
        let accessor: &[_] = &[("main", 22), ("get", 5)];
        assert_eq!(found(&[next, accessor]), place("main", 20), "an accessor in its body");
        assert_eq!(found(&[&[("main", 7), ("sum", 3)], &[("main", 7), ("sum", 4)]]), place("sum", 3));
        assert_eq!(
            found(&[&[("main", 7), ("sum", 3)], &[("main", 8), ("sum", 4)]]),
            place("main", 7),
            "two calls"
        );
        let each: &[_] = &[("main", 30), ("core::for_each", 1)];
        let closure: &[_] = &[("main", 30), ("core::for_each", 2), ("main::closure", 31), ("get", 5)];
        assert_eq!(found(&[each, closure]), place("main", 30), "a loop of the library");
    }

    #[test]
    fn library_code_alone_has_no_line() {
        assert_eq!(found(&[&[("core::fold", 4)]]), None);
        assert_eq!(found(&[]), None);
    }
}
