//! Splits Rust source into code and comments of equal length, each with spaces in place of the other.
//!
//! Handles line and nested block comments, strings, raw strings, characters and lifetimes. A literal is a pair of quotes
//! with spaces between them in the code, so that patterns are never found inside a literal.
//!
//! ```text
//! text       let a = "x y"; // note
//! code       let a = "   ";
//! comments                  // note
//! ```

use std::ops::Range;

enum TokenKind {
    Code,
    Comment,
    Literal,
}

/// The code and the comments, each as long as the text and with the same line breaks.
pub(super) fn split(text: &str) -> (String, String) {
    let bytes = text.as_bytes();
    let mut code = blanks(text);
    let mut comments = blanks(text);
    let mut at = 0;
    while at < bytes.len() {
        let (kind, end) = next(bytes, at);
        match kind {
            TokenKind::Code => code[at..end].copy_from_slice(&bytes[at..end]),
            TokenKind::Comment => comments[at..end].copy_from_slice(&bytes[at..end]),
            TokenKind::Literal => quote(&mut code, at..end),
        }
        at = end;
    }
    (into_text(code), into_text(comments))
}

fn blanks(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect()
}

/// Tokens end at ASCII bytes only, so the bytes are always valid UTF-8.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn quote(code: &mut [u8], literal: Range<usize>) {
    code[literal.start] = b'"';
    code[literal.end - 1] = b'"';
}

/// The kind of the token at `at`, and its end, which is always larger than `at`.
fn next(bytes: &[u8], at: usize) -> (TokenKind, usize) {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => (TokenKind::Comment, at + line_end(rest)),
        [b'/', b'*', ..] => (TokenKind::Comment, at + block_comment_end(rest)),
        [b'"', ..] => (TokenKind::Literal, at + string_end(rest)),
        [b'r', ..] if !ends_in_name(&bytes[..at]) => raw_string(rest, at),
        [b'\'', ..] => character(rest, at),
        _ => (TokenKind::Code, at + 1),
    }
}

fn line_end(rest: &[u8]) -> usize {
    rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
}

fn block_comment_end(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string_end(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A raw string, or the letter r of a name such as `r#type` or `rest`.
fn raw_string(rest: &[u8], at: usize) -> (TokenKind, usize) {
    let hashes = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return (TokenKind::Code, at + 1);
    }
    let body = 2 + hashes;
    let mut end = vec![b'#'; hashes + 1];
    end[0] = b'"';
    let found = rest[body..].windows(end.len()).position(|window| window == end);
    (TokenKind::Literal, at + found.map_or(rest.len(), |offset| body + offset + end.len()))
}

/// A character literal, or the quote of a lifetime.
fn character(rest: &[u8], at: usize) -> (TokenKind, usize) {
    let end = match rest.get(1) {
        Some(b'\\') => rest.iter().skip(3).position(|&byte| byte == b'\'').map(|offset| offset + 4),
        Some(&first) => {
            let width = utf8_width(first);
            (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
        }
        None => None,
    };
    end.map_or((TokenKind::Code, at + 1), |length| (TokenKind::Literal, at + length))
}

fn utf8_width(first: u8) -> usize {
    (first.leading_ones() as usize).max(1)
}

/// Whether the text ends inside a name; the prefixes b and c of raw strings do not count as names.
fn ends_in_name(before: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match before {
        [.., earlier, b'b' | b'c'] => in_name(earlier),
        [b'b' | b'c'] => false,
        _ => before.last().is_some_and(in_name),
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[track_caller]
    fn check(text: &str, code: &str, comments: &str) {
        let (actual_code, actual_comments) = split(text);
        assert_eq!(actual_code.trim_end(), code, "code of {text}");
        assert_eq!(actual_comments.trim(), comments, "comments of {text}");
        assert_eq!((actual_code.len(), actual_comments.len()), (text.len(), text.len()));
    }

    #[test]
    fn comments() {
        check("a; // b \"c", "a;", "// b \"c");
        check("a; /* b /* c */ d */ e;", "a;                   e;", "/* b /* c */ d */");
        check("a /* open", "a", "/* open");
    }

    #[test]
    fn strings() {
        check(r#"f("// no { \" ");"#, r#"f("           ");"#, "");
        check(r##"f(r#"a"{"#, b);"##, r#"f("      ", b);"#, "");
        check(r#"br"\" x"#, r#"b"  " x"#, "");
        check("r#type rest", "r#type rest", "");
        check("\"open", "\"   \"", "");
    }

    #[test]
    fn characters_and_lifetimes() {
        check("'{' 'ä' '\\'' '\\u{7b}' b", r#"" " "  " "  " "      " b"#, "");
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}", "");
    }
}
