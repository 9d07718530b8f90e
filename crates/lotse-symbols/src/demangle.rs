//! Names as linkers write them, made readable: Rust (legacy and v0) and Itanium C++.
//!
//! A name that is not mangled comes back as it is, borrowed; a legacy Rust name that a tool took for C++ is made readable
//! to the end. What tools append (`@plt`, `@@GLIBC_2.2.5`,
//! callgrind's `'2` for a recursion) stays visible at the end; so do compilers' clones: C++ gets
//! ` [clone .cold]` as `c++filt` writes it, Rust `.cold`. Only `.llvm.` with a number goes: it names a
//! compilation, not a function. The arguments of some C++ functions cannot be read (see
//! `has_unknown_signature`); they are `(…)`.
//!
//! A hostile name costs little: names beyond [`MOST_INPUT`] bytes, and those that would grow beyond
//! [`MOST_OUTPUT`], stay mangled.

use std::borrow::Cow;
use std::fmt::{self, Write};

use cpp_demangle::{DemangleOptions, ParseOptions};

mod escaped;

/// Longer names are left alone. The longest seen in C++ programs have some ten thousand bytes.
pub const MOST_INPUT: usize = 1 << 16;

/// Longer results are thrown away: a few bytes of C++ can stand for any length through substitutions.
pub const MOST_OUTPUT: usize = 1 << 17;

/// In place of arguments that could not be read.
const UNKNOWN_ARGUMENTS: &str = "(…)";

/// How deep a C++ name may nest, in the demangler's calls; enough for its frames on a test thread's stack.
const MOST_NESTING: u32 = 160;

/// The readable form of `name`, or `name` itself where it is not mangled.
#[must_use]
pub fn demangle(name: &str) -> Cow<'_, str> {
    if name.len() > MOST_INPUT {
        return Cow::Borrowed(name);
    }
    if !is_candidate(name) {
        return escaped::unescaped(name);
    }
    let (symbol, tail) = name.split_at(name.find(['@', '\'']).unwrap_or(name.len()));
    match readable(symbol) {
        Some(mut readable) => {
            readable.push_str(tail);
            Cow::Owned(readable)
        }
        None => Cow::Borrowed(name),
    }
}

/// A readable name without the hash that rustc adds, for matching functions across builds: `::h` with sixteen
/// digits at the end (or before a suffix such as `.cold` or `'2`), and `[0123456789abcdef]` after a crate.
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

/// Where `::h0123456789abcdef` lies, if a name ends with it or a suffix follows it.
pub(crate) fn legacy_hash(display: &str) -> Option<(usize, usize)> {
    const LENGTH: usize = "::h0123456789abcdef".len();
    let start = display.rfind("::h")?;
    let hash = display.get(start..start + LENGTH)?;
    let goes_on = |next: char| next.is_alphanumeric() || next == '_' || next == ':';
    let is_whole = !display[start + LENGTH..].starts_with(goes_on);
    (is_whole && hash[3..].bytes().all(is_hash_digit)).then_some((start, start + LENGTH))
}

fn is_hash_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// `core[0123456789abcdef]::fmt` as v0 spells crates out; an index or a slice type follows no identifier or
/// has fewer digits.
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

/// Whether it is worth parsing: one more underscore than usual is macOS's.
fn is_candidate(name: &str) -> bool {
    ["_Z", "__Z", "_R", "__R"].iter().any(|prefix| name.starts_with(prefix))
}

fn readable(symbol: &str) -> Option<String> {
    if symbol.starts_with("_R") || symbol.starts_with("__R") {
        return rust(symbol);
    }
    if has_rust_hash(symbol) {
        return rust(symbol).or_else(|| cpp(symbol));
    }
    cpp(symbol).or_else(|| rust(symbol))
}

/// Legacy Rust names are valid C++ names whose last part is a hash.
fn has_rust_hash(symbol: &str) -> bool {
    symbol.match_indices("17h").any(|(at, _)| {
        let digits = &symbol.as_bytes()[at + 3..];
        digits.len() > 16 && digits[..16].iter().copied().all(is_hash_digit) && digits[16] == b'E'
    })
}

fn rust(symbol: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut out = Bounded::default();
    // The alternate form drops the hash: of crates in v0, where it is only noise, but of the function in the
    // legacy scheme, where it tells two functions apart.
    if symbol.starts_with("_R") || symbol.starts_with("__R") {
        write!(out, "{name:#}").ok()?;
    } else {
        write!(out, "{name}").ok()?;
    }
    Some(out.text)
}

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

/// What GCC writes for `std::is_same<…>::value` in a signature is not in the demangler's grammar, which then
/// knows the name but not the arguments.
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

/// Text that refuses to grow beyond [`MOST_OUTPUT`].
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
