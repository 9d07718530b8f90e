//! The function, file and object that a name means.

use crate::check::{as_text, body, lines, messages, read, read_clean, sites, sorted, table};
use lotse_model::bytes::Memory;

/// Pitfall 1: objects, files and functions are numbered separately; a function may have several numbers.
#[test]
fn objects_files_and_functions_are_numbered_separately() {
    table(&[
        (
            "the same number in all three",
            "ob=(1) o\nfl=(1) a.c\nfn=(1) f\n1 1\ncob=(2) p\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 1\n1 2\n",
            "o:a.c:f [1]\nf > p:b.c:g 1 [2]\n",
        ),
        ("two numbers of a function", "fl=a.c\nfn=(1) f\n1 1\nfn=(2) f\n1 2\n", "?:a.c:f [3]\n"),
        ("said again", "fl=a.c\nfn=(1) f\n1 1\nfn=(1) f\n1 2\nfn=(1)\n1 4\n", "?:a.c:f [7]\n"),
        (
            "cfl is cfi",
            "fl=(1) a.c\nfn=f\n1 1\ncfl=(2) b.c\ncfn=g\ncalls=1 1\n1 2\n",
            "?:a.c:f [1]\nf > ?:b.c:g 1 [2]\n",
        ),
        (
            "a file first named by a call",
            "fl=(1) a.c\nfn=(1) f\n1 1\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 1\n1 2\nfl=(2)\nfn=(2)\n1 2\n",
            "?:a.c:f [1]\n?:b.c:g [2]\nf > ?:b.c:g 1 [2]\n",
        ),
        (
            "a file first named by a jump",
            "fl=(1) a.c\nfn=(1) f\njfi=(2) b.c\njfn=(2) g\njump=1 4\n1\n1 1\nfl=(2)\nfn=(2)\n1 2\n",
            "?:a.c:f [1]\n?:b.c:g [2]\n",
        ),
        ("large numbers", "fl=(4294967296) a.c\nfn=(18446744073709551615) f\n1 1\n", "?:a.c:f [1]\n"),
    ]);
}

/// Pitfall 1: a number without a name, or with a second one, is reported; nothing is dropped.
#[test]
fn undefined_and_redefined_numbers_are_reported() {
    let read_body = |text: &str| {
        let reading = read(format!("# callgrind format\nevents: A\n{text}").as_bytes());
        (as_text(&reading.value), messages(&reading).join("\n"))
    };
    let (profile, reported) = read_body("fl=(1) a.c\nfn=(1) f\n1 1\nfn=(1) g\n1 2\n");
    assert_eq!(profile, "?:a.c:f [3]\n");
    assert!(reported.starts_with("Loss line 6: the number of a name gets another name"), "{reported}");
    let (profile, reported) = read_body("fl=(7)\nfn=(8)\n1 1\n");
    assert_eq!(profile, "?:(7):(8) [1]\n");
    assert_eq!(reported.lines().count(), 2, "{reported}");
}

/// Pitfall 1: a new part in the same file may redefine numbers, and may use those of the previous part.
#[test]
fn numbers_may_be_redefined_in_a_new_part() {
    let text = "# callgrind format\npart: 1\nevents: A\nfl=(1) a.c\nfn=(1) f\n1 1\ntotals: 1\n\n\
                part: 2\nevents: A\nfl=(1) b.c\nfn=(1) g\n1 2\nfn=(2) f\n1 3\ntotals: 5\n\n\
                part: 3\nevents: A\nfl=(1)\nfn=(1)\n1 4\ntotals: 4\n";
    assert_eq!(
        as_text(&read_clean(text.as_bytes())),
        "?:a.c:f [1]\n--\n?:b.c:g [2]\n?:b.c:f [3]\n--\n?:b.c:g [4]\n"
    );
}

