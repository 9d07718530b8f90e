//! The dialects of xdebug and cachegrind: headers of all versions, sums after costs, freed memory.

use lotse_formats::claims;
use lotse_model::bytes::Memory;

use crate::check::{as_text, lines, messages, read, read_clean, sites};

fn format(text: &[u8]) -> &'static str {
    let claims = claims(&Memory { name: "x", bytes: text });
    assert!(claims.len() == 1, "{claims:?}");
    claims[0].0.id
}

/// Headers that cachegrind wrote over the years: with and without caches, branches, `pid`s in the name only.
#[test]
fn cachegrind_headers_of_all_versions() {
    let rows: &[(&str, &str, usize)] = &[
        (
            "1",
            "desc: I1 cache:         65536 B, 64 B, 2-way associative\ndesc: D1 cache:         65536 B, 64 B, 2-way\n\
             desc: L2 cache:         262144 B, 64 B, 8-way associative\ncmd: ./x\n\
             events: Ir I1mr I2mr Dr D1mr D2mr Dw D1mw D2mw\n",
            9,
        ),
        (
            "2",
            "desc: I1 cache:         32768 B, 64 B, 8-way associative\ndesc: D1 cache:         32768 B, 64 B, 8-way\n\
             desc: LL cache:         3145728 B, 64 B, 12-way associative\ncmd: ls -l /a b\n\
             events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\n",
            13,
        ),
        ("3", "cmd: ./x\nevents: Ir\n", 1),
        ("3 with a description", "desc: made by hand\ncmd: ./x --y\nevents: Ir Bc Bcm\n", 3),
    ];
    for (version, header, events) in rows {
        let zeros = " 0".repeat(events - 1);
        let text = format!(
            "{header}fl=/a/b.c\nfn=main\n0 1{zeros}\n12 3{zeros}\nfl=???\nfn=???\n0 5{zeros}\nsummary: 9{zeros}\n"
        );
        assert_eq!(format(text.as_bytes()), "cachegrind", "{version}");
        let profile = read_clean(text.as_bytes());
        assert_eq!(profile.events.len(), *events, "{version}");
        assert_eq!(profile.parts[0].own.costs.total(0), 9, "{version}");
        assert_eq!(profile.parts[0].stated[0].costs[0], 9, "{version}");
        assert!(profile.parts[0].calls.is_empty(), "{version}");
    }
}

/// Cachegrind repeats functions: a function with code from several files has an entry per file.
#[test]
fn cachegrind_functions_by_file() {
    let text = "cmd: ./x\nevents: Ir Dr\nfl=a.c\nfn=f\n5 1 .\n6 2\nfl=a.h\nfn=f\n1 4 5\nfl=a.c\nfn=g\n7 8 9\n\
                fl=a.c\nfn=f\n5 16\nsummary: 31 14\n";
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    assert_eq!(as_text(&profile), "?:a.c:f [19, 0]\n?:a.h:f [4, 5]\n?:a.c:g [8, 9]\n");
    assert_eq!(lines(&source, &profile, "f"), ["a.c:5 [1, 0]", "a.c:6 [2, 0]", "a.c:5 [16, 0]"]);
}

/// Names in cachegrind files have no numbers; `(` at the start of a name is not a number.
#[test]
fn cachegrind_names_begin_with_anything() {
    for name in ["(below main)", "???", "operator()(int)", "std::vector<int, a<b> >::push_back"] {
        let text = format!("cmd: ./x\nevents: Ir\nfl=a.c\nfn={name}\n5 1\nsummary: 1\n");
        assert_eq!(format(text.as_bytes()), "cachegrind", "{name}");
        assert_eq!(as_text(&read_clean(text.as_bytes())), format!("?:a.c:{name} [1]\n"));
    }
}

/// A cachegrind file that ends inside its costs lacks its summary.
#[test]
fn a_cut_cachegrind_file_is_reported() {
    let reading = read(b"cmd: ./x\nevents: Ir\nfl=a.c\nfn=f\n5 1\n6 23");
    assert_eq!(
        messages(&reading),
        ["Loss line 6: the file ends inside this line; what came after is missing"]
    );
    assert_eq!(as_text(&reading.value), "?:a.c:f [24]\n");
}

const XDEBUG_3: &str = "version: 1\ncreator: xdebug 3.1.2 (PHP 8.1.2)\ncmd: /srv/a.php\npart: 1\npositions: line\n\n\
    events: Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\nfn=(1) php::str_repeat\n3 50 416\n\n\
    fl=(1)\nfn=(2) php::unset\n5 10 -416\n\nfl=(2) /srv/b.php\nfn=(3) A->b\n7 100 32\ncfl=(1)\ncfn=(1)\n\
    calls=1 0 0\n8 50 416\n\nfl=(3) /srv/a.php\nfn=(4) {main}\n1 1000 -100\ncfl=(2)\ncfn=(3)\ncalls=1 0 0\n\
    3 150 448\ncfl=(1)\ncfn=(2)\ncalls=2 0 0\n5 10 -416\n\nsummary: 1160 -68\n\n";

