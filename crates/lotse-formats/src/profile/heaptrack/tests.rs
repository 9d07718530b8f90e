//! Small handwritten files.

use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::{claim, read};
use crate::format::Confidence;
use crate::reading::Reading;

fn reading(text: &str) -> Reading<Profile> {
    let reading = read(&Memory { name: "x", bytes: text.as_bytes() }, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

/// A line per sample: the stack from the innermost frame, then the costs.
fn as_lines(profile: &Profile) -> Vec<String> {
    let samples = &profile.parts[0].samples;
    let rows = samples.stack.iter().enumerate().map(|(row, &stack)| {
        let names: Vec<&str> = profile
            .stacks
            .frames(stack)
            .map(|frame| profile.function_name(profile.frames.get(frame).function))
            .collect();
        format!("{} {:?}", names.join("<"), samples.costs.row(row))
    });
    rows.collect()
}

const SMALL: &str = "v 10400 3\nX ./a b\nI 1000 10\ns 3 exe\ns 4 main\ns 3 a.c\ns 5 inner\n\
    i 10 1 2 3 7\nt 1 0\ni 20 1 4 3 5 2 3 6\nt 2 1\na 8 2\n+ 0\n- 0\n+ 0\na 2 0\n+ 1\nc a\nR 5\n# end\n";

#[test]
fn names_inlined_frames_and_costs() {
    let reading = reading(SMALL);
    assert_eq!(reading.diagnostics, []);
    let profile = &reading.value;
    assert_eq!(as_lines(profile), [" [1, 2, 0, 0, 2, 2]", "inner<main<main [2, 16, 1, 1, 8, 8]"]);
    assert_eq!(profile.frames.inlined.iter().filter(|&&inlined| inlined).count(), 1);
    assert_eq!(profile.parts[0].time, Some((0, 10_000_000)));
    assert_eq!(profile.command.as_deref(), Some("./a b"));
    assert_eq!(profile.creator.as_deref(), Some("heaptrack 1.4.0"));
    assert_eq!(profile.data.len(), 2);
    assert_eq!(claim(&Memory { name: "x", bytes: SMALL.as_bytes() }), Confidence::Certain);
}

#[test]
fn raw_files_wait_for_symbols() {
    let text = "v 10400 3\nx 3 exe\nX ./exe\nm 1 -\nm 1 x 1000 0 100 200 10\nm 6 a b.so 9000 0 10\n\
        t 1050 0\nt 9004 1\nt 7777 2\n+ 8 3 aa\n- aa\n+ 8 1 aa\n- bb\n- aa\n";
    let reading = reading(text);
    assert_eq!(reading.diagnostics, []);
    let profile = &reading.value;
    assert_eq!(as_lines(profile), ["0x50 [1, 8, 1, 0, 0, 0]", "0x7777<0x4<0x50 [1, 8, 1, 1, 0, 8]"]);
    let addresses: Vec<(u64, Option<&str>)> =
        profile.unresolved.iter().map(|it| (it.address, profile.function_object(it.function))).collect();
    assert_eq!(addresses, [(0x50, Some("exe")), (4, Some("a b.so"))]);
}

#[test]
fn the_oldest_files_have_pointers_and_plain_strings() {
    let text = "v 10100 0\nX a\ns exe name\ns main()\ni 10 1 2\nt 1 0\n+ 8 1 aa\n- aa\n";
    assert_eq!(as_lines(&reading(text).value), ["main() [1, 8, 1, 1, 0, 8]"]);
}

/// Sizes, counts and indices are hexadecimal; memory freed at once is temporary, the rest leaks.
#[test]
fn costs_by_trace() {
    let head = "v 10400 3\nX a\ns 1 f\ns 1 g\ni 1 0 1\ni 2 0 2\nt 1 0\nt 2 1\na 10 1\na ff 2\n";
    for (happened, expected) in [
        ("+ 0\n+ 1\n", &["f [1, 16, 0, 0, 16, 16]", "g<f [1, 255, 0, 0, 255, 255]"][..]),
        ("+ 0\n- 0\n+ 1\n- 1\n", &["f [1, 16, 1, 1, 0, 0]", "g<f [1, 255, 1, 1, 0, 255]"]),
        ("+ 1\n+ 0\n- 1\n- 0\n", &["f [1, 16, 1, 1, 0, 16]", "g<f [1, 255, 1, 0, 0, 255]"]),
        ("+ 1\n+ 1\n- 1\n", &["g<f [2, 510, 1, 1, 255, 510]"]),
    ] {
        let reading = reading(&format!("{head}{happened}"));
        assert_eq!(reading.diagnostics, [], "{happened}");
        assert_eq!(as_lines(&reading.value), expected, "{happened}");
        assert_eq!(reading.value.data.costs, reading.value.parts[0].samples.costs, "{happened}");
    }
}

/// A trace whose caller is itself or a later trace is left out but keeps its number.
#[test]
fn callers_are_earlier_traces() {
    let head = "v 10400 3\nX a\ns 1 f\ni 1 0 1\n";
    for traces in ["t 1 1\nt 1 0\n", "t 1 2\nt 1 0\n", "t 9 0\nt 1 0\n", "t\nt 1 0\n", "t x\nt 1 0\n"] {
        let reading = reading(&format!("{head}{traces}a 8 2\n+ 0\n"));
        assert_eq!(reading.diagnostics.len(), 1, "{traces}");
        assert!(reading.diagnostics[0].to_string().starts_with("line 5: "), "{:?}", reading.diagnostics);
        assert_eq!(as_lines(&reading.value), ["f [1, 8, 0, 0, 8, 8]"], "{traces}");
    }
}

/// A string that is cut off keeps its number, so that indices of later strings stay right.
#[test]
fn strings_keep_their_numbers() {
    let text = "v 10400 3\nX a\ns 9 f\ns 1 g\ni 1 0 1\ni 2 0 2\nt 1 0\nt 2 1\na 8 2\n+ 0\n";
    let reading = reading(text);
    assert_eq!(reading.diagnostics[0].to_string(), "line 3: expected a text of the stated length");
    assert_eq!(as_lines(&reading.value), ["g<0x1 [1, 8, 0, 0, 8, 8]"]);
}

#[test]
fn damage_is_reported_and_the_rest_kept() {
    for (bad, problem) in [
        ("t 1 9\n", "line 21: an index points to nothing"),
        ("t ffffffffffffffff 1\n", "line 21: an index points to nothing"),
        ("i 10 ffff\n", "line 21: an index points to nothing"),
        ("a 1 ff\n", "line 21: an index points to nothing"),
        ("+ 7\n", "line 21: the allocation has not been declared"),
        ("s ffff x\n", "line 21: expected a text"),
        ("? 1\n", "line 21: expected a record"),
        ("+ 1", "line 21: the file ends within a record"),
    ] {
        let reading = reading(&format!("{SMALL}{bad}"));
        assert_eq!(reading.diagnostics.len(), 1, "{bad}");
        let message = reading.diagnostics[0].to_string();
        assert!(message.starts_with(problem), "{message}");
        assert_eq!(as_lines(&reading.value).len(), 2);
    }
    let newer = read(&Memory { name: "x", bytes: b"v 10500 4\n" }, &Sequential).unwrap_err();
    assert_eq!(newer.to_string(), "x has the version 4; this Lotse reads versions 0 to 3");
    assert!(read(&Memory { name: "x", bytes: b"hello\n" }, &Sequential).is_err());
}

#[test]
fn few_bytes_cannot_ask_for_very_many_frames() {
    let mut text = String::from("v 10400 3\nX a\ns 1 f\ni 1 1");
    text.push_str(&" 1 1 1".repeat(10_000));
    text.push_str("\nt 1 0\n");
    text.extend((1..20_000).map(|parent| format!("t 1 {parent:x}\n")));
    let reading = reading(&text);
    assert!(!reading.complete());
    assert!(reading.value.stacks.len() < 2 * text.len());
}
