//! Legacy Rust names that were demangled as C++: their path is demangled, but `<` is still written as `$LT$`.
//!
//! heaptrack writes `_$LT$alloc..alloc..Global$u20$as$u20$core..alloc..Allocator$GT$::allocate::h0123456789abcdef`.

use std::borrow::Cow;

/// The escapes of rustc for characters that are not allowed in symbols.
const ESCAPES: &[(&str, &str)] = &[
    ("$LT$", "<"),
    ("$GT$", ">"),
    ("$RF$", "&"),
    ("$BP$", "*"),
    ("$LP$", "("),
    ("$RP$", ")"),
    ("$C$", ","),
    ("$SP$", "@"),
    ("$u20$", " "),
    ("$u22$", "\""),
    ("$u27$", "'"),
    ("$u2b$", "+"),
    ("$u3b$", ";"),
    ("$u3d$", "="),
    ("$u5b$", "["),
    ("$u5d$", "]"),
    ("$u7b$", "{"),
    ("$u7d$", "}"),
    ("$u7e$", "~"),
];

/// The name with all escapes replaced; the name itself if it has none.
pub(super) fn unescaped(name: &str) -> Cow<'_, str> {
    let first = |rest: &str| ESCAPES.iter().find(|(escape, _)| rest.starts_with(escape)).copied();
    if !name.match_indices('$').any(|(at, _)| first(&name[at..]).is_some()) {
        return Cow::Borrowed(name);
    }
    let mut readable = String::with_capacity(name.len());
    // A part of a name cannot start with an escape, so rustc puts an underscore before it.
    let mut rest = name.strip_prefix('_').filter(|rest| rest.starts_with('$')).unwrap_or(name);
    while let Some(letter) = rest.chars().next() {
        let (length, text) = match first(rest) {
            Some((escape, text)) => (escape.len(), text),
            None if rest.starts_with("..") => (2, "::"),
            None if rest.starts_with("::_$") => (3, "::"),
            None => (letter.len_utf8(), &rest[..letter.len_utf8()]),
        };
        readable.push_str(text);
        rest = &rest[length..];
    }
    Cow::Owned(readable)
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn names_read_by_half() {
        let cases = [
            (
                "_$LT$alloc..alloc..Global$u20$as$u20$core..alloc..Allocator$GT$::allocate::h3f1d3b579a17c1c6",
                "<alloc::alloc::Global as core::alloc::Allocator>::allocate::h3f1d3b579a17c1c6",
            ),
            (
                "alloc::vec::Vec$LT$T$C$A$GT$::push::hb9be8c79bcaacfd2",
                "alloc::vec::Vec<T,A>::push::hb9be8c79bcaacfd2",
            ),
            ("app::main::_$u7b$$u7b$closure$u7d$$u7d$", "app::main::{{closure}}"),
            ("Java_$inner", "Java_$inner"),
            ("a$b", "a$b"),
            ("range..to", "range..to"),
        ];
        for (name, expected) in cases {
            assert_eq!(unescaped(name), expected);
        }
    }
}
