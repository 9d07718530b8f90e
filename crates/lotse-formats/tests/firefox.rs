//! Firefox profiles, processed and unprocessed: ordinary, old, new and hostile ones.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "firefox/check.rs"]
mod check;

use check::{check, fixtures, messages, read};
use expect_test::expect;

#[test]
fn files_of_others() {
    fixtures("firefox-json", "firefox");
    fixtures("gecko-json", "gecko");
}

#[test]
fn tables_in_the_thread() {
    let text = r#"{"meta": {"product": "x", "interval": 1, "preprocessedProfileVersion": 41,
 "sampleUnits": {"threadCPUDelta": "µs"}},
"libs": [{"name": "libx.so", "path": "/lib/libx.so", "debugName": "libx.so"}],
"threads": [{"name": "main", "processName": "app", "pid": "12", "tid": 34,
 "samples": {"length": 4, "stack": [2, null, 1, 3], "time": [1.5, 2, 3.25, 4], "weight": [1, 4, 1, 2],
  "weightType": "samples", "threadCPUDelta": [10, null, 0, 7]},
 "stackTable": {"length": 4, "prefix": [null, 0, 1, 2], "frame": [0, 1, 2, 3]},
 "frameTable": {"length": 4, "address": [-1, 4096, 4100, 4100], "inlineDepth": [0, 0, 0, 1], "func": [0, 1, 2, 3],
  "line": [null, null, 17, 3]},
 "funcTable": {"length": 4, "name": [0, 1, 2, 4], "isJS": [false, false, false, false], "resource": [-1, 0, 0, 0],
  "fileName": [null, null, 3, 3], "lineNumber": [null, null, 12, 2]},
 "resourceTable": {"length": 1, "lib": [0], "name": [0], "type": [1]},
 "stringArray": ["(root)", "0x1000", "f", "f.c", "g"]}]}"#;
    check(
        "profile.json",
        "firefox",
        text,
        &expect![[r#"
        events: samples [count], weight [count], threadCPUDelta [us]
        function 0x1000 in /lib/libx.so at -:0
        function f in /lib/libx.so at f.c:12
        function g in /lib/libx.so at f.c:2
        unresolved 0x1000 = 0x1000
        part app: main 12/34
          (root);0x1000;f 1 1 10 @1500000
           1 4 0 @2000000
          (root);0x1000 1 1 0 @3250000
          (root);0x1000;f;g 1 2 7 @4000000
    "#]],
    );
}

#[test]
fn tables_that_threads_share() {
    let text = r#"{"meta": {"preprocessedProfileVersion": 60}, "libs": [],
"shared": {"stringArray": ["a", "b", "page.html"], "sources": {"filename": [2]},
 "stackTable": {"prefix": [null, 0], "frame": [0, 1]}, "frameTable": {"func": [0, 1], "line": [5, null]},
 "funcTable": {"name": [0, 1], "source": [0, null], "resource": [-1, -1], "lineNumber": [4, null], "isJS": [true, true]}},
"threads": [
 {"name": "one", "samples": {"stack": [1, 0], "timeDeltas": [1, 0.5], "weight": null}},
 {"name": "two", "samples": {"stack": [0], "time": [3], "weight": [-2.5], "weightType": "tracing-ms"}}]}"#;
    check(
        "profile.json",
        "firefox",
        text,
        &expect![[r#"
        events: samples [count], tracing-ms [ns]
        function a in - at page.html:4
        part one -/-
          a;b 1 0 @1000000
          a 1 0 @1500000
        part two -/-
          a 1 -2500000 @3000000
    "#]],
    );
}

#[test]
fn the_oldest_form() {
    let text = r#"{"meta": {"interval": 1, "version": 3}, "threads": [{"name": "GeckoMain",
"libs": [{"name": "/app/firefox", "start": 4096, "end": 8192}],
"frameTable": {"func": [0, 1], "address": [-1, 16], "line": [34, null]},
"funcTable": {"name": [0, 1], "resource": [-1, 0], "address": [-1, 16], "isJS": [true, false]},
"resourceTable": {"type": [1], "lib": [0]}, "stackTable": {"prefix": [null, 0], "frame": [0, 1]},
"stringArray": ["frob (chrome://blargh:34)", "0x1010"], "samples": {"stack": [1], "time": [0], "weight": [800]}}]}"#;
    check(
        "p.json",
        "firefox",
        text,
        &expect![[r#"
        events: samples [count], weight [count]
        function frob in - at chrome://blargh:34
        function 0x1010 in /app/firefox at -:0
        unresolved 0x1010 = 0x10
        part GeckoMain -/-
          frob;0x1010 1 800 @0
    "#]],
    );
}

#[test]
fn weights_may_be_bytes() {
    let text = r#"{"meta": {"preprocessedProfileVersion": 50}, "threads": [{"name": "t", "stringArray": ["f"],
"samples": {"stack": [0, 0], "weight": [64, 9007199254740993], "weightType": "bytes"},
"stackTable": {"prefix": [null], "frame": [0]}, "frameTable": {"func": [0]}, "funcTable": {"name": [0]}}]}"#;
    check(
        "p.json",
        "firefox",
        text,
        &expect![[r#"
        events: samples [count], bytes [bytes]
        part t -/-
          f 1 64
          f 1 9007199254740993
    "#]],
    );
}

#[test]
fn samples_without_weights_weigh_one_beside_weighted_ones() {
    let thread = |name: &str, weight: &str| {
        format!(
            r#"{{"name": "{name}", "samples": {{"length": 2, "stack": [0, 0], "time": [0, 1], "weight": {weight},
 "weightType": "samples"}}, "stackTable": {{"prefix": [null], "frame": [0]}}, "frameTable": {{"func": [0]}},
 "funcTable": {{"name": [0]}}, "stringArray": ["{name}"]}}"#
        )
    };
    let file = |threads: [String; 2]| {
        format!(r#"{{"meta": {{"interval": 1}}, "threads": [{}]}}"#, threads.join(","))
    };
    let text = file([thread("a", "null"), thread("b", "[2, 3]")]);
    let profile = read("firefox", text.as_bytes()).unwrap().value;
    let weight = profile.events.iter().position(|event| event.name == "weight").unwrap();
    let totals: Vec<i128> = profile.parts.iter().map(|part| part.samples.costs.total(weight)).collect();
    assert_eq!(totals, [2, 5]);
    let plain = read("firefox", file([thread("a", "null"), thread("b", "null")]).as_bytes()).unwrap().value;
    assert_eq!(plain.events.len(), 1);
}

