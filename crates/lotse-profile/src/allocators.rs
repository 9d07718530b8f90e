//! Recognises functions that allocate for their callers: allocators, and the containers and strings of standard
//! libraries.
//!
//! The question which function of a program allocates is not answered by `operator new`. The allocators of C, C++, Rust
//! and Go are known, and the usual replacements of `malloc`.

use lotse_symbols::class;

mod files;

/// Functions that free memory.
const FREE: &[&str] =
    &["free", "cfree", "sdallocx", "dallocx", "operator delete", "operator delete[]", "__rust_dealloc"];

/// The allocation functions of C.
const C: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "memalign",
    "aligned_alloc",
    "valloc",
    "pvalloc",
    "strdup",
    "strndup",
    "memdup",
    "malloc0",
    "realloc_n",
    "malloc_n",
    "malloc0_n",
    "try_malloc",
    "mallocx",
    "rallocx",
];
/// Prefixes that wrappers and replacements of these functions use.
const WRAPPERS: &[&str] = &[
    "__GI___libc_",
    "__libc_",
    "__GI___",
    "__GI_",
    "__",
    "posix_",
    "tc_",
    "je_",
    "mi_",
    "g_",
    "x",
    "heaptrack_",
    "vgplain_",
    "_int_",
    "rust_",
];

/// Other names, matched exactly.
const NAMES: &[&str] = &[
    "operator new",
    "operator new[]",
    "mmap",
    "sysmalloc",
    "exchange_malloc",
    "PyMem_Malloc",
    "PyMem_Calloc",
    "PyMem_Realloc",
    "PyMem_RawMalloc",
    "PyMem_RawCalloc",
    "PyMem_RawRealloc",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
];

/// Rust's entry points, by the last segment of the path: compilers put a crate and a hash before it.
const RUST: &[&str] = &[
    "__rust_alloc",
    "__rust_alloc_zeroed",
    "__rust_realloc",
    "__rdl_alloc",
    "__rdl_alloc_zeroed",
    "__rdl_realloc",
    "__rg_alloc",
    "__rg_alloc_zeroed",
    "__rg_realloc",
];

/// Namespaces and crates that contain only allocators.
const ALLOCATOR_PATHS: &[&str] = &[
    "alloc::alloc",
    "alloc::raw_vec",
    "core::alloc",
    "std::alloc",
    "std::sys::alloc",
    "dhat",
    "std::allocator",
    "std::allocator_traits",
    "std::__new_allocator",
    "std::pmr",
    "__gnu_cxx::new_allocator",
    "__gnu_cxx::malloc_allocator",
    "__gnu_cxx::__alloc_traits",
    "tcmalloc",
];

/// Namespaces and crates of the standard libraries.
const LIBRARY_PATHS: &[&str] = &["std", "__gnu_cxx", "alloc", "core", "hashbrown"];

/// Whether a function allocates and does nothing else, by its readable name.
pub(crate) fn is_allocator(display: &str) -> bool {
    let name = display.split(['(', '@']).next().unwrap_or(display).trim();
    let last = name.rsplit("::").next().unwrap_or(name);
    let frees = || ["dealloc", "free", "drop", "destroy"].iter().any(|word| last.contains(word));
    is_c_allocator(name)
        || NAMES.contains(&name)
        || RUST.contains(&last)
        || in_paths(display, ALLOCATOR_PATHS) && !frees()
}

/// Whether a function frees memory and does nothing else, by its readable name.
pub(crate) fn is_deallocator(display: &str) -> bool {
    let name = display.split(['(', '@']).next().unwrap_or(display).trim();
    let last = name.rsplit("::").next().unwrap_or(name);
    let is_free = |name: &str| FREE.contains(&name);
    is_free(last) || WRAPPERS.iter().filter_map(|prefix| last.strip_prefix(prefix)).any(is_free)
}

/// Whether a function allocates for its caller: an allocator, or a container or string of a standard library.
pub(crate) fn allocates_for_caller(display: &str) -> bool {
    is_allocator(display) || is_go_runtime(display) || in_paths(display, LIBRARY_PATHS)
}

/// On whose behalf a function on a stack allocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Caller,
    Own,
    /// Decided by the function that it was inlined into: debug information names inlined functions without
    /// namespace, and the name of their source file could be that of any program's file.
    LikeOuter,
}

/// On whose behalf a function of a source file allocates.
pub(crate) fn purpose(display: &str, file: Option<&str>) -> Purpose {
    if allocates_for_caller(display) {
        return Purpose::Caller;
    }
    match file {
        Some(file) if class(display).is_none() => files::purpose(file),
        _ => Purpose::Own,
    }
}

/// `malloc`, `__libc_malloc`, `g_malloc`, `xmalloc`, …
fn is_c_allocator(name: &str) -> bool {
    let wrapped = || WRAPPERS.iter().filter_map(|prefix| name.strip_prefix(prefix));
    C.contains(&name) || wrapped().any(|bare| C.contains(&bare))
}

/// Functions of Go's runtime, which Go's own profiles leave out as well.
fn is_go_runtime(display: &str) -> bool {
    display.strip_prefix("runtime.").is_some_and(|rest| !rest.is_empty() && !rest.contains("::"))
}

