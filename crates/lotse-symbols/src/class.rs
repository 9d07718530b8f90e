//! Which class or module a function belongs to, cut out of its readable name.
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
//! A closure or lambda belongs to the class of the function it was written in: it is a piece of that function.
//! A dot alone separates nothing, for `foo.cold`, `java.lang.String.hashCode` and Python's `module.function`
//! look alike; only Go's forms, which show a package path or a receiver, are cut at dots.
//! A rustc hash is part of neither. Names that nothing is known of are all `short`.

mod go;
mod path;

use crate::demangle::legacy_hash;

/// The class or module of a readable name; `None` for a free function outside any namespace.
#[must_use]
pub fn class(display: &str) -> Option<&str> {
    cut(display).class
}

/// The last part of a readable name for narrow displays: without class and arguments.
#[must_use]
pub fn short(display: &str) -> &str {
    cut(display).short
}

/// A name in its two parts.
struct SplitName<'a> {
    class: Option<&'a str>,
    short: &'a str,
}

impl<'a> SplitName<'a> {
    /// Nothing to cut.
    fn whole(name: &'a str) -> Self {
        SplitName { class: None, short: name }
    }

    fn or_whole(self, name: &'a str) -> Self {
        if self.short.is_empty() { SplitName::whole(name) } else { self }
    }
}

fn cut(display: &str) -> SplitName<'_> {
    let name = legacy_hash(display).map_or(display, |(start, _)| &display[..start]);
    objective_c(name).or_else(|| go::cut(name)).unwrap_or_else(|| path::cut(name)).or_whole(display)
}

/// `-[Class(Category) selector:]`
fn objective_c(name: &str) -> Option<SplitName<'_>> {
    let inside = name.strip_prefix("-[").or_else(|| name.strip_prefix("+["))?.strip_suffix(']')?;
    let (receiver, selector) = inside.split_once(' ')?;
    let class = receiver.split_once('(').map_or(receiver, |(class, _)| class);
    Some(SplitName { class: Some(class), short: selector })
}

/// A place where a name can be cut.
#[derive(Clone, Copy)]
struct NamePart {
    /// Where the separator before the part starts.
    separator: usize,
    /// Where the part starts.
    start: usize,
}

#[cfg(test)]
mod tests;
