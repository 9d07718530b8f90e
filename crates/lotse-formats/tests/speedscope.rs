//! speedscope's JSON, read and written.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "firefox/check.rs"]
mod check;

use check::{check, fixtures, messages, read, round_trip};
use expect_test::expect;
use lotse_formats::write::WRITERS;
use lotse_model::profile::{Builder, EventType, Part};
use lotse_model::{Profile, Unit};
use serde_json::Value;

const SPEEDSCOPE: &str = "speedscope";

#[test]
fn files_of_others() {
    fixtures("speedscope", SPEEDSCOPE);
}

#[test]
fn samples_have_the_weights_of_the_file() {
    let text = r#"{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "py-spy",
"shared": {"frames": [{"name": "main", "file": "a.py", "line": 9}, {"name": "f", "file": "a.py", "line": 3, "col": 1}]},
"profiles": [
 {"type": "sampled", "name": "thread 1", "unit": "seconds", "startValue": 1, "endValue": 2,
  "samples": [[0], [0, 1], []], "weights": [0.25, 0.000000001, 0.5]},
 {"type": "sampled", "name": "thread 2", "unit": "milliseconds", "startValue": 0, "endValue": 2,
  "samples": [[1, 1]], "weights": [2]}]}"#;
    check(
        "a.speedscope.json",
        SPEEDSCOPE,
        text,
        &expect![[r#"
        events: samples [count], time [ns]
        function main in - at a.py:0
        function f in - at a.py:0
        part thread 1 -/-
          main 1 250000000 @1000000000
          main;f 1 1 @1250000000
           1 500000000 @1250000001
        part thread 2 -/-
          f;f 1 2000000 @0
    "#]],
    );
}

#[test]
fn open_and_close_events_are_spans_of_time() {
    let text = r#"{"profiles": [{"type": "evented", "name": "run", "unit": "microseconds", "startValue": 0, "endValue": 20,
 "events": [{"type": "O", "at": 1, "frame": 0}, {"type": "O", "at": 2, "frame": 1}, {"type": "C", "at": 5.5, "frame": 1},
  {"type": "O", "at": 6, "frame": 1}, {"type": "C", "at": 7, "frame": 1}, {"type": "C", "at": 9, "frame": 0},
  {"type": "O", "at": 10, "frame": 1}]}],
