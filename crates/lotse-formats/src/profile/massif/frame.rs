//! A frame as valgrind's tools write it: `0x48D4BA3: name (file.c:101)` or `0x48D4BA3: name (in object)`.

use lotse_model::id::StackId;
use lotse_model::profile::{Builder, Frame};

/// The text of a frame, split into its fields; empty or 0 where one is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::profile) struct FrameText<'a> {
    pub(in crate::profile) address: u64,
    pub(in crate::profile) name: &'a str,
    pub(in crate::profile) file: &'a str,
    pub(in crate::profile) line: u32,
    pub(in crate::profile) object: &'a str,
}

/// Parses the text of a frame. Without an address or a place, all of it is the name.
pub(in crate::profile) fn parse_frame(text: &str) -> FrameText<'_> {
    let (address, text) = address(text).unwrap_or((0, text));
    let (name, place) = last_parentheses(text).unwrap_or((text, ""));
    let only_name = FrameText { address, name: text, ..FrameText::default() };
    if let Some(object) = place.strip_prefix("in ") {
        return FrameText { name, object, ..only_name };
    }
    match file_and_line(place) {
        Some((file, line)) => FrameText { name, file, line, ..only_name },
        None => only_name,
    }
}

fn address(text: &str) -> Option<(u64, &str)> {
    let (digits, rest) = text.strip_prefix("0x")?.split_once(": ")?;
    Some((u64::from_str_radix(digits, 16).ok()?, rest))
}

/// The text before and inside the parentheses at its end, which may contain others.
fn last_parentheses(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix(')')?;
    let mut depth = 0;
    let start = inside.char_indices().rev().find_map(|(at, character)| {
        match character {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
        None
    })?;
    Some((inside[..start].strip_suffix(' ')?, &inside[start + 1..]))
}

/// Parses `file:line` or `file:line:column`.
fn file_and_line(place: &str) -> Option<(&str, u32)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let before = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(before.unwrap_or((rest, last)))
}

impl FrameText<'_> {
    /// The frame, as if it were not inlined.
    pub(in crate::profile) fn frame(&self, builder: &mut Builder) -> Frame {
        let (object, file) = (builder.object(self.object), builder.file(self.file));
        let function = builder.function(self.name, object, file);
        Frame { function, file, line: self.line, address: self.address, inlined: false }
    }
}

/// The stack of frames, which are given with the innermost first.
pub(in crate::profile) fn stack(frames: &[Frame], builder: &mut Builder) -> Option<StackId> {
    let inlined = inlined(frames);
    frames.iter().zip(inlined).rev().fold(None, |below, (&frame, inlined)| {
        let frame = builder.frame(Frame { inlined, ..frame });
        Some(builder.stack(below, frame))
    })
}

/// Which of the frames, the innermost first, are inlined into the next one.
///
/// Inlined frames have the address of the next frame. Where the first frame of such a group occurs again, it is
/// recursion: `f g f g` at one address is `g` with inlined `f`, called by the same again.
fn inlined(frames: &[Frame]) -> Vec<bool> {
    let mut first = 0;
    let pairs = frames.windows(2).enumerate().map(|(at, pair)| {
        let same_address = pair[0].address != 0 && pair[0].address == pair[1].address;
        let shared = same_address && pair[1] != frames[first];
        if !shared {
            first = at + 1;
        }
        shared
    });
    let mut inlined: Vec<bool> = pairs.collect();
    inlined.resize(frames.len(), false);
    inlined
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{FileId, FunctionId};
    use lotse_model::profile::Frame;

    use super::{inlined, parse_frame};

    fn check(text: &str, expected: (u64, &str, &str, u32, &str)) {
        let found = parse_frame(text);
        assert_eq!((found.address, found.name, found.file, found.line, found.object), expected, "{text}");
    }

    #[test]
    fn frames_of_valgrind_and_of_the_crate() {
        check("0x1A: main (a.c:7)", (0x1a, "main", "a.c", 7, ""));
        check("0x1A: f(int, (x)) (in /a b (c)/d)", (0x1a, "f(int, (x))", "", 0, "/a b (c)/d"));
        check("0x1a: <T as U>::f (src/vec/mod.rs:673:20)", (0x1a, "<T as U>::f", "src/vec/mod.rs", 673, ""));
        check(
            "0x1A: operator()(int) const (C:\\x.cpp:3)",
            (0x1a, "operator()(int) const", "C:\\x.cpp", 3, ""),
        );
        check("0x1A: ???", (0x1a, "???", "", 0, ""));
        check("f(int) (anonymous)", (0, "f(int) (anonymous)", "", 0, ""));
        check("0xZZ: x", (0, "0xZZ: x", "", 0, ""));
        check("", (0, "", "", 0, ""));
        check(") (a:1)", (0, ")", "a", 1, ""));
        check("(a:1)", (0, "(a:1)", "", 0, ""));
    }

    #[test]
    fn recursion_is_not_inlining() {
        let frame = |(address, function)| Frame {
            function: FunctionId(function),
            file: FileId(0),
            line: 0,
            address,
            inlined: false,
        };
        let check = |frames: &[(u64, u32)], expected: &[bool]| {
            let frames: Vec<Frame> = frames.iter().copied().map(frame).collect();
            assert_eq!(inlined(&frames), expected);
        };
        check(&[(1, 1), (1, 2), (1, 3), (2, 4)], &[true, true, false, false]);
        check(&[(1, 1), (1, 1), (1, 1)], &[false; 3]);
        check(&[(1, 1), (1, 2), (1, 1), (1, 2)], &[true, false, true, false]);
        check(&[(0, 1), (0, 2)], &[false; 2]);
        check(&[], &[]);
    }
}
