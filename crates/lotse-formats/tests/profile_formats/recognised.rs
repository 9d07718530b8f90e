//! Recognition of formats: the content decides, whatever the name.

use lotse_formats::claims;
use lotse_formats::format::FormatKind;
use lotse_model::bytes::Memory;

use super::small::{SmallFile, all, read};

/// Ids of the formats that claim the bytes; some files contain a trace as well as a profile.
pub(crate) fn claimed(name: &str, bytes: &[u8]) -> Vec<&'static str> {
    let claims = claims(&Memory { name, bytes });
    claims
        .iter()
        .filter(|(format, _)| format.kind() != FormatKind::Trace)
        .map(|(format, _)| format.id)
        .collect()
}

#[test]
fn one_format_alone_claims_a_file_whatever_its_name() {
    let all = all();
    let names: Vec<&str> =
        all.iter().map(|small| small.name).chain(["-", "", "a.txt", "x.gz", ".json"]).collect();
    for SmallFile { format, bytes, .. } in &all {
        for name in &names {
            assert_eq!(claimed(name, bytes), [*format], "called {name}");
        }
        let first = read("-", bytes);
        for name in &names {
            assert_eq!(read(name, bytes).format_id, first.format_id, "called {name}");
        }
    }
}

/// The profiles made for the book.
#[test]
fn profiles_of_the_book() {
    macro_rules! book {
        ($($name:literal is $format:literal),* $(,)?) => {
            [$(($name, $format, include_bytes!(concat!("../../../../fixtures/profile/", $name)).as_slice())),*]
        };
    }
    for (name, format, bytes) in book![
        "words-list.callgrind" is "callgrind",
        "words-table.callgrind" is "callgrind",
        "crew.callgrind-01" is "callgrind",
        "crew.callgrind-02" is "callgrind",
        "crew.callgrind-03" is "callgrind",
        "words-list.perf.txt" is "perf-script",
        "words-table.perf.txt" is "perf-script",
        "words.dhat.json" is "dhat",
        "words.massif" is "massif",
    ] {
        for called in [name, "-", "a.folded", "a.cpuprofile", "a.pb.gz"] {
            assert_eq!(claimed(called, bytes), [format], "{name} called {called}");
        }
        let reading = read(name, bytes);
        assert!(reading.complete(), "{name}: {:?}", reading.diagnostics);
    }
}

/// Sources, programs and plain text are not claimed.
#[test]
fn other_files_are_not_claimed() {
    let program = include_bytes!("../../../../fixtures/profile/words-list").as_slice();
    let source = include_bytes!("../../../../fixtures/profile/words.c").as_slice();
    let read_me = include_bytes!("../../../../fixtures/profile/README.md").as_slice();
    let others = [
        (&b""[..], "nothing"),
        (program, "a program"),
        (source, "a source"),
        (read_me, "prose"),
        (b"{}", "an empty object"),
        (b"[]", "an empty list"),
        (br#"{"nodes": 3, "threads": "many", "profiles": null}"#, "an object with keys of others"),
        (b"\0\0\0\0\0\0\0\0", "zeros"),
        (b"PERFILE", "a magic that is cut off"),
        (b"gmo", "another"),
        (b"<html><body>1</body></html>\n", "a page"),
        (b"a,b\n1,2\n", "a table"),
    ];
    for (bytes, what) in others {
        for name in ["-", "callgrind.out.1", "profile.json", "perf.data", "gmon.out", "a.folded", "a.pb"] {
            assert_eq!(claimed(name, bytes), [""; 0], "{what} called {name}");
        }
    }
}

/// Bytes that editors and other systems put before and after a text.
#[test]
fn line_ends_and_blanks_do_not_hide_a_format() {
    for SmallFile { format, name, bytes } in all() {
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        if text.contains('\0') || format == "heaptrack" {
            continue;
        }
        let windows = text.replace('\n', "\r\n");
        assert_eq!(claimed(name, windows.as_bytes()), [format], "other line ends");
        let reading = read(name, windows.as_bytes());
        assert_eq!(reading.diagnostics, [], "{format}");
        assert_eq!(reading.value.functions.len(), read(name, &bytes).value.functions.len(), "{format}");
    }
}
