//! The same run in many formats: the same stacks, the same costs.

use std::collections::BTreeMap;

use lotse_model::Profile;

use super::small::read;

/// The cost of each stack in one event type, outermost frame first.
fn stacks(profile: &Profile, event: &str) -> BTreeMap<String, i128> {
    let column = profile.events.iter().position(|it| it.name == event);
    let column = column.unwrap_or_else(|| panic!("no {event} in {:?}", profile.events));
    let mut sums = BTreeMap::new();
    for part in profile.parts.iter().filter(|part| part.selected) {
        for (row, &stack) in part.samples.stack.iter().enumerate() {
            let frames = profile.stacks.frames(stack).map(|frame| profile.frames.get(frame).function);
            let mut names: Vec<&str> = frames.map(|function| profile.function_name(function)).collect();
            names.reverse();
            *sums.entry(names.join(";")).or_insert(0) += part.samples.costs.value(row, column);
        }
    }
    sums.retain(|_, cost| *cost != 0);
    sums
}

/// The run: stacks with their number of samples.
const RUN: [(&str, i128); 4] = [("main", 4), ("main;f", 3), ("main;f;f", 1), ("main;g", 2)];

fn check(format: &str, event: &str, scale: i128, text: &str) {
    let reading = read("-", text.as_bytes());
    assert_eq!(reading.format_id, format);
    assert_eq!(reading.diagnostics, [], "{format}");
    let expected: BTreeMap<String, i128> =
        RUN.iter().map(|&(stack, cost)| (stack.to_owned(), cost * scale)).collect();
    assert_eq!(stacks(&reading.value, event), expected, "{format}");
}

/// Each sample of the run, repeated.
fn samples() -> impl Iterator<Item = &'static str> {
    RUN.iter().flat_map(|&(stack, count)| std::iter::repeat_n(stack, count as usize))
}

#[test]
fn lines_of_text() {
    let collapsed: String = RUN.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect();
    check("collapsed", "samples", 1, &collapsed);
    let one_by_one: String = samples().map(|stack| format!("{stack} 1\n")).collect();
    check("collapsed", "samples", 1, &one_by_one);

    let script = |head: &str| -> String {
        let samples = samples().map(|stack| {
            let frames: Vec<String> =
                stack.split(';').rev().map(|name| format!("\t10 {name} (/a)\n")).collect();
            format!("{head}\n{}\n", frames.concat())
        });
        let samples: String = samples.collect();
        format!("# cmdline : perf record --call-graph dwarf ./a\n{samples}")
    };
    check("perf-script", "cycles", 7, &script("a 1 1.5: 7 cycles:"));
    check("perf-script", "cycles", 1, &script("a 1/2 [003] 1.5: cycles:"));
    check("perf-script", "samples", 1, &script("a 1 1.5: 7 cycles:"));
    check("perf-script", "cpu-clock:u", 1, &script("a 1 cpu-clock:u:"));
}

/// Numbers of the names in a stack: `main` 0, `f` 1, `g` 2.
fn rows(stack: &str) -> String {
    let row = |name: &str| ["main", "f", "g"].iter().position(|it| *it == name).unwrap().to_string();
    stack.split(';').map(row).collect::<Vec<_>>().join(",")
}

#[test]
fn speedscope_sampled_and_evented() {
    let frames = r#""shared": {"frames": [{"name": "main"}, {"name": "f"}, {"name": "g"}]}"#;
    let samples: Vec<String> = RUN.iter().map(|(stack, _)| format!("[{}]", rows(stack))).collect();
    let weights: Vec<String> = RUN.iter().map(|(_, cost)| cost.to_string()).collect();
    let sampled = format!(
        r#"{{{frames}, "profiles": [{{"type": "sampled", "name": "a", "unit": "microseconds", "startValue": 0,
"endValue": 10, "samples": [{}], "weights": [{}]}}]}}"#,
        samples.join(","),
        weights.join(",")
    );
    check("speedscope", "time", 1000, &sampled);

    let event = |(kind, at, frame): (&str, u32, u32)| {
        format!(r#"{{"type": "{kind}", "at": {at}, "frame": {frame}}}"#)
    };
    let events = [
        ("O", 0, 0),
        ("O", 4, 1),
        ("O", 7, 1),
        ("C", 8, 1),
        ("C", 8, 1),
        ("O", 8, 2),
        ("C", 10, 2),
        ("C", 10, 0),
    ];
    let evented = format!(
        r#"{{{frames}, "profiles": [{{"type": "evented", "name": "a", "unit": "milliseconds", "startValue": 0,
"endValue": 10, "events": [{}]}}]}}"#,
        events.map(event).join(",")
    );
    check("speedscope", "time", 1_000_000, &evented);
}

