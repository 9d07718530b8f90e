//! A Rust file divided into code, comments, test code and functions.
//!
//! This is a lexer with bracket matching, not a parser. It is sufficient for measures and smells, and it never fails.

mod functions;
mod lexer;
mod test_code;

use std::ops::Range;

pub(crate) use functions::Function;

/// A Rust file. `production` and `comments` are as long as `text`, with spaces in place of everything else.
#[derive(Debug)]
pub(crate) struct RustSource {
    pub(crate) path: String,
    pub(crate) text: String,
    /// Code outside tests, without comments and the contents of literals.
    pub(crate) production: String,
    /// Comments outside tests.
    pub(crate) comments: String,
    /// Lines outside tests, including comments and blank lines.
    pub(crate) production_lines: usize,
    /// Lines of tests that contain code.
    pub(crate) test_code_lines: usize,
    /// The functions outside tests that have a body.
    pub(crate) functions: Vec<Function>,
}

impl RustSource {
    /// Splits a file into code and comments, removes test code from both, and counts lines and functions.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let (mut production, mut comments) = lexer::split(text);
        let tests = test_code::ranges(path, &production);
        let test_lines: usize = tests.iter().map(|range| text[range.clone()].lines().count()).sum();
        let all_code_lines = filled_lines(&production);
        for range in &tests {
            production = blanked(&production, range);
            comments = blanked(&comments, range);
        }
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            functions: functions::all(&production),
            production_lines: text.lines().count().saturating_sub(test_lines),
            test_code_lines: all_code_lines - filled_lines(&production),
            production,
            comments,
        }
    }

    /// The number of production lines that contain code.
    pub(crate) fn production_code_lines(&self) -> usize {
        filled_lines(&self.production)
    }

    /// The number of production lines that contain only a comment.
    pub(crate) fn comment_lines(&self) -> usize {
        let is_blank = |line: &str| line.trim().is_empty();
        let lines = self.production.lines().zip(self.comments.lines());
        lines.filter(|(code, comment)| is_blank(code) && !is_blank(comment)).count()
    }

    /// The line, counted from 1, of a byte offset.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        line_of(&self.text, offset)
    }
}

fn filled_lines(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The text with spaces in place of the range, except for line breaks.
fn blanked(text: &str, range: &Range<usize>) -> String {
    let blank = |c: char| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) };
    let middle: String = text[range.clone()].chars().map(blank).collect();
    format!("{}{middle}{}", &text[..range.start], &text[range.end..])
}

/// The offsets of `needle` in code, as whole words if it starts or ends with a word character.
pub(crate) fn occurrences(code: &str, needle: &str) -> Vec<usize> {
    let fits = |at: &usize| {
        let before = code[..*at].chars().next_back();
        let after = code[at + needle.len()..].chars().next();
        !joins(before, needle.chars().next()) && !joins(needle.chars().next_back(), after)
    };
    code.match_indices(needle).map(|(at, _)| at).filter(fits).collect()
}

fn joins(left: Option<char>, right: Option<char>) -> bool {
    let in_word = |side: Option<char>| side.is_some_and(|c| c.is_alphanumeric() || c == '_');
    in_word(left) && in_word(right)
}

/// The offset after the bracket that closes the one at `open`; the end of the text if none does.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::{RustSource, occurrences};

    #[test]
    fn tests_and_comments_are_separated() {
        let text = "//! Doc.\nfn a() {}\n// why\n#[cfg(test)]\nmod tests {\n    // x\n    fn b() {}\n}\n";
        let source = RustSource::new("crates/a/src/lib.rs", text);
        assert_eq!((source.production_lines, source.comment_lines()), (3, 2));
        assert_eq!((source.production_code_lines(), source.test_code_lines), (1, 4));
        assert_eq!(source.functions.len(), 1);
        assert!(!source.production.contains("fn b") && !source.comments.contains('x'));
    }

    #[test]
    fn needles_are_whole_words() {
        assert_eq!(occurrences("foo foobar xfoo foo_ (foo)", "foo"), [0, 22]);
        assert_eq!(occurrences("a.ok();x.ok();", ".ok();"), [1, 8]);
    }
}
