//! Costs: event types, sums, large numbers, and files that are cut.

use lotse_formats::{Place, Weight};
use lotse_model::bytes::Memory;

use crate::check::{as_text, lines, messages, read, read_clean, table};

/// Pitfall 7: costs at the end of a line that are 0 are left out.
#[test]
fn missing_costs_are_zero() {
    let text = "# callgrind format\nevents: A B C\nfl=a.c\nfn=f\n1 1\n2 1 2\n3 1 2 3\n4\n5 0 0 7\ncfn=g\ncalls=1 1\n1\n\
                cfn=h\ncalls=1 1\n1 0 4\n";
    let expected = "?:a.c:f [3, 4, 10]\nf > ?:a.c:g 1 [0, 0, 0]\nf > ?:a.c:h 1 [0, 4, 0]\n";
    assert_eq!(as_text(&read_clean(text.as_bytes())), expected);
}

/// Pitfall 7: parts may count different things, in another order; each event type is one column.
#[test]
fn event_types_may_differ_by_part() {
    let text = "# callgrind format\npart: 1\nevents: A B\nfl=a.c\nfn=f\n1 1 2\ncfn=g\ncalls=1 1\n1 3 4\ntotals: 1 2\n\n\
                part: 2\nevents: B C\nfl=a.c\nfn=f\n5 10 20\ncfn=g\ncalls=1 1\n1 30 40\ntotals: 10 20\n\n\
                part: 3\nevents: C A\nfl=a.c\nfn=f\n9 100\nsummary: 100 0\ntotals: 100\n";
    let source = Memory { name: "x", bytes: text.as_bytes() };
    let profile = read_clean(source.bytes);
    let names: Vec<&str> = profile.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["A", "B", "C"]);
    assert_eq!(
        as_text(&profile),
        "?:a.c:f [1, 2, 0]\nf > ?:a.c:g 1 [3, 4, 0]\n--\n?:a.c:f [0, 10, 20]\nf > ?:a.c:g 1 [0, 30, 40]\n--\n\
         ?:a.c:f [0, 0, 100]\n"
    );
    assert_eq!(profile.parts[1].stated[0].costs, [0, 10, 20]);
    assert_eq!(lines(&source, &profile, "f"), ["a.c:1 [1, 2, 0]", "a.c:5 [0, 10, 20]", "a.c:9 [0, 0, 100]"]);
}

/// Pitfall 7: `event:` gives long names and formulas; unknown formulas stay as they are.
#[test]
fn event_types_have_titles_and_formulas() {
    let text = "# callgrind format\nevent: Ir : Instruction Fetch\nevent: Sum = Ir + 10 Dr : Both\nevent: Bare = 2 Ir\n\
                event: Alone\nevents: Ir Dr sysTime What_(x)\nfl=a.c\nfn=f\n1 1 2 3 4\n";
    let profile = read_clean(text.as_bytes());
    let titles: Vec<Option<&str>> = profile.events.iter().map(|event| event.title.as_deref()).collect();
    assert_eq!(titles, [Some("Instruction Fetch"), None, None, None]);
    let formulas: Vec<String> =
        profile.formulas.iter().map(|it| format!("{} = {} {:?}", it.name, it.text, it.title)).collect();
    assert_eq!(formulas, ["Sum = Ir + 10 Dr Some(\"Both\")", "Bare = 2 Ir None"]);
}

/// Pitfall 7: more costs than event types, and very many event types.
#[test]
fn too_many_costs_and_event_types_are_reported() {
    let reading = read(b"# callgrind format\nevents: A\nfl=a.c\nfn=f\n1 1 2\n2 4\n");
    assert_eq!(as_text(&reading.value), "?:a.c:f [5]\n");
    assert_eq!(messages(&reading), ["Loss line 5: more costs than event types; the last are left out"]);
    let names: Vec<String> = (0..70).map(|event| format!("E{event}")).collect();
    let costs = "1 ".repeat(64);
    let text = format!("# callgrind format\nevents: {}\nfl=a.c\nfn=f\n1 {costs}\n", names.join(" "));
    let reading = read(text.as_bytes());
    assert_eq!(reading.value.events.len(), 64);
    assert_eq!(messages(&reading).len(), 1, "{:?}", messages(&reading));
}

/// Pitfall 8: stated sums are kept as stated; sums of costs are computed.
#[test]
fn summary_and_totals_are_kept_separately() {
    let head = "# callgrind format\nevents: A\n";
    let body = "fl=a.c\nfn=f\n1 1\n2 4\n";
    let rows = [
        ("", "", "", 0),
        ("summary: 9\n", "totals: 5\n", "summary 9, totals 5", 0),
        ("", "totals: 5\n", "totals 5", 0),
        ("summary: 5\n", "", "summary 5", 0),
        ("", "totals: 6\n", "totals 6", 1),
        ("", "\ntotals: 5", "totals 5", 0),
    ];
    for (before, after, expected, notes) in rows {
        let reading = read(format!("{head}{before}{body}{after}").as_bytes());
        let part = &reading.value.parts[0];
        let stated: Vec<String> =
            part.stated.iter().map(|it| format!("{} {}", it.name, it.costs[0])).collect();
        assert_eq!(stated.join(", "), expected);
        assert_eq!(part.own.costs.total(0), 5);
        assert_eq!((reading.complete(), reading.diagnostics.len()), (true, notes), "{before}{after}");
    }
}

