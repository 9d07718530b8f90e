//! Dumps of stackprof 0.2.21 against what `stackprof --text` prints about them, and small handwritten ones.

use std::collections::BTreeMap;

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::{claim, read};
use crate::error::FormatError;
use crate::format::Confidence;
use crate::reading::Reading;

macro_rules! seed {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../fuzz/corpus/stackprof/", $name)).as_slice()
    };
}

fn reading(bytes: &[u8]) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

fn remarks(bytes: &[u8]) -> Vec<String> {
    reading(bytes).diagnostics.iter().map(ToString::to_string).collect()
}

fn event_names(profile: &Profile) -> Vec<&str> {
    profile.events.iter().map(|event| event.name.as_str()).collect()
}

/// Self and inclusive samples by function, from the stacks or from what the file states.
fn costs(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let part = &profile.parts[0];
    let mut costs: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let name = |function| profile.function_name(function).to_owned();
    for (row, function) in part.own.function.iter().enumerate() {
        costs.insert(name(*function), (part.own.costs.row(row)[0], part.inclusive.costs.row(row)[0]));
    }
    for (row, stack) in part.samples.stack.iter().enumerate() {
        let samples = part.samples.costs.row(row)[0];
        let functions = profile.stacks.frames(*stack).map(|frame| profile.frames.get(frame).function);
        let mut names: Vec<String> = functions.map(name).collect();
        costs.entry(names[0].clone()).or_default().0 += samples;
        names.sort();
        names.dedup();
        names.into_iter().for_each(|name| costs.entry(name).or_default().1 += samples);
    }
    costs
}

