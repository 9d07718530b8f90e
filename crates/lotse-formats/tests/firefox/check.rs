//! One call checks a profile: what is read, recognised by name, by content alone, and written and read back; then cut
//! at every byte and changed at random.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::Expect;
use lotse_formats::format::FormatKind;
use lotse_formats::write::{WRITERS, Writer};
use lotse_formats::{Reading, claims, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::id::StackId;
use lotse_model::profile::{Details, Part};
use lotse_model::work::Sequential;

/// Checks a small text in a format.
pub(crate) fn check(name: &str, format: &str, text: &str, expected: &Expect) {
    let source = Memory { name, bytes: text.as_bytes() };
    let reading = read_profile(&source, None, &Sequential).unwrap();
    assert_eq!(reading.format_id, format, "by name and content");
    reading.value.check().unwrap();
    expected.assert_eq(&as_text(&reading));

    let nameless = Memory { name: "-", bytes: text.as_bytes() };
    assert_eq!(claims(&nameless)[0].0.id, format);
    assert_eq!(read_profile(&nameless, None, &Sequential).unwrap(), reading, "by content alone");
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let windows = read(format, windows.as_bytes()).unwrap();
    assert_eq!(windows.value, reading.value, "other line ends and a byte order mark change nothing");

    round_trip(&reading.value);
    cut_off(format, text.as_bytes());
    change(format, text.as_bytes());
}

/// Reads bytes in a format; checks that a profile that is read is consistent.
pub(crate) fn read(format: &str, bytes: &[u8]) -> Option<Reading<Profile>> {
    let reading = read_profile(&Memory { name: "x", bytes }, Some(format), &Sequential).ok()?;
    reading.value.check().unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)));
    Some(reading)
}

fn speedscope() -> &'static Writer {
    WRITERS.iter().find(|writer| writer.id == "speedscope").unwrap()
}

/// Checks that every stack has the same weight after writing as speedscope and reading back.
pub(crate) fn round_trip(profile: &Profile) {
    if !profile.has_stacks() {
        return;
    }
    let mut bytes = Vec::new();
    (speedscope().write)(profile, &mut bytes).unwrap();
    let again = read_profile(&Memory { name: "-", bytes: &bytes }, None, &Sequential).unwrap();
    assert_eq!((again.format_id, again.diagnostics.as_slice()), ("speedscope", [].as_slice()));
    assert_eq!(weights(&again.value), weights(profile));
}

/// The weight of each stack of each part, by event type.
fn weights(profile: &Profile) -> BTreeMap<String, i128> {
    let mut weights = BTreeMap::new();
    for part in &profile.parts {
        for (row, stack) in part.samples.stack.iter().enumerate() {
            for (column, event) in profile.events.iter().enumerate() {
                let stack = stack_text(profile, *stack, true);
                let key = format!("{} | {} {} | {stack}", part.name, event.name, event.unit_label());
                *weights.entry(key).or_default() += part.samples.costs.value(row, column);
            }
        }
    }
    weights.retain(|_, weight| *weight != 0);
    weights
}

fn stack_text(profile: &Profile, stack: Option<StackId>, files: bool) -> String {
    let mut frames: Vec<String> = profile
        .stacks
        .frames(stack)
        .map(|id| {
            let function = profile.frames.get(id).function;
            let file = profile.function_file(function).filter(|_| files).unwrap_or("");
            format!("{}{}{file}", profile.function_name(function), if file.is_empty() { "" } else { "@" })
        })
        .collect();
    frames.reverse();
    frames.join(";")
}

/// A small summary.
pub(crate) fn as_text(reading: &Reading<Profile>) -> String {
    let profile = &reading.value;
    let mut text = String::new();
    let events: Vec<String> =
        profile.events.iter().map(|event| format!("{} [{}]", event.name, event.unit_label())).collect();
    writeln!(text, "events: {}", events.join(", ")).unwrap();
    for id in profile.functions.ids() {
        let line = profile.functions.line[id.index()];
        let (object, file) = (profile.function_object(id), profile.function_file(id));
        if object.is_some() || file.is_some() {
            let (object, file) = (object.unwrap_or("-"), file.unwrap_or("-"));
            writeln!(text, "function {} in {object} at {file}:{line}", profile.function_name(id)).unwrap();
        }
    }
    for it in &profile.unresolved {
        writeln!(text, "unresolved {} = {:#x}", profile.function_name(it.function), it.address).unwrap();
    }
    profile.parts.iter().for_each(|part| show_part(&mut text, profile, part));
    show_lines(&mut text, profile);
    for it in &reading.diagnostics {
        writeln!(text, "{:?}: {it}", it.weight).unwrap();
    }
    text
}

