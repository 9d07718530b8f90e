//! One call checks an importer: a summary, recognised by name and by content alone, consistent, and robust to damage.

#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test reads files and asks tools")]
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::Expect;
use lotse_formats::{Reading, claims, read_profile, unpack};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

/// Reads a profile; nothing may be lost.
pub(crate) fn read(name: &str, bytes: &[u8], format: &str) -> Profile {
    let source = Memory { name, bytes };
    let (unpacked, _) = unpack(&source).unwrap();
    let claims = claims(&unpacked);
    assert_eq!(claims[0].0.id, format, "by name and content");
    assert!(claims.len() == 1 || claims[0].1 > claims[1].1, "{name}: {claims:?}");
    let reading = read_profile(&source, None, &Sequential).unwrap();
    assert_eq!(reading.format_id, format);
    assert!(reading.complete(), "{name}: {:?}", reading.diagnostics);
    reading.value.check().unwrap();
    let nameless = read_profile(&Memory { name: "-", bytes }, None, &Sequential).unwrap();
    assert_eq!(nameless, reading, "by content alone");
    reading.value
}

/// Checks the summary, recognition by name and by content alone, and damaged bytes.
pub(crate) fn check(name: &str, bytes: &[u8], format: &str, expected: &Expect) {
    let profile = read(name, bytes, format);
    expected.assert_eq(&summary(&profile));
    damage(bytes, format);
}

/// Totals of the selected parts, sizes of tables, and where most of the first event type is.
pub(crate) fn summary(profile: &Profile) -> String {
    let mut text = format!(
        "functions {} files {} objects {} stacks {} parts {} data {} unresolved {}\n",
        profile.functions.len(),
        profile.files.len(),
        profile.objects.len(),
        profile.stacks.len(),
        profile.parts.len(),
        profile.data.len(),
        profile.unresolved.len(),
    );
    writeln!(text, "command {:?} creator {:?}", profile.command, profile.creator).unwrap();
    for (column, event) in profile.events.iter().enumerate() {
        writeln!(text, "{} {} {}", event.name, event.unit_label(), total(profile, column)).unwrap();
    }
    for part in &profile.parts {
        let (own, calls, samples) = (part.own.function.len(), part.calls.len(), part.samples.len());
        let selected = if part.selected { "" } else { " not selected" };
        writeln!(text, "part {}: own {own} calls {calls} samples {samples}{selected}", part.name).unwrap();
    }
    text
}

/// The sum of an event type over the selected parts.
pub(crate) fn total(profile: &Profile, column: usize) -> i128 {
    let selected = profile.parts.iter().filter(|part| part.selected);
    selected.map(|part| part.own.costs.total(column) + part.samples.costs.total(column)).sum()
}

/// The sum of an event type by name.
pub(crate) fn total_of(profile: &Profile, event: &str) -> i128 {
    let column =
        profile.events.iter().position(|it| it.name == event).unwrap_or_else(|| panic!("no {event}"));
    total(profile, column)
}

/// Checks that cut and changed bytes are read or refused, and that what is read is consistent.
pub(crate) fn damage(bytes: &[u8], format: &str) {
    let source = Memory { name: "damaged", bytes };
    let (unpacked, _) = unpack(&source).unwrap();
    let bytes = lotse_model::bytes::Source::bytes(&unpacked);
    let step = if bytes.len() < 5000 { 1 } else { bytes.len() / 40 };
    for end in (0..bytes.len()).step_by(step) {
        try_read(&bytes[..end], format);
    }
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.max(1) as u64) as usize
    };
    let small = &bytes[..bytes.len().min(20_000)];
    for _ in 0..300 {
        let mut changed = small.to_vec();
        for _ in 0..=next(4) {
            let at = next(changed.len());
            if let Some(byte) = changed.get_mut(at) {
                *byte = [0, 0xff, b'9', b'0', b'-', b'\n', b'{', next(256) as u8][next(8)];
            }
        }
        try_read(&changed, format);
    }
}

fn try_read(bytes: &[u8], format: &str) -> Option<Reading<Profile>> {
    let reading = read_profile(&Memory { name: "damaged", bytes }, Some(format), &Sequential).ok()?;
    reading.value.check().unwrap();
    Some(reading)
}

/// A file of other people; `None` with a message where they are not available.
pub(crate) fn fixture(path: &str) -> Option<Vec<u8>> {
    Some(std::fs::read(test_support::shared("fixtures/profile")?.join(path)).unwrap())
}

/// An empty directory for files made while testing.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).unwrap();
    }
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// The output of a tool; `None` with a message where it is not installed.
pub(crate) fn tool(directory: &Path, command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command)
        .args(arguments)
        .current_dir(directory)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        test_support::skip_missing(format!("{command} is not installed"));
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}