/// Pitfall 2: costs below `fi=` and `fe=` are the function's, in another file; `fn=` returns to that of `fl=`.
#[test]
fn included_files_contain_lines_of_the_function() {
    let text = "# callgrind format\nevents: A\nfl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n7 2\nfe=(1)\n3 4\n\
                fi=(2)\n8 8\nfn=(2) g\n9 16\n";
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    assert_eq!(as_text(&profile), "?:a.c:f [15]\n?:a.c:g [16]\n");
    assert_eq!(lines(&source, &profile, "f"), ["a.c:1 [1]", "a.h:7 [2]", "a.c:3 [4]", "a.h:8 [8]"]);
    assert_eq!(lines(&source, &profile, "g"), ["a.c:9 [16]"]);
}

/// Pitfall 2: files that begin with `fi=`, as tools for Python write, are read.
#[test]
fn without_fl_functions_are_in_the_file_of_fi() {
    table(&[("no fl", "fi=a.py\nfn=f\n1 1\nfi=b.py\nfn=g\n1 2\n", "?:a.py:f [1]\n?:b.py:g [2]\n")]);
}

/// Pitfall 3: `cob=` and `cfi=` hold for one call; without them it is the caller's object and the current file.
#[test]
fn object_and_file_of_a_callee_hold_for_one_call() {
    table(&[
        (
            "the second call is to the caller's own object",
            "ob=o\nfl=a.c\nfn=f\n1 1\ncob=p\ncfi=b.c\ncfn=g\ncalls=1 1\n1 1\ncfn=h\ncalls=1 1\n1 2\n",
            "o:a.c:f [1]\nf > p:b.c:g 1 [1]\nf > o:a.c:h 1 [2]\n",
        ),
        (
            "the current file is that of fi",
            "ob=o\nfl=a.c\nfn=f\n1 1\nfi=a.h\n2 1\ncfn=h\ncalls=1 1\n2 2\n",
            "o:a.c:f [2]\nf > o:a.h:h 1 [2]\n",
        ),
        (
            "what a call without calls= named does not reach the next function",
            "ob=o\nfl=a.c\nfn=f\n1 1\ncob=p\ncfi=b.c\nfn=g\n1 1\ncfn=h\ncalls=1 1\n1 2\n",
            "o:a.c:f [1]\no:a.c:g [1]\ng > o:a.c:h 1 [2]\n",
        ),
    ]);
}

/// Pitfall 3: the file of a `cfn=` without a file is only assumed: it never splits a function, in either order.
#[test]
fn callees_without_a_file_in_both_orders() {
    let definition = "fl=(9) f.c\nfn=(2) f\n1 5\n";
    let again = "fl=(9) f.c\nfn=(2)\n1 5\n";
    let call = |callee: &str| format!("fl=(1) a.c\nfn=(1) main\n1 1\n{callee}\ncalls=1 1\n1 5\n");
    let expected = sorted_body("fl=f.c\nfn=f\n1 5\nfl=a.c\nfn=main\n1 1\ncfi=f.c\ncfn=f\ncalls=1 1\n1 5\n");
    for (what, text) in [
        ("number, definition first", format!("{definition}{}", call("cfn=(2)"))),
        ("number, call first", format!("{}{again}", call("cfn=(2) f"))),
        ("name, definition first", format!("{definition}{}", call("cfn=f"))),
        ("name, call first", format!("{}{definition}", call("cfn=f"))),
        ("strong call first", format!("{}{again}", call("cfi=(9) f.c\ncfn=(2) f"))),
    ] {
        assert_eq!(sorted_body(&text), expected, "{what}");
    }
    let two = body(&format!("{}fl=a.c\nfn=f\n1 3\nfl=f.c\nfn=f\n1 5\n", call("cfn=f")));
    assert_eq!(two, "?:a.c:main [1]\n?:a.c:f [3]\n?:f.c:f [5]\nmain > ?:a.c:f 1 [5]\n");
}

fn sorted_body(text: &str) -> std::collections::BTreeMap<String, u64> {
    sorted(&read_clean(format!("# callgrind format\nevents: A\n{text}").as_bytes()))
}

