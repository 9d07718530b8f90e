//! Bad input: no panic, every error has a place, and what was read before the damage is kept.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use lotse_formats::format::FormatKind;
use lotse_formats::history::History;
use lotse_formats::recognise::FORMATS;
use lotse_formats::trace::open::open;
use lotse_formats::{Place, claims, numbers, read_profile, read_results, read_suite};
use lotse_model::bytes::{Memory, MemoryFolder};
use lotse_model::work::Sequential;

const FIXTURES: &[&[u8]] = &[
    include_bytes!("../../../fixtures/bench/hyperfine-1.18.json"),
    include_bytes!("../../../fixtures/bench/hyperfine-2.0-parameters.json"),
    include_bytes!("../../../fixtures/bench/temci-0.8.5-full.yaml"),
    include_bytes!("../../../fixtures/bench/temci-0.8.5-suite.yaml"),
    include_bytes!("../../../fixtures/bench/lotse-log-1.jsonl"),
    include_bytes!("../../../fixtures/bench/lotse-answer-1.json"),
];

/// Runs every reader on the bytes.
fn read_all(bytes: &[u8]) {
    let source = Memory { name: "bad", bytes };
    for format in FORMATS {
        let error = match format.kind() {
            FormatKind::BenchResult => read_results(&source, Some(format.id)).err(),
            FormatKind::Profile => read_profile(&source, Some(format.id), &Sequential).err(),
            FormatKind::History => History::read("bad", bytes).err(),
            FormatKind::Trace => open(&MemoryFolder::alone("bad", bytes), Some(format.id)).err(),
            _ => read_suite(&source, Some(format.id)).err(),
        };
        assert!(error.is_none_or(|error| error.to_string().contains("bad")));
    }
    claims(&source);
    drop(numbers::parse("bad", bytes));
}

#[test]
fn cut_off_anywhere() {
    for fixture in FIXTURES {
        for end in (0..fixture.len()).step_by(if fixture.len() > 2000 { 7 } else { 1 }) {
            read_all(&fixture[..end]);
        }
    }
}

#[test]
fn other_line_ends_and_a_byte_order_mark_change_nothing() {
    for fixture in FIXTURES {
        let text = std::str::from_utf8(fixture).unwrap();
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let (plain, windows) =
            (Memory { name: "x", bytes: fixture }, Memory { name: "x", bytes: windows.as_bytes() });
        assert_eq!(claims(&plain)[0].0.id, claims(&windows)[0].0.id);
        match claims(&plain)[0].0.kind() {
            FormatKind::BenchResult => assert_eq!(
                read_results(&plain, None).unwrap().value,
                read_results(&windows, None).unwrap().value
            ),
            _ => {
                assert_eq!(read_suite(&plain, None).unwrap().value, read_suite(&windows, None).unwrap().value)
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    for fixture in FIXTURES {
        for place in [0, fixture.len() / 3, fixture.len() - 1] {
            let mut bytes = fixture.to_vec();
            bytes[place] = 0xff;
            read_all(&bytes);
            bytes[place] = 0;
            read_all(&bytes);
        }
    }
}

#[test]
fn nesting_and_numbers_without_end() {
    read_all(b"");
    for piece in ["[", "{\"a\":", "- ", "a:\n ", "{\"results\":[", "? ", "&a [", "\"", "|\n"] {
        read_all(piece.repeat(20_000).as_bytes());
    }
    for number in ["1e999", "-1e999", ".nan", ".inf", "NaN", "99999999999999999999999999", "0x", "1_0"] {
        let results = format!(r#"{{"results": [{{"command": "a", "times": [{number}]}}]}}"#);
        read_all(results.as_bytes());
        read_all(format!("- attributes: {{description: a}}\n  data: {{utime: [1, {number}]}}\n").as_bytes());
    }
}

#[test]
fn programs_before_the_damage_are_kept() {
    let whole = FIXTURES[1];
    let cut = Memory { name: "cut.json", bytes: &whole[..whole.len() * 3 / 4] };
    let reading = read_results(&cut, None).unwrap();
    assert_eq!(reading.value.programs.len(), 1);
    assert_eq!(reading.value.runs.len(), 2);
    assert!(!reading.complete());
    assert!(
        matches!(reading.diagnostics[0].place, Place::At { line: 100.., .. }),
        "{:?}",
        reading.diagnostics
    );

    let text = "- attributes: {description: a}\n  data: {utime: [1, x, .nan]}\n- [\n";
    let reading = read_results(&Memory { name: "cut.yaml", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(reading.value.runs.len(), 1);
    let places: Vec<String> = reading.diagnostics.iter().map(|odd| odd.place.to_string()).collect();
    assert_eq!(places[..2], ["line 2, column 21", "line 2, column 24"]);
    assert_eq!(places.len(), 3);
}

#[test]
fn truncated_and_damaged_logs_are_read() {
    let text = std::str::from_utf8(FIXTURES[4]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let killed = format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..100]);
    let reading = read_results(&Memory { name: "killed", bytes: killed.as_bytes() }, None).unwrap();
    assert_eq!(reading.value.runs.len(), 2);
    assert_eq!(reading.diagnostics[0].place, Place::At { line: 3, column: 100 });
    assert!(
        reading.diagnostics[0].message.starts_with("cut off before its end"),
        "{:?}",
        reading.diagnostics
    );

    let scratched = format!("{}\n{{\"block\": oops}}\n{}\n{}\n", lines[0], lines[2], lines[3]);
    let reading = read_results(&Memory { name: "scratched", bytes: scratched.as_bytes() }, None).unwrap();
    assert_eq!(reading.value.runs.len(), 2);
    assert_eq!(reading.diagnostics[0].place, Place::At { line: 2, column: 11 });
}

fn check_error(bytes: &str, format: Option<&str>, expected: &str) {
    let error = read_results(&Memory { name: "file", bytes: bytes.as_bytes() }, format).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn errors_name_the_file_the_place_and_the_remedy() {
    let known = "lotse-log, lotse-json, hyperfine, temci";
    check_error(
        "",
        None,
        &format!(
            "file is in none of the formats read here ({known}); name one with --format to see what is wrong"
        ),
    );
    check_error("", Some("nix"), &format!("there is no format \"nix\"; there are {known}"));
    check_error(
        "",
        Some("temci-suite"),
        "temci-suite is a format for a benchmark suite, but a benchmark result is needed here",
    );
    check_error("", Some("hyperfine"), "file: line 1, column 1: EOF while parsing a value");
    check_error(
        r#"{"schema": "lotse.bench.log/9"}"#,
        None,
        "file has the version lotse.bench.log/9; this Lotse reads lotse.bench.log/1",
    );
    check_error(
        r#"{"schema_version": 3, "results": []}"#,
        None,
        "file has the version 3; this Lotse reads hyperfine's JSON of 1.x and schema 2",
    );
}
