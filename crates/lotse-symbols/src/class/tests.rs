//! Names of many languages and how they are cut.

use super::{class, short};

/// Name, class (empty: none), short.
type Case = (&'static str, &'static str, &'static str);

fn check(cases: &[Case]) {
    for &(name, expected_class, expected_short) in cases {
        assert_eq!(class(name).unwrap_or(""), expected_class, "class of {name}");
        assert_eq!(short(name), expected_short, "short form of {name}");
    }
}

#[test]
fn cpp() {
    check(&[
        ("main", "", "main"),
        ("foo(int)", "", "foo"),
        ("a::b::C::f(int)", "a::b::C", "f"),
        ("void foo<a::b>(c::d)", "", "foo<a::b>"),
        ("a::R<b::c> n::foo<a::b>(c::d)", "n", "foo<a::b>"),
        (
            "std::vector<int, std::allocator<int> >::push_back(int const&)",
            "std::vector<int, std::allocator<int> >",
            "push_back",
        ),
        ("a::C::~C()", "a::C", "~C"),
        ("a::C::f() const", "a::C", "f"),
        ("a::C::f(int) [clone .cold]", "a::C", "f"),
        ("a::C::f[abi:cxx11](int)", "a::C", "f[abi:cxx11]"),
        ("fac(unsigned long)'2", "", "fac"),
        ("(anonymous namespace)::f", "(anonymous namespace)", "f"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)", "f"),
        ("void a::(anonymous namespace)::f<b::c>(int)", "a::(anonymous namespace)", "f<b::c>"),
        ("int (anonymous namespace)::g<x>(int)", "(anonymous namespace)", "g<x>"),
        ("A<(b::c)3>::f()", "A<(b::c)3>", "f"),
        ("A<(1 > 2)>::f()", "A<(1 > 2)>", "f"),
        ("A<(1 < 2)>::f()", "A<(1 < 2)>", "f"),
        ("virtual thunk to a::B::f()", "a::B", "f"),
        ("vtable for a::B", "a", "B"),
        ("guard variable for a::f()::x", "a::f()", "x"),
    ]);
}

#[test]
fn cpp_operators() {
    check(&[
        ("operator<<(std::ostream&, x::y)", "", "operator<<"),
        ("std::ostream& n::operator<< <x::y>(std::ostream&, x::y)", "n", "operator<< <x::y>"),
        ("ns::operator()", "ns", "operator()"),
        ("ns::F::operator()(int) const", "ns::F", "operator()"),
        ("A::operator->() const", "A", "operator->"),
        ("A::operator->*(int)", "A", "operator->*"),
        ("A::operator[](unsigned long)", "A", "operator[]"),
        ("A::operator std::string()", "A", "operator std::string"),
        ("A::operator std::function<void (int)>() const", "A", "operator std::function<void (int)>"),
        ("A::operator unsigned long() const", "A", "operator unsigned long"),
        ("operator new(unsigned long)", "", "operator new"),
        ("operator delete[](void*)", "", "operator delete[]"),
        ("A<x::y>::operator=(A<x::y> const&)", "A<x::y>", "operator="),
        ("bool a::operator< <int>(B<int>, B<int>)", "a", "operator< <int>"),
        ("a::operator>(x::y)", "a", "operator>"),
        ("a::operator\"\" _km(long double)", "a", "operator\"\" _km"),
        ("A<&B::operator< >::f()", "A<&B::operator< >", "f"),
        ("a::operators::f()", "a::operators", "f"),
        ("a::my_operator<x::y>(int)", "a", "my_operator<x::y>"),
    ]);
}

#[test]
fn cpp_functions_in_functions() {
    check(&[
        ("main::{lambda(int)#1}::operator()(int) const", "", "main::{lambda(int)#1}::operator()"),
        (
            "a::B::f(int)::{lambda(x::y)#1}::operator()(x::y) const",
            "a::B",
            "f(int)::{lambda(x::y)#1}::operator()",
        ),
        (
            "a::B::f(int) const::{lambda()#1}::operator()() const",
            "a::B",
            "f(int) const::{lambda()#1}::operator()",
        ),
        (
            "f()::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const",
            "",
            "f()::{lambda()#1}::operator()() const::{lambda()#2}::operator()",
        ),
        ("main::'lambda'(int)::operator()(int) const", "", "main::'lambda'(int)::operator()"),
        ("foo(int)::Local::bar()", "foo(int)::Local", "bar"),
        ("void (*a::foo(int))(char)", "a", "foo"),
        ("void (*foo(int))(char)", "", "foo"),
        ("void (A::*get())(b::c)", "", "get"),
        ("decltype (a::f(x)) b::g<c::d>(c::d)", "b", "g<c::d>"),
        ("decltype(a::f(x)) b::g<c::d>(c::d)", "b", "g<c::d>"),
    ]);
}

#[test]
fn rust() {
    check(&[
        ("core::fmt::write", "core::fmt", "write"),
        ("core::fmt::write::h0123456789abcdef", "core::fmt", "write"),
        ("<T as Trait>::f", "<T as Trait>", "f"),
        ("<a::T as b::Trait<c::D>>::f::h0123456789abcdef", "<a::T as b::Trait<c::D>>", "f"),
        (
            "<alloc::vec::Vec<T> as core::ops::Index<I>>::index::{{closure}}",
            "<alloc::vec::Vec<T> as core::ops::Index<I>>",
            "index::{{closure}}",
        ),
        ("a::f::{{closure}}::{{closure}}", "a", "f::{{closure}}::{{closure}}"),
        ("a::f::{closure#0}", "a", "f::{closure#0}"),
        ("{impl#0}::f", "{impl#0}", "f"),
        ("a::{{impl}}::f", "a::{{impl}}", "f"),
        (
            "core::ptr::drop_in_place<alloc::string::String>",
            "core::ptr",
            "drop_in_place<alloc::string::String>",
        ),
        ("core::ptr::drop_in_place::<a::B>", "core::ptr", "drop_in_place::<a::B>"),
        ("core::fmt::num::<impl a::D for usize>::fmt", "core::fmt::num::<impl a::D for usize>", "fmt"),
        ("<[T] as a::B>::c", "<[T] as a::B>", "c"),
        ("<fn(a::A) -> b::B as c::C>::d", "<fn(a::A) -> b::B as c::C>", "d"),
        ("<&dyn core::fmt::Debug as a::B>::c::<d::E>", "<&dyn core::fmt::Debug as a::B>", "c::<d::E>"),
        ("<dyn FnOnce() -> (a::B, c::D)>::call", "<dyn FnOnce() -> (a::B, c::D)>", "call"),
    ]);
}

#[test]
fn other_languages() {
    check(&[
        (
            "org/mozilla/javascript/ScriptableObject:.getSlot",
            "org/mozilla/javascript/ScriptableObject",
            "getSlot",
        ),
        ("Lorg/foo/Bar;::method", "Lorg/foo/Bar;", "method"),
        ("java.lang.String::hashCode", "java.lang.String", "hashCode"),
        ("java.lang.String.hashCode", "", "java.lang.String.hashCode"),
        ("module.function", "", "module.function"),
        ("A->b", "A", "b"),
        ("A::b", "A", "b"),
        ("Ns\\A->b", "Ns\\A", "b"),
        ("Range#include?", "Range", "include?"),
        ("block in Range#each", "Range", "each"),
        ("lists:map/2", "lists", "map/2"),
        ("-[Foo bar:]", "Foo", "bar:"),
        ("+[Foo(Cat) bar:baz:]", "Foo", "bar:baz:"),
        ("main.(*T).Method", "main.(*T)", "Method"),
        ("net/http.(*conn).serve", "net/http.(*conn)", "serve"),
        ("net/http.(*Server).Serve.func1", "net/http.(*Server)", "Serve.func1"),
        ("github.com/a/b.F", "github.com/a/b", "F"),
        ("main.main", "", "main.main"),
    ]);
}

#[test]
fn what_is_no_path() {
    check(&[
        ("", "", ""),
        ("::", "", "::"),
        ("::f", "", "f"),
        ("foo.cold", "", "foo.cold"),
        ("memcpy@plt", "", "memcpy@plt"),
        ("fac'2", "", "fac'2"),
        ("[unknown]", "", "[unknown]"),
        ("/usr/lib/libc.so.6", "", "/usr/lib/libc.so.6"),
        ("LazyCompile:~f /a/b.js:12", "", "LazyCompile:~f /a/b.js:12"),
        ("f (module.py:12)", "", "f"),
        ("0x4005d0", "", "0x4005d0"),
    ]);
}

#[test]
fn no_cut_of_a_name_panics() {
    let seeds = [
        "void (*a::foo<b::c>(int))(char)::{lambda()#1}::operator()() const'2",
        "<é as Ü::Trait>::f::{{closure}}::h0123456789abcdef",
        "net/http.(*Server).Serve.func1",
        "decltype (a) operator< <b>[abi:x](c)::'lambda'(d)#e->f:.g",
    ];
    for seed in seeds {
        let ends: Vec<usize> = (0..=seed.len()).filter(|&at| seed.is_char_boundary(at)).collect();
        for &start in &ends {
            for &end in ends.iter().filter(|&&end| end >= start) {
                let name = &seed[start..end];
                let part = short(name);
                assert!(name.contains(part));
                assert!(class(name).is_none_or(|class| name.contains(class)));
            }
        }
    }
}

#[test]
fn long_names_take_linear_time() {
    for piece in
        ["<", ">", "(", ")", "a::", "f()::", "<(", "operator", " ", "operator ", "[abi:", "decltype("]
    {
        let name = piece.repeat(200_000 / piece.len());
        assert!(short(&name).len() <= name.len());
    }
}
