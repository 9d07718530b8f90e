//! Parses demangled function names: which method of which standard-library type a function is.
//!
//! Names are those of the compiler's v0 scheme, which carry concrete types: `<alloc::vec::Vec<u64>>::push`,
//! `<core::slice::iter::Iter<u64> as core::iter::traits::iterator::Iterator>::next`, `<[u64]>::contains`.

use crate::container::Container;

/// A method, parsed from a demangled function name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParsedMethod<'a> {
    /// The container it works on; `None` for free functions and other types.
    pub(crate) container: Option<Container>,
    /// The type: `alloc::vec::Vec<u64>`.
    pub(crate) receiver: &'a str,
    /// The trait, if it is a trait method: `Iterator`.
    pub(crate) trait_name: Option<&'a str>,
    /// The method name: `push`.
    pub(crate) name: &'a str,
}

/// Parses a name. Closures inside a method count as the method.
pub(crate) fn parse_method(function: &str) -> ParsedMethod<'_> {
    let function = without_closures(function);
    let Some(inside) = function.strip_prefix('<') else {
        let (receiver, name) = rsplit_path(function);
        return ParsedMethod { container: None, receiver, trait_name: None, name };
    };
    let Some(end) = closing(inside) else {
        return ParsedMethod { container: None, receiver: "", trait_name: None, name: function };
    };
    let (subject, rest) = (&inside[..end], &inside[end + 1..]);
    let name = without_parameters(rest.trim_start_matches("::"));
    let (receiver, trait_name) = match split_as(subject) {
        Some((receiver, path)) => {
            (receiver, Some(without_parameters(rsplit_path(without_parameters(path)).1)))
        }
        None => (subject, None),
    };
    ParsedMethod { container: container(receiver), receiver, trait_name, name }
}

/// Removes closures of the function itself (`f::{closure#0}`), not those in its type parameters.
fn without_closures(function: &str) -> &str {
    let mut depth = 0_usize;
    let bytes = function.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && function[at..].starts_with("::{") => return &function[..at],
            _ => {}
        }
    }
    function
}

/// Position of the `>` that closes a `<` opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            // The `>` of an arrow `->` closes nothing.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' if depth == 0 => return Some(at),
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Splits `T as Trait` at an `as` outside of all brackets.
fn split_as(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        match bytes[at] {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 && text[at..].starts_with(" as ") => {
                return Some((&text[..at], &text[at + 4..]));
            }
            _ => {}
        }
    }
    None
}

fn without_parameters(path: &str) -> &str {
    let end = path.find('<').unwrap_or(path.len());
    path[..end].trim_end_matches("::")
}

/// Splits off the last component of a path, without type parameters.
fn rsplit_path(path: &str) -> (&str, &str) {
    let plain = without_parameters(path);
    match plain.rfind("::") {
        Some(at) => (&plain[..at], &plain[at + 2..]),
        None => ("", plain),
    }
}

/// The container that a type is, or that an iterator type iterates over.
fn container(receiver: &str) -> Option<Container> {
    let plain = receiver.trim_start_matches('&').trim_start_matches("mut ");
    if plain.starts_with('[') {
        return Some(Container::Slice);
    }
    let (module, name) = rsplit_path(plain);
    if module.starts_with("core::iter::adapters") {
        // `Filter<Iter<u64>, F>` iterates over what its first type parameter iterates over.
        return container(first_parameter(plain)?);
    }
    Some(match (module, name) {
        ("alloc::vec", "Vec") => Container::Vec,
        ("alloc::string", "String") => Container::String,
        ("core::slice::iter" | "core::slice::iter::IterMut", _) | ("alloc::vec::into_iter", _) => {
            Container::Slice
        }
        (module, name) if module.starts_with("alloc::collections::vec_deque") => {
            if name.is_empty() {
                return None;
            } else {
                Container::VecDeque
            }
        }
        (module, "HashSet") if is_hash(module) => Container::HashSet,
        (module, "HashMap") if is_hash(module) => Container::HashMap,
        (module, _) if module.starts_with("std::collections::hash::map") => Container::HashMap,
        (module, _) if module.starts_with("std::collections::hash::set") => Container::HashSet,
        (module, _) if module.starts_with("alloc::collections::btree::map") => Container::BTreeMap,
        (module, _) if module.starts_with("alloc::collections::btree::set") => Container::BTreeSet,
        (module, _) if module.starts_with("alloc::collections::binary_heap") => Container::BinaryHeap,
        _ => return None,
    })
}

