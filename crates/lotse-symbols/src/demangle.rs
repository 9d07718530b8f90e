//! Demangling of Rust (legacy and v0) and Itanium C++ names.
//!
//! A name that is not mangled is returned as it is, borrowed. A legacy Rust name that a tool demangled as C++ is completed.
//! Suffixes of tools (`@plt`, `@@GLIBC_2.2.5`, callgrind's `'2` for a recursion) are kept, and so are those of compilers'
//! clones: ` [clone .cold]` in C++, as `c++filt` writes it, `.cold` in Rust. Only `.llvm.` with a number is removed, since it
//! identifies a compilation and not a function. The arguments of some C++ functions cannot be demangled (see
//! `has_unknown_signature`); they are written as `(…)`.
//!
//! The work is bounded: names longer than [`MOST_INPUT`] bytes, and those that would be longer than [`MOST_OUTPUT`] when
//! demangled, stay mangled.

use std::borrow::Cow;
use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions};

mod escaped;

/// Longer names are not demangled. The longest names in C++ programs have about ten thousand bytes.
pub const MOST_INPUT: usize = 1 << 16;

/// Longer results are discarded: through substitutions, a few bytes can expand to any length.
pub const MOST_OUTPUT: usize = 1 << 17;

/// In place of arguments that cannot be demangled.
const UNKNOWN_ARGUMENTS: &str = "(…)";

/// The recursion limit of the C++ demangler; its frames then fit on the stack of a test thread.
const MOST_NESTING: u32 = 160;

/// The demangled form of `name`, or `name` itself if it is not mangled.
#[must_use]
pub fn demangle(name: &str) -> Cow<'_, str> {
    if name.len() > MOST_INPUT {
        return Cow::Borrowed(name);
    }
    if !is_candidate(name) {
        return escaped::unescaped(name);
    }
    let (symbol, tail) = name.split_at(name.find(['@', '\'']).unwrap_or(name.len()));
    match demangled(symbol) {
        Some(mut demangled) => {
            demangled.push_str(tail);
            Cow::Owned(demangled)
        }
        None => Cow::Borrowed(name),
    }
}

/// A demangled name without the hashes that rustc adds, for matching functions across builds: `::h` with sixteen
/// digits at the end (or before a suffix such as `.cold` or `'2`), and `[0123456789abcdef]` after a crate name.
#[must_use]
pub fn without_hash(display: &str) -> Cow<'_, str> {
    let legacy = match legacy_hash(display) {
        Some((start, end)) => Cow::Owned([&display[..start], &display[end..]].concat()),
        None => Cow::Borrowed(display),
    };
    if !legacy.contains('[') {
        return legacy;
    }
    let cut = without_crate_hashes(&legacy);
    if cut.len() == legacy.len() { legacy } else { Cow::Owned(cut) }
}

/// Start and end of `::h0123456789abcdef`, if it is at the end of a name or before a suffix.
pub(crate) fn legacy_hash(display: &str) -> Option<(usize, usize)> {
    const LENGTH: usize = "::h0123456789abcdef".len();
    let start = display.rfind("::h")?;
    let hash = display.get(start..start + LENGTH)?;
    let continues = |next: char| next.is_alphanumeric() || next == '_' || next == ':';
    let is_last = !display[start + LENGTH..].starts_with(continues);
    (is_last && hash[3..].bytes().all(is_hash_digit)).then_some((start, start + LENGTH))
}

fn is_hash_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// A name without the hash after crates, as in `core[0123456789abcdef]::fmt` (v0). Other brackets, of an index or a slice
/// type, have no identifier before them or fewer digits.
fn without_crate_hashes(display: &str) -> String {
    let mut result = String::with_capacity(display.len());
    let mut rest = display;
    while let Some(open) = rest.find('[') {
        let (before, bracket) = rest.split_at(open);
        result.push_str(before);
        let digits = bracket[1..].bytes().take_while(|&byte| is_hash_digit(byte)).count();
        let follows_name = before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let is_hash = follows_name && (8..=16).contains(&digits) && bracket[1 + digits..].starts_with(']');
        let skipped = if is_hash { digits + 2 } else { 1 };
        if !is_hash {
            result.push('[');
        }
        rest = &bracket[skipped..];
    }
    result + rest
}

/// Whether a name can be mangled, by its prefix; macOS adds one underscore.
fn is_candidate(name: &str) -> bool {
    ["_Z", "__Z", "_R", "__R"].iter().any(|prefix| name.starts_with(prefix))
}

/// Demangles a symbol without suffixes: as Rust if it has a Rust prefix or hash, else as C++.
fn demangled(symbol: &str) -> Option<String> {
    if symbol.starts_with("_R") || symbol.starts_with("__R") {
        return rust(symbol);
    }
    if has_rust_hash(symbol) {
        return rust(symbol).or_else(|| cpp(symbol));
    }
    cpp(symbol).or_else(|| rust(symbol))
}

/// Whether a symbol has the form of a legacy Rust name: a valid C++ name whose last part is a hash.
fn has_rust_hash(symbol: &str) -> bool {
    symbol.match_indices("17h").any(|(at, _)| {
        let digits = &symbol.as_bytes()[at + 3..];
        digits.len() > 16 && digits[..16].iter().copied().all(is_hash_digit) && digits[16] == b'E'
    })
}

fn rust(symbol: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut out = Bounded::default();
    // The alternate form omits hashes. In v0 these are hashes of crates, which are of no use; in the legacy scheme it is
    // the hash of the function, which distinguishes functions of the same name.
    if symbol.starts_with("_R") || symbol.starts_with("__R") {
        write!(out, "{name:#}").ok()?;
    } else {
        write!(out, "{name}").ok()?;
    }
    Some(out.text)
}

/// Demangles a C++ name; `None` if it does not parse or becomes too long.
fn cpp(symbol: &str) -> Option<String> {
    let symbol =
        without_llvm_number(symbol.strip_prefix('_').filter(|rest| rest.starts_with("_Z")).unwrap_or(symbol));
    let options = ParseOptions::default().recursion_limit(MOST_NESTING);
    let (parsed, rest) =
        cpp_demangle::BorrowedSymbol::with_tail_and_options(symbol.as_bytes(), &options).ok()?;
    if !rest.is_empty() && !has_unknown_signature(rest) {
        return None;
    }
    let mut out = Bounded::default();
    let options = DemangleOptions::new().recursion_limit(MOST_NESTING);
    parsed.structured_demangle(&mut out, &options).ok()?;
    if !rest.is_empty() {
        out.write_str(UNKNOWN_ARGUMENTS).ok()?;
    }
    Some(out.text)
}

/// Whether the unparsed rest of a symbol is a signature with an expression such as `std::is_same<…>::value`. GCC's encoding
/// of these is not in the demangler's grammar, so only the name is demangled.
fn has_unknown_signature(rest: &[u8]) -> bool {
    let is_mangled = rest.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_mangled && rest.windows(4).any(|window| window == b"srSt")
}

fn without_llvm_number(symbol: &str) -> &str {
    match symbol.rsplit_once(".llvm.") {
        Some((before, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => before,
        _ => symbol,
    }
}

/// A text limited to [`MOST_OUTPUT`] bytes; writing more is an error.
#[derive(Default)]
struct Bounded {
    text: String,
}

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.text.len() + piece.len() > MOST_OUTPUT {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
