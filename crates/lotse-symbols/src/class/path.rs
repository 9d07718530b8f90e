//! Names with the separators `::`, `->`, `#`, `:` or `:.`: C++, Rust, PHP, Ruby, Java.
//!
//! One pass from left to right. Brackets are skipped (`<` only where it can be a bracket). A space outside of brackets ends
//! a prefix (a return type, `virtual thunk to`), after which the name starts again. An argument list ends the name, unless
//! `::` follows it (a function inside a function).
//!
//! ```text
//! a::R<b::c> n::foo<a::b>(c::d)
//!           ^ space: restart    parts: n, foo<a::b>
//!                        ^ argument list: end
//! ```

use super::{NamePart, SplitName};

/// Splits a name at the separator before the part that names the function.
pub(super) fn split(name: &str) -> SplitName<'_> {
    let mut scanner = Scanner::new(name);
    while scanner.at < name.len() && scanner.end.is_none() {
        scanner.step();
    }
    if scanner.is_sentence() {
        return SplitName::unsplit(name);
    }
    let part = scanner.function();
    let end = scanner.end.unwrap_or(name.len());
    let class = name.get(scanner.start..part.separator).filter(|class| !class.is_empty());
    SplitName { class, short: name.get(part.start..end).unwrap_or("") }
}

/// The state of the pass over a name.
struct Scanner<'a> {
    name: &'a str,
    text: &'a [u8],
    /// The current offset.
    at: usize,
    /// The start of the qualified name.
    start: usize,
    /// All parts but the first, which is at `start`.
    parts: Vec<NamePart>,
    /// The end of the name, once an argument list or a remark was found.
    end: Option<usize>,
    has_spaces: bool,
}

impl<'a> Scanner<'a> {
    fn new(name: &'a str) -> Self {
        let parts = Vec::new();
        Scanner { name, text: name.as_bytes(), at: 0, start: 0, parts, end: None, has_spaces: false }
    }

    /// Whether it is a text that a tool wrote in place of a name, such as `LazyCompile:~f /a/b.js:12`.
    fn is_sentence(&self) -> bool {
        let is_special = [" for ", " to ", " in "].iter().any(|word| self.name.contains(word));
        self.has_spaces && self.end.is_none() && !is_special
    }

    /// The part that names the function; closures and lambdas belong to the enclosing function.
    fn function(&self) -> NamePart {
        let mut last = self.parts.len();
        while last > 0 && self.is_inside_previous(last) {
            last -= 1;
        }
        self.part(last)
    }

    fn part(&self, index: usize) -> NamePart {
        match index.checked_sub(1) {
            Some(index) => self.parts[index],
            None => NamePart { separator: self.start, start: self.start },
        }
    }

    /// Whether a part is a closure or lambda of the previous part, or the call operator of one.
    fn is_inside_previous(&self, index: usize) -> bool {
        let part = &self.name[self.part(index).start..];
        let before = &self.name[self.part(index - 1).start..];
        is_closure(part) || (part.starts_with("operator()") && is_closure(before))
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or(&[])
    }

    fn step(&mut self) {
        match self.rest() {
            [b' ', ..] => self.space(),
            [b'(', ..] => self.parenthesis(),
            [b':', ..] => self.colon(),
            [b'-', b'>', ..] => self.separate(2),
            [b'#', next, ..] if !next.is_ascii_digit() => self.separate(1),
            [b'<' | b'[' | b'{', ..] => self.at = after_brackets(self.text, self.at),
            [b'o', ..] if self.is_operator() => self.operator(),
            _ => self.at += 1,
        }
    }

    /// Starts a new part after a separator.
    fn separate(&mut self, length: usize) {
        self.parts.push(NamePart { separator: self.at, start: self.at + length });
        self.at += length;
    }

    /// A space ends the name if a remark such as `[clone .cold]` follows; else the name starts again after it.
    fn space(&mut self) {
        let follows = &self.text[self.at + 1..];
        let is_remark =
            follows.starts_with(b"[") || (follows.starts_with(b"(") && !self.is_declarator(follows));
        if is_remark {
            self.end = Some(self.at);
            return;
        }
        self.has_spaces = true;
        self.restart(self.at + 1);
    }

    fn restart(&mut self, at: usize) {
        self.at = at;
        self.start = at;
        self.parts.clear();
    }

    /// Whether a parenthesis after a space belongs to the name or its return type.
    fn is_declarator(&self, parenthesis: &[u8]) -> bool {
        let is_type = self.text[self.start..self.at] == *b"decltype";
        is_type || parenthesis.starts_with(ANONYMOUS) || pointer(parenthesis).is_some()
    }

    /// A parenthesis is `(anonymous namespace)`, the start of a function pointer as the result type, `decltype(…)`, an
    /// argument list followed by `::`, or an argument list that ends the name.
    fn parenthesis(&mut self) {
        if self.rest().starts_with(ANONYMOUS) {
            self.at += ANONYMOUS.len();
            return;
        }
        if self.at == self.start
            && let Some(length) = pointer(self.rest())
        {
            self.restart(self.at + length);
            return;
        }
        let is_type = self.name[..self.at].trim_end().ends_with("decltype");
        let after = after_brackets(self.text, self.at);
        let continued = after_qualifiers(self.text, after);
        if self.text[continued..].starts_with(b"::") {
            self.at = continued;
        } else if is_type {
            self.at = after;
        } else {
            self.end = Some(self.at);
        }
    }

