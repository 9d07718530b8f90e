//! Chrome traces and V8's CPU profiles: ordinary, damaged and hostile ones.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "firefox/check.rs"]
mod check;

use check::{check, fixtures, messages, read};
use expect_test::expect;

const TRACE: &str = "chrome-trace";

#[test]
fn files_of_others() {
    fixtures("chrome-trace", TRACE);
    fixtures("cpuprofile", "cpuprofile");
}

#[test]
fn spans_are_stacks() {
    let text = r#"{"traceEvents": [
 {"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "app"}},
 {"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "main"}},
 {"ph": "B", "name": "run", "pid": 7, "tid": 8, "ts": 10},
 {"ph": "X", "name": "load", "pid": 7, "tid": 8, "ts": 11.5, "dur": 2.25},
 {"ph": "X", "name": "load", "pid": 7, "tid": 8, "ts": 14, "dur": 1},
 {"ph": "i", "name": "moment", "pid": 7, "tid": 8, "ts": 15},
 {"ph": "E", "pid": 7, "tid": 8, "ts": 20},
 {"ph": "X", "name": "elsewhere", "pid": "7", "tid": "worker", "ts": "1", "tdur": 3}
], "displayTimeUnit": "ns"}"#;
    check(
        "a.json",
        TRACE,
        text,
        &expect![[r#"
            events: time [ns]
            part app: main 7/8
              run 1500 @10000
              run;load 2250 @11500
              run 250 @13750
              run;load 1000 @14000
              run 5000 @15000
              run -> load: 2
              -> run: 1
            part app: thread worker 7/-
              elsewhere 3000 @1000
              -> elsewhere: 1
            Note: the whole input: not shown because they are not calls of a thread: 1 instant
        "#]],
    );
}

/// `loop` lasts until the last event of the recording, which is on another thread and no call.
#[test]
fn a_begin_without_an_end_lasts_until_the_end_of_the_recording() {
    let text = r#"[{"ph": "X", "pid": 1, "tid": 1, "name": "main", "ts": 0, "dur": 10},
{"ph": "X", "pid": 1, "tid": 2, "name": "setup", "ts": 0, "dur": 0.9},
{"ph": "B", "pid": 1, "tid": 2, "name": "loop", "ts": 1},
{"ph": "C", "pid": 1, "tid": 3, "name": "memory", "ts": 12}]"#;
    check(
        "a.json",
        TRACE,
        text,
        &expect![[r#"
        events: time [ns]
        part process 1: thread 1 1/1
          main 10000 @0
          -> main: 1
        part process 1: thread 2 1/2
          setup 900 @0
          loop 11000 @1000
          -> setup: 1
          -> loop: 1
        Note: the whole input: not shown because they are not calls of a thread: 1 counter value
        Note: process 1: thread 2, event 1: a begin has no end; it lasts until the end of the recording
    "#]],
    );
}

/// Microseconds since 1970 with three decimals do not fit an `f64`: `inner` would last 0 or 250 ns.
#[test]
fn times_since_1970_keep_every_digit() {
    let text = r#"{"traceEvents": [
 {"ph": "B", "pid": 1, "tid": 1, "name": "outer", "ts": 1700000000000000.000},
 {"ph": "B", "pid": 1, "tid": 1, "name": "inner", "ts": 1700000000000001.000},
 {"ph": "E", "pid": 1, "tid": 1, "ts": 1700000000000001.100},
 {"ph": "E", "pid": 1, "tid": 1, "ts": 1700000000000002.000}
], "samples": [
 {"ts": 1700000000000000.100, "pid": 1, "tid": 2, "weight": 1, "sf": 1},
 {"ts": 1700000000000000.200, "pid": 1, "tid": 2, "weight": 1, "sf": 1}
], "stackFrames": {"1": {"name": "sampled"}}}"#;
    check(
        "a.json",
        TRACE,
        text,
        &expect![[r#"
        events: samples [count], time [ns]
        part process 1: thread 2 (samples) 1/2
          sampled 1 100 @1700000000000000100
          sampled 1 0 @1700000000000000200
        part process 1: thread 1 1/1
          outer 0 1000 @1700000000000000000
          outer;inner 0 100 @1700000000000001000
          outer 0 900 @1700000000000001100
          outer -> inner: 1
          -> outer: 1
    "#]],
    );
}

#[test]
fn unmatched_ends_are_notes() {
    let text = r#"[
{"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 0},
{"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 2},
{"ph": "E", "name": "a", "pid": 1, "tid": 1, "ts": 6},
{"ph": "E", "name": "nobody", "pid": 1, "tid": 1, "ts": 9},
{"ph": "E", "name": "nobody", "pid": 1, "tid": 1, "ts": 10},
{"ph": "B", "name": "open", "pid": 1, "tid": 1, "ts": 11},
{"ph": "X", "name": "last", "pid": 1, "tid": 1, "ts": 12, "dur": 3},
{"ph": "B", "name": "early", "pid": 1, "tid": 1, "ts": 10.5},
"#;
    check(
        "a.trace",
        TRACE,
        text,
        &expect![[r#"
            events: time [ns]
            part process 1: thread 1 1/1
              a 2000 @0
              a;b 4000 @2000
              b 3000 @6000
              early 500 @10500
              early;open 1000 @11000
              early;open;last 3000 @12000
              a -> b: 1
              early -> open: 1
              open -> last: 1
              -> a: 1
              -> early: 1
            Note: the whole input: the closing bracket is missing
            Note: process 1: thread 1: begins and ends stand out of the order of time; they were sorted
            Note: process 1: thread 1, event 3: an end has another name than the innermost begin, which has no end of its own; it was closed
            Note: process 1: thread 1, event 4: nothing is open at an end; it was left out
            Note: process 1: thread 1, event 7: a begin has no end; it lasts until the end of the recording (2 times)
            Note: process 1: thread 1: spans overlap and none contains the other; each keeps its time
        "#]],
    );
}

#[test]
fn hermes_writes_the_places_of_functions() {
    let text = r#"[{"pid": 0, "tid": 0, "ph": "B", "name": "f", "ts": 0,
  "args": {"line": 54, "column": 12, "funcLine": "50", "name": "f", "url": "/a/b.js", "params": null}},
{"pid": 0, "tid": 0, "ph": "E", "name": "f", "ts": 4, "args": {"line": 54, "url": "/a/b.js"}}]"#;
    check(
        "a.json",
        TRACE,
        text,
        &expect![[r#"
            events: time [ns]
            function f in - at /a/b.js:50
            part process 0: thread 0 0/0
              f 4000 @0
              -> f: 1
        "#]],
    );
}

#[test]
fn samples_with_stack_frames() {
    let text = r#"{"traceEvents": [
{"ph": "X", "name": "turn", "pid": 1, "tid": "2", "ts": "100", "dur": "300"}],
"samples": [
{"ts": "200", "pid": 1, "tid": "2", "weight": "3", "sf": 2},
{"ts": "100", "pid": 1, "tid": "2", "weight": "1", "sf": 1},
{"ts": "450", "pid": 1, "tid": "2", "weight": "1", "sf": 2}],
"stackFrames": {"2": {"name": "f(http://h:80/x?y:17:3)", "parent": 1}, "1": {"name": "[root]"}}}"#;
    check(
        "a.json",
        TRACE,
        text,
        &expect![[r#"
            events: samples [count], time [ns], weight [count]
            function f in - at http://h:80/x?y:17
            part process 1: thread 2 (samples) 1/2
              [root] 1 100000 1 @100000
              [root];f 1 250000 3 @200000
              [root];f 1 0 1 @450000
            part process 1: thread 2 1/2 (not selected)
              turn 0 300000 0 @100000
              -> turn: 1
        "#]],
    );
}

#[test]
fn recordings_of_v8_come_in_chunks() {
    let text = r#"[
{"ph": "P", "name": "ProfileChunk", "pid": 1, "tid": 9, "id": "0x1", "ts": 5, "args": {"data": {"cpuProfile":
 {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}},
            {"id": 2, "parent": 1, "callFrame": {"functionName": "f", "url": "a.js", "lineNumber": 3}}],
  "samples": [1, 2]}, "lines": [0, 5], "timeDeltas": [10, 20]}}},
{"ph": "P", "name": "Profile", "pid": 1, "tid": 2, "id": "0x1", "ts": 6, "args": {"data": {"startTime": 1000}}},
{"ph": "P", "name": "ProfileChunk", "pid": 1, "tid": 9, "id": "0x1", "ts": 7, "args": {"data": {"cpuProfile":
 {"nodes": [{"id": 3, "parent": 2, "callFrame": {"functionName": "g", "url": "a.js", "lineNumber": 8}}],
  "samples": [3, 2]}, "timeDeltas": [40, -5]}}},
{"ph": "X", "name": "task", "pid": 1, "tid": 2, "ts": 1000, "dur": 60}]"#;
    check(
        "a.json",
        TRACE,
        text,
        &expect![[r#"
            events: samples [count], time [ns]
            function f in - at a.js:4
            function g in - at a.js:9
            part process 1: thread 2 (CPU profile) 1/2
              (root) 1 20000 @1010000
              (root);f 1 35000 @1030000
              (root);f 1 5000 @1065000
              (root);f;g 1 0 @1070000
            part process 1: thread 2 1/2 (not selected)
              task 0 60000 @1000000
              -> task: 1
            line f:5 [1, 0]
            Note: process 1: thread 2 (CPU profile): samples stand out of the order of time; they were sorted
        "#]],
    );
}

#[test]
fn a_trace_with_nothing_in_it() {
    assert_eq!(messages(TRACE, "[]"), "error: bad: the whole input: expected a list of trace events");
    assert_eq!(messages(TRACE, ""), "error: bad: line 1, column 1: expected `{`");
    assert_eq!(messages(TRACE, "[{\"ph\": \"B\"}]"), "Loss: event 0: an event has no time; it was left out");
    assert!(
        messages(TRACE, "[1, 2]")
            .contains("Loss: event 0: expected an event, found something else (2 times)")
    );
    let negative = r#"[{"ph": "X", "name": "a", "ts": 5, "dur": -3}]"#;
    assert_eq!(
        messages(TRACE, negative),
        "Loss: event 0: an event has a negative or too long duration; it counts as none"
    );
}

#[test]
fn hostile_traces() {
    for piece in
        ["[", "{\"a\":", "[{\"ph\":\"B\",\"args\":{\"x\":", "{\"traceEvents\":[", "\"", "{\"samples\":["]
    {
        read(TRACE, piece.repeat(30_000).as_bytes());
    }
    let frames = |text: &str| {
        let samples = r#"[{"ts": 1, "sf": 1}, {"ts": 2, "sf": 7}]"#;
        messages(TRACE, &format!(r#"{{"traceEvents": [], "samples": {samples}, "stackFrames": {text}}}"#))
    };
    expect![[r#"
        Loss: stackFrames[0]: a row is its own ancestor; it counts as outermost
        Loss: samples[1]: a sample names no frame; it counts without a stack"#]]
    .assert_eq(&frames(r#"{"1": {"name": "a", "parent": 2}, "2": {"name": "b", "parent": 1}}"#));
    expect![[r#"
        Loss: stackFrames, "a": the parent of a frame is missing
        Loss: samples[1]: a sample names no frame; it counts without a stack"#]]
    .assert_eq(&frames(r#"{"1": {"name": "a", "parent": 99}}"#));
    let far = r#"[{"ph":"B","name":"a","ts":-9e15},{"ph":"E","name":"a","ts":9e15},{"ph":"X","name":"a","ts":9e15,"dur":9e300}]"#;
    expect!["Loss: event 2: an event has a negative or too long duration; it counts as none"]
        .assert_eq(&messages(TRACE, far));
}

#[test]
fn v8_nodes() {
    let text = r#"{"nodes": [
 {"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "children": [2, 4]},
 {"id": 2, "callFrame": {"functionName": "", "url": "file:///a.js", "lineNumber": 0}, "children": [3]},
 {"id": 3, "callFrame": {"functionName": "f", "url": "file:///a.js", "lineNumber": 9}, "hitCount": 2,
  "positionTicks": [{"line": 11, "ticks": 1}, {"line": 12, "ticks": 1}], "deoptReason": "none"},
 {"id": 4, "callFrame": {"functionName": "f", "url": "file:///a.js", "lineNumber": 9}, "hitCount": 1,
  "positionTicks": [{"line": 12, "ticks": 1}]}],
 "startTime": 1000, "endTime": 2000, "samples": [3, 4, 3, 1], "timeDeltas": [100, 250, -50, 300]}"#;
    check(
        "a.cpuprofile",
        "cpuprofile",
        text,
        &expect![[r#"
            events: samples [count], time [ns]
            function (anonymous) in - at file:///a.js:1
            function f in - at file:///a.js:10
            part main -/-
              (root);(anonymous);f 1 200000 @1100000
              (root);(anonymous);f 1 50000 @1300000
              (root);f 1 250000 @1350000
              (root) 1 400000 @1600000
            line f:11 [1, 0]
            line f:12 [2, 0]
            Note: samples: samples stand out of the order of time; they were sorted
        "#]],
    );
}

#[test]
fn the_old_tree_of_v8() {
    let text = r#"{"head": {"functionName": "(root)", "url": "", "lineNumber": 0, "id": 1, "children": [
  {"functionName": "f", "url": "a.js", "lineNumber": 3, "id": 2, "hitCount": 2, "children": []},
  {"functionName": "g", "url": "a.js", "lineNumber": 7, "children": [
    {"functionName": "f", "url": "a.js", "lineNumber": 3, "id": 5, "children": []}], "id": 4}]},
 "startTime": 1, "endTime": 2, "samples": [2, 2, 5], "timestamps": [1000, 1100, 1250]}"#;
    check(
        "a.cpuprofile",
        "cpuprofile",
        text,
        &expect![[r#"
            events: samples [count], time [ns]
            function f in - at a.js:3
            function g in - at a.js:7
            part main -/-
              (root);f 1 100000 @1000000
              (root);f 1 150000 @1100000
              (root);g;f 1 0 @1250000
        "#]],
    );
}

#[test]
fn hits_count_where_there_are_no_samples() {
    let text = r#"{"nodes": [{"id": 1, "callFrame": {"functionName": "a"}, "hitCount": 0, "children": [2]},
 {"id": 2, "callFrame": {"functionName": "b"}, "hitCount": 3}]}"#;
    check(
        "a.cpuprofile",
        "cpuprofile",
        text,
        &expect![[r#"
        events: samples [count]
        part main -/-
          a;b 3
    "#]],
    );
}

#[test]
fn an_old_tree_may_be_deep() {
    let deep = |depth: usize| {
        let open: String = (1..=depth)
            .map(|id| format!("{{\"id\":{id},\"functionName\":\"f{id}\",\"children\":["))
            .collect();
        format!("{{\"head\":{open}{},\"samples\":[{depth}],\"timestamps\":[0,5]}}", "]}".repeat(depth))
    };
    let reading = read("cpuprofile", deep(20_000).as_bytes()).unwrap();
    assert!(reading.complete());
    assert_eq!(reading.value.stacks.len(), 20_000);
    let cut = read("cpuprofile", &deep(20_000).as_bytes()[..500_000]).unwrap();
    assert!(!cut.complete() && cut.value.stacks.len() > 10_000);
}

#[test]
fn hostile_cpu_profiles() {
    let nodes =
        |text: &str| messages("cpuprofile", &format!(r#"{{"nodes": [{text}], "samples": [1, 2, 77]}}"#));
    expect![[r#"
        Note: nodes[1]: a child of a node is missing
        Loss: nodes[0]: a row is its own ancestor; it counts as outermost
        Loss: samples[2]: a sample names no node; it counts without a stack"#]]
    .assert_eq(&nodes(r#"{"id": 1, "children": [2]}, {"id": 2, "children": [1, 9]}"#));
    expect![[r#"
        Loss: nodes[1]: an id is given to two nodes; the first has it
        Note: nodes[2]: a node has no id; no sample can name it
        Loss: nodes[0]: a row is its own ancestor; it counts as outermost
        Loss: samples[1]: a sample names no node; it counts without a stack (2 times)"#]]
    .assert_eq(&nodes(r#"{"id": 1, "parent": 1}, {"id": 1}, {"callFrame": {}}"#));
    assert_eq!(
        messages("cpuprofile", "{}"),
        "error: bad: the whole input: expected a call tree under `nodes` or `head`"
    );
    for piece in
        ["{\"head\":{\"children\":[", "{\"nodes\":[", "{\"head\":", "[", "{\"nodes\":[{\"children\":["]
    {
        read("cpuprofile", piece.repeat(30_000).as_bytes());
    }
    let huge = r#"{"nodes": [{"id": 1, "hitCount": 18446744073709551615, "positionTicks": [{"line": 1, "ticks": 18446744073709551615}, {"line": 1, "ticks": 5}]}]}"#;
    assert_eq!(messages("cpuprofile", huge), "");
}

#[test]
fn functions_of_one_name_in_two_files_are_two() {
    // As py-spy writes them: the line is the executed one, so a function has several.
    let text = r#"[
{"ph": "B", "cat": "py-spy", "name": "main", "pid": 1, "tid": 1, "ts": 0, "args": {"filename": "<frozen site>", "line": 603}},
{"ph": "B", "cat": "py-spy", "name": "main", "pid": 1, "tid": 1, "ts": 2, "args": {"filename": "w.py", "line": 19}},
{"ph": "E", "cat": "py-spy", "name": "main", "pid": 1, "tid": 1, "ts": 6, "args": {"filename": "w.py", "line": 19}},
{"ph": "B", "cat": "py-spy", "name": "main", "pid": 1, "tid": 1, "ts": 6, "args": {"filename": "w.py", "line": 23}},
{"ph": "E", "cat": "py-spy", "name": "main", "pid": 1, "tid": 1, "ts": 7, "args": {"filename": "w.py", "line": 23}},
{"ph": "E", "cat": "py-spy", "name": "main", "pid": 1, "tid": 1, "ts": 9, "args": {"filename": "<frozen site>", "line": 603}},
{"ph": "X", "name": "read", "pid": 1, "tid": 1, "ts": 10, "dur": 1, "args": {"filename": "a.txt"}},
{"ph": "X", "name": "read", "pid": 1, "tid": 1, "ts": 12, "dur": 1, "args": {"filename": "b.txt"}}
]"#;
    let profile = read(TRACE, text.as_bytes()).unwrap().value;
    let functions: Vec<(&str, Option<&str>)> = profile
        .functions
        .ids()
        .map(|function| (profile.function_name(function), profile.function_file(function)))
        .collect();
    // A file that a span reads is not the place of its code.
    assert_eq!(functions, [("main", Some("<frozen site>")), ("main", Some("w.py")), ("read", None)]);
    // The spans of a sampler are not calls.
    assert!(profile.parts[0].calls.is_empty() && profile.parts[0].entries.count.is_empty());
}