/// Pitfall 12: counters up to 2^64 - 1 are exact; sums beyond it are reported, never wrapped.
#[test]
fn counters_near_two_to_the_64() {
    let most = u64::MAX;
    table(&[
        ("the largest", &format!("fl=a.c\nfn=f\n1 {most}\n"), &format!("?:a.c:f [{most}]\n")),
        (
            "a sum that just fits",
            &format!("fl=a.c\nfn=f\n1 {}\n2 1\nfn=g\n1 {}\n", most - 1, most / 2),
            &format!("?:a.c:f [{most}]\n?:a.c:g [{}]\n", most / 2),
        ),
        (
            "of calls",
            &format!("fl=a.c\nfn=f\n1 1\ncfn=g\ncalls={most} 1\n1 {most}\n"),
            &format!("?:a.c:f [1]\nf > ?:a.c:g {most} [{most}]\n"),
        ),
        ("with zeros before it", "fl=a.c\nfn=f\n1 00000000000000000000000000000000007\n", "?:a.c:f [7]\n"),
    ]);
    let head = "# callgrind format\nevents: A\nfl=a.c\nfn=f\n";
    for body in [
        "1 18446744073709551615\n2 1\n",
        "1 18446744073709551616\n",
        "1 99999999999999999999999999\n",
        "1 1\ncfn=g\ncalls=1 1\n1 18446744073709551615\ncfn=g\ncalls=1 1\n1 1\n",
        "1 1\ncfn=g\ncalls=18446744073709551615 1\n1 1\ncfn=g\ncalls=1 1\n1 1\n",
    ] {
        let reading = lotse_formats::read_profile(
            &Memory { name: "x", bytes: format!("{head}{body}").as_bytes() },
            None,
            &lotse_model::work::Sequential,
        )
        .unwrap();
        assert!(messages(&reading)[0].contains("larger than 2^64 - 1"), "{body}: {:?}", messages(&reading));
        assert!(!reading.complete());
    }
}

/// Pitfall 12: sums of two functions beyond 2^64 are exact in the total.
#[test]
fn totals_beyond_two_to_the_64_are_exact() {
    let most = u64::MAX;
    let text = format!("# callgrind format\nevents: A\nfl=a.c\nfn=f\n1 {most}\nfn=g\n1 {most}\n");
    let profile = read_clean(text.as_bytes());
    assert_eq!(profile.parts[0].own.costs.total(0), 2 * i128::from(most));
}

/// Hexadecimal costs, `.` for none, blanks of all kinds.
#[test]
fn costs_in_other_spellings() {
    table(&[
        ("hexadecimal", "fl=a.c\nfn=f\n1 0x1F\n2 0Xff\n", "?:a.c:f [286]\n"),
        ("a dot", "fl=a.c\nfn=f\n1 .\n2 3\n", "?:a.c:f [3]\n"),
        ("tabs and blanks", "fl=a.c\nfn=f\n1\t5\n2   6  \n  3 7\n\t4 8\n", "?:a.c:f [26]\n"),
        (
            "comments and empty lines",
            "# x\n\nfl=a.c\n# y\nfn=f\n\n1 5\n   \n# 1 100\n2 6\n",
            "?:a.c:f [11]\n",
        ),
    ]);
}

/// A file that ends inside a line is reported with its line; one that only lacks the line end is not. Where only the
/// sums are cut, no cost is missing, and sums that do not fit are a note.
#[test]
fn a_cut_file_is_reported_with_its_line() {
    let whole = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: A\n\nfl=(1) a.c\nfn=(1) main\n\
                 12 34\ncfn=(2) sub\ncalls=1 20 \n13 50\n+1 6\n\nfn=(2)\n20 50\n\ntotals: 90\n";
    let costs = whole.find("12 34").unwrap();
    for end in (costs..whole.len() - 2).filter(|&end| !whole[..end].ends_with('\n')) {
        let cut = &whole[..end];
        let reading = read(cut.as_bytes());
        let line = Place::Line(cut.lines().count() as u64);
        let is_reported = reading.diagnostics.iter().any(|it| it.weight == Weight::Loss && it.place == line);
        assert_eq!(is_reported, !cut.contains("totals:"), "{cut:?}: {:?}", messages(&reading));
        assert!(!reading.diagnostics.is_empty(), "{cut:?}");
    }
    for complete in [whole, whole.trim_end()] {
        assert_eq!(messages(&read(complete.as_bytes())), [""; 0]);
    }
}
