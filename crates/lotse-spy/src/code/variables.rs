//! Whose variable it is that code accesses outside of data structures, judging by the library functions around the access.
//!
//! A loop often has state in memory that one iteration hands to the next: a generator of random numbers, an accumulator. If its
//! lines are the user's, the state is known as such. It is also the user's where a library function only does arithmetic with
//! it or moves it: `state.take()`, `*state *= 3` with `Wrapping`, `state.swap(i, j)` on an array. The library has variables
//! of its own, too: positions of iterators and lengths of containers, which every loop has and which hinder nothing. The rest,
//! such as the state of a hasher, cannot be told from the two.

use super::names;

/// Whose variable is accessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The user's: an iteration that reads what an earlier one wrote needs that one.
    #[default]
    User,
    /// A position, a counter or a length of the library, which is no obstacle.
    Bookkeeping,
    /// A variable of the library that may contain anything.
    Unknown,
}

impl Variable {
    /// The variable that is accessed below these library functions, which user code called: the innermost first.
    pub(crate) fn accessed_by<'a>(library: impl Iterator<Item = &'a str> + Clone) -> Self {
        let Some(called) = library.clone().last() else { return Self::User };
        if library.clone().any(|function| function.starts_with(SUCCESSORS)) {
            // The iterator is its own state: each element is computed from the one before.
            return Self::User;
        }
        if library.clone().any(is_bookkeeping) {
            return Self::Bookkeeping;
        }
        if is_transparent(called) { Self::User } else { Self::Unknown }
    }
}

const SUCCESSORS: &str = "<core::iter::sources::successors::Successors<";

/// Traits whose methods keep a position.
const ITERATORS: [&str; 8] = [
    "Iterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "IntoIterator",
    "FromIterator",
    "Extend",
    "Step",
    "Drop",
];

/// Modules of iterators, containers, and of what prints and allocates.
const BOOKKEEPING: [&str; 14] = [
    "alloc::alloc::",
    "alloc::boxed::",
    "alloc::collections::",
    "alloc::raw_vec::",
    "alloc::slice::",
    "alloc::string::",
    "alloc::vec::",
    "core::iter::",
    "core::ops::index_range::",
    "core::ops::range::",
    "core::ptr::drop_in_place",
    "core::slice::",
    "core::str::",
    "hashbrown::",
];

/// Whether a library function keeps its own position or length.
fn is_bookkeeping(function: &str) -> bool {
    let method = names::parse_method(function);
    let is_slice = method.receiver.starts_with('[');
    let has_container = method.container.is_some() && !is_slice;
    let plain = plain(function);
    has_container
        || method.trait_name.is_some_and(|name| ITERATORS.contains(&name))
        || BOOKKEEPING.iter().any(|module| plain.starts_with(module))
        || plain.starts_with("std::collections::")
}

/// Whether a library function computes with a variable of its caller, or moves it, and has none of its own.
fn is_transparent(function: &str) -> bool {
    const MODULES: [&str; 12] = [
        "core::array::",
        "core::cell::",
        "core::cmp::",
        "core::intrinsics::",
        "core::mem::",
        "core::num::",
        "core::ops::arith::",
        "core::ops::bit::",
        "core::option::Option<",
        "core::ptr::",
        "core::result::Result<",
        "core::sync::atomic::",
    ];
    const OTHERS: [&str; 2] = ["std::thread::local::LocalKey<", "["];
    let plain = plain(function);
    MODULES.iter().chain(&OTHERS).any(|module| plain.starts_with(module)) || is_primitive(plain)
}

/// Whether a name is that of a method of a number: `u64>::wrapping_mul`.
fn is_primitive(plain: &str) -> bool {
    const TYPES: [&str; 16] = [
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32",
        "u64", "u8", "usize",
    ];
    let end = plain.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(plain.len());
    TYPES.contains(&&plain[..end])
}

/// A name without the brackets and references before its first path.
fn plain(function: &str) -> &str {
    function.trim_start_matches(['<', '&', '*']).trim_start_matches("mut ")
}

#[cfg(test)]
mod tests {
    use super::Variable::{self, Bookkeeping, Unknown, User};

    fn accessed_by(functions: &[&str]) -> Variable {
        Variable::accessed_by(functions.iter().copied())
    }

    #[test]
    fn what_the_user_computes_with_is_the_users() {
        assert_eq!(accessed_by(&[]), User);
        for function in [
            "<core::cell::Cell<u64>>::get",
            "<core::cell::RefCell<u64>>::borrow_mut",
            "<std::thread::local::LocalKey<core::cell::Cell<u64>>>::set",
            "<core::option::Option<u64>>::take",
            "core::mem::replace::<u64>",
            "<core::num::wrapping::Wrapping<u64> as core::ops::arith::MulAssign<u64>>::mul_assign",
            "<u64>::wrapping_mul",
            "<u64 as core::ops::bit::BitXorAssign<&u64>>::bitxor_assign",
            "<[u8]>::swap",
        ] {
            assert_eq!(accessed_by(&[function]), User, "{function}");
        }
        assert_eq!(
            accessed_by(&[
                "core::mem::replace::<core::option::Option<u64>>",
                "<core::option::Option<u64>>::replace"
            ]),
            User
        );
    }

    #[test]
    fn positions_and_lengths_are_the_librarys() {
        for function in [
            "<std::hash::random::RandomState as core::default::Default>::default",
            "<std::hash::random::DefaultHasher as core::hash::Hasher>::write",
        ] {
            assert_eq!(accessed_by(&[function]), Unknown, "{function}");
        }
        for function in [
            "<core::slice::iter::Iter<core::cell::Cell<u64>> as core::iter::traits::iterator::Iterator>::next",
            "<core::ops::range::Range<usize> as core::iter::traits::iterator::Iterator>::next",
            "<alloc::vec::Vec<u64>>::push",
            "<std::collections::hash::map::HashMap<u64, u64>>::get::<u64>",
            "core::ptr::drop_in_place::<core::option::Option<alloc::boxed::Box<u64>>>",
            "<[u64]>::iter_mut",
        ] {
            let wanted = if function.starts_with("<[") { User } else { Bookkeeping };
            assert_eq!(accessed_by(&[function]), wanted, "{function}");
        }
        // Moving the next element out of an iterator is a part of the iterator.
        let peeked = [
            "<core::option::Option<core::option::Option<u64>>>::take",
            "<core::iter::adapters::peekable::Peekable<core::ops::range::Range<u64>> as core::iter::traits::iterator::Iterator>::next",
        ];
        assert_eq!(accessed_by(&peeked), Bookkeeping);
    }

    #[test]
    fn an_element_that_is_computed_from_the_one_before_is_state() {
        let functions = [
            "<core::option::Option<u64>>::take",
            "<core::iter::sources::successors::Successors<u64, gen::main::{closure#0}> as core::iter::traits::iterator::Iterator>::next",
        ];
        assert_eq!(accessed_by(&functions), User);
    }
}