#[test]
fn spans_of_a_trace() {
    let begins = r#"[{"ph":"B","name":"main","pid":1,"tid":1,"ts":0},{"ph":"B","name":"f","pid":1,"tid":1,"ts":4},
{"ph":"B","name":"f","pid":1,"tid":1,"ts":7},{"ph":"E","pid":1,"tid":1,"ts":8},{"ph":"E","pid":1,"tid":1,"ts":8},
{"ph":"B","name":"g","pid":1,"tid":1,"ts":8},{"ph":"E","pid":1,"tid":1,"ts":10},{"ph":"E","pid":1,"tid":1,"ts":10}]"#;
    check("chrome-trace", "time", 1000, begins);
    let whole = r#"{"traceEvents": [{"ph":"X","name":"main","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"f","pid":1,"tid":1,"ts":4,"dur":4},{"ph":"X","name":"f","pid":1,"tid":1,"ts":7,"dur":1},
{"ph":"X","name":"g","pid":1,"tid":1,"ts":8,"dur":2}]}"#;
    check("chrome-trace", "time", 1000, whole);
}

/// Nodes of the call tree: 1 `main`, 2 `f`, 3 `f` in `f`, 4 `g`.
#[test]
fn trees_of_v8() {
    let node = |id: u32, name: &str, hits: i128, children: &str| {
        format!(
            r#"{{"id": {id}, "callFrame": {{"functionName": "{name}"}}, "hitCount": {hits}, "children": [{children}]}}"#
        )
    };
    let nodes = [node(1, "main", 4, "2, 4"), node(2, "f", 3, "3"), node(3, "f", 1, ""), node(4, "g", 2, "")]
        .join(",");
    check("cpuprofile", "samples", 1, &format!(r#"{{"nodes": [{nodes}]}}"#));
    let samples = r#""samples": [1,1,1,1,2,2,2,3,4,4], "timeDeltas": [5,5,5,5,5,5,5,5,5,5]"#;
    let timed = format!(r#"{{"nodes": [{nodes}], "startTime": 0, "endTime": 55, {samples}}}"#);
    check("cpuprofile", "samples", 1, &timed);
    check("cpuprofile", "time", 5000, &timed);
}

#[test]
fn tables_of_firefox() {
    let processed = r#"{"meta": {"preprocessedProfileVersion": 50}, "threads": [{"name": "t", "stringArray": ["main", "f", "g"],
"samples": {"stack": [0, 1, 2, 3, 0], "weight": [1, 3, 1, 2, 3], "weightType": "samples"},
"stackTable": {"prefix": [null, 0, 1, 0], "frame": [0, 1, 1, 2]},
"frameTable": {"func": [0, 1, 2]}, "funcTable": {"name": [0, 1, 2]}}]}"#;
    check("firefox", "weight", 1, processed);
    let raw = r#"{"meta": {"version": 12, "startTime": 0, "interval": 1, "product": "Firefox"}, "libs": [],
"threads": [{"name": "GeckoMain", "samples": {"schema": {"stack": 0, "time": 1},
  "data": [[0, 0], [0, 1], [0, 2], [0, 3], [1, 4], [1, 5], [1, 6], [2, 7], [3, 8], [3, 9]]},
 "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1], [1, 1], [0, 2]]},
 "frameTable": {"schema": {"location": 0}, "data": [[0], [1], [2]]}, "stringTable": ["main", "f", "g"]}]}"#;
    check("gecko", "samples", 1, raw);
}

/// The run as memory: what `main`, `f` and `g` hold.
#[test]
fn memory() {
    let point = |cost: u32, frames: &str| format!(r#"{{"tb":{cost},"tbk":1,"fs":[{frames}]}}"#);
    let points = [point(4, "1"), point(3, "2,1"), point(1, "2,2,1"), point(2, "3,1")].join(",");
    let table = r#"["[root]","0x1: main (a.c:1)","0x2: f (a.c:2)","0x3: g (a.c:3)"]"#;
    let dhat =
        format!(r#"{{"dhatFileVersion":2,"mode":"copy","tu":"instrs","pps":[{points}],"ftbl":{table}}}"#);
    check("dhat", "total_bytes", 1, &dhat);

    let massif = "desc: (none)\ncmd: a\ntime_unit: i\nsnapshot=0\ntime=0\nmem_heap_B=10\nmem_heap_extra_B=0\n\
        mem_stacks_B=0\nheap_tree=peak\nn3: 10 (heap allocation functions) malloc\n n0: 4 0x1: main (a.c:1)\n \
        n2: 4 0x2: f (a.c:2)\n  n0: 3 0x1: main (a.c:1)\n  n1: 1 0x4: f (a.c:2)\n   n0: 1 0x1: main (a.c:1)\n \
        n1: 2 0x3: g (a.c:3)\n  n0: 2 0x1: main (a.c:1)\n";
    check("massif", "mem_heap_B", 1, massif);

    let heaptrack = "v 10400 3\nX a\ns 4 main\ns 1 f\ns 1 g\ni 1 0 1\ni 2 0 2\ni 3 0 3\nt 1 0\nt 2 1\nt 2 2\nt 3 1\n\
        a 4 1\na 3 2\na 1 3\na 2 4\n+ 0\n+ 1\n+ 2\n+ 3\n";
    check("heaptrack", "allocated_bytes", 1, heaptrack);
    check("heaptrack", "peak", 1, heaptrack);
}
