//! Functions of the same name in one file are distinguished by line and column of the definition, in every format that
//! has them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use lotse_formats::read_profile;
use lotse_formats::write::WRITERS;
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

fn read(text: &[u8]) -> Profile {
    let reading = read_profile(&Memory { name: "-", bytes: text }, None, &Sequential).unwrap();
    assert_eq!(reading.diagnostics, []);
    reading.value.check().unwrap();
    reading.value
}

/// Line, column and samples of every function called `f`.
fn places(profile: &Profile) -> Vec<(u32, u32, usize)> {
    let innermost =
        |stack| profile.stacks.frames(stack).next().map(|frame| profile.frames.get(frame).function);
    let samples: Vec<_> = profile.parts.iter().flat_map(|part| &part.samples.stack).collect();
    let named = profile.functions.ids().filter(|id| profile.function_name(*id) == "f");
    let count = |id| samples.iter().filter(|stack| innermost(***stack) == Some(id)).count();
    let (lines, columns) = (&profile.functions.line, &profile.functions.column);
    let mut places: Vec<_> = named.map(|id| (lines[id.index()], columns[id.index()], count(id))).collect();
    places.sort_unstable();
    places
}

#[test]
fn v8() {
    let node = |id, line, column| {
        format!(
            r#"{{"id": {id}, "parent": 1, "callFrame": {{"functionName": "f", "url": "a.js", "scriptId": "7",
            "lineNumber": {line}, "columnNumber": {column}}}}}"#
        )
    };
    let text = format!(
        r#"{{"nodes": [{{"id": 1, "callFrame": {{"functionName": "(root)"}}}}, {}, {}, {}, {}],
        "startTime": 0, "endTime": 9, "samples": [2, 3, 4, 5, 5], "timeDeltas": [1, 1, 1, 1, 1]}}"#,
        node(2, 0, 8),
        node(3, 0, 50),
        node(4, 6, 8),
        node(5, 6, 8)
    );
    assert_eq!(places(&read(text.as_bytes())), [(1, 9, 1), (1, 51, 1), (7, 9, 3)]);
}

#[test]
fn firefox() {
    let text = r#"{"meta": {"preprocessedProfileVersion": 50}, "threads": [{"stringArray": ["f", "a.js"],
        "samples": {"stack": [0, 1, 2, 2]}, "stackTable": {"prefix": [null, null, null], "frame": [0, 1, 2]},
        "frameTable": {"func": [0, 1, 2], "line": [3, 4, 5]},
        "funcTable": {"name": [0, 0, 0], "fileName": [1, 1, 1], "lineNumber": [2, 2, 9], "columnNumber": [4, 7, 4]}}]}"#;
    assert_eq!(places(&read(text.as_bytes())), [(2, 4, 1), (2, 7, 1), (9, 4, 2)]);
}

#[test]
fn gecko() {
    let text = r#"{"meta": {"version": 12, "startTime": 1, "interval": 1, "product": "Firefox"}, "libs": [],
        "threads": [{"name": "GeckoMain", "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1], [1, 2], [2, 3]]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [null, 1], [null, 2]]},
        "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0, 41], [1, 41], [2, 8]]},
        "stringTable": ["f (a.js:40:2)", "f (a.js:40:9)", "f (a.js:7:2)"]}]}"#;
    assert_eq!(places(&read(text.as_bytes())), [(7, 2, 1), (40, 2, 1), (40, 9, 1)]);
}

/// Hermes writes the place of the function and the line of the sample; others only have a place in the name.
#[test]
fn chrome() {
    let event = |phase, at, line, column| {
        format!(
            r#"{{"ph": "{phase}", "name": "f", "pid": 1, "tid": 1, "ts": {at},
            "args": {{"url": "a.js", "line": 54, "funcLine": "{line}", "funcColumn": "{column}"}}}}"#
        )
    };
    let spans = [event("B", 1, 3, 1), event("E", 2, 3, 1), event("B", 3, 3, 20), event("E", 5, 3, 20)];
    assert_eq!(places(&read(format!("[{}]", spans.join(",")).as_bytes())), [(3, 1, 1), (3, 20, 1)]);
    let sampled = |frames: &str| {
        let text = format!(
            r#"{{"traceEvents": [], "samples": [{{"ts": "1", "pid": 1, "tid": 1, "sf": 1}},
            {{"ts": "2", "pid": 1, "tid": 1, "sf": 2}}], "stackFrames": {{{frames}}}}}"#
        );
        places(&read(text.as_bytes()))
    };
    let plain = r#""1": {"name": "f(a.js:3:1)"}, "2": {"name": "f(a.js:9:1)"}"#;
    assert_eq!(sampled(plain), [(3, 1, 1), (9, 1, 1)]);
    let inside = r#""1": {"name": "f(a.js:3:1)", "line": "3"}, "2": {"name": "f(a.js:9:1)", "line": "9"}"#;
    assert_eq!(sampled(inside), [(0, 0, 2)]);
    let defined = r#""1": {"name": "f(a.js:3:1)", "line": "3", "funcLine": "2", "funcColumn": "5"},
        "2": {"name": "f(a.js:9:1)", "line": "9", "funcLine": "2", "funcColumn": "5"}"#;
    assert_eq!(sampled(defined), [(2, 5, 2)]);
}

fn speedscope(exporter: &str) -> String {
    format!(
        r#"{{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "{exporter}",
        "shared": {{"frames": [{{"name": "f", "file": "a.js", "line": 3, "col": 1}}, {{"name": "f", "file": "a.js", "line": 3, "col": 9}},
        {{"name": "f", "file": "a.js", "line": 8}}]}}, "profiles": [{{"type": "sampled", "name": "x", "unit": "none", "startValue": 0,
        "endValue": 3, "samples": [[0], [1], [2]], "weights": [1, 1, 1]}}]}}"#
    )
}

/// As in speedscope itself, a frame is identified by name, file, line and column; but samplers of interpreters write
/// the executed line.
#[test]
fn lines_of_speedscope_are_definitions_unless_a_sampler_wrote_them() {
    let found = places(&read(speedscope("speedscope@1.20.0").as_bytes()));
    assert_eq!(found, [(3, 1, 1), (3, 9, 1), (8, 0, 1)]);
    for sampler in ["py-spy@0.3.14", "rbspy@0.12"] {
        assert_eq!(places(&read(speedscope(sampler).as_bytes())), [(0, 0, 3)], "{sampler}");
    }
}

#[test]
fn speedscope_written_by_lotse_keeps_places() {
    let profile = read(speedscope("").as_bytes());
    let writer = WRITERS.iter().find(|writer| writer.id == "speedscope").unwrap();
    let mut bytes = Vec::new();
    (writer.write)(&profile, &mut bytes).unwrap();
    let again = read(&bytes);
    assert_eq!(places(&again), places(&profile));
    assert_eq!(again.frames.line, profile.frames.line);
}