    fn colon(&mut self) {
        match self.rest() {
            // `f::<T>` and `m::<impl A for B>::f` in Rust.
            [b':', b':', b'<', ..] if self.at > self.start => self.at += 2,
            [b':', b':' | b'.', ..] => self.separate(2),
            [b':', next, ..] if is_word(*next) && !next.is_ascii_digit() && self.is_bare() => {
                self.separate(1)
            }
            _ => self.at += 1,
        }
    }

    /// Whether a single colon can be a separator: after a word, in a name without spaces.
    fn is_bare(&self) -> bool {
        self.at > 0 && is_word(self.text[self.at - 1]) && !self.name.contains(' ')
    }

    fn is_operator(&self) -> bool {
        let is_start = self.at == 0 || !is_word(self.text[self.at - 1]);
        let follows = self.rest().strip_prefix(b"operator");
        is_start && follows.is_some_and(|follows| !follows.first().copied().is_some_and(is_word))
    }

    fn operator(&mut self) {
        self.at = after_operator(self.text, self.at);
        match self.rest() {
            // `operator<< <int>(…)` has a space before the template arguments.
            [b' ', b'<', ..] => self.at += 1,
            // A conversion or `operator new`: everything up to the arguments is the name.
            [b' ', ..] => self.conversion(),
            _ => {}
        }
    }

    fn conversion(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'(' => break,
                b'<' | b'[' | b'{' => self.at = after_brackets(self.text, self.at),
                _ => self.at += 1,
            }
        }
    }
}

const ANONYMOUS: &[u8] = b"(anonymous namespace)";

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Whether a part is a closure or lambda, as Rust, GCC and LLVM write them.
fn is_closure(part: &str) -> bool {
    const CLOSURES: [&str; 6] = ["{{closure", "{closure", "{lambda", "'lambda", "{shim", "{{vtable.shim"];
    CLOSURES.iter().any(|start| part.starts_with(start))
}

/// The length of `(*` or `(A::*` before the name of a function that returns a function pointer.
fn pointer(text: &[u8]) -> Option<usize> {
    let inside = text.get(1..)?;
    let mark = inside.iter().position(|byte| matches!(byte, b'*' | b'&' | b'(' | b')'))?;
    if !matches!(inside[mark], b'*' | b'&') {
        return None;
    }
    let marks = inside[mark..].iter().take_while(|byte| matches!(byte, b'*' | b'&')).count();
    Some(1 + mark + marks)
}

/// The offset after the symbols of an operator's name at `at`; for a conversion, that of the space.
fn after_operator(text: &[u8], at: usize) -> usize {
    let at = at + b"operator".len();
    match &text[at..] {
        [b'(', b')', ..] | [b'[', b']', ..] => at + 2,
        [b'"', b'"', b' ', ..] => at + 3,
        [b'"', b'"', ..] => at + 2,
        symbols => at + symbols.iter().take_while(|byte| b"+-*/%^&|~!=<>,".contains(byte)).count(),
    }
}

/// The offset after ` const`, `[abi:cxx11]` and other qualifiers of an argument list.
fn after_qualifiers(text: &[u8], mut at: usize) -> usize {
    const QUALIFIERS: [&[u8]; 5] = [b" const", b" volatile", b" &&", b" &", b" noexcept"];
    loop {
        let rest = &text[at..];
        if rest.starts_with(b"[abi:") {
            at = after_brackets(text, at);
            continue;
        }
        match QUALIFIERS.iter().find(|qualifier| rest.starts_with(qualifier)) {
            Some(qualifier) => at += qualifier.len(),
            None => return at,
        }
    }
}

/// The offset after the bracket that closes the one at `at`, or the end of the text if none does.
fn after_brackets(text: &[u8], mut at: usize) -> usize {
    let mut open = Vec::new();
    while let Some(&byte) = text.get(at) {
        if text[at..].starts_with(b"operator") && (at == 0 || !is_word(text[at - 1])) {
            at = after_operator(text, at);
            continue;
        }
        at += 1;
        match byte {
            b'<' | b'(' | b'[' | b'{' => open.push(byte),
            b'>' if text[at - 2] == b'-' => {}
            b'>' if open.last() == Some(&b'<') => drop(open.pop()),
            b')' | b']' | b'}' => close(&mut open, byte),
            _ => {}
        }
        if open.is_empty() {
            return at;
        }
    }
    at
}

/// Removes the bracket that `closing` closes, and the `<` inside of it that were comparison operators.
fn close(open: &mut Vec<u8>, closing: u8) {
    let opening = match closing {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    };
    while open.last() == Some(&b'<') {
        open.pop();
    }
    if open.last() == Some(&opening) {
        open.pop();
    }
}
