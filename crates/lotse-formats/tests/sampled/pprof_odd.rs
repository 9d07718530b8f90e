//! Unusual pprof files, made by hand: inlining, labels, sample types, differences, and dangling references.

use lotse_formats::Place;
use lotse_model::Profile;

use super::check::{losses, read, samples, stacks, totals, written};
use super::pprof::{field, numbers, varint};

/// A file being made: every string gets its index when it is first used.
struct PprofFile {
    strings: Vec<String>,
    bytes: Vec<u8>,
}

/// A label: key, text and number.
type Label<'a> = (&'a str, &'a str, u64);

impl PprofFile {
    /// Types by name and unit.
    fn new(types: &[(&str, &str)]) -> Self {
        let mut file = Self { strings: vec![String::new()], bytes: Vec::new() };
        for (name, unit) in types {
            let kind = [file.string(name), file.string(unit)];
            file.bytes.extend(field(1, &numbers(&kind)));
        }
        file
    }

    fn string(&mut self, text: &str) -> u64 {
        let known = self.strings.iter().position(|known| known == text);
        let at = known.unwrap_or_else(|| {
            self.strings.push(text.to_owned());
            self.strings.len() - 1
        });
        at as u64
    }

    fn function(mut self, id: u64, name: &str) -> Self {
        let name = self.string(name);
        self.bytes.extend(field(5, &numbers(&[id, name])));
        self
    }

    /// A location with functions and lines, the innermost first.
    fn location(mut self, id: u64, lines: &[(u64, u64)]) -> Self {
        let lines = lines.iter().flat_map(|&(function, line)| field(4, &numbers(&[function, line])));
        let location: Vec<u8> = numbers(&[id, 0, 0x1000 + id]).into_iter().chain(lines).collect();
        self.bytes.extend(field(4, &location));
        self
    }