/// `stackprof --text seed-raw-dump`
#[test]
fn stacks_give_the_samples_that_stackprof_counts() {
    let dump = reading(seed!("seed-raw-dump"));
    assert_eq!(event_names(&dump.value), ["samples", "wall"]);
    let found = costs(&dump.value);
    for (name, expected) in [
        ("(marking)", (30, 30)),
        ("Object#a", (20, 21)),
        ("(sweeping)", (3, 3)),
        ("Integer#times", (1, 21)),
        ("(garbage collection)", (1, 34)),
        ("Array#each", (0, 21)),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert_eq!(dump.value.parts[0].samples.time.len(), dump.value.parts[0].samples.len());
}

/// The same result was written in both forms.
#[test]
fn both_forms_give_the_same_profile() {
    assert_eq!(reading(seed!("seed-raw-dump")), reading(seed!("seed-raw-json")));
}

/// `stackprof --text seed-metadata`; the metadata has a time, a range, a class and more.
#[test]
fn totals_are_those_of_the_file_whatever_the_metadata() {
    let bytes = seed!("seed-metadata");
    let found = costs(&reading(bytes).value);
    let expected = [
        ("(marking)", (36, 36)),
        ("Object#a", (19, 26)),
        ("Integer#times", (7, 26)),
        ("Array#each", (0, 26)),
    ];
    for (name, expected) in expected {
        assert_eq!(found[name], expected, "{name}");
    }
    let gc = "the whole input: 39 of 65 samples fell into garbage collection: see `(garbage collection)`";
    assert_eq!(remarks(bytes), [gc]);
    assert!(reading(bytes).complete());
}

/// `stackprof --method 'Object#nested' seed-totals-json` lists its callers and callees.
#[test]
fn edges_are_calls_without_a_number() {
    let profile = reading(seed!("seed-totals-json")).value;
    let calls = &profile.parts[0].calls;
    let pair = |row: usize| [calls.caller[row], calls.callee[row]].map(|it| profile.function_name(it));
    let of_nested: BTreeMap<_, _> = (0..calls.len())
        .filter(|row| pair(*row).contains(&"Object#nested"))
        .map(|row| (pair(row), calls.costs.row(row).to_vec()))
        .collect();
    let expected = [
        (["Object#main", "Object#nested"], vec![13, 13_000_000]),
        (["Object#nested", "Object#light"], vec![13, 13_000_000]),
        (["Object#nested", "Object#nested"], vec![26, 26_000_000]),
    ];
    assert_eq!(of_nested, BTreeMap::from(expected));
    assert!(calls.count.iter().all(|count| *count == 0));
}

#[test]
fn modes_and_intervals_give_event_types() {
    let object = reading(seed!("seed-object")).value;
    assert_eq!(remarks(seed!("seed-object")), ["the whole input: stackprof recorded 13 of 39 allocations"]);
    assert_eq!(event_names(&object), ["samples", "allocations"]);
    assert!((0..object.parts[0].own.costs.rows()).all(|row| {
        let costs = object.parts[0].own.costs.row(row);
        costs[1] == 3 * costs[0]
    }));
    assert_eq!(event_names(&reading(seed!("seed-custom")).value), ["samples"]);
    for (mode, interval, expected) in [
        ("object", "1", &["allocations"][..]),
        ("cpu", "250", &["samples", "cpu"]),
        ("wall", "null", &["samples"]),
        ("wall", "0", &["samples"]),
        ("wall", "-1", &["samples"]),
        ("moon", "1", &["samples"]),
    ] {
        let text = format!(r#"{{"mode": "{mode}", "interval": {interval}, "frames": {{}}}}"#);
        assert_eq!(event_names(&reading(text.as_bytes()).value), expected, "{text}");
    }
}

const FRAMES: &str = r#""1": {"name": "main", "file": "a.rb", "line": 1, "total_samples": 5, "samples": 2, "edges": {"7": 3},
    "lines": {"2": [5, 2], "3": 1}},
  "7": {"name": "A#f", "file": "a.rb", "line": 9, "total_samples": 3, "samples": 3}"#;

fn document(rest: &str) -> Vec<u8> {
    format!(
        r#"{{"version": 1.2, "mode": "wall", "interval": 1000, "samples": 5, "frames": {{{FRAMES}}}{rest}}}"#
    )
    .into()
}

#[test]
fn lines_are_kept() {
    let raw = r#", "raw": [2, 1, 7, 3, 1, 1, 2], "raw_lines": [2, 4, 11, 3, 1, 2, 2]"#;
    let profile = reading(&document(raw)).value;
    let lines: Vec<u32> = profile.frames.line.clone();
    assert_eq!(lines, [4, 11, 2]);
    assert_eq!(costs(&profile), BTreeMap::from([("main".into(), (2, 5)), ("A#f".into(), (3, 3))]));
    let lotse_model::profile::Details::Loaded(detail) = &profile.details else { panic!("no lines") };
    let found: Vec<(u32, u64)> = detail
        .lines
        .place
        .iter()
        .zip(0..)
        .map(|(place, row)| (place.line, detail.lines.costs.row(row)[0]))
        .collect();
    assert_eq!(found, [(2, 2), (3, 1)]);
}

#[test]
fn samples_that_are_not_in_the_stacks_are_reported() {
    for (rest, remark) in [
        (r#", "missed_samples": 3"#, "the whole input: stackprof missed 3 of 8 samples while recording"),
        (
            r#", "gc_samples": 2"#,
            "the whole input: 2 samples fell into garbage collection; the dump has no frame for them, so they are left out",
        ),
        (
            r#", "samples": 9"#,
            "the whole input: 4 of 9 samples have no frame; shares are those of the others",
        ),
        (r#", "raw": [1, 8, 5]"#, "raw[1]: there is no such frame; the stack is left out"),
        (r#", "raw": [1, 7, 5, 4, 1]"#, "raw[3]: expected a whole stack and its number of samples"),
        (r#", "raw": [1, 7, 5, 1, 7, null]"#, "raw[3]: expected a whole stack and its number of samples"),
        (
            r#", "raw": [1, 7, 5, 18446744073709551615, 1]"#,
            "raw[3]: expected a whole stack and its number of samples",
        ),
    ] {
        assert_eq!(remarks(&document(rest)), [remark]);
    }
    assert_eq!(remarks(&document("")), [""; 0]);
    let twins = br#"{"frames": {"1": {"name": "f", "total_samples": 2, "samples": 1}, "2": {"name": "f", "total_samples": 2,
        "samples": 2, "edges": {"3": 1}}, "3": {"name": "g"}}}"#;
    let remarks = remarks(twins);
    assert!(
        remarks[0].contains("upper bound") && remarks[1].contains("the frame is left out"),
        "{remarks:?}"
    );
    assert_eq!(costs(&reading(twins).value), BTreeMap::from([("f".into(), (3, 4))]));
}

/// A dump that is cut within its stacks still has the totals of all frames.
#[test]
fn totals_replace_stacks_that_are_cut() {
    let whole = document(r#", "raw": [2, 1, 7, 3, 1, 1, 2]"#);
    for (end, stacks) in [(whole.len() - 1, true), (whole.len() - 6, false)] {
        let cut = reading(&whole[..end]);
        assert!(!cut.complete());
        assert_eq!(cut.value.has_stacks(), stacks);
        assert_eq!(costs(&cut.value), costs(&reading(&whole).value));
    }
    let dump = seed!("seed-raw-dump");
    let damaged = (2..dump.len()).filter(|&end| {
        let cut = read(&Memory { name: "x", bytes: &dump[..end] }, &Sequential);
        cut.is_ok_and(|cut| cut.value.check().is_ok() && !cut.complete())
    });
    assert!(damaged.count() > dump.len() / 2);
}

#[test]
fn foreign_and_hostile_dumps_are_refused_or_bounded() {
    let error = |bytes: &[u8]| read(&Memory { name: "x", bytes }, &Sequential).map(|_| ()).unwrap_err();
    assert!(matches!(error(br#"{"version": 2.0, "frames": {}}"#), FormatError::Version { .. }));
    for (bytes, problem) in [
        (b"".as_slice(), "line 1, column 1: EOF while parsing a value"),
        (b"{}", "the whole input: expected `frames` of stackprof"),
        (b"\x04\x08", "byte 2: the file ends too early"),
        (b"\x04\x08{", "byte 3: the file ends too early"),
        (b"\x04\x08{\xfa", "byte 4: a length is negative"),
        (b"\x04\x08[\x04\xff\xff\xff\x7f0", "byte 9: the file ends too early"),
        (b"\x04\x08\"\x04\xff\xff\xff\x7f0", "byte 8: the file ends too early"),
        (b"\x04\x08@\x06", "byte 4: refers to a value that did not come before"),
        (b"\x04\x08;\x06", "byte 4: refers to a symbol that did not come before"),
        (b"\x04\x08f\x08abc", "byte 7: expected a number in digits"),
        (b"\x04\x08?", "byte 3: expected a value of Ruby's Marshal, found something else"),
        (b"\x04\x08{\x06:\x0aother0", "the whole input: expected `frames` of stackprof"),
    ] {
        assert_eq!(error(bytes).to_string(), format!("x: {problem}"), "{bytes:?}");
    }
    let deep = [b"\x04\x08".as_slice(), &b"[\x06".repeat(100_000)].concat();
    assert!(error(&deep).to_string().ends_with("values are nested too deeply"));
}

/// Every byte of the seeds replaced: the profile stays consistent.
#[test]
fn damaged_bytes_give_consistent_profiles() {
    for seed in
        [seed!("seed-object"), seed!("seed-metadata"), seed!("seed-custom"), seed!("seed-totals-json")]
    {
        let mut bytes = seed.to_vec();
        for at in 0..bytes.len() {
            for damage in [0, 4, b'@', b';', 0x7f, 0xff] {
                bytes[at] = damage;
                let read = read(&Memory { name: "x", bytes: &bytes }, &Sequential);
                assert!(read.map_or(true, |it| it.value.check().is_ok()), "byte {at} is {damage}");
            }
            bytes[at] = seed[at];
        }
    }
}

/// A long text that is referred to many times.
#[test]
fn shared_text_is_bounded() {
    let long = [b":\x02\x10\x27".as_slice(), &[b'x'; 10_000]].concat();
    let frame = b"i\x06{\x06;\x06;\x07".as_slice();
    let head = b"\x04\x08{\x06:\x0bframes{\x02\x10\x27".to_vec();
    let first = [b"i\x06{\x06:\x09name".as_slice(), &long].concat();
    let bytes = [head, first, frame.repeat(9_999)].concat();
    let reading = reading(&bytes);
    assert!(reading.diagnostics[0].to_string().ends_with("more shared text than a file of this size has"));
}

#[test]
fn only_stackprof_is_claimed() {
    let claimed = |bytes: &[u8]| claim(&Memory { name: "x", bytes });
    for seed in [seed!("seed-raw-dump"), seed!("seed-raw-json"), seed!("seed-metadata"), seed!("seed-custom")]
    {
        assert_eq!(claimed(seed), Confidence::Certain);
    }
    // What test-prof writes.
    assert_eq!(claimed(br#"{"version": 1.2, "mode": "wall", "frames": {}, "raw": []}"#), Confidence::Likely);
    for other in
        [b"".as_slice(), b"\x04\x08", b"\x04\x08{\x06:\x09modei\x06", b"\x04\x08i\x06", b"{\"frames\": []}"]
    {
        assert_eq!(claimed(other), Confidence::No, "{other:?}");
    }
}