/// Pitfall 4: the line after `calls=` is what the calls cost, at the caller's place; equal pairs are one sum.
#[test]
fn calls_of_a_pair_are_summed_and_are_not_self_cost() {
    let text = "# callgrind format\nevents: A\nfl=a.c\nfn=f\n1 1\ncfn=g\ncalls=2 50\n3 10\ncfn=h\ncalls=1 60\n\
                4 7\ncfn=g\ncalls=3 50\n5 20\n6 1\nfn=g\n50 30\nfn=f\n8 1\ncfn=g\ncalls=1 50\n9 5\n";
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    assert_eq!(as_text(&profile), "?:a.c:f [3]\n?:a.c:g [30]\nf > ?:a.c:g 6 [35]\nf > ?:a.c:h 1 [7]\n");
    assert_eq!(
        sites(&source, &profile, "f"),
        [
            "a.c:3 > g a.c:50 x2 [10]",
            "a.c:4 > h a.c:60 x1 [7]",
            "a.c:5 > g a.c:50 x3 [20]",
            "a.c:9 > g a.c:50 x1 [5]"
        ]
    );
    assert_eq!(lines(&source, &profile, "f"), ["a.c:1 [1]", "a.c:6 [1]", "a.c:8 [1]"]);
}

/// Pitfall 4: a caller of very many functions, each twice.
#[test]
fn many_callees_are_summed_too() {
    let numbered = |callee: u32| format!("cfn=(1{callee}) g{callee}\ncalls=1 1\n1 {callee}\n");
    let plain = |callee: u32| format!("cfn=h{callee}\ncalls=1 1\n1 {callee}\n");
    let calls: String = (0..100).map(numbered).chain((0..100).map(plain)).collect();
    let text = format!("fl=a.c\nfn=f\n1 1\n{calls}{calls}");
    let as_text = body(&text);
    assert_eq!(as_text.lines().count(), 201);
    for callee in 0..100 {
        for name in ["g", "h"] {
            let line = format!("f > ?:a.c:{name}{callee} 2 [{}]\n", 2 * callee);
            assert!(as_text.contains(&line), "{line}");
        }
    }
}

/// Pitfall 9: levels of recursion and contexts are parts of the name.
#[test]
fn recursion_levels_and_contexts_stay_in_names() {
    let text = "fl=a.c\nfn=(1) f\n1 1\ncfn=(2) f'2\ncalls=1 1\n1 2\nfn=(2)\n1 2\ncfn=(2)\ncalls=4 1\n1 8\nfn=(3) g'main\n1 4\n";
    let expected =
        "?:a.c:f [1]\n?:a.c:f'2 [2]\n?:a.c:g'main [4]\nf > ?:a.c:f'2 1 [2]\nf'2 > ?:a.c:f'2 4 [8]\n";
    assert_eq!(body(text), expected);
}

/// Pitfall 10: calls inside a cycle stay calls, whatever they cost, and never become self cost.
#[test]
fn calls_inside_a_cycle_are_not_self_cost() {
    let text = "fl=a.c\nfn=main\n1 1\ncfn=a\ncalls=1 1\n1 30\nfn=a\n1 10\ncfn=b\ncalls=5 1\n1 90\n\
                fn=b\n1 20\ncfn=a\ncalls=4 1\n1 70\ncfn=b\ncalls=2 1\n1 15\n";
    let expected = "?:a.c:main [1]\n?:a.c:a [10]\n?:a.c:b [20]\nmain > ?:a.c:a 1 [30]\na > ?:a.c:b 5 [90]\n\
                    b > ?:a.c:a 4 [70]\nb > ?:a.c:b 2 [15]\n";
    assert_eq!(body(text), expected);
}

/// Pitfall 12: a name is the rest of its line, whatever it contains.
#[test]
fn names_of_all_kinds() {
    let names = [
        "operator new(unsigned long)",
        "std::map<int, std::pair<a, b> >::find(int const&)",
        "<alloc::vec::Vec<T> as core::iter::Extend<&'a T>>::extend",
        "core::{impl#0}::fmt",
        "(below main)",
        "(1x)",
        "f(2)",
        "a=b: c # d",
        "{main}",
        "λ → µ 🦀",
        "a\0b",
        "~",
    ];
    for name in names {
        for (first, again) in
            [(format!("fn={name}"), format!("fn={name}")), (format!("fn=(1) {name}"), "fn=(1)".into())]
        {
            assert_eq!(body(&format!("fl=a.c\n{first}\n1 1\n{again}\n1 2\n")), format!("?:a.c:{name} [3]\n"));
        }
    }
}

