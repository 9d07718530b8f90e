//! Words of source lines that are coloured: keywords, strings, comments, numbers. A rough reading, as of an editor without a
//! grammar: it only chooses colours.

use std::ops::Range;

/// What a language's comments and words look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// C and all that borrowed its comments: C++, Rust, Java, Go, JavaScript.
    Braces,
    /// `#` begins a comment: Python, Ruby, shells.
    Hash,
    /// `!` begins a comment.
    Fortran,
    /// Nothing is coloured.
    Unknown,
}

impl Language {
    /// The language by the extension of a file.
    pub(crate) fn of_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        match name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase().as_str() {
            "c" | "h" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "inl" | "cu" | "m" | "mm"
            | "rs" | "java" | "kt" | "scala" | "go" | "js" | "mjs" | "cjs" | "ts" | "tsx" | "jsx" | "cs"
            | "swift" | "d" | "zig" | "php" => Self::Braces,
            "py" | "pyx" | "rb" | "sh" | "bash" | "pl" | "pm" | "r" | "jl" | "ex" | "exs" => Self::Hash,
            "f" | "for" | "f90" | "f95" | "f03" | "f08" => Self::Fortran,
            _ => Self::Unknown,
        }
    }

    fn line_comment(self) -> &'static str {
        match self {
            Self::Braces => "//",
            Self::Hash => "#",
            Self::Fortran => "!",
            Self::Unknown => "\0",
        }
    }
}

/// Words that are keywords in most of the languages.
const KEYWORDS: &[&str] = &[
    "as",
    "async",
    "auto",
    "await",
    "begin",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "defer",
    "delete",
    "do",
    "double",
    "elif",
    "else",
    "end",
    "enum",
    "except",
    "extern",
    "false",
    "final",
    "finally",
    "float",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "go",
    "goto",
    "if",
    "impl",
    "import",
    "in",
    "inline",
    "int",
    "interface",
    "lambda",
    "let",
    "long",
    "loop",
    "match",
    "mod",
    "module",
    "mut",
    "namespace",
    "new",
    "nil",
    "None",
    "not",
    "null",
    "nullptr",
    "or",
    "and",
    "package",
    "pass",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "ref",
    "return",
    "self",
    "Self",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "super",
    "switch",
    "template",
    "then",
    "this",
    "throw",
    "trait",
    "true",
    "True",
    "False",
    "try",
    "type",
    "typedef",
    "typename",
    "union",
    "unless",
    "unsafe",
    "unsigned",
    "until",
    "use",
    "using",
    "var",
    "virtual",
    "void",
    "volatile",
    "where",
    "while",
    "with",
    "yield",
];

/// Reads lines one after the other; a comment over several lines continues if no line is missing between them.
#[derive(Debug)]
pub(crate) struct LineTokens {
    language: Language,
    in_comment: bool,
    last: Option<u32>,
}

/// Start and end in UTF-16 units, and the kind.
type Token = (usize, usize, &'static str);

impl LineTokens {
    pub(crate) fn new(language: Language) -> Self {
        Self { language, in_comment: false, last: None }
    }

    /// The tokens of a line.
    pub(crate) fn next_line(&mut self, number: Option<u32>, text: &str) -> Vec<Token> {
        let follows = self.last.zip(number).is_some_and(|(last, number)| last + 1 == number);
        self.in_comment &= follows;
        self.last = number;
        if self.language == Language::Unknown {
            return Vec::new();
        }
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (range, kind) = self.token(text, at);
            at = range.end.max(at + 1);
            if let Some(kind) = kind {
                tokens.push((range, kind));
            }
        }
        in_utf16(text, &tokens)
    }

    /// The token at a byte, with its kind if it is coloured.
    fn token(&mut self, text: &str, at: usize) -> (Range<usize>, Option<&'static str>) {
        let rest = &text[at..];
        let until = |length: usize| at..at + length;
        if self.in_comment || (self.language == Language::Braces && rest.starts_with("/*")) {
            let from = if self.in_comment { 0 } else { 2 };
            let end = rest[from..].find("*/").map(|end| from + end + 2);
            self.in_comment = end.is_none();
            return (until(end.unwrap_or(rest.len())), Some("comment"));
        }
        if rest.starts_with(self.language.line_comment()) {
            return (until(rest.len()), Some("comment"));
        }
        let first = rest.chars().next().unwrap_or(' ');
        match first {
            '"' => (until(string_length(rest, '"')), Some("string")),
            '\'' => {
                let length = quoted_length(rest);
                (until(length), (length > 1).then_some("string"))
            }
            '0'..='9' => (
                until(word_length(rest, |it| it.is_alphanumeric() || it == '_' || it == '.')),
                Some("number"),
            ),
            first if first.is_alphabetic() || first == '_' => {
                let length = word_length(rest, |it| it.is_alphanumeric() || it == '_');
                (until(length), KEYWORDS.contains(&&rest[..length]).then_some("keyword"))
            }
            first => (until(first.len_utf8()), None),
        }
    }
}

fn word_length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}

/// The length of a string with its quotes; to the end of the line if it is not closed.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// A character or a string in single quotes; a lone quote, as of a Rust lifetime, is one character.
fn quoted_length(text: &str) -> usize {
    match string_length(text, '\'') {
        length if length < text.len() || text[1..].ends_with('\'') => length,
        _ => 1,
    }
}

/// Byte ranges as UTF-16 ranges, in one pass over the text.
fn in_utf16(text: &str, tokens: &[(Range<usize>, &'static str)]) -> Vec<Token> {
    let (mut bytes, mut units) = (0, 0);
    let mut to = |byte: usize| {
        units += text.get(bytes..byte).map_or(0, |piece| piece.encode_utf16().count());
        bytes = byte;
        units
    };
    tokens.iter().map(|(range, kind)| (to(range.start), to(range.end), *kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Language, LineTokens};

    fn shown(path: &str, lines: &[(u32, &str)]) -> Vec<String> {
        let mut tokens = LineTokens::new(Language::of_path(path));
        let line = |(number, text): &(u32, &str)| {
            let units: Vec<u16> = text.encode_utf16().collect();
            let word = |(from, to, kind): (usize, usize, &str)| {
                format!("{kind}:{}", String::from_utf16(&units[from..to]).unwrap())
            };
            tokens.next_line(Some(*number), text).into_iter().map(word).collect::<Vec<_>>()
        };
        lines.iter().flat_map(line).collect()
    }

    #[test]
    fn words_are_told_apart() {
        assert_eq!(
            shown("/a/b.rs", &[(1, r#"let x: &'a str = "ä\"b"; // 0x1f"#)]),
            ["keyword:let", r#"string:"ä\"b""#, "comment:// 0x1f"]
        );
        assert_eq!(
            shown("b.py", &[(7, "return '😀' + 0x1f # x")]),
            ["keyword:return", "string:'😀'", "number:0x1f", "comment:# x"]
        );
        assert_eq!(shown("b.unknown", &[(7, "return 1")]), [""; 0]);
    }

    #[test]
    fn comments_continue_on_the_next_line_only() {
        let lines = [(1, "a /* b"), (2, "c */ if"), (3, "/* d"), (9, "int e")];
        assert_eq!(
            shown("x.c", &lines),
            ["comment:/* b", "comment:c */", "keyword:if", "comment:/* d", "keyword:int"]
        );
    }

    #[test]
    fn nothing_is_lost_or_endless_for_odd_lines() {
        for text in ["", "'", "\"", "'''", "\\", "\u{1F600}'", "/*", "\u{0}"] {
            shown("x.rs", &[(1, text)]);
        }
    }
}