"shared": {"frames": [{"name": "a"}, {"name": "b"}]}}"#;
    check(
        "-",
        SPEEDSCOPE,
        text,
        &expect![[r#"
            events: time [ns]
            part run -/-
              a 1000 @1000
              a;b 3500 @2000
              a 500 @5500
              a;b 1000 @6000
              a 2000 @7000
              b 10000 @10000
            Note: profiles[0], event 6: a begin has no end; it lasts until the end of the recording
        "#]],
    );
}

#[test]
fn samples_without_weights_are_counted() {
    let text = r#"{"profiles": [{"type": "sampled", "name": "run", "unit": "seconds", "startValue": 0, "endValue": 2,
 "samples": [[0], [0, 1]]}], "shared": {"frames": [{"name": "a"}, {"name": "b"}]}}"#;
    check(
        "-",
        SPEEDSCOPE,
        text,
        &expect![[r#"
            events: samples [count]
            part run -/-
              a 1
              a;b 1
            Note: profiles[0]: the profile has no weights; its samples are counted
        "#]],
    );
}

#[test]
fn the_profile_shown_first_has_the_default_event_type() {
    let file = |active: &str| {
        let text = format!(
            r#"{{{active} "profiles": [
{{"type": "sampled", "name": "cpu", "unit": "seconds", "samples": [[0]], "weights": [7]}},
{{"type": "sampled", "name": "heap", "unit": "bytes", "samples": [[0]], "weights": [9]}}],
"shared": {{"frames": [{{"name": "a"}}]}}}}"#
        );
        let profile = read(SPEEDSCOPE, text.as_bytes()).unwrap().value;
        profile.default_event.map(|event| profile.events[event].name.clone())
    };
    assert_eq!(file(r#""activeProfileIndex": 1,"#).as_deref(), Some("bytes"));
    assert_eq!(file(r#""activeProfileIndex": 0,"#).as_deref(), Some("time"));
    assert_eq!(file(""), None);
}

#[test]
fn weights_without_a_unit_stay_exact() {
    let file = |weights: &str| {
        format!(
            r#"{{"shared": {{"frames": [{{"name": "a"}}]}}, "profiles": [{{"type": "sampled", "unit": "none",
"samples": [[0], [0]], "weights": {weights}}}, {{"type": "sampled", "unit": "bytes", "samples": [[0]], "weights": [7]}}]}}"#
        )
    };
    check(
        "-",
        SPEEDSCOPE,
        &file("[9007199254740993, 18446744073709551615]"),
        &expect![[r#"
        events: samples [count], weight [count], bytes [bytes]
        part profile 1 -/-
          a 1 9007199254740993 0
          a 1 18446744073709551615 0
        part profile 2 -/-
          a 1 0 7
    "#]],
    );
    check(
        "-",
        SPEEDSCOPE,
        &file("[0.5, -2]"),
        &expect![[r#"
            events: samples [count], weight [1e-6], bytes [bytes]
            part profile 1 -/-
              a 1 500000 0
              a 1 -2000000 0
            part profile 2 -/-
              a 1 0 7
        "#]],
    );
}

#[test]
fn hostile_files() {
    let profile = |text: &str| {
        messages(SPEEDSCOPE, &format!(r#"{{"shared": {{"frames": [{{}}]}}, "profiles": [{{{text}}}]}}"#))
    };
    expect![[r#"
        Loss: profiles[0].weights: there are not as many weights as samples
        Loss: profiles[0].samples[0]: a sample names a frame that is missing (3 times)"#]]
    .assert_eq(&profile(r#""type": "sampled", "samples": [[0, 4294967295, -1], [1e9]], "weights": [1]"#));
    expect!["Loss: profiles[0].events[0]: an event lacks its type, its time or its frame (3 times)"].assert_eq(&profile(r#""type": "evented", "events": [{"type": "O", "at": 1, "frame": 3}, {"type": "X", "at": 1, "frame": 0}, {}]"#));
    expect!["Loss: profiles[0].weights[0]: a weight is not a number or too large"]
        .assert_eq(&profile(r#""type": "sampled", "samples": [[0]], "weights": [1e30], "unit": "seconds""#));
    assert_eq!(
        messages(SPEEDSCOPE, "{}"),
        "error: bad: the whole input: expected `profiles` and `shared.frames`"
    );
    for piece in ["[", "{\"profiles\":[", "{\"shared\":", "{\"profiles\":[{\"samples\":[[", "{\"a\":{"] {
        read(SPEEDSCOPE, piece.repeat(30_000).as_bytes());
    }
}

/// A profile with several event types, units, files and an object.
fn rich() -> Profile {
    let mut builder = Builder::new();
    let (object, file) = (builder.object("libx.so"), builder.file("größe \"a\".c"));
    let functions = [builder.bare_function("main"), builder.function("f\n", object, file)];
    let frames = functions.map(|function| builder.bare_frame(function));
    let main = builder.stack(None, frames[0]);
    let f = builder.stack(Some(main), frames[1]);
    builder.profile.events = vec![
        EventType::count("samples"),
        EventType::new("time", Unit::Seconds, -9),
        EventType::new("cpu", Unit::Seconds, -6),
        EventType::new("moved", Unit::Bytes, 0),
    ];
    for name in ["one", "two (main)"] {
        let mut part = Part::new(name, 4, false);
        part.samples.stack = vec![Some(f), None, Some(main), Some(f)];
        part.samples.time = vec![10, 20, 30, 40];
        for row in 1..=4 {
            part.samples.costs.push(&[1, row * 1000, row, u64::MAX / row]);
        }
        part.calls.caller.push(functions[0]);
        part.calls.callee.push(functions[1]);
        part.calls.count.push(3);
        builder.profile.parts.push(part);
    }
    builder.finish()
}

fn written(profile: &Profile) -> (Vec<u8>, String) {
    let writer = WRITERS.iter().find(|writer| writer.id == SPEEDSCOPE).unwrap();
    let mut bytes = Vec::new();
    let diagnostics = (writer.write)(profile, &mut bytes).unwrap();
    (bytes, diagnostics.iter().map(|it| format!("{:?}: {it}\n", it.weight)).collect())
}

#[test]
fn what_was_written_is_read_back_equal() {
    let profile = rich();
    round_trip(&profile);
    let (bytes, messages) = written(&profile);
    expect![[r#"
        Note: the whole input: speedscope has no place for objects; they are left out
        Note: the whole input: speedscope has no place for counts of calls; they are left out
    "#]]
    .assert_eq(&messages);
    let again = read(SPEEDSCOPE, &bytes).unwrap().value;
    assert_eq!(again.events, profile.events);
    assert_eq!(again.parts.len(), 2);
    for (again, part) in again.parts.iter().zip(&profile.parts) {
        assert_eq!((&again.name, &again.samples.costs), (&part.name, &part.samples.costs));
        assert_eq!(again.samples.stack.len(), part.samples.stack.len());
    }
    assert_eq!(written(&again).0, bytes, "written again, every byte is the same");
}

#[test]
fn a_part_without_stacks_is_reported() {
    let mut profile = rich();
    let mut bare = Part::new("bare", 4, false);
    bare.own.function.push(lotse_model::id::FunctionId(0));
    bare.own.costs.push(&[1]);
    profile.parts.push(bare);
    assert!(written(&profile).1.contains("Loss: bare: bare has no stack samples and is left out"));
}

/// The rules of speedscope's published schema, as far as they concern what is written here.
#[test]
fn written_files_follow_the_schema() {
    let (bytes, _) = written(&rich());
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    assert!(file["exporter"].is_string());
    let frames = file["shared"]["frames"].as_array().unwrap();
    for frame in frames {
        assert!(frame["name"].is_string());
        assert!(
            frame.get("file").is_none_or(Value::is_string) && frame.get("line").is_none_or(Value::is_number)
        );
    }
    let units = ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"];
    let profiles = file["profiles"].as_array().unwrap();
    assert_eq!(profiles.len(), 8);
    for profile in profiles {
        assert_eq!(profile["type"], "sampled");
        assert!(profile["name"].is_string() && units.contains(&profile["unit"].as_str().unwrap()));
        assert!(profile["startValue"].is_number() && profile["endValue"].is_number());
        let (samples, weights) =
            (profile["samples"].as_array().unwrap(), profile["weights"].as_array().unwrap());
        assert!(samples.len() == weights.len() && weights.iter().all(Value::is_number));
        let mut indices = samples.iter().flat_map(|sample| sample.as_array().unwrap());
        assert!(indices.all(|index| (index.as_u64().unwrap() as usize) < frames.len()));
    }
}