#[test]
fn hostile_tables() {
    let thread = |tables: &str| {
        let samples =
            r#""samples": {"stack": [0, 1, 4294967295, 1e30], "time": [0, 1]}, "stringArray": ["f"]"#;
        messages("firefox", &format!(r#"{{"meta": {{}}, "threads": [{{{samples}, {tables}}}]}}"#))
    };
    expect![[r#"
        Loss: threads[0].stackTable[0]: the parent of a stack is not an earlier one; it counts as outermost
        Loss: threads[0].samples.stack[2]: a sample names a stack that is missing; it counts without one (2 times)
        Note: : there are not as many times as samples"#]].assert_eq(&thread(r#""stackTable": {"prefix": [1, 0], "frame": [0, 0]}, "frameTable": {"func": [0]}, "funcTable": {"name": [0]}"#));
    expect![[r#"
        Note: threads[0].funcTable[0]: the name of a function is missing
        Note: threads[0].frameTable[0]: the function of a frame is missing; it counts as `(missing)`
        Loss: threads[0].stackTable[0]: the parent of a stack is not an earlier one; it counts as outermost
        Loss: threads[0].stackTable[0]: the frame of a stack is missing; the stack below is taken
        Loss: threads[0].samples.stack[0]: a sample names a stack that is missing; it counts without one (4 times)
        Note: : there are not as many times as samples"#]].assert_eq(&thread(r#""stackTable": {"prefix": [0, null], "frame": [7]}, "frameTable": {"func": [3]}, "funcTable": {"name": [9]}"#));
    expect![[r#"
        Note: threads[0].funcTable[0]: the name of a function is missing
        Note: threads[0].frameTable[0]: the function of a frame is missing; it counts as `(missing)`
        Loss: threads[0].samples.stack[2]: a sample names a stack that is missing; it counts without one (2 times)
        Note: : there are not as many times as samples"#]].assert_eq(&thread(r#""stackTable": {"frame": [0, 0]}, "frameTable": {"func": [8]}, "funcTable": {"name": [9], "resource": [7]}"#));
    assert_eq!(
        messages("firefox", "{}"),
        "error: bad: the whole input: expected a list of threads under `threads`"
    );
    for piece in
        ["[", "{\"threads\":[", "{\"meta\":", "{\"threads\":[{\"samples\":{\"stack\":[", "{\"shared\":"]
    {
        read("firefox", piece.repeat(30_000).as_bytes());
        read("gecko", piece.repeat(30_000).as_bytes());
    }
}

const GECKO: &str = r#"{"meta": {"version": 12, "startTime": 1000, "interval": 1, "product": "Firefox",
 "sampleUnits": {"threadCPUDelta": "ns"}},
"libs": [{"start": 4096, "end": 8192, "path": "/lib/x.so", "breakpadId": "A0"}],
"threads": [{"name": "GeckoMain", "processName": "Web", "pid": 5, "tid": 6,
 "samples": {"schema": {"stack": 0, "time": 1, "threadCPUDelta": 3}, "data": [[2, 0.5, 0, 900], [null, 1.5], [1]]},
 "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1], [1, 2]]},
 "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0], [1, 44], [2]]},
 "stringTable": ["(root)", "f (https://a/b.js -> https://a/c.js:40:2)", "0x1010"]}],
"processes": [PROCESS]}"#;

const PROCESS: &str = r#"{"meta": {"startTime": 1010}, "libs": [], "threads": [{"name": "tab",
 "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1]]},
 "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0]]},
 "frameTable": {"schema": {"location": 0}, "data": [[0]]}, "stringTable": ["0x1010"]}]}"#;

#[test]
fn rows_with_a_schema() {
    check(
        "gecko.json",
        "gecko",
        &GECKO.replace("PROCESS", PROCESS),
        &expect![[r#"
            events: samples [count], threadCPUDelta [ns]
            function f in - at https://a/c.js:40
            function 0x1010 in /lib/x.so at -:0
            unresolved 0x1010 = 0x10
            part Web: GeckoMain 5/6
              (root);f;0x1010 1 900 @500000
               1 0 @1500000
              (root);f 1 0 @1500000
            part tab -/-
              0x1010 1 0 @11000000
            Note: process 0, threads[0].samples[2]: a sample has no time; that of the one before is taken
        "#]],
    );
}

#[test]
fn processes_and_threads_may_be_strings() {
    let objects = read("gecko", GECKO.replace("PROCESS", PROCESS).as_bytes()).unwrap();
    let packed = serde_json::to_string(PROCESS).unwrap();
    let texts = read("gecko", GECKO.replace("PROCESS", &packed).as_bytes()).unwrap();
    assert_eq!(texts.value, objects.value);
    let wrapped = format!(r#"{{"label": "a", "profile": {}}}"#, GECKO.replace("PROCESS", &packed));
    assert_eq!(read("gecko", wrapped.as_bytes()).unwrap().value, objects.value);
    let cut = serde_json::to_string(&PROCESS[..PROCESS.len() / 2]).unwrap();
    let cut = messages("gecko", &GECKO.replace("PROCESS", &cut));
    assert!(
        cut.starts_with("Loss: processes: the JSON inside a text is damaged; what came before is kept"),
        "{cut}"
    );
}

#[test]
fn hostile_rows() {
    let thread = |text: &str| messages("gecko", &format!(r#"{{"threads": [{{{text}}}]}}"#));
    let samples = r#""samples": {"schema": {"stack": 0}, "data": [[0], [1], [5], [-3], ["x"], [], 7]}"#;
    let stacks = r#""stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[0, 0], [1], [null, 99]]}"#;
    let frames = r#""frameTable": {"schema": {"location": 18446744073709551615}, "data": [[0], [[0]]]}"#;
    expect![[r#"
        Note: process 0, threads[0].frameTable[0]: the name of a frame is missing (2 times)
        Loss: process 0, threads[0].stackTable[0]: the parent of a stack is not an earlier one; it counts as outermost (2 times)
        Loss: process 0, threads[0].stackTable[1]: the frame of a stack is missing; the stack below is taken (2 times)
        Note: process 0, threads[0].samples[0]: a sample has no time; that of the one before is taken (7 times)
        Loss: process 0, threads[0].samples[1]: a sample names a stack that is missing; it counts without one (3 times)"#]].assert_eq(&thread(&format!("{samples}, {stacks}, {frames}")));
    expect![[r#"
        Note: process 0, threads[0].samples[0]: a sample has no time; that of the one before is taken (7 times)
        Loss: process 0, threads[0].samples[0]: a sample names a stack that is missing; it counts without one (4 times)"#]].assert_eq(&thread(samples));
    let mut packed = GECKO.replace("PROCESS", "");
    for _ in 0..6 {
        packed = GECKO.replace("PROCESS", &serde_json::to_string(&packed).unwrap());
    }
    assert_eq!(read("gecko", packed.as_bytes()).unwrap().value.parts.len(), 7);
}

#[test]
fn libraries_are_known_by_the_ids_that_are_stated() {
    let guid = "0011223344556677889900AABBCCDDEE";
    for (ids, expected) in [
        (
            r#""codeId": "0123456789ABCDEF0123456789abcdef01234567", "breakpadId": "00""#,
            "0123456789abcdef0123456789abcdef01234567",
        ),
        (&format!(r#""codeId": null, "breakpadId": "{guid}0""#), "0011223344556677889900aabbccddee"),
        // The time and size of a Windows program identify less than the GUID of its debug information.
        (
            &format!(r#""codeId": "5CA3F1E01A000", "breakpadId": "{guid}1""#),
            "0011223344556677889900aabbccddee",
        ),
        (r#""codeId": "0123456789abcdef""#, "0123456789abcdef"),
        (r#""breakpadId": "000000000000000000000000000000000""#, ""),
    ] {
        let processed = format!(
            r#"{{"meta": {{"preprocessedProfileVersion": 50, "startTime": 1700000000000}},
            "libs": [{{"name": "x.so", "path": "/lib/x.so", {ids}}}],
            "threads": [{{"name": "t", "samples": {{"stack": [0]}}, "stringArray": ["0x10"],
            "stackTable": {{"prefix": [null], "frame": [0]}}, "frameTable": {{"address": [16], "func": [0]}},
            "funcTable": {{"name": [0], "resource": [0]}}, "resourceTable": {{"lib": [0]}}}}]}}"#
        );
        let raw = format!(
            r#"{{"meta": {{"interval": 1, "startTime": 1700000000000}},
            "libs": [{{"start": 4096, "end": 8192, "path": "/lib/x.so", {ids}}}],
            "threads": [{{"name": "t", "samples": {{"schema": {{"stack": 0, "time": 1}}, "data": [[0, 1]]}},
            "stackTable": {{"schema": {{"prefix": 0, "frame": 1}}, "data": [[null, 0]]}},
            "frameTable": {{"schema": {{"location": 0}}, "data": [[0]]}}, "stringTable": ["0x1010"]}}]}}"#
        );
        for (format, text) in [("firefox", processed), ("gecko", raw)] {
            let profile = check::read(format, text.as_bytes()).unwrap().value;
            let object = profile.functions.object[0];
            assert_eq!(profile.object_name(object), Some("/lib/x.so"), "{format}");
            let build = profile.build(object).map(ToString::to_string).unwrap_or_default();
            assert_eq!(build, expected, "{format} {ids}");
            assert_eq!(profile.recorded, Some(1_700_000_000_000_000_000), "{format}");
        }
    }
}
