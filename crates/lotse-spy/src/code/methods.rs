//! The table of library methods and the operations that they are.
//!
//! Within a library method that is not in the table, each memory access counts by itself: a load as a read, a store as a
//! write.

use super::names::ParsedMethod;
use crate::container::{AccessKind, Container, ListEnd};

/// The operation that a call of a library method performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LibraryOperation {
    pub(crate) container: Container,
    pub(crate) kind: AccessKind,
    pub(crate) end: ListEnd,
    /// Whether one call does this for many elements, each of which is an access of its own (`extend`, `drain`, `retain`).
    pub(crate) many: bool,
}

const fn one(container: Container, kind: AccessKind, end: ListEnd) -> Option<LibraryOperation> {
    Some(LibraryOperation { container, kind, end, many: false })
}

const fn many(container: Container, kind: AccessKind, end: ListEnd) -> Option<LibraryOperation> {
    Some(LibraryOperation { container, kind, end, many: true })
}

/// The operation of a method, if the table has it.
pub(crate) fn operation(method: &ParsedMethod<'_>) -> Option<LibraryOperation> {
    if matches!(method.trait_name, Some("Sum" | "Product")) {
        return one(Container::Slice, AccessKind::ForEach, ListEnd::Anywhere);
    }
    let container = method.container?;
    match method.trait_name {
        Some(trait_name) => trait_operation(container, trait_name, method.name),
        None => match container {
            Container::Vec => vec_operation(method.name),
            Container::String => string_operation(method.name),
            Container::Slice => slice_operation(method.name),
            Container::VecDeque => deque_operation(method.name),
            Container::BinaryHeap => heap_operation(method.name),
            Container::HashMap | Container::HashSet | Container::BTreeMap | Container::BTreeSet => {
                map_operation(container, method.name)
            }
        },
    }
}

/// Methods of `Vec`; those that it has from slices are looked up there.
fn vec_operation(name: &str) -> Option<LibraryOperation> {
    use Container::Vec;
    match name {
        "push" | "push_mut" | "push_within_capacity" => one(Vec, AccessKind::Insert, ListEnd::Back),
        "pop" | "pop_if" => one(Vec, AccessKind::Delete, ListEnd::Back),
        "insert" | "insert_mut" => one(Vec, AccessKind::Insert, ListEnd::Anywhere),
        "remove" | "swap_remove" => one(Vec, AccessKind::Delete, ListEnd::Anywhere),
        "extend_from_slice" | "extend_from_within" | "append" | "resize" | "resize_with" => {
            many(Vec, AccessKind::Insert, ListEnd::Back)
        }
        "truncate" => many(Vec, AccessKind::Delete, ListEnd::Back),
        "retain" | "retain_mut" | "dedup" | "dedup_by" | "dedup_by_key" => {
            many(Vec, AccessKind::Search, ListEnd::Anywhere)
        }
        "drain" | "split_off" | "splice" => many(Vec, AccessKind::Delete, ListEnd::Anywhere),
        "clear" => one(Vec, AccessKind::Clear, ListEnd::Anywhere),
        "into_boxed_slice" | "shrink_to_fit" | "shrink_to" => None,
        name => slice_operation(name),
    }
}

fn string_operation(name: &str) -> Option<LibraryOperation> {
    use Container::String;
    match name {
        "push" => one(String, AccessKind::Insert, ListEnd::Back),
        "push_str" => many(String, AccessKind::Insert, ListEnd::Back),
        "insert_str" => many(String, AccessKind::Insert, ListEnd::Anywhere),
        "pop" => one(String, AccessKind::Delete, ListEnd::Back),
        "insert" => one(String, AccessKind::Insert, ListEnd::Anywhere),
        "remove" => one(String, AccessKind::Delete, ListEnd::Anywhere),
        "truncate" | "drain" => many(String, AccessKind::Delete, ListEnd::Anywhere),
        "retain" => many(String, AccessKind::Search, ListEnd::Anywhere),
        "clear" => one(String, AccessKind::Clear, ListEnd::Anywhere),
        _ => None,
    }
}

