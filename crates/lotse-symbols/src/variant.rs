//! Names of compiler-made variants of functions. Compilers specialise and split functions or make them local to a module;
//! the names of these variants have suffixes, which change from build to build.
//!
//! | suffix | compiler |
//! |---|---|
//! | `.constprop.0`, `.isra.0`, `.part.0`, `.cold`, `.lto_priv.0` | GCC |
//! | `.llvm.1234567890` | LLVM, with ThinLTO |
//! | `::h0123456789abcdef` | rustc |
//!
//! Clones with another purpose (`._omp_fn.0`, `.avx2`, `.resolver`) count as separate functions.

use std::borrow::Cow;

use crate::demangle::without_hash;

/// Suffixes of GCC and LLVM that are followed by a number.
const NUMBERED: [&str; 6] = [".constprop", ".isra", ".part", ".lto_priv", ".llvm", ".cold"];

/// A demangled name without the suffixes and hashes that compilers add; a recursion level (`'2`) is kept.
///
/// A bare `.cold` is removed only after another suffix, or if a demangler marked it as a clone, since in Go or JavaScript
/// `weather.cold` can be a function. See [`without_cold`].
#[must_use]
pub fn without_variant(display: &str) -> Cow<'_, str> {
    let (name, level) = split_level(display);
    let unhashed = without_hash(name);
    let base = stripped(&unhashed);
    // The hash can be before or after the suffixes.
    let base = without_hash(base);
    if base.len() + level.len() == display.len() {
        return Cow::Borrowed(display);
    }
    Cow::Owned(format!("{base}{level}"))
}

/// The name without a bare `.cold`, which may be the suffix of GCC for the cold part of a function; the caller has to check
/// that the function exists.
#[must_use]
pub fn without_cold(name: &str) -> Option<String> {
    let (name, level) = split_level(name);
    let base = name.strip_suffix(".cold").filter(|base| !base.is_empty())?;
    Some(format!("{base}{level}"))
}

/// Splits off callgrind's recursion level (`'2`).
fn split_level(name: &str) -> (&str, &str) {
    let start = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    match name[..start].strip_suffix('\'') {
        Some(before) if start < name.len() => name.split_at(before.len()),
        _ => (name, ""),
    }
}

/// Removes all numbered suffixes and clone marks.
fn stripped(name: &str) -> &str {
    let mut base = name;
    while let Some(shorter) = without_clone_mark(base).or_else(|| without_number(base)) {
        base = shorter;
    }
    // In `f.part.0.cold`, the suffix before `.cold` shows that a compiler wrote it.
    match base.strip_suffix(".cold") {
        Some(before) if without_number(before).is_some() => stripped(before),
        _ => base,
    }
}

/// The name without a clone mark, as demanglers write suffixes of C++ names: `f(int) [clone .cold]`.
fn without_clone_mark(name: &str) -> Option<&str> {
    let (before, mark) = name.strip_suffix(']')?.rsplit_once(" [clone ")?;
    (mark == ".cold" || without_number(mark) == Some("")).then_some(before)
}

/// The name without a suffix such as `.part.0`.
fn without_number(name: &str) -> Option<&str> {
    let before = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).strip_suffix('.')?;
    let numbered = name.len() > before.len() + 1;
    NUMBERED.iter().find_map(|suffix| before.strip_suffix(suffix)).filter(|_| numbered)
}

#[cfg(test)]
mod tests {
    use super::{without_cold, without_variant};

    #[test]
    fn suffixes_of_compilers_go() {
        for (name, base) in [
            ("parse.constprop.0", "parse"),
            ("parse.isra.12", "parse"),
            ("parse.part.0.cold", "parse"),
            ("parse.cold.3", "parse"),
            ("parse.constprop.0.isra.1", "parse"),
            ("table.lto_priv.0", "table"),
            ("app::run.llvm.12345678901234567", "app::run"),
            ("app::run::h0123456789abcdef", "app::run"),
            ("app::run::h0123456789abcdef.llvm.99", "app::run"),
            ("app::run(int) [clone .cold]", "app::run(int)"),
            ("app::run(int) [clone .constprop.0] [clone .cold]", "app::run(int)"),
            ("walk.part.0'2", "walk'2"),
        ] {
            assert_eq!(without_variant(name), base, "{name}");
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "main",
            "main.cold",
            "weather.cold",
            "loop._omp_fn.0",
            "memcpy.avx2",
            "f(int) [clone .resolver]",
            "x.part.",
            "x.part.y",
            "walk'2",
            "it's",
            "",
        ] {
            assert_eq!(without_variant(name), name);
        }
    }

    #[test]
    fn a_bare_cold_is_left_to_the_caller() {
        assert_eq!(without_cold("parse.cold").as_deref(), Some("parse"));
        assert_eq!(without_cold("parse.cold'3").as_deref(), Some("parse'3"));
        assert_eq!((without_cold("parse"), without_cold(".cold")), (None, None));
    }
}