/// Pitfall 12: `???` stands for unknown: no file and no object, but a function.
#[test]
fn three_question_marks_are_unknown() {
    table(&[("unknown", "ob=(1) ???\nfl=(1) ???\nfn=(1) ???\n1 1\n", "?:?:??? [1]\n")]);
}

/// Pitfall 12: Windows paths have colons, blanks and backslashes.
#[test]
fn windows_paths_and_line_ends() {
    let text = "# callgrind format\r\ncmd: C:\\Program Files\\x.exe\r\nevents: A\r\nob=(1) C:\\Program Files\\x.exe\r\n\
                fl=(1) D:\\src\\a b.cpp\r\nfn=(1) main\r\n1 1\r\ncob=(2) C:\\Windows\\n.dll\r\ncfi=(2) ???\r\n\
                cfn=(2) Sleep\r\ncalls=1 0\r\n1 5\r\nfn=(1)\r\n\r\n2 1\r\ntotals: 2\r\n";
    let profile = read_clean(text.as_bytes());
    assert_eq!(profile.command.as_deref(), Some("C:\\Program Files\\x.exe"));
    let expected =
        "C:\\Program Files\\x.exe:D:\\src\\a b.cpp:main [2]\nmain > C:\\Windows\\n.dll:?:Sleep 1 [5]\n";
    assert_eq!(as_text(&profile), expected);
    assert_eq!(sorted(&read_clean(text.replace('\r', "").as_bytes())), sorted(&profile));
}

/// Pitfall 12: bytes that are not text are escaped, and two such names are two functions.
#[test]
fn names_that_are_not_text() {
    let text = b"# callgrind format\nevents: A\nfl=\xe9.c\nfn=\xff\n1 1\nfn=\xfe\n1 2\nfn=(1) a\x80\n1 4\nfn=(1)\n1 8\n";
    assert_eq!(
        as_text(&read_clean(text)),
        "?:\\xe9.c:\\xff [1]\n?:\\xe9.c:\\xfe [2]\n?:\\xe9.c:a\\x80 [12]\n"
    );
}

/// Pitfall 12: lines longer than any buffer.
#[test]
fn lines_longer_than_a_buffer() {
    for length in [65_535, 65_536, 65_537, 300_000] {
        let name = "x".repeat(length);
        let text = format!("fl=a.c\nfn=(1) {name}\n1 1\nfn=(2) g\n1 2\ncfn=(1)\ncalls=1 1\n1 3\n");
        let expected = format!("?:a.c:{name} [1]\n?:a.c:g [2]\ng > ?:a.c:{name} 1 [3]\n");
        assert!(body(&text) == expected, "{length}");
        let blanks = " ".repeat(length);
        assert_eq!(body(&format!("fl=a.c\nfn=f\n1{blanks}5{blanks}\n")), "?:a.c:f [5]\n", "{length}");
    }
}

/// yappi lists all files, then all functions, then the costs.
#[test]
fn the_file_at_the_costs_counts_where_a_name_is_only_listed() {
    table(&[
        (
            "listed before",
            "fl=(1) a.py\nfl=(2) b.py\n\nfn=(1) f\nfn=(2) g\n\nfl=(1)\nfn=(1)\n1 1\ncfl=(2)\ncfn=(2)\ncalls=1 1\n1 2\n\n\
             fl=(2)\nfn=(2)\n1 2\n",
            "?:a.py:f [1]\n?:b.py:g [2]\nf > ?:b.py:g 1 [2]\n",
        ),
        ("costs of 0 are costs", "fl=(1) a.py\nfn=(1) f\n1 0\nfl=(2) b.py\nfn=(1)\n1 2\n", "?:a.py:f [2]\n"),
        (
            "never costs anything",
            "fl=(1) a.py\nfn=(1) f\nfl=(2) b.py\nfn=(2) g\n1 1\ncfn=(1)\ncalls=1 1\n1 2\n",
            "?:a.py:f [0]\n?:b.py:g [1]\ng > ?:a.py:f 1 [2]\n",
        ),
    ]);
}