/// Methods of slices, which vectors have, too.
fn slice_operation(name: &str) -> Option<LibraryOperation> {
    use Container::Slice;
    match name {
        "contains"
        | "starts_with"
        | "ends_with"
        | "binary_search"
        | "binary_search_by"
        | "binary_search_by_key"
        | "partition_point" => one(Slice, AccessKind::Search, ListEnd::Anywhere),
        "sort"
        | "sort_by"
        | "sort_by_key"
        | "sort_by_cached_key"
        | "sort_unstable"
        | "sort_unstable_by"
        | "sort_unstable_by_key"
        | "select_nth_unstable"
        | "select_nth_unstable_by"
        | "select_nth_unstable_by_key" => one(Slice, AccessKind::Sort, ListEnd::Anywhere),
        "reverse" | "rotate_left" | "rotate_right" => one(Slice, AccessKind::Reverse, ListEnd::Anywhere),
        "to_vec" | "copy_from_slice" | "clone_from_slice" | "copy_within" | "concat" | "join" | "repeat" => {
            one(Slice, AccessKind::Copy, ListEnd::Anywhere)
        }
        "first" | "first_mut" => one(Slice, AccessKind::Read, ListEnd::Front),
        "last" | "last_mut" => one(Slice, AccessKind::Read, ListEnd::Back),
        "get" | "get_mut" => one(Slice, AccessKind::Read, ListEnd::Anywhere),
        "swap" | "fill" | "fill_with" => many(Slice, AccessKind::Write, ListEnd::Anywhere),
        _ => None,
    }
}

/// Methods of `VecDeque`.
fn deque_operation(name: &str) -> Option<LibraryOperation> {
    use Container::VecDeque;
    match name {
        "push_back" | "push_back_mut" => one(VecDeque, AccessKind::Insert, ListEnd::Back),
        "push_front" | "push_front_mut" => one(VecDeque, AccessKind::Insert, ListEnd::Front),
        "pop_back" => one(VecDeque, AccessKind::Delete, ListEnd::Back),
        "pop_front" => one(VecDeque, AccessKind::Delete, ListEnd::Front),
        "insert" => one(VecDeque, AccessKind::Insert, ListEnd::Anywhere),
        "remove" | "swap_remove_back" | "swap_remove_front" => {
            one(VecDeque, AccessKind::Delete, ListEnd::Anywhere)
        }
        "front" | "front_mut" => one(VecDeque, AccessKind::Read, ListEnd::Front),
        "back" | "back_mut" => one(VecDeque, AccessKind::Read, ListEnd::Back),
        "get" | "get_mut" => one(VecDeque, AccessKind::Read, ListEnd::Anywhere),
        "append" | "resize" | "resize_with" => many(VecDeque, AccessKind::Insert, ListEnd::Back),
        "drain" | "truncate" => many(VecDeque, AccessKind::Delete, ListEnd::Anywhere),
        "retain" | "retain_mut" => many(VecDeque, AccessKind::Search, ListEnd::Anywhere),
        "contains" | "binary_search" | "binary_search_by" | "binary_search_by_key" | "partition_point" => {
            one(VecDeque, AccessKind::Search, ListEnd::Anywhere)
        }
        "clear" => one(VecDeque, AccessKind::Clear, ListEnd::Anywhere),
        "rotate_left" | "rotate_right" => one(VecDeque, AccessKind::Reverse, ListEnd::Anywhere),
        "make_contiguous" => one(VecDeque, AccessKind::Copy, ListEnd::Anywhere),
        _ => None,
    }
}

