//! Source files of standard libraries, for functions whose names do not show that they belong to one.

use super::Purpose;
use crate::report::base_name;

/// Directories of the libraries' sources.
const DIRECTORIES: &[&str] =
    &["/include/c++/", "library/alloc/src/", "library/core/src/", "library/std/src/"];

/// Headers of libstdc++ whose names are unlikely in programs; `stl_*.h` and `*.tcc` are recognised too.
const HEADERS: &[&str] = &[
    "new_allocator.h",
    "alloc_traits.h",
    "allocator.h",
    "malloc_allocator.h",
    "allocated_ptr.h",
    "basic_string.h",
    "char_traits.h",
    "hashtable.h",
    "hashtable_policy.h",
    "unordered_map.h",
    "unordered_set.h",
    "unique_ptr.h",
    "shared_ptr.h",
    "shared_ptr_base.h",
    "std_function.h",
    "move.h",
];

/// On whose behalf a function of this file allocates, if its name has no namespace.
pub(super) fn purpose(file: &str) -> Purpose {
    let name = base_name(file);
    let header = HEADERS.contains(&name) || name.starts_with("stl_") && name.ends_with(".h");
    if header || name.ends_with(".tcc") || DIRECTORIES.iter().any(|directory| file.contains(directory)) {
        Purpose::Caller
    } else if name == file && name.ends_with(".rs") {
        Purpose::LikeOuter
    } else {
        Purpose::Own
    }
}
