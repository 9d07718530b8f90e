//! Checks an importer in four ways, damages an input in many ways, and finds files of other people.

use std::fmt::Write as _;

use expect_test::Expect;
use lotse_formats::write::WRITERS;
use lotse_formats::{Place, Reading, Weight, claims, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

/// Reads by content alone.
pub(crate) fn read(bytes: &[u8]) -> Reading<Profile> {
    let reading = read_profile(&Memory { name: "-", bytes }, None, &Sequential).unwrap();
    reading.value.check().unwrap();
    reading
}

/// Checks what is read, recognised by name, by content alone, and written and read back where the format can be written.
pub(crate) fn four_ways(name: &str, bytes: &[u8], format: &str, expected: &Expect) {
    let reading = read(bytes);
    assert_eq!(reading.format_id, format, "by content alone");
    assert_eq!(claims(&Memory { name, bytes })[0].0.id, format, "by name and content");
    expected.assert_eq(&as_text(&reading));
    if WRITERS.iter().any(|writer| writer.id == format) {
        let again = read(&written(&reading.value, format));
        assert_eq!(totals(&again.value), totals(&reading.value));
        assert_eq!(stacks(&again.value), stacks(&reading.value));
    }
}

/// The profile in another format.
pub(crate) fn written(profile: &Profile, format: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let writer = WRITERS.iter().find(|writer| writer.id == format).unwrap();
    (writer.write)(profile, &mut bytes).unwrap();
    bytes
}

/// The sum of each event type over all samples.
pub(crate) fn totals(profile: &Profile) -> Vec<(String, i128)> {
    let events = profile.events.iter().enumerate();
    let total = |row| profile.parts.iter().map(|part| part.samples.costs.total(row)).sum();
    events.map(|(row, event)| (event.name.clone(), total(row))).collect()
}

/// The number of samples.
pub(crate) fn samples(profile: &Profile) -> usize {
    profile.parts.iter().map(|part| part.samples.len()).sum()
}

/// All stacks, outermost frame first, each with its summed costs, sorted.
pub(crate) fn stacks(profile: &Profile) -> Vec<(String, Vec<i128>)> {
    let mut all = std::collections::BTreeMap::<String, Vec<i128>>::new();
    for part in &profile.parts {
        for (row, &stack) in part.samples.stack.iter().enumerate() {
            let sum = all.entry(stack_text(profile, stack)).or_insert_with(|| vec![0; profile.events.len()]);
            (0..sum.len()).for_each(|event| sum[event] += part.samples.costs.value(row, event));
        }
    }
    all.into_iter().collect()
}

fn stack_text(profile: &Profile, stack: Option<lotse_model::id::StackId>) -> String {
    let mut frames: Vec<String> = profile
        .stacks
        .frames(stack)
        .map(|frame| {
            let frame = profile.frames.get(frame);
            let mark = if frame.inlined { "*" } else { "" };
            format!("{}{mark}", profile.function_name(frame.function))
        })
        .collect();
    frames.reverse();
    frames.join(";")
}

/// A small summary.
pub(crate) fn as_text(reading: &Reading<Profile>) -> String {
    let profile = &reading.value;
    let mut text = String::new();
    let events = profile.events.iter().map(|event| format!("{} [{}]", event.name, event.unit_label()));
    writeln!(text, "events: {}", events.collect::<Vec<_>>().join(", ")).unwrap();
    writeln!(text, "totals: {:?}", totals(profile).iter().map(|total| total.1).collect::<Vec<_>>()).unwrap();
    let rest = (&profile.command, &profile.creator);
    writeln!(text, "command, creator: {rest:?}").unwrap();
    for part in &profile.parts {
        let (samples, first) = (part.samples.len(), part.samples.time.first());
        let owner = (part.process, part.thread);
        writeln!(text, "part {:?} {owner:?}: {samples} samples, first at {first:?}", part.name).unwrap();
    }
    for (stack, costs) in stacks(profile).into_iter().take(12) {
        writeln!(text, "{costs:?} {stack}").unwrap();
    }
    for function in profile.functions.ids().take(8) {
        let (object, file) = (profile.function_object(function), profile.function_file(function));
        let (object, file) = (object.unwrap_or("?"), file.unwrap_or("?"));
        writeln!(text, "function {} in {object}, {file}", profile.function_name(function)).unwrap();
    }
    if let Some(first) = profile.unresolved.first() {
        let (count, name) = (profile.unresolved.len(), profile.function_name(first.function));
        writeln!(text, "{count} unresolved, first {name} {:#x} {:?}", first.address, first.space).unwrap();
    }
    for diagnostic in &reading.diagnostics {
        writeln!(text, "{:?}: {diagnostic}", diagnostic.weight).unwrap();
    }
    text
}

/// Cuts the bytes anywhere and changes single bytes: no panic, consistent profiles, and every loss has a place.
pub(crate) fn damage(bytes: &[u8], format: &str) {
    for end in 0..bytes.len() {
        read_bad(&bytes[..end], format);
    }
    let mut spoilt = bytes.to_vec();
    let mut state = 0x9e37_79b9_u32;
    for _ in 0..1000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = (state >> 8) as usize % spoilt.len();
        let old = std::mem::replace(&mut spoilt[at], state as u8);
        read_bad(&spoilt, format);
        if state.is_multiple_of(4) {
            spoilt[at] = old;
        }
    }
}

fn read_bad(bytes: &[u8], format: &str) {
    let source = Memory { name: "bad", bytes };
    claims(&source);
    let Ok(reading) = read_profile(&source, Some(format), &Sequential) else { return };
    reading.value.check().unwrap();
    for writer in WRITERS.iter().filter(|writer| writer.id == format) {
        (writer.write)(&reading.value, &mut Vec::new()).unwrap();
    }
}

/// The places where something was lost.
pub(crate) fn losses(reading: &Reading<Profile>) -> Vec<Place> {
    let losses = reading.diagnostics.iter().filter(|odd| odd.weight == Weight::Loss);
    losses.map(|odd| odd.place.clone()).collect()
}

/// A file that another tool made, where such files are available beside the repository.
pub(crate) fn fixture(path: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(test_support::shared("fixtures/profile")?.join(path)).unwrap())
}