fn heap_operation(name: &str) -> Option<LibraryOperation> {
    use Container::BinaryHeap;
    match name {
        "push" => one(BinaryHeap, AccessKind::Insert, ListEnd::Anywhere),
        "pop" => one(BinaryHeap, AccessKind::Delete, ListEnd::Front),
        "peek" | "peek_mut" => one(BinaryHeap, AccessKind::Read, ListEnd::Front),
        "append" => many(BinaryHeap, AccessKind::Insert, ListEnd::Back),
        "into_sorted_vec" => one(BinaryHeap, AccessKind::Sort, ListEnd::Anywhere),
        "into_vec" => one(BinaryHeap, AccessKind::Copy, ListEnd::Anywhere),
        "clear" => one(BinaryHeap, AccessKind::Clear, ListEnd::Anywhere),
        "drain" => many(BinaryHeap, AccessKind::Delete, ListEnd::Anywhere),
        "retain" => many(BinaryHeap, AccessKind::Search, ListEnd::Anywhere),
        _ => None,
    }
}

fn map_operation(container: Container, name: &str) -> Option<LibraryOperation> {
    match name {
        "insert" | "replace" | "try_insert" => one(container, AccessKind::Insert, ListEnd::Anywhere),
        "get" | "get_mut" | "get_key_value" | "contains_key" | "contains" | "get_many_mut"
        | "first_key_value" | "last_key_value" | "first" | "last" => {
            one(container, AccessKind::Search, ListEnd::Anywhere)
        }
        // `entry` searches, and an insertion may follow; only the search is visible as an operation of the map.
        "entry" => one(container, AccessKind::Search, ListEnd::Anywhere),
        "remove" | "remove_entry" | "take" | "pop_first" | "pop_last" => {
            one(container, AccessKind::Delete, ListEnd::Anywhere)
        }
        "retain" => many(container, AccessKind::Search, ListEnd::Anywhere),
        "drain" | "split_off" | "extract_if" => many(container, AccessKind::Delete, ListEnd::Anywhere),
        "append" => many(container, AccessKind::Insert, ListEnd::Anywhere),
        "clear" => one(container, AccessKind::Clear, ListEnd::Anywhere),
        _ => None,
    }
}

fn trait_operation(container: Container, trait_name: &str, name: &str) -> Option<LibraryOperation> {
    match (trait_name, name) {
        ("Index", "index") if container.is_indexed() => one(container, AccessKind::Read, ListEnd::Anywhere),
        ("Index", "index") => one(container, AccessKind::Search, ListEnd::Anywhere),
        ("Extend", _) => many(container, AccessKind::Insert, ListEnd::Back),
        ("FromIterator" | "SpecFromIter" | "SpecFromIterNested", _) => {
            many(container, AccessKind::Insert, ListEnd::Back)
        }
        ("Clone", "clone" | "clone_from") => one(container, AccessKind::Copy, ListEnd::Anywhere),
        ("Iterator" | "DoubleEndedIterator", name) => iterator_operation(container, name),
        _ => None,
    }
}

/// Whether a method advances an iterator by one step, or asks for its length.
pub(crate) fn is_step(method: &ParsedMethod<'_>) -> bool {
    let names = ["next", "next_back", "nth", "nth_back", "next_if", "advance_by", "size_hint"];
    matches!(method.trait_name, Some("Iterator" | "DoubleEndedIterator")) && names.contains(&method.name)
}

fn iterator_operation(container: Container, name: &str) -> Option<LibraryOperation> {
    match name {
        "position" | "rposition" | "find" | "find_map" | "any" | "all" | "rfind" => {
            one(container, AccessKind::Search, ListEnd::Anywhere)
        }
        "for_each" | "fold" | "rfold" | "try_fold" | "sum" | "product" | "count" | "max" | "min"
        | "max_by" | "min_by" | "max_by_key" | "min_by_key" | "last" | "reduce" => {
            one(container, AccessKind::ForEach, ListEnd::Anywhere)
        }
        _ => None,
    }
}