/// Whether a function belongs to one of the namespaces or crates.
fn in_paths(display: &str, paths: &[&str]) -> bool {
    let Some(class) = class(display) else { return false };
    let Some(inside) = class.strip_prefix('<') else { return starts_with_path(class, paths) };
    let inside = inside.strip_suffix('>').unwrap_or(inside);
    match inside.split_once(" as ") {
        // A trait of the program's own may be implemented for types of the library.
        Some((of_type, of_trait)) => {
            type_in_paths(of_type, paths) && starts_with_path(of_trait, LIBRARY_PATHS)
        }
        None => type_in_paths(inside, paths),
    }
}

/// Whether a type belongs to one of the paths. Primitive types, slices, tuples and references count as types of the
/// standard libraries.
fn type_in_paths(of_type: &str, paths: &[&str]) -> bool {
    let built_in = !of_type.contains("::") || of_type.starts_with(['[', '&', '(']);
    starts_with_path(of_type, paths) || built_in && paths == LIBRARY_PATHS
}

/// Whether a path is one of `paths` or below one. A crate's hash, as in `alloc[0123456789abcdef]::vec`, is skipped.
fn starts_with_path(path: &str, paths: &[&str]) -> bool {
    let path = lotse_symbols::without_hash(path);
    paths.iter().any(|prefix| {
        let rest = path.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with('<'))
    })
}

#[cfg(test)]
mod tests {
    use super::{Purpose, allocates_for_caller, is_allocator, purpose};

    #[test]
    fn allocators() {
        for name in [
            "malloc",
            "malloc@plt",
            "realloc",
            "__libc_malloc",
            "posix_memalign",
            "xmalloc",
            "g_malloc0",
            "je_malloc",
            "_int_malloc",
            "operator new(unsigned long)",
            "operator new[](unsigned long, std::nothrow_t const&)",
            "std::__new_allocator<int>::allocate(unsigned long, void const*)",
            "std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned long)",
            "__gnu_cxx::new_allocator<char>::allocate(unsigned long, void const*)",
            "__rust_alloc",
            "__rustc::__rust_alloc",
            "__rustc[0123456789abcdef]::__rdl_alloc",
            "alloc::raw_vec::RawVec<T,A>::grow_one",
            "<alloc::raw_vec::RawVecInner>::finish_grow",
            "alloc::raw_vec::finish_grow",
            "<alloc::alloc::Global as core::alloc::Allocator>::allocate",
            "alloc::alloc::exchange_malloc",
        ] {
            assert!(is_allocator(name) && allocates_for_caller(name), "{name}");
        }
    }

    #[test]
    fn containers_and_strings_allocate_for_their_callers() {
        for name in [
            "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int const*, int const&)",
            "std::vector<app::Node, std::allocator<app::Node> >::push_back(app::Node const&)",
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_create(unsigned \
             long&, unsigned long)",
            "std::unique_ptr<app::Node> std::make_unique<app::Node, int>(int&&)",
            "std::_Rb_tree<int, int>::_M_insert_(int)",
            "<alloc::vec::Vec<app::Node> as core::clone::Clone>::clone",
            "<alloc::vec::Vec<T> as alloc::vec::spec_from_iter::SpecFromIter<T,I>>::from_iter",
            "alloc::fmt::format::format_inner",
            "<str as alloc::string::ToString>::to_string",
            "<[T] as alloc::slice::hack::ConvertVec>::to_vec",
            "hashbrown::raw::RawTable<T,A>::reserve_rehash",
            "runtime.mallocgc",
            "runtime.growslice",
        ] {
            assert!(allocates_for_caller(name) && !is_allocator(name), "{name}");
        }
    }

    #[test]
    fn inlined_functions_have_no_namespace_but_a_file() {
        let cases = [
            ("allocate", "new_allocator.h", Purpose::Caller),
            ("_M_create_node<int>", "stl_tree.h", Purpose::Caller),
            ("emplace_back<char*>", "/usr/include/c++/12/bits/vector.tcc", Purpose::Caller),
            ("new<[u8; 1000]>", "library/alloc/src/boxed.rs", Purpose::Caller),
            ("allocate", "/rustc/0123/library/alloc/src/alloc.rs", Purpose::Caller),
            ("allocate", "alloc.rs", Purpose::LikeOuter),
            ("allocate", "src/alloc.rs", Purpose::Own),
            ("allocate", "pool.c", Purpose::Own),
            ("app::boxes", "library/alloc/src/boxed.rs", Purpose::Own),
        ];
        for (name, file, expected) in cases {
            assert_eq!(purpose(name, Some(file)), expected, "{name} {file}");
        }
        assert_eq!(purpose("malloc", None), Purpose::Caller);
    }

    #[test]
    fn functions_that_free_memory_are_not_allocators() {
        for name in [
            "__rustc::__rust_dealloc",
            "alloc::alloc::dealloc",
            "std::__new_allocator<int>::deallocate(int*)",
        ] {
            assert!(!is_allocator(name), "{name}");
        }
    }

    #[test]
    fn functions_of_programs() {
        for name in [
            "main",
            "app::load",
            "free",
            "malloc_stats_of_mine",
            "allocate_nodes",
            "Pool::allocate(unsigned long)",
            "standard::f",
            "alloc_table::Row::new",
            "<app::Node as core::clone::Clone>::clone",
            "<alloc::vec::Vec<app::Node> as app::Tree>::grow",
            "app::main::{{closure}}",
            "main.build",
            "github.com/x/runtime.run",
            "app::Vec<std::string>::push(std::string)",
        ] {
            assert!(!allocates_for_caller(name), "{name}");
        }
    }
}