fn show_part(text: &mut String, profile: &Profile, part: &Part) {
    let ids = [part.process, part.thread].map(|id| id.map_or("-".to_owned(), |id| id.to_string()));
    let selected = if part.selected { "" } else { " (not selected)" };
    writeln!(text, "part {} {}/{}{selected}", part.name, ids[0], ids[1]).unwrap();
    for (row, stack) in part.samples.stack.iter().enumerate() {
        let costs: Vec<String> =
            (0..profile.events.len()).map(|event| part.samples.costs.value(row, event).to_string()).collect();
        let at = part.samples.time.get(row).map_or(String::new(), |at| format!(" @{at}"));
        writeln!(text, "  {} {}{at}", stack_text(profile, *stack, false), costs.join(" ")).unwrap();
    }
    let calls = &part.calls;
    for ((caller, callee), count) in calls.caller.iter().zip(&calls.callee).zip(&calls.count) {
        let (caller, callee) = (profile.function_name(*caller), profile.function_name(*callee));
        writeln!(text, "  {caller} -> {callee}: {count}").unwrap();
    }
    for (function, count) in part.entries.rows() {
        writeln!(text, "  -> {}: {count}", profile.function_name(function)).unwrap();
    }
}

fn show_lines(text: &mut String, profile: &Profile) {
    let Details::Loaded(detail) = &profile.details else { return };
    for (row, place) in detail.lines.place.iter().enumerate() {
        let name = profile.function_name(detail.lines.function[row]);
        writeln!(text, "line {name}:{} {:?}", place.line, detail.lines.costs.row(row)).unwrap();
    }
}

/// Cuts the text anywhere: the rest is read or refused, and missing costs are reported.
fn cut_off(format: &str, bytes: &[u8]) {
    let whole = read(format, bytes).unwrap();
    let mut most = 0;
    for end in 0..bytes.len() {
        let samples =
            |reading: &Reading<Profile>| reading.value.parts.iter().map(|it| it.samples.len()).sum();
        if let Some(reading) = read(format, &bytes[..end]) {
            let kept: usize = samples(&reading);
            assert!(kept <= samples(&whole) + whole.value.parts.len(), "{end}");
            most = most.max(kept);
        }
    }
    assert!(!whole.value.has_stacks() || most > 0, "something is kept of a text that is cut off");
}

/// Changes bytes at random: never a panic, always a consistent profile.
fn change(format: &str, bytes: &[u8]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let pieces: [&[u8]; 12] =
        [b"9", b"-1", b"null", b"[", b"]", b"{", b"\"", b"1e999", b"4294967296", b"\xff", b"0.5", b"\"x\""];
    for _ in 0..400 {
        let mut changed = bytes.to_vec();
        for _ in 0..=random(3) {
            let (at, piece) = (random(changed.len()), pieces[random(pieces.len())]);
            changed.splice(at..at + 1, piece.iter().copied());
        }
        read(format, &changed);
    }
}

/// The diagnostics of bad input, one per line.
pub(crate) fn messages(format: &str, text: &str) -> String {
    let source = Memory { name: "bad", bytes: text.as_bytes() };
    match read_profile(&source, Some(format), &Sequential) {
        Ok(reading) => {
            reading.value.check().unwrap();
            let messages = reading.diagnostics.iter().map(|it| format!("{:?}: {it}", it.weight));
            messages.collect::<Vec<_>>().join("\n")
        }
        Err(error) => format!("error: {error}"),
    }
}

/// Checks files of other people: all are recognised by one format alone and read without loss.
#[expect(clippy::disallowed_methods, reason = "a test reads files, a reader never does")]
pub(crate) fn fixtures(folder: &str, format: &str) {
    let Some(root) = test_support::shared("fixtures/profile") else { return };
    let facts = std::fs::read_to_string(root.join("BINDING.json")).unwrap();
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let source = Memory { name: "-", bytes: &bytes };
        // A Chrome trace is also claimed as a trace.
        let claims = claims(&source);
        let profiles = claims.iter().filter(|(format, _)| format.kind() == FormatKind::Profile);
        let ids: Vec<&str> = profiles.map(|(format, _)| format.id).collect();
        assert_eq!(ids, [format], "{name}");
        let reading = read_profile(&source, None, &Sequential).unwrap();
        reading.value.check().unwrap();
        assert!(reading.complete(), "{name}: {:?}", reading.diagnostics);
        let samples: usize = reading.value.parts.iter().map(|part| part.samples.len()).sum();
        if let Some(expected) = facts[format!("{folder}/{name}")]["samples"].as_u64() {
            assert_eq!(samples as u64, expected, "{name}");
        }
        round_trip(&reading.value);
    }
}
