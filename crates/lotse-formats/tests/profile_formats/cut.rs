//! Files that are cut, and files read in the wrong format: what is good is kept, and its costs are unchanged.

use lotse_formats::format::FormatKind;
use lotse_formats::recognise::FORMATS;
use lotse_formats::{Place, Reading, Weight, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::small::{SmallFile, all, read};

fn try_read(format: &str, bytes: &[u8]) -> Option<Reading<Profile>> {
    let reading = read_profile(&Memory { name: "cut", bytes }, Some(format), &Sequential).ok()?;
    reading.value.check().unwrap_or_else(|error| panic!("{format}: {error}"));
    Some(reading)
}

/// The number of samples and of functions with self cost.
fn rows(profile: &Profile) -> usize {
    profile.parts.iter().map(|part| part.samples.len() + part.own.function.len()).sum()
}

/// The more of a file is there, the more is kept, up to what one open row adds.
#[test]
fn what_came_before_the_cut_is_kept() {
    for SmallFile { format, bytes, .. } in all() {
        let whole = rows(&try_read(format, &bytes).unwrap().value);
        let kept: Vec<usize> = (0..bytes.len())
            .filter_map(|end| try_read(format, &bytes[..end]))
            .map(|reading| rows(&reading.value))
            .collect();
        let most = kept.iter().max().copied();
        assert!(most >= Some(1), "{format}: nothing is kept of any prefix");
        assert!(most <= Some(whole + 2), "{format}: {most:?} of {whole}");
    }
}

/// Every loss is reported with a place in the file.
#[test]
fn losses_have_places_in_the_file() {
    for SmallFile { format, bytes, .. } in all() {
        let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
        for end in 0..bytes.len() {
            let Some(reading) = try_read(format, &bytes[..end]) else { continue };
            for loss in reading.diagnostics.iter().filter(|it| it.weight == Weight::Loss) {
                let inside = match &loss.place {
                    Place::Line(line) | Place::At { line, .. } => (1..=lines).contains(line),
                    Place::Byte(byte) => *byte <= end as u64,
                    Place::Whole | Place::Path(_) => true,
                };
                assert!(inside && !loss.message.is_empty(), "{format} up to {end}: {loss}");
            }
        }
    }
}

/// A file read in every other format is refused or gives a consistent profile.
#[test]
fn every_file_in_every_format() {
    for SmallFile { bytes, .. } in all() {
        for format in FORMATS.iter().filter(|format| format.kind() == FormatKind::Profile) {
            try_read(format.id, &bytes);
        }
    }
}

/// Errors name the file, a place and what was expected.
#[test]
fn errors_say_what_was_expected() {
    for format in FORMATS.iter().filter(|format| format.kind() == FormatKind::Profile) {
        for bytes in [&b""[..], b"hello\n", b"{\"a\": [1, 2]}", b"\xff\xfe\xfd\0\0\0"] {
            let source = Memory { name: "the file", bytes };
            if let Err(error) = read_profile(&source, Some(format.id), &Sequential) {
                let text = error.to_string();
                assert!(text.starts_with("the file"), "{}: {text}", format.id);
                assert!(!text.ends_with('.') && text.len() > 20, "{}: {text}", format.id);
            }
        }
    }
}

/// Reading depends on the bytes alone.
#[test]
fn reading_twice_gives_the_same() {
    for SmallFile { name, bytes, .. } in all() {
        assert_eq!(read(name, &bytes), read(name, &bytes));
    }
}
