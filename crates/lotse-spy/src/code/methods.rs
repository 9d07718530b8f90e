//! What methods do: the table that names operations.
//!
//! A method that is not in the table is library code in which the accesses stand for themselves: a load is a read, a
//! store a write.

use super::names::Method;
use crate::container::{Container, End, Kind};

/// What a call of a method is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) container: Container,
    pub(crate) kind: Kind,
    pub(crate) end: End,
    /// Whether one call does this for many elements: each is an event of its own (`extend`, `drain`, `retain`).
    pub(crate) many: bool,
}

const fn one(container: Container, kind: Kind, end: End) -> Option<Operation> {
    Some(Operation { container, kind, end, many: false })
}

const fn many(container: Container, kind: Kind, end: End) -> Option<Operation> {
    Some(Operation { container, kind, end, many: true })
}

/// What a method does, if it is known.
pub(crate) fn operation(method: &Method<'_>) -> Option<Operation> {
    if matches!(method.of_trait, Some("Sum" | "Product")) {
        return one(Container::Slice, Kind::ForEach, End::Anywhere);
    }
    let container = method.container?;
    match method.of_trait {
        Some(of_trait) => of_trait_method(container, of_trait, method.name),
        None => match container {
            Container::Vec => of_vec(method.name),
            Container::String => of_string(method.name),
            Container::Slice => of_slice(method.name),
            Container::VecDeque => of_deque(method.name),
            Container::BinaryHeap => of_heap(method.name),
            Container::HashMap | Container::HashSet | Container::BTreeMap | Container::BTreeSet => {
                of_map(container, method.name)
            }
        },
    }
}

fn of_vec(name: &str) -> Option<Operation> {
    use Container::Vec;
    match name {
        "push" | "push_mut" | "push_within_capacity" => one(Vec, Kind::Insert, End::Back),
        "pop" | "pop_if" => one(Vec, Kind::Delete, End::Back),
        "insert" | "insert_mut" => one(Vec, Kind::Insert, End::Anywhere),
        "remove" | "swap_remove" => one(Vec, Kind::Delete, End::Anywhere),
        "extend_from_slice" | "extend_from_within" | "append" | "resize" | "resize_with" => {
            many(Vec, Kind::Insert, End::Back)
        }
        "truncate" => many(Vec, Kind::Delete, End::Back),
        "retain" | "retain_mut" | "dedup" | "dedup_by" | "dedup_by_key" => {
            many(Vec, Kind::Search, End::Anywhere)
        }
        "drain" | "split_off" | "splice" => many(Vec, Kind::Delete, End::Anywhere),
        "clear" => one(Vec, Kind::Clear, End::Anywhere),
        "into_boxed_slice" | "shrink_to_fit" | "shrink_to" => None,
        name => of_slice(name),
    }
}

fn of_string(name: &str) -> Option<Operation> {
    use Container::String;
    match name {
        "push" => one(String, Kind::Insert, End::Back),
        "push_str" | "insert_str" => many(String, Kind::Insert, End::Back),
        "pop" => one(String, Kind::Delete, End::Back),
        "insert" => one(String, Kind::Insert, End::Anywhere),
        "remove" => one(String, Kind::Delete, End::Anywhere),
        "truncate" | "drain" => many(String, Kind::Delete, End::Anywhere),
        "retain" => many(String, Kind::Search, End::Anywhere),
        "clear" => one(String, Kind::Clear, End::Anywhere),
        _ => None,
    }
}

fn of_slice(name: &str) -> Option<Operation> {
    use Container::Slice;
    match name {
        "contains"
        | "starts_with"
        | "ends_with"
        | "binary_search"
        | "binary_search_by"
        | "binary_search_by_key"
        | "partition_point" => one(Slice, Kind::Search, End::Anywhere),
        "sort"
        | "sort_by"
        | "sort_by_key"
        | "sort_by_cached_key"
        | "sort_unstable"
        | "sort_unstable_by"
        | "sort_unstable_by_key"
        | "select_nth_unstable"
        | "select_nth_unstable_by"
        | "select_nth_unstable_by_key" => one(Slice, Kind::Sort, End::Anywhere),
        "reverse" | "rotate_left" | "rotate_right" => one(Slice, Kind::Reverse, End::Anywhere),
        "to_vec" | "copy_from_slice" | "clone_from_slice" | "copy_within" | "concat" | "join" | "repeat" => {
            one(Slice, Kind::Copy, End::Anywhere)
        }
        "first" | "first_mut" => one(Slice, Kind::Read, End::Front),
        "last" | "last_mut" => one(Slice, Kind::Read, End::Back),
        "get" | "get_mut" => one(Slice, Kind::Read, End::Anywhere),
        "swap" | "fill" | "fill_with" => many(Slice, Kind::Write, End::Anywhere),
        _ => None,
    }
}