/// The first type parameter: `u64` of `Vec<u64>`.
pub(crate) fn first_parameter(receiver: &str) -> Option<&str> {
    let inside = receiver.split_once('<')?.1.strip_suffix('>')?;
    let mut depth = 0_usize;
    let end = inside.bytes().position(|byte| {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b',' && depth == 0
    });
    Some(&inside[..end.unwrap_or(inside.len())])
}

fn is_hash(module: &str) -> bool {
    module.starts_with("std::collections::hash") || module.starts_with("hashbrown")
}

#[cfg(test)]
mod tests {
    use super::{first_parameter, parse_method};
    use crate::container::Container;

    #[track_caller]
    fn check(function: &str, container: Option<Container>, trait_name: Option<&str>, name: &str) {
        let found = parse_method(function);
        assert_eq!(
            (found.container, found.trait_name, found.name),
            (container, trait_name, name),
            "{function}"
        );
    }

    #[test]
    fn methods_of_containers_are_known() {
        check("<alloc::vec::Vec<u64>>::push", Some(Container::Vec), None, "push");
        check("<alloc::vec::Vec<(u8, fn() -> [u8; 3])>>::remove", Some(Container::Vec), None, "remove");
        check("<[u64]>::contains", Some(Container::Slice), None, "contains");
        check(
            "<alloc::vec::Vec<u64> as core::ops::index::Index<usize>>::index",
            Some(Container::Vec),
            Some("Index"),
            "index",
        );
        check(
            "<core::slice::iter::Iter<u64> as core::iter::traits::iterator::Iterator>::fold::<bool, x::{closure#0}>",
            Some(Container::Slice),
            Some("Iterator"),
            "fold",
        );
        check(
            "<std::collections::hash::map::HashMap<u64, u64>>::insert",
            Some(Container::HashMap),
            None,
            "insert",
        );
        check(
            "<alloc::collections::btree::map::BTreeMap<u64, u64>>::insert",
            Some(Container::BTreeMap),
            None,
            "insert",
        );
    }

    #[test]
    fn adapters_iterate_over_what_they_adapt() {
        check(
            "<core::iter::adapters::filter::Filter<core::iter::adapters::copied::Copied<core::slice::iter::Iter<u64>>, a::main::{closure#0}> as core::iter::traits::iterator::Iterator>::count",
            Some(Container::Slice),
            Some("Iterator"),
            "count",
        );
    }

    #[test]
    fn parameters_of_types() {
        assert_eq!(first_parameter("alloc::vec::Vec<u64>"), Some("u64"));
        assert_eq!(first_parameter("alloc::vec::Vec<(u8, [u8; 3])>"), Some("(u8, [u8; 3])"));
        assert_eq!(first_parameter("std::collections::hash::map::HashMap<u64, u8>"), Some("u64"));
        assert_eq!(first_parameter("alloc::string::String"), None);
    }

    #[test]
    fn other_functions_are_of_no_container() {
        check("core::ptr::write::<u64>", None, None, "write");
        check(
            "<core::ops::range::Range<u64> as core::iter::traits::iterator::Iterator>::next",
            None,
            Some("Iterator"),
            "next",
        );
        check(
            "<core::iter::adapters::map::Map<core::ops::range::Range<u64>, a::main::{closure#0}> as core::iter::traits::iterator::Iterator>::collect::<alloc::vec::Vec<u64>>",
            None,
            Some("Iterator"),
            "collect",
        );
        check("a::main", None, None, "main");
        check("main", None, None, "main");
    }
}