    fn sample(mut self, locations: &[u64], values: &[i64], labels: &[Label<'_>]) -> Self {
        let mut sample = [field(1, &packed(locations))].concat();
        let values: Vec<u64> = values.iter().map(|&value| value as u64).collect();
        sample.extend(field(2, &packed(&values)));
        for &(key, text, number) in labels {
            let label = [self.string(key), self.string(text), number];
            sample.extend(field(3, &numbers(&label)));
        }
        self.bytes.extend(field(2, &sample));
        self
    }

    fn finish(self) -> Vec<u8> {
        let strings = self.strings.iter().flat_map(|text| field(6, text.as_bytes()));
        self.bytes.iter().copied().chain(strings).collect()
    }
}

fn packed(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    numbers.iter().for_each(|&number| varint(number, &mut bytes));
    bytes
}

/// `main` in location 1, `f` in location 2.
fn plain() -> PprofFile {
    let file = PprofFile::new(&[("samples", "count")]).function(1, "main").function(2, "f");
    file.location(1, &[(1, 3)]).location(2, &[(2, 7)])
}

/// Stacks with their costs; inlined frames have a star.
fn as_text(profile: &Profile) -> Vec<String> {
    stacks(profile).into_iter().map(|(stack, costs)| format!("{stack} {costs:?}")).collect()
}

/// Reads a good file, also after writing it again.
fn check(file: PprofFile, expected: &[&str]) -> Profile {
    let reading = read(&file.finish());
    assert_eq!(losses(&reading), []);
    assert_eq!(as_text(&reading.value), expected);
    let again = read(&written(&reading.value, "pprof")).value;
    assert_eq!(as_text(&again), expected, "written and read again");
    assert_eq!(totals(&again), totals(&reading.value));
    reading.value
}

#[test]
fn lines_of_a_location_are_inlined_leaf_first() {
    let file = plain().function(3, "inner").location(3, &[(3, 30), (2, 20), (1, 10)]);
    let profile = check(
        file.sample(&[3], &[5], &[]).sample(&[2, 3], &[2], &[]),
        &["main;f*;inner* [5]", "main;f*;inner*;f [2]"],
    );
    let frames = profile.stacks.frames(profile.parts[0].samples.stack[0]).map(|id| profile.frames.get(id));
    let places: Vec<_> = frames.map(|frame| (frame.line, frame.inlined, frame.address)).collect();
    assert_eq!(places, [(30, true, 0x1003), (20, true, 0x1003), (10, false, 0x1003)]);
}

#[test]
fn recursion_is_not_inlining() {
    check(
        plain().sample(&[2, 2, 1], &[4], &[]).sample(&[2, 1, 2, 1], &[1], &[]),
        &["main;f;f [4]", "main;f;main;f [1]"],
    );
}

#[test]
fn negative_values_are_a_difference() {
    let file = plain().sample(&[1], &[-7], &[]).sample(&[2, 1], &[3], &[]).sample(&[1], &[2], &[]);
    let profile = check(file, &["main [-5]", "main;f [3]"]);
    assert!(profile.signed);
    let extreme = plain().sample(&[1], &[i64::MIN], &[]).sample(&[2], &[i64::MAX], &[]);
    let profile = check(extreme, &["f [9223372036854775807]", "main [-9223372036854775808]"]);
    assert_eq!(totals(&profile), [("samples".to_owned(), -1)]);
}

#[test]
fn several_sample_types_with_units_of_all_kinds() {
    let types = [("objects", "count"), ("space", "bytes"), ("cpu", "nanoseconds"), ("wait", "milliseconds")];
    let file = PprofFile::new(&[types.as_slice(), &[("weight", "apples"), ("old", "us")]].concat());
    let file = file.function(1, "main").location(1, &[(1, 0)]);
    let profile = check(file.sample(&[1], &[1, 2, 3, 4, 5, 6], &[]), &["main [1, 2, 3, 4, 5, 6]"]);
    let units: Vec<String> = profile.events.iter().map(|event| event.unit_label()).collect();
    assert_eq!(units[..4], ["count", "bytes", "ns", "ms"]);
    assert_eq!(units[5], "us");
}

/// The order of the file is kept. The default event type is that of the file, else the last one as in pprof.
#[test]
fn the_default_type_is_that_of_the_file_or_the_last() {
    let types = [("objects", "count"), ("space", "bytes"), ("delay", "ns")];
    for (default, expected) in [(Some("space"), 1), (Some("objects"), 0), (None, 2), (Some("other"), 2)] {
        let mut file = PprofFile::new(&types).function(1, "main");
        if let Some(default) = default {
            let default = file.string(default);
            file.bytes.push(14 << 3);
            varint(default, &mut file.bytes);
        }
        let profile = check(file.location(1, &[(1, 0)]).sample(&[1], &[1, 64, 9], &[]), &["main [1, 64, 9]"]);
        assert_eq!(profile.default_event, Some(expected), "{default:?}");
    }
}

#[test]
fn labels_of_threads_make_parts() {
    let label = |labels: &[Label<'_>]| {
        let profile = read(&plain().sample(&[1], &[1], labels).finish()).value;
        let part = &profile.parts[0];
        (part.name.clone(), part.process, part.thread)
    };
    for (labels, name, process, thread) in [
        (vec![], "all", None, None),
        (vec![("thread", "worker", 0)], "worker", None, None),
        (vec![("thread", "", 9)], "thread 9", None, Some(9)),
        (vec![("thread_id", "12", 0)], "thread 12", None, Some(12)),
        (vec![("tid", "", 5), ("pid", "", 4)], "thread 5", Some(4), Some(5)),
        (vec![("process_id", "", 4)], "process 4", Some(4), None),
        (vec![("pid", "", 4), ("thread name", "größe", 0)], "größe", Some(4), None),
        (vec![("bytes", "", 1024), ("request", "a", 0)], "all", None, None),
    ] {
        assert_eq!(label(&labels), (name.to_owned(), process, thread), "{labels:?}");
    }
}

#[test]
fn threads_are_distinct_after_writing_again() {
    let file = plain()
        .sample(&[1], &[1], &[("tid", "", 5), ("thread", "one", 0)])
        .sample(&[1], &[2], &[("tid", "", 6), ("thread", "one", 0)])
        .sample(&[2], &[4], &[("tid", "", 5), ("thread", "one", 0)]);
    let profile = check(file, &["f [4]", "main [3]"]);
    let again = read(&written(&profile, "pprof")).value;
    for profile in [&profile, &again] {
        let parts: Vec<_> = profile.parts.iter().map(|it| (it.name.as_str(), it.thread)).collect();
        assert_eq!(parts, [("one", Some(5)), ("one", Some(6))]);
    }
}

/// Old writers put a tag before every number instead of packing them.
#[test]
fn numbers_that_are_not_packed() {
    let mut file = plain();
    file.bytes.extend(field(2, &[1 << 3, 2, 1 << 3, 1, 2 << 3, 9]));
    check(file, &["main;f [9]"]);
}

/// Fields that later versions add are skipped, with any wire type.
#[test]
fn unknown_fields_are_skipped() {
    let mut file = plain().sample(&[2, 1], &[9], &[]);
    let fixed64 = [&[12 << 3 | 1][..], &7_u64.to_le_bytes()].concat();
    let fixed32 = [&[12 << 3 | 5][..], &7_u32.to_le_bytes()].concat();
    let location = [numbers(&[3, 0, 0x30]), field(4, &numbers(&[1])), field(9, b"new"), fixed64, fixed32];
    file.bytes.extend(field(4, &location.concat()));
    check(file.sample(&[3], &[1], &[]), &["main [1]", "main;f [9]"]);
}

#[test]
fn dangling_references_are_reported() {
    let good = || plain().sample(&[2, 1], &[9], &[]);
    for (file, expected, lost) in [
        (good().sample(&[77, 1], &[1], &[]), vec!["main [1]", "main;f [9]"], 1),
        (good().sample(&[u64::MAX], &[1], &[]), vec![" [1]", "main;f [9]"], 1),
        (good().location(3, &[(99, 1)]).sample(&[3], &[1], &[]), vec!["0x1003 [1]", "main;f [9]"], 1),
        (good().sample(&[1], &[1, 2], &[]), vec!["main;f [9]"], 1),
        (good().sample(&[1], &[], &[]), vec!["main;f [9]"], 1),
        (good().sample(&[], &[4], &[]), vec![" [4]", "main;f [9]"], 0),
    ] {
        let reading = read(&file.finish());
        assert_eq!(as_text(&reading.value), expected);
        let places = losses(&reading);
        assert_eq!(places.len(), lost, "{places:?}");
        assert!(places.iter().all(|place| matches!(place, Place::Byte(1..))), "{places:?}");
    }
}

/// Names, files and units by indices of missing strings.
#[test]
fn missing_strings_are_named_by_index() {
    let mut file = plain();
    file.bytes.extend(field(5, &numbers(&[3, 4_000, 0, u64::MAX])));
    let profile = read(&file.location(3, &[(3, 1)]).sample(&[3], &[1], &[]).finish()).value;
    assert_eq!(as_text(&profile), ["[string 4000] [1]"]);
}

/// Of a file cut within its samples, the samples before the cut are kept, and the place of the first missing one is
/// reported.
#[test]
fn samples_before_the_cut_are_kept() {
    let before = plain().bytes.len();
    let file = (0..50).fold(plain(), |file, _| file.sample(&[2, 1], &[1], &[]));
    let size = (file.bytes.len() - before) / 50;
    for kept in [4, 7, 49] {
        let cut = before + kept * size;
        let reading = read(&file.bytes[..cut + 3]);
        assert_eq!(samples(&reading.value), kept);
        assert_eq!(losses(&reading), [Place::Byte(cut as u64)]);
    }
}
