//! Positions of costs: relative ones, ranges, addresses, jumps.

use lotse_formats::read_profile;
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use crate::check::{jumps, lines, read_clean, sites};

fn with_addresses(body: &str) -> String {
    format!("# callgrind format\npositions: instr line\nevents: A\n{body}")
}

/// Pitfall 5: every way to write a position, and its value.
#[test]
fn positions_count_from_the_previous_line() {
    let rows: &[(&str, &[&str])] = &[
        ("5 1\n+3 1\n-2 1\n* 1\n", &["5", "8", "6", "6"]),
        ("0x10 1\n+0xa 1\n-0x2 1\n", &["16", "26", "24"]),
        ("5+4 1\n+1 1\n", &["5", "6"]),
        ("5:9 1\n+1 1\n", &["5", "6"]),
        ("9-2 1\n* 1\n", &["9", "9"]),
        ("+5+2 1\n+0 1\n", &["5", "5"]),
        ("007 1\n", &["7"]),
        ("4294967295 1\n", &["4294967295"]),
    ];
    for (text, expected) in rows {
        let text = format!("# callgrind format\nevents: A\nfl=a.c\nfn=f\n{text}");
        let profile = read_clean(text.as_bytes());
        let expected: Vec<String> = expected.iter().map(|line| format!("a.c:{line} [1]")).collect();
        assert_eq!(lines(&Memory { name: "x", bytes: text.as_bytes() }, &profile, "f"), expected, "{text}");
    }
}

/// Pitfall 5: the base is the previous line, even if that belongs to another function, a call or a jump.
#[test]
fn the_base_is_kept_across_functions_calls_and_jumps() {
    let text = with_addresses(
        "fl=a.c\nfn=f\n0x1000 10 1\ncfn=g\ncalls=1 0x2000 50\n+4 +2 9\n+4 * 1\njump=2 -8 -2\n+4 +1\n+1 +1 1\n\
         fn=g\n+16 +36 9\n",
    );
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    assert_eq!(lines(&source, &profile, "f"), ["a.c:10@1000 [1]", "a.c:12@1008 [1]", "a.c:14@100d [1]"]);
    assert_eq!(sites(&source, &profile, "f"), ["a.c:12@1004 > g a.c:50@2000 x1 [9]"]);
    assert_eq!(lines(&source, &profile, "g"), ["a.c:50@101d [9]"]);
    assert_eq!(jumps(&source, &profile, "f"), ["a.c:13@100c > a.c:10@1000 always 2/2"]);
}

/// Pitfall 5: the target of a call or jump does not move the position, relative or not.
#[test]
fn targets_do_not_move_the_position() {
    for target in ["0x9000 900", "+100 +90", "* *", "-16 -5", ""] {
        let text = with_addresses(&format!(
            "fl=a.c\nfn=f\n0x1000 10 1\ncfn=g\ncalls=1 {target}\n* * 9\njcnd=1/2 {target}\n* *\n+1 +1 1\n"
        ));
        let source = Memory { name: "x", bytes: text.as_bytes() };
        let profile = read_clean(source.bytes);
        assert_eq!(lines(&source, &profile, "f"), ["a.c:10@1000 [1]", "a.c:11@1001 [1]"], "{target}");
    }
}

/// Pitfall 6: a position without costs follows a jump, with and without a blank at its end.
#[test]
fn jumps_have_a_place_and_no_costs() {
    for end in ["", " ", "\t", " \r"] {
        let text = with_addresses(&format!(
            "fl=(1) a.c\nfn=(1) f\n0x10 1 1\njump=7 0x20 5{end}\n* *{end}\njcnd=3/8 +6 +2{end}\n+2 +1{end}\n\
             jfi=(2) b.h\njcnd=0/4 0x30 77{end}\n* *{end}\nfi=(2)\n+1 * 2\n"
        ));
        let source = Memory { name: "x", bytes: text.as_bytes() };
        let profile = read_clean(source.bytes);
        assert_eq!(
            jumps(&source, &profile, "f"),
            ["a.c:1@10 > a.c:5@20 always 7/7", "a.c:2@12 > a.c:3@16 if 3/8", "a.c:2@12 > b.h:77@30 if 0/4"],
            "{end:?}"
        );
        assert_eq!(lines(&source, &profile, "f"), ["a.c:1@10 [1]", "b.h:2@13 [2]"], "{end:?}");
        assert_eq!(profile.parts[0].own.costs.total(0), 3);
    }
}

/// Pitfall 6: a jump into another function is kept with its function.
#[test]
fn a_jump_may_lead_into_another_function() {
    let text = with_addresses(
        "fl=(1) a.c\nfn=(1) f\n0x10 1 1\njfi=(2) b.c\njfn=(2) g\njump=7 0x90 5\n* *\nfl=(2)\nfn=(2)\n0x90 5 3\n",
    );
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    let f = crate::check::function(&profile, "f");
    let detail = lotse_formats::detail(&source, &profile, f).unwrap();
    assert_eq!(detail.jumps.into, [crate::check::function(&profile, "g")]);
    assert_eq!(jumps(&source, &profile, "f"), ["a.c:1@10 > b.c:5@90 always 7/7"]);
}

/// Pitfall 5: addresses without lines, and lines without a `positions:` header.
#[test]
fn positions_may_be_addresses_alone() {
    let text = "# callgrind format\npositions: instr\nevents: A\nfl=a.c\nfn=f\n0xffffffffffffff00 1\n+16 2\n";
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    assert_eq!(lines(&source, &profile, "f"), ["a.c:0@ffffffffffffff00 [1]", "a.c:0@ffffffffffffff10 [2]"]);
}

/// Instructions of one line have separate costs where there are addresses.
#[test]
fn instructions_have_separate_costs() {
    let text = with_addresses("fl=a.c\nfn=f\n0x10 1 1\n+2 * 2\n+3 * 4\nfi=a.h\n+1 9 8\n");
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    let expected = ["a.c:1@10 [1]", "a.c:1@12 [2]", "a.c:1@15 [4]", "a.h:9@16 [8]"];
    assert_eq!(lines(&source, &profile, "f"), expected);
}

/// A file that shrank after it was read gives an error instead of wrong lines.
#[test]
fn a_file_that_became_shorter_is_an_error() {
    let text = with_addresses("fl=a.c\nfn=f\n0x10 1 1\nfn=g\n+2 * 2\n");
    let profile: Profile =
        read_profile(&Memory { name: "x", bytes: text.as_bytes() }, None, &Sequential).unwrap().value;
    let shorter = Memory { name: "x", bytes: &text.as_bytes()[..text.len() - 4] };
    let g = crate::check::function(&profile, "g");
    let error = lotse_formats::detail(&shorter, &profile, g).unwrap_err();
    assert!(error.to_string().contains("changed since it was read"), "{error}");
}