fn of_deque(name: &str) -> Option<Operation> {
    use Container::VecDeque;
    match name {
        "push_back" | "push_back_mut" => one(VecDeque, Kind::Insert, End::Back),
        "push_front" | "push_front_mut" => one(VecDeque, Kind::Insert, End::Front),
        "pop_back" => one(VecDeque, Kind::Delete, End::Back),
        "pop_front" => one(VecDeque, Kind::Delete, End::Front),
        "insert" => one(VecDeque, Kind::Insert, End::Anywhere),
        "remove" | "swap_remove_back" | "swap_remove_front" => one(VecDeque, Kind::Delete, End::Anywhere),
        "front" | "front_mut" => one(VecDeque, Kind::Read, End::Front),
        "back" | "back_mut" => one(VecDeque, Kind::Read, End::Back),
        "get" | "get_mut" => one(VecDeque, Kind::Read, End::Anywhere),
        "append" | "resize" | "resize_with" => many(VecDeque, Kind::Insert, End::Back),
        "drain" | "truncate" => many(VecDeque, Kind::Delete, End::Anywhere),
        "retain" | "retain_mut" => many(VecDeque, Kind::Search, End::Anywhere),
        "contains" | "binary_search" | "binary_search_by" | "binary_search_by_key" | "partition_point" => {
            one(VecDeque, Kind::Search, End::Anywhere)
        }
        "clear" => one(VecDeque, Kind::Clear, End::Anywhere),
        "rotate_left" | "rotate_right" => one(VecDeque, Kind::Reverse, End::Anywhere),
        "make_contiguous" => one(VecDeque, Kind::Copy, End::Anywhere),
        _ => None,
    }
}

fn of_heap(name: &str) -> Option<Operation> {
    use Container::BinaryHeap;
    match name {
        "push" => one(BinaryHeap, Kind::Insert, End::Anywhere),
        "pop" => one(BinaryHeap, Kind::Delete, End::Front),
        "peek" | "peek_mut" => one(BinaryHeap, Kind::Read, End::Front),
        "append" => many(BinaryHeap, Kind::Insert, End::Anywhere),
        "into_sorted_vec" => one(BinaryHeap, Kind::Sort, End::Anywhere),
        "into_vec" => one(BinaryHeap, Kind::Copy, End::Anywhere),
        "clear" => one(BinaryHeap, Kind::Clear, End::Anywhere),
        "drain" => many(BinaryHeap, Kind::Delete, End::Anywhere),
        "retain" => many(BinaryHeap, Kind::Search, End::Anywhere),
        _ => None,
    }
}

fn of_map(container: Container, name: &str) -> Option<Operation> {
    match name {
        "insert" | "replace" | "try_insert" => one(container, Kind::Insert, End::Anywhere),
        "get" | "get_mut" | "get_key_value" | "contains_key" | "contains" | "get_many_mut"
        | "first_key_value" | "last_key_value" | "first" | "last" => {
            one(container, Kind::Search, End::Anywhere)
        }
        // An entry looks, and what is done with it inserts: the lookup is what the data structure sees.
        "entry" => one(container, Kind::Search, End::Anywhere),
        "remove" | "remove_entry" | "take" | "pop_first" | "pop_last" => {
            one(container, Kind::Delete, End::Anywhere)
        }
        "retain" => many(container, Kind::Search, End::Anywhere),
        "drain" | "split_off" | "extract_if" => many(container, Kind::Delete, End::Anywhere),
        "append" => many(container, Kind::Insert, End::Anywhere),
        "clear" => one(container, Kind::Clear, End::Anywhere),
        _ => None,
    }
}

fn of_trait_method(container: Container, of_trait: &str, name: &str) -> Option<Operation> {
    match (of_trait, name) {
        ("Index", "index") if container.is_indexed() => one(container, Kind::Read, End::Anywhere),
        ("Index", "index") => one(container, Kind::Search, End::Anywhere),
        ("Extend", _) => many(container, Kind::Insert, End::Back),
        ("FromIterator" | "SpecFromIter" | "SpecFromIterNested", _) => {
            many(container, Kind::Insert, End::Back)
        }
        ("Clone", "clone" | "clone_from") => one(container, Kind::Copy, End::Anywhere),
        ("Iterator" | "DoubleEndedIterator", name) => of_iterator(container, name),
        _ => None,
    }
}

/// Whether a method takes one step of an iterator.
pub(crate) fn is_step(method: &Method<'_>) -> bool {
    let names = ["next", "next_back", "nth", "nth_back", "next_if", "advance_by", "size_hint"];
    matches!(method.of_trait, Some("Iterator" | "DoubleEndedIterator")) && names.contains(&method.name)
}

fn of_iterator(container: Container, name: &str) -> Option<Operation> {
    match name {
        "position" | "rposition" | "find" | "find_map" | "any" | "all" | "rfind" => {
            one(container, Kind::Search, End::Anywhere)
        }
        "for_each" | "fold" | "rfold" | "try_fold" | "sum" | "product" | "count" | "max" | "min"
        | "max_by" | "min_by" | "max_by_key" | "min_by_key" | "last" | "reduce" => {
            one(container, Kind::ForEach, End::Anywhere)
        }
        _ => None,
    }
}
