//! Source frames, and what the names of their functions reveal about library operations.

use super::methods::{self, LibraryOperation};
use super::names::{self, ParsedMethod};
use crate::container::{AccessKind, Container};

/// A source frame at an address. Its function name is parsed once, because a frame is part of many call chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceFrame {
    pub(crate) function: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// Whether it is code of the standard library.
    pub(crate) is_library: bool,
    /// The method without its type: `push`.
    pub(crate) method: String,
    pub(crate) operation: Option<LibraryOperation>,
    /// Element size in bytes of the structure that it searches, where the name contains the type.
    pub(crate) searched: Option<u64>,
    /// Element size in bytes of the row that it is a method of, where the name contains the type.
    pub(crate) element: Option<u64>,
    /// Whether it is a vector method that loads and stores capacity, pointer and length.
    pub(crate) uses_fields: bool,
    pub(crate) change: Option<LengthChange>,
}

/// A change of the number of elements, recognised by the name of an internal library function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LengthChange {
    Added,
    Removed,
}

impl SourceFrame {
    /// Builds a frame from symbol information; `size_of` returns the size of a type in bytes.
    pub(crate) fn new(frame: lotse_symbols::InlineFrame, size_of: impl Fn(&str) -> Option<u64>) -> Self {
        // Unknown names become empty.
        let function: String = frame.function.into_iter().collect();
        let file: String = frame.file.into_iter().collect();
        let is_library = is_library(&function, &file);
        let method = names::parse_method(&function);
        let operation = methods::operation(&method);
        Self {
            method: method.name.to_owned(),
            operation,
            searched: operation
                .filter(|operation| operation.kind == AccessKind::Search)
                .and_then(|_| size_of(searched_element(method.receiver)?)),
            element: is_own_method(&method).then(|| element_size(&method, &size_of)).flatten(),
            uses_fields: uses_fields(&method),
            change: change(&function),
            line: frame.line.unwrap_or(0),
            column: frame.column.unwrap_or(0),
            function,
            file,
            is_library,
        }
    }
}

/// Whether a frame is code of the standard library.
pub(crate) fn is_library(function: &str, file: &str) -> bool {
    match file.is_empty() {
        true => !function.contains("::") || is_library_name(function),
        false => is_library_file(file),
    }
}

/// Whether a file belongs to the standard library or to a crate it is built from.
fn is_library_file(file: &str) -> bool {
    file.starts_with("/rustc/")
        || file.starts_with("/rust/deps/")
        || file.contains("/rustlib/src/rust/library/")
}

fn is_library_name(function: &str) -> bool {
    let plain = function.trim_start_matches(['<', '&', '*']);
    ["core::", "alloc::", "std::", "hashbrown::"].iter().any(|library| plain.starts_with(library))
}

/// Whether it is a method of a row itself, not of a slice or an iterator of it.
fn is_own_method(method: &ParsedMethod<'_>) -> bool {
    const ROWS: [&str; 3] =
        ["alloc::vec::Vec<", "alloc::collections::vec_deque::VecDeque<", "alloc::string::String"];
    method.trait_name.is_none() && ROWS.iter().any(|row| method.receiver.starts_with(row))
}

/// Bytes of an element of the structure that a method works on.
fn element_size(method: &ParsedMethod<'_>, size_of: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    match method.container {
        Some(Container::String) => Some(1),
        _ => size_of(searched_element(method.receiver)?),
    }
}

/// The element type of the structure that methods of this type search.
fn searched_element(receiver: &str) -> Option<&str> {
    let row = receiver.trim_start_matches('&').trim_start_matches("mut ");
    if row.starts_with("core::iter::adapters::") {
        // `Filter<Iter<u64>, F>` searches what its first type parameter iterates over.
        return searched_element(names::first_parameter(row)?);
    }
    let slice = row.strip_prefix('[').and_then(|row| row.strip_suffix(']'));
    slice.or_else(|| names::first_parameter(row))
}

/// Whether a method is one of a vector that loads and stores capacity, pointer and length.
fn uses_fields(method: &ParsedMethod<'_>) -> bool {
    const NAMES: [&str; 16] = [
        "capacity",
        "non_null",
        "ptr",
        "len",
        "set_len",
        "set_ptr_and_cap",
        "push",
        "push_mut",
        "pop",
        "clear",
        "truncate",
        "as_slice",
        "as_mut_slice",
        "push_back",
        "pop_front",
        "pop_back",
    ];
    let is_vector = method.receiver.starts_with("alloc::raw_vec::RawVec")
        || matches!(method.container, Some(Container::Vec | Container::VecDeque | Container::String));
    is_vector && method.trait_name.is_none() && NAMES.contains(&method.name)
}

/// The change made by an internal function of hash tables and trees, if it is one that changes the number of elements.
fn change(function: &str) -> Option<LengthChange> {
    const ADDED: [&str; 6] = [
        "insert_in_slot",
        "insert_no_grow",
        "record_item_insert_at",
        "insert_recursing",
        "insert_fit",
        "insert_entry",
    ];
    const REMOVED: [&str; 3] = ["erase", "remove_kv_tracking", "remove_leaf_kv"];
    let inside =
        ["hashbrown::", "alloc::collections::btree::"].iter().any(|library| function.contains(library));
    let name = names::parse_method(function).name;
    match () {
        () if !inside => None,
        () if ADDED.contains(&name) => Some(LengthChange::Added),
        () if REMOVED.contains(&name) => Some(LengthChange::Removed),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{LengthChange, SourceFrame, change, is_library_file, is_library_name};

    #[test]
    fn methods_of_rows_tell_the_size_of_elements() {
        let sizes = |function: &str| {
            let frame = lotse_symbols::InlineFrame { function: Some(function.into()), ..Default::default() };
            let frame = SourceFrame::new(frame, |name| (name == "u64").then_some(8));
            (frame.searched, frame.element)
        };
        assert_eq!(sizes("<alloc::vec::Vec<u64>>::push"), (None, Some(8)));
        assert_eq!(sizes("<alloc::string::String>::push"), (None, Some(1)));
        assert_eq!(sizes("<[u64]>::contains"), (Some(8), None));
        assert_eq!(sizes("<alloc::vec::Vec<u64> as core::clone::Clone>::clone"), (None, None));
        let find = "<core::iter::adapters::copied::Copied<core::slice::iter::Iter<u64>> as core::iter::traits::iterator::Iterator>::find";
        assert_eq!(sizes(find), (Some(8), None));
    }

    #[test]
    fn library_code_is_known_by_its_place() {
        assert!(is_library_file("/rustc/59807616e1fa/library/alloc/src/vec/mod.rs"));
        assert!(is_library_file("/home/a/toolchain/lib/rustlib/src/rust/library/core/src/ptr/mod.rs"));
        assert!(is_library_file("/rust/deps/hashbrown-0.16.0/src/raw.rs"));
        assert!(!is_library_file("/home/a/project/library/src/lib.rs"));
        assert!(is_library_name("<alloc::vec::Vec<u64>>::push") && !is_library_name("<a::B>::push"));
    }

    #[test]
    fn internal_functions_show_changes() {
        assert_eq!(
            change("<hashbrown::raw::RawTable<(u64, u64)>>::insert_in_slot"),
            Some(LengthChange::Added)
        );
        assert_eq!(change("<hashbrown::raw::RawTableInner>::erase"), Some(LengthChange::Removed));
        assert_eq!(change("<alloc::vec::Vec<u64>>::erase"), None);
    }
}