/// Pitfall 13: internal functions before callers, freed memory, sums after the costs.
#[test]
fn xdebug_3() {
    assert_eq!(format(XDEBUG_3.as_bytes()), "xdebug");
    let source = Memory { name: "x", bytes: XDEBUG_3.as_bytes() };
    let profile = read_clean(source.bytes);
    assert_eq!(
        as_text(&profile),
        "?:php:internal:php::str_repeat [50, 416]\n?:php:internal:php::unset [10, -416]\n\
         ?:/srv/b.php:A->b [100, 32]\n?:/srv/a.php:{main} [1000, -100]\n\
         A->b > ?:php:internal:php::str_repeat 1 [50, 416]\n{main} > ?:/srv/b.php:A->b 1 [150, 448]\n\
         {main} > ?:php:internal:php::unset 2 [10, -416]\n"
    );
    let part = &profile.parts[0];
    assert_eq!((part.own.costs.total(0), part.own.costs.total(1)), (1160, -68));
    assert_eq!(part.stated[0].costs.iter().map(|&it| profile.value(it)).collect::<Vec<_>>(), [1160, -68]);
    assert_eq!(
        sites(&source, &profile, "A->b"),
        ["/srv/b.php:8 > php::str_repeat php:internal:0 x1 [50, 416]"]
    );
    assert_eq!(profile.creator.as_deref(), Some("xdebug 3.1.2 (PHP 8.1.2)"));
}

/// Pitfall 13: units are in the names of event types.
#[test]
fn xdebug_units() {
    let rows = [
        ("Time_(10ns) Memory_(bytes)", ["10ns", "bytes"]),
        ("Time_(µs) Memory_(bytes)", ["us", "bytes"]),
        ("Time_(ms) Memory", ["ms", "count"]),
        ("Time Memory_(kB)", ["count", "count"]),
    ];
    for (events, expected) in rows {
        let text = XDEBUG_3.replace("Time_(10ns) Memory_(bytes)", events);
        let profile = read_clean(text.as_bytes());
        let units: Vec<String> = profile.events.iter().map(|event| event.unit_label()).collect();
        assert_eq!(units, expected, "{events}");
    }
}

/// Pitfall 13: xdebug 2 has no numbers, and states the sum before the costs of `{main}`.
#[test]
fn xdebug_2_without_numbers() {
    let text = "version: 0.9.6\ncmd: /srv/a.php\npart: 1\n\nevents: Time\n\nfl=php:internal\nfn=php::define\n5 11\n\n\
                fl=/srv/b.php\nfn=require_once::/srv/b.php\n1 22\ncfn=php::define\ncalls=1 0 0\n5 11\n\n\
                fl=/srv/a.php\nfn={main}\n\nsummary: 133\n\n0 100\ncfn=require_once::/srv/b.php\ncalls=1 0 0\n3 33\n\
                cfn=php::define\ncalls=2 0 0\n4 0\n";
    assert_eq!(format(text.as_bytes()), "xdebug");
    let profile = read_clean(text.as_bytes());
    assert_eq!(
        as_text(&profile),
        "?:php:internal:php::define [11]\n?:/srv/b.php:require_once::/srv/b.php [22]\n?:/srv/a.php:{main} [100]\n\
         require_once::/srv/b.php > ?:php:internal:php::define 1 [11]\n\
         {main} > ?:/srv/b.php:require_once::/srv/b.php 1 [33]\n{main} > ?:php:internal:php::define 2 [0]\n"
    );
    assert_eq!(profile.parts[0].stated[0].costs, [133]);
}

/// Pitfall 12: names of anonymous classes have a null byte and a path.
#[test]
fn xdebug_names_with_null_bytes() {
    let name = "class@anonymous\0/srv/a.php:3$0->run";
    let text = XDEBUG_3.replace("A->b", name);
    let profile = read_clean(text.as_bytes());
    assert!(profile.functions.ids().any(|it| profile.function_name(it) == name));
    assert_eq!(profile.functions.len(), 4);
}

/// Without negative memory costs nothing is signed, so that large counters keep all their bits.
#[test]
fn xdebug_without_negative_costs_is_unsigned() {
    let text = XDEBUG_3.replace("-416", "416").replace("-100", "100").replace("-68", "964");
    assert!(!read_clean(text.as_bytes()).signed);
    assert!(read_clean(XDEBUG_3.as_bytes()).signed);
}

/// The same body by other writers: creator, version, or PHP's own pseudo file decide.
#[test]
fn one_writer_claims_a_file() {
    let rows = [
        ("# callgrind format\nevents: A\nfl=a\nfn=f\n1 1\n", "callgrind"),
        ("creator: callgrind-3.22\ncmd: x\nevents: Ir\nfl=a\nfn=f\n1 1\n", "callgrind"),
        ("events: Ticks\nfl=a\nfn=f\n1 1\n", "callgrind"),
        ("cmd: x\nevents: Ir\nfl=a\nfn=f\n1 1\n", "cachegrind"),
        ("cmd: x\npid: 1\nevents: Ir\nfl=a\nfn=f\n1 1\n", "callgrind"),
        ("cmd: x\nevents: Ir\nfl=(1) a\nfn=(1) f\n1 1\n", "callgrind"),
        ("version: 0.9.6\nevents: Time\nfl=a\nfn=f\n1 1\n", "xdebug"),
        ("events: Time\nfl=(1) php:internal\nfn=(1) php::f\n1 1\n", "xdebug"),
    ];
    for (text, expected) in rows {
        assert_eq!(format(text.as_bytes()), expected, "{text}");
        assert_eq!(format(text.replace('\n', "\r\n").as_bytes()), expected, "{text} with CRLF");
    }
}
