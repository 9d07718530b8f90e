//! Names of every kind, and hostile ones.

use super::{MOST_INPUT, MOST_OUTPUT, demangle, without_hash};

fn check(cases: &[(&str, &str)], convert: impl for<'a> Fn(&'a str) -> std::borrow::Cow<'a, str>) {
    for &(given, expected) in cases {
        assert_eq!(convert(given), expected, "{given}");
    }
}

#[test]
fn rust_names() {
    check(
        &[
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write::h0123456789abcdef"),
            ("__ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write::h0123456789abcdef"),
            (
                "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
                "<Test + 'static as foo::Bar<Test>>::bar::h930b740aa94f1d3a",
            ),
            (
                "_ZN3foo3bar28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE.llvm.123456",
                "foo::bar::{{closure}}::h0123456789abcdef",
            ),
            ("_ZN3foo3bar17h0123456789abcdefE.cold", "foo::bar::h0123456789abcdef.cold"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo", "<mycrate::Example>::foo"),
            ("__RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_RNvCs1234_7mycrate3foo.llvm.42", "mycrate::foo"),
        ],
        demangle,
    );
}

#[test]
fn cpp_names() {
    check(
        &[
            ("_Z3fooi", "foo(int)"),
            ("__Z3fooi", "foo(int)"),
            ("_ZN1a1b1C1fEv", "a::b::C::f()"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
            ),
            ("_Z3fooi.cold", "foo(int) [clone .cold]"),
            ("_Z3fooi.part.0", "foo(int) [clone .part.0]"),
            ("_Z3fooi.isra.0.cold", "foo(int) [clone .isra.0] [clone .cold]"),
            ("_Z3fooi.llvm.987", "foo(int)"),
            ("_ZNKSt5ctypeIcE8do_widenEc@plt", "std::ctype<char>::do_widen(char) const@plt"),
            ("_Znwm@@GLIBCXX_3.4", "operator new(unsigned long)@@GLIBCXX_3.4"),
            ("_Z3facm'2", "fac(unsigned long)'2"),
            ("_ZTV3Foo", "{vtable(Foo)}"),
            ("_ZN1a1fIiEENSt9enable_ifIXsrSt7is_sameIT_iE5valueEvE4typeES2_", "a::f<int>(…)"),
        ],
        demangle,
    );
}

#[test]
fn other_names_are_left_alone() {
    for name in [
        "",
        "_",
        "_Z",
        "_R",
        "main",
        "foo.cold",
        "foo.llvm.12",
        "memcpy@plt",
        "fac'2",
        "a::b<c>(int)",
        "_Zoo keeper",
        "_Rust_is_fine",
        "__ZZZ",
        "-[Foo bar:]",
        "ünïcode",
        "_ZN3fooünEv",
    ] {
        assert!(matches!(demangle(name), std::borrow::Cow::Borrowed(same) if same == name), "{name}");
    }
}

#[test]
fn hashes_go() {
    check(
        &[
            ("core::fmt::write::h0123456789abcdef", "core::fmt::write"),
            ("core::fmt::write::h0123456789abcdef.cold", "core::fmt::write.cold"),
            ("core::fmt::write::h0123456789abcdef'2", "core::fmt::write'2"),
            ("a::h0123456789abcdef::b", "a::h0123456789abcdef::b"),
            ("a::h0123456789abcdef0", "a::h0123456789abcdef0"),
            ("a::h0123456789ABCDEF", "a::h0123456789ABCDEF"),
            ("a::hello", "a::hello"),
            ("<core[0123456789abcdef]::A as b[fedcba987654321]::T>::f", "<core::A as b::T>::f"),
            ("<[u8; 3]>::f", "<[u8; 3]>::f"),
            ("x[abc]", "x[abc]"),
            ("", ""),
        ],
        without_hash,
    );
    // A path component that only looks like a hash is kept unless it is the last.
    assert_eq!(without_hash("a::h0123456789abcdef::b::h0123456789abcdef"), "a::h0123456789abcdef::b");
}

#[test]
fn hostile_names_stay_as_they_are() {
    let long = format!("_Z{}", "3foo".repeat(MOST_INPUT));
    assert_eq!(demangle(&long), long);
    let nested = format!("_Z1f{}i", "P".repeat(10_000));
    assert_eq!(demangle(&nested), nested);
    let brackets = format!("_ZN{}", "1aI".repeat(5_000));
    assert_eq!(demangle(&brackets), brackets);
}

#[test]
fn exponential_names_end() {
    // Each argument list contains the previous one twice.
    let level = |index: u32| {
        let back = std::char::from_digit(index % 36, 36).unwrap().to_ascii_uppercase();
        format!("S_IS{back}_S{back}_E")
    };
    let name = String::from("_Z1f1AI1aE") + &(0..40).map(level).collect::<String>();
    assert!(demangle(&name).len() <= MOST_OUTPUT);
    let v0 = format!("_RINvC1a1f{}E", "TB9_B9_E".repeat(200));
    assert!(demangle(&v0).len() <= MOST_OUTPUT.max(v0.len()));
}
