//! Splits the demangled name of a function into its class or module and its short name.
//!
//! | name | class | short |
//! |---|---|---|
//! | `a::B<c::D>::f(int)` | `a::B<c::D>` | `f` |
//! | `<T as Trait>::f` | `<T as Trait>` | `f` |
//! | `x::C::f::{{closure}}` | `x::C` | `f::{{closure}}` |
//! | `C::f(int)::{lambda()#1}::operator()() const` | `C` | `f(int)::{lambda()#1}::operator()` |
//! | `net/http.(*conn).serve` | `net/http.(*conn)` | `serve` |
//! | `-[Foo bar:]` | `Foo` | `bar:` |
//!
//! A closure or lambda belongs to the class of the enclosing function. A single dot is not a separator, since `foo.cold`,
//! `java.lang.String.hashCode` and Python's `module.function` cannot be distinguished; only the forms of Go, with a package
//! path or a receiver, are split at dots. A rustc hash is in neither part. Names of an unknown form have no class.

mod go;
mod path;

use crate::demangle::legacy_hash;

/// The class or module of a demangled name; `None` for a free function outside any namespace.
#[must_use]
pub fn class(display: &str) -> Option<&str> {
    split(display).class
}

/// The last part of a demangled name, without class and arguments, for narrow displays.
#[must_use]
pub fn short(display: &str) -> &str {
    split(display).short
}

/// A name in its two parts.
struct SplitName<'a> {
    class: Option<&'a str>,
    short: &'a str,
}

impl<'a> SplitName<'a> {
    /// A name without a class.
    fn unsplit(name: &'a str) -> Self {
        SplitName { class: None, short: name }
    }

    /// The name without a class if the short name is empty.
    fn or_unsplit(self, name: &'a str) -> Self {
        if self.short.is_empty() { SplitName::unsplit(name) } else { self }
    }
}

fn split(display: &str) -> SplitName<'_> {
    let name = legacy_hash(display).map_or(display, |(start, _)| &display[..start]);
    objective_c(name).or_else(|| go::split(name)).unwrap_or_else(|| path::split(name)).or_unsplit(display)
}

/// Splits `-[Class(Category) selector:]`; `None` for names of another form.
fn objective_c(name: &str) -> Option<SplitName<'_>> {
    let inside = name.strip_prefix("-[").or_else(|| name.strip_prefix("+["))?.strip_suffix(']')?;
    let (receiver, selector) = inside.split_once(' ')?;
    let class = receiver.split_once('(').map_or(receiver, |(class, _)| class);
    Some(SplitName { class: Some(class), short: selector })
}

/// A part of a qualified name, by offsets into the name.
#[derive(Clone, Copy)]
struct NamePart {
    /// The start of the separator before the part.
    separator: usize,
    /// The start of the part.
    start: usize,
}

#[cfg(test)]
mod tests;
