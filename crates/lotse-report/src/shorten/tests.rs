//! Names as languages and tools write them, and any names at all.

use super::{NameKind, NameToFit, distinct, shortened};
use proptest::prelude::*;
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

#[test]
fn functions_lose_the_least_informative_parts_first() {
    let long = "<alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop::h0123456789abcdef";
    let cases = [
        ("main", 40, "main"),
        (long, 60, "<alloc::vec::Vec<T, A> as core::ops::drop::Drop>::drop"),
        (long, 52, "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop"),
        (long, 40, "<…vec::Vec<…> as …drop::Drop>::drop"),
        (long, 30, "<…Vec<…> as …Drop>::drop"),
        ("core[8787f43e282added]::fmt::write", 20, "core::fmt::write"),
        (
            "void std::__introsort_loop<__gnu_cxx::__normal_iterator<int*, std::vector<int> >, long>(int*, long)",
            40,
            "void std::__introsort_loop<…>(…)",
        ),
        (
            "std::map<std::string, int>::operator[](std::string const&)",
            48,
            "std::map<std::string, int>::operator[](…)",
        ),
        ("std::ostream& operator<< <char>(std::ostream&, char)", 40, "std::ostream& operator<< <char>(…)"),
        ("foo::(anonymous namespace)::walk(Node*, int)", 38, "foo::(anonymous namespace)::walk(…)"),
        ("github.com/example/project/store.(*Cache).Get", 24, "…/store.(*Cache).Get"),
        ("__init__ (a_long_module_name.py:12)", 30, "__init__ …g_module_name.py:12)"),
        ("a_name_without_any_structure_at_all", 20, "a_name…ucture_at_all"),
        ("unbalanced<<<< and long enough to cut", 20, "unbala…enough to cut"),
    ];
    for (name, room, expected) in cases {
        let short = shortened(NameKind::Function, name, room);
        assert!(short.width() <= room, "{short}");
        assert_eq!(short, expected, "{name} in {room}");
    }
}

#[test]
fn paths_keep_their_ends() {
    assert_eq!(shortened(NameKind::Path, "/usr/lib/x86_64-linux-gnu/libc.so.6", 16), "…/libc.so.6");
    assert_eq!(shortened(NameKind::Path, "main/solve/exchange/MPI_Waitall", 25), "…/exchange/MPI_Waitall");
    assert_eq!(shortened(NameKind::Path, "averylongname.without.folders", 12), "ave….folders");
}

fn shown(kind: NameKind, names: &[&str], room: usize) -> Vec<String> {
    distinct(kind, &names.iter().map(|&name| NameToFit { name, room }).collect::<Vec<_>>())
}

#[test]
fn names_that_would_look_alike_show_where_they_differ() {
    let names = [
        "std::vector<int, std::allocator<int> >::push_back(int const&)",
        "std::vector<double, std::allocator<double> >::push_back(double const&)",
    ];
    let short = shown(NameKind::Function, &names, 28);
    assert_ne!(short[0], short[1]);
    assert!(short[0].contains("int") && short[1].contains("double"), "{short:?}");
}

#[test]
fn a_name_that_looks_like_a_numbered_one_is_no_obstacle() {
    let long = |letter: &str| format!("{}{letter}{}", "a".repeat(30), "a".repeat(30));
    let names = [long("b"), long("b") + "a", long("c"), "aaaaa…#1".to_owned(), "aaaaa…#2".to_owned()];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let short = shown(NameKind::Path, &names, 8);
    let looks: std::collections::BTreeSet<&String> = short.iter().collect();
    assert_eq!(looks.len(), names.len(), "{short:?}");
}

fn name() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "std::",
        "vec",
        "<",
        ">",
        "(",
        ")",
        "int",
        ", ",
        "::",
        "h0123456789abcdef",
        "[",
        "]",
        "/",
        "operator<<",
        " as ",
        "宽",
        "{lambda(",
        "->",
        "…",
        "#1",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Nothing is wider than its room, and different names look different.
    #[test]
    fn names_fit_and_differ(names in prop::collection::vec((name(), 8..40_usize), 1..12), is_path: bool) {
        let kind = if is_path { NameKind::Path } else { NameKind::Function };
        let entries: Vec<NameToFit<'_>> =
            names.iter().map(|(name, room)| NameToFit { name, room: *room }).collect();
        let looks = distinct(kind, &entries);
        let mut meaning: BTreeMap<&str, &str> = BTreeMap::new();
        for (entry, look) in entries.iter().zip(&looks) {
            prop_assert!(look.width() <= entry.room, "{} in {}: {}", entry.name, entry.room, look);
            let first = meaning.entry(look).or_insert(entry.name);
            prop_assert_eq!(*first, entry.name, "{}", look);
        }
    }
}
