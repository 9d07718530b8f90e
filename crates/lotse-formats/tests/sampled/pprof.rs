//! The protocol buffer of pprof.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use expect_test::expect;
use lotse_formats::Place;
use lotse_model::profile::AddressSpace;

use super::check::{damage, fixture, four_ways, losses, read, samples, totals, written};

/// The messages that are compared, for `protoc --decode`.
const PROTO: &str = "syntax = \"proto3\"; package t;
message P { repeated V sample_type = 1; repeated S sample = 2; repeated M mapping = 3; repeated L location = 4;
  repeated F function = 5; repeated string string_table = 6; int64 time = 9; int64 duration = 10;
  int64 default_type = 14; }
message V { int64 type = 1; int64 unit = 2; }
message S { repeated uint64 location_id = 1; repeated int64 value = 2; repeated B label = 3; }
message B { int64 key = 1; int64 str = 2; int64 num = 3; int64 num_unit = 4; }
message M { uint64 id = 1; uint64 start = 2; uint64 limit = 3; uint64 offset = 4; int64 filename = 5; }
message L { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated N line = 4; }
message N { uint64 function_id = 1; int64 line = 2; }
message F { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
";

/// Appends a number in the wire format.
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A message of numbers in the order of their fields.
pub(crate) fn numbers(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for (field, &number) in (1_u8..).zip(numbers) {
        out.push(field << 3);
        varint(number, &mut out);
    }
    out
}

/// A field of bytes.
pub(crate) fn field(field: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![field << 3 | 2];
    varint(bytes.len() as u64, &mut out);
    [out, bytes.to_vec()].concat()
}

const STRINGS: [&str; 13] = [
    "",
    "cpu",
    "nanoseconds",
    "samples",
    "count",
    "main",
    "leaf",
    "a.c",
    "/bin/a",
    "tid",
    "zone",
    "north",
    "by hand",
];

/// Two threads; `leaf` is inlined into `main`; one location has no lines; one value is negative.
fn small() -> Vec<u8> {
    let line = |function, number| field(4, &numbers(&[function, number]));
    let sample = |locations: &[u8], values: &[u64], label: &[u64]| {
        let mut packed = Vec::new();
        values.iter().for_each(|&value| varint(value, &mut packed));
        field(2, &[field(1, locations), field(2, &packed), field(3, &numbers(label))].concat())
    };
    let mut file = [
        field(1, &numbers(&[3, 4])),
        field(1, &numbers(&[1, 2])),
        sample(&[1], &[3, 30], &[9, 0, 77]),
        sample(&[2, 1], &[1, 10], &[9, 0, 77]),
        sample(&[1], &[2, -20_i64 as u64], &[9, 0, 78]),
        sample(&[1], &[2, 20], &[10, 11]),
        field(3, &numbers(&[1, 0x1000, 0x9000, 0x200, 8])),
        field(4, &[numbers(&[1, 1, 0x1010]), line(2, 12), line(1, 5)].concat()),
        field(4, &numbers(&[2, 1, 0x1234])),
        field(5, &numbers(&[1, 5, 5, 7, 3])),
        field(5, &numbers(&[2, 6, 0, 7, 9])),
    ]
    .concat();
    STRINGS.iter().for_each(|text| file.extend(field(6, text.as_bytes())));
    file.extend([9 << 3, 100, 10 << 3, 50, 14 << 3, 1]);
    file.extend(field(13, &[12]));
    file
}

#[test]
fn small_file() {
    let expected = expect![[r#"
        events: samples [count], cpu [ns]
        totals: [8, 40]
        command, creator: (None, None)
        part "thread 77" (None, Some(77)): 2 samples, first at None
        part "thread 78" (None, Some(78)): 1 samples, first at None
        part "all" (None, None): 1 samples, first at None
        [7, 30] main;leaf*
        [1, 10] main;leaf*;0x434
        function leaf in /bin/a, a.c
        function main in /bin/a, a.c
        function 0x434 in /bin/a, ?
        1 unresolved, first 0x434 0x434 FileOffset
        Note: the whole input: 1 labels that name no thread are left out
        Note: the whole input: comment: by hand
    "#]];
    four_ways("a.pb", &small(), "pprof", &expected);
}

#[test]
fn places_are_kept() {
    let profile = read(&small()).value;
    assert_eq!(profile.parts[0].time, Some((100, 150)));
    assert!(profile.signed);
    let frames: Vec<_> = profile.stacks.frames(profile.parts[0].samples.stack[0]).collect();
    let inner = profile.frames.get(frames[0]);
    assert_eq!((inner.line, inner.address, inner.inlined), (12, 0x1010, true));
    assert_eq!(profile.functions.line[inner.function.index()], 9);
    assert_eq!(profile.unresolved[0].address, 0x434);
    assert_eq!(profile.unresolved[0].space, AddressSpace::FileOffset);
    let again = read(&written(&profile, "pprof")).value;
    assert_eq!(again.unresolved, profile.unresolved);
    assert_eq!(again.events, profile.events);
    assert_eq!(again.parts.len(), profile.parts.len());
}

#[test]
fn damaged_input() {
    damage(&small(), "pprof");
}

#[test]
fn what_comes_before_the_damage_is_kept() {
    let whole = small();
    let names = whole.windows(8).position(|window| window == b"\x32\x06/bin/a").unwrap();
    let reading = read(&whole[..names + 4]);
    assert_eq!(losses(&reading), [Place::Byte(names as u64)]);
    assert_eq!(samples(&reading.value), 4);
    assert_eq!(reading.value.object_name(lotse_model::id::ObjectId(1)), Some("[string 8]"));
}

/// A location with many lines in a sample that names it many times.
#[test]
fn a_small_file_cannot_fill_the_memory() {
    let line = field(4, &numbers(&[1, 1]));
    let file = [
        field(1, &numbers(&[0, 0])),
        field(4, &[numbers(&[1]), line.repeat(4_000)].concat()),
        field(5, &numbers(&[1])),
        field(2, &[field(1, &[1].repeat(4_000)), field(2, &[1])].concat()),
    ]
    .concat();
    let reading = read(&file);
    assert!(reading.value.stacks.len() < 16 * file.len() + 1024);
    assert_eq!(losses(&reading).len(), 1);
}

#[test]
fn files_of_others() {
    for (path, count, events) in [
        ("golangchessai.1.cpu.pprof", 20003, [("samples", 20766), ("cpu", 207_660_000_000)]),
        ("golangchessai.test.cpu.prof", 1151, [("samples", 6624), ("cpu", 66_240_000_000)]),
        ("speedscope__simple.prof", 9, [("samples", 150), ("cpu", 1_500_000_000)]),
    ] {
        let Some(bytes) = fixture(&format!("pprof/{path}")) else { return };
        let reading = read(&bytes);
        assert_eq!(losses(&reading), [], "{path}");
        assert_eq!(totals(&reading.value), events.map(|(name, total)| (name.to_owned(), total)), "{path}");
        assert_eq!(samples(&reading.value), count, "{path}");
        let again = read(&written(&reading.value, "pprof"));
        assert_eq!(totals(&again.value), totals(&reading.value), "{path}");
        assert_eq!(again.value.stacks.len(), reading.value.stacks.len(), "{path}");
    }
}

/// The file as `protoc` decodes it.
fn decoded(packed: &[u8]) -> Option<String> {
    let directory = env!("CARGO_TARGET_TMPDIR");
    std::fs::write(format!("{directory}/t.proto"), PROTO).unwrap();
    let mut child = Command::new("protoc")
        .args(["--decode=t.P", "t.proto"])
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut plain).unwrap();
    child.stdin.take().unwrap().write_all(&plain).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().replace("\n  ", " "))
}

#[test]
fn protoc_reads_what_we_write() {
    let Some(text) = decoded(&written(&read(&small()).value, "pprof")) else {
        test_support::skip_missing("no protoc");
        return;
    };
    expect![[r#"
        sample_type { type: 1 unit: 2
        }
        sample_type { type: 3 unit: 4
        }
        sample { location_id: 1 value: 3 value: 30 label {   key: 5   num: 77 } label {   key: 6   str: 7 }
        }
        sample { location_id: 2 location_id: 1 value: 1 value: 10 label {   key: 5   num: 77 } label {   key: 6   str: 7 }
        }
        sample { location_id: 1 value: 2 value: -20 label {   key: 5   num: 78 } label {   key: 6   str: 8 }
        }
        sample { location_id: 1 value: 2 value: 20 label {   key: 6   str: 9 }
        }
        mapping { id: 1 limit: 18446744073709551615 filename: 10
        }
        location { id: 1 mapping_id: 1 address: 4112 line {   function_id: 1   line: 12 } line {   function_id: 2   line: 5 }
        }
        location { id: 2 mapping_id: 1 address: 1076 line {   function_id: 3 }
        }
        function { id: 1 name: 11 filename: 12 start_line: 9
        }
        function { id: 2 name: 13 filename: 12 start_line: 3
        }
        function { id: 3 name: 14
        }
        string_table: ""
        string_table: "samples"
        string_table: "count"
        string_table: "cpu"
        string_table: "nanoseconds"
        string_table: "tid"
        string_table: "thread"
        string_table: "thread 77"
        string_table: "thread 78"
        string_table: "all"
        string_table: "/bin/a"
        string_table: "leaf"
        string_table: "a.c"
        string_table: "main"
        string_table: "0x434"
        duration: 50
        default_type: 3
    "#]].assert_eq(&text);
}
