//! The small files, one or more of each format.

use lotse_formats::format::FormatKind;
use lotse_formats::recognise::FORMATS;
use lotse_formats::{Reading, read_profile};
use lotse_model::Profile;
use lotse_model::bytes::Memory;
use lotse_model::work::Sequential;

use super::binary;

/// A file with its format and its usual name.
#[derive(Debug)]
pub(crate) struct SmallFile {
    pub(crate) format: &'static str,
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

const TEXTS: &[(&str, &str, &str)] = &[
    (
        "callgrind",
        "callgrind.out.1",
        "version: 1\ncreator: callgrind-3.19\npid: 1\ncmd: ./a\npart: 1\n\
      positions: line\nevents: Ir\nsummary: 9\n\nfl=(1) a.c\nfn=(1) main\n3 5\ncfn=(2) f\ncalls=1 7\n4 4\n\nfn=(2)\n8 4\n\ntotals: 9\n",
    ),
    (
        "cachegrind",
        "cachegrind.out.1",
        "desc: I1 cache: 1\ncmd: ./x\nevents: Ir Dr\nfl=a.c\nfn=f\n5 1 .\n6 2\nsummary: 3 0\n",
    ),
    (
        "xdebug",
        "cachegrind.out.2",
        "version: 1\ncreator: xdebug 3.0.2 (PHP 7.4.14)\ncmd: /a.php\npart: 1\n\
      positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\nfn=(1) php::strlen\n3 5 -16\n\n\
      fl=(2) /a.php\nfn=(2) {main}\n1 9 100\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 5 -16\n\nsummary: 14 84\n",
    ),
    (
        "gprof",
        "a.prof",
        "Flat profile:\n\nEach sample counts as 0.01 seconds.\n\
      \x20 %   cumulative   self              self     total           \n\
      \x20time   seconds   seconds    calls  ms/call  ms/call  name    \n\
      \x2075.00      0.06     0.06        4     0.00     0.00  init\n\
      \x2025.00      0.08     0.02        1    20.00    20.00  main\n\n",
    ),
    (
        "perf-script",
        "a.perf",
        "# cmdline : perf record --call-graph dwarf ./prog\n\
      prog 7/8 [000] 1.5: 1000 cycles:u:\n\t1163 f+0x1a (/bin/prog)\n\t1170 main (/bin/prog)\n\n\
      prog 7/8 [000] 1.6: 1000 cycles:u:\n\t1170 main (/bin/prog)\n\n",
    ),
    (
        "pprof-legacy",
        "a.heap",
        "heap profile:      3:     3072 [     5:     4096] @ heap_v2/524288\n\
      \x20    2:     2048 [     3:     2048] @ 0x401010 0x401020\n\
      \x20    1:     1024 [     2:     2048] @ 0x401030\nMAPPED_LIBRARIES:\n\
      00400000-00402000 r-xp 00000000 00:00 1 /bin/prog\n",
    ),
    ("collapsed", "a.folded", "main;f 3\nmain;g 12\nmain 4\n"),
    (
        "firefox",
        "profile.json",
        r#"{"meta": {"preprocessedProfileVersion": 50}, "threads": [{"name": "t", "stringArray": ["f", "g"],
"samples": {"stack": [0, 1], "weight": [64, 3], "weightType": "bytes"},
"stackTable": {"prefix": [null, 0], "frame": [0, 1]}, "frameTable": {"func": [0, 1]}, "funcTable": {"name": [0, 1]}}]}"#,
    ),
    (
        "gecko",
        "gecko.json",
        r#"{"meta": {"version": 12, "startTime": 1000, "interval": 1, "product": "Firefox"}, "libs": [],
"threads": [{"name": "GeckoMain", "pid": 5, "tid": 6,
 "samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 0.5], [null, 1.5], [0, 2]]},
 "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0], [0, 1]]},
 "frameTable": {"schema": {"location": 0}, "data": [[0], [1]]}, "stringTable": ["(root)", "f (a.js:40:2)"]}]}"#,
    ),
    (
        "speedscope",
        "a.speedscope.json",
        r#"{"$schema": "https://www.speedscope.app/file-format-schema.json",
"shared": {"frames": [{"name": "main"}, {"name": "f"}]},
"profiles": [{"type": "sampled", "name": "one", "unit": "milliseconds", "startValue": 0, "endValue": 5,
 "samples": [[0], [0, 1]], "weights": [2, 3]}]}"#,
    ),
    (
        "chrome-trace",
        "trace.json",
        r#"{"traceEvents": [{"ph": "B", "name": "run", "pid": 7, "tid": 8, "ts": 10},
{"ph": "X", "name": "load", "pid": 7, "tid": 8, "ts": 11.5, "dur": 2.25}, {"ph": "E", "pid": 7, "tid": 8, "ts": 20}]}"#,
    ),
    (
        "chrome-trace",
        "events.json",
        r#"[{"ph": "X", "name": "load", "pid": 7, "tid": 8, "ts": 1, "dur": 2}]"#,
    ),
    (
        "cpuprofile",
        "a.cpuprofile",
        r#"{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2]},
{"id": 2, "callFrame": {"functionName": "f", "url": "a.js", "lineNumber": 9}}],
"startTime": 1, "endTime": 900, "samples": [2, 1, 2], "timeDeltas": [100, 250, 300]}"#,
    ),
    (
        "heaptrack",
        "heaptrack.a.1",
        "v 10400 3\nX ./a b\nI 1000 10\ns 3 exe\ns 4 main\ns 3 a.c\ns 5 inner\n\
      i 10 1 2 3 7\nt 1 0\ni 20 1 4 3 5 2 3 6\nt 2 1\na 8 2\n+ 0\n- 0\n+ 0\na 2 0\n+ 1\nc a\nR 5\n# end\n",
    ),
    (
        "dhat",
        "dhat.out.1",
        r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false,
"tu":"instrs","Mtu":"Minstr","tuth":500,"cmd":"./t","pid":7,"te":9,"tg":8,
"pps":[{"tb":10,"tbk":2,"tl":3,"mb":10,"mbk":2,"gb":5,"gbk":1,"eb":1,"ebk":1,"fs":[1,2]},
 {"tb":20,"tbk":1,"tl":4,"mb":20,"mbk":1,"gb":20,"gbk":1,"eb":0,"ebk":0,"fs":[2]}],
"ftbl":["[root]","0x10: malloc (in /vg.so)","0x20: main (a.c:9)"]}"#,
    ),
    (
        "stackprof",
        "stackprof.json",
        r#"{"version":1.2,"mode":"wall","interval":1000,"samples":5,"gc_samples":0,"missed_samples":0,"metadata":{},
"frames":{"9":{"name":"Object#main","file":"a.rb","line":1,"total_samples":5,"samples":2,"edges":{"7":3},"lines":{"2":[5,2]}},
 "7":{"name":"Object#f","file":"a.rb","line":5,"total_samples":3,"samples":3,"lines":{"6":[3,3]}}},
"raw":[2,9,7,3,1,9,2],"raw_sample_timestamps":[10,11,12,13,14],"raw_timestamp_deltas":[1,1,1,1,1]}"#,
    ),
    (
        "massif",
        "massif.out.1",
        "desc: (none)\ncmd: ./a b\ntime_unit: ms\n#-----------\nsnapshot=0\n#-----------\n\
      time=5\nmem_heap_B=100\nmem_heap_extra_B=8\nmem_stacks_B=3\nheap_tree=peak\n\
      n1: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n0: 100 0x2: main (a.c:9)\n",
    ),
];

/// Recorded by stackprof in the mode `custom`.
const STACKPROF: &[u8] = include_bytes!("../../../../fuzz/corpus/stackprof/seed-custom");

/// The small files of all formats.
pub(crate) fn all() -> Vec<SmallFile> {
    let texts = TEXTS.iter().map(|&(format, name, text)| SmallFile { format, name, bytes: text.into() });
    let binary = [
        SmallFile { format: "pstats", name: "a.pstats", bytes: binary::pstats() },
        SmallFile { format: "stackprof", name: "stackprof.dump", bytes: STACKPROF.into() },
        SmallFile { format: "gmon", name: "gmon.out", bytes: binary::gmon() },
        SmallFile { format: "perf-data", name: "perf.data", bytes: binary::perf_data() },
        SmallFile { format: "pprof", name: "a.pb", bytes: binary::pprof() },
        SmallFile { format: "pprof-legacy", name: "a.prof", bytes: binary::pprof_legacy() },
    ];
    texts.chain(binary).collect()
}

/// Reads bytes by their content.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Reading<Profile> {
    let reading = read_profile(&Memory { name, bytes }, None, &Sequential);
    let reading = reading.unwrap_or_else(|error| panic!("{name}: {error}"));
    reading.value.check().unwrap();
    reading
}

#[test]
fn every_format_has_a_complete_small_file() {
    let all = all();
    for format in FORMATS.iter().filter(|format| format.kind() == FormatKind::Profile) {
        assert!(all.iter().any(|small| small.format == format.id), "{} has no small file", format.id);
    }
    for SmallFile { format, name, bytes } in &all {
        let reading = read(name, bytes);
        assert_eq!(reading.format_id, *format);
        assert_eq!(reading.diagnostics, [], "{format}");
        let parts = &reading.value.parts;
        assert!(
            parts.iter().any(|part| !part.samples.is_empty() || !part.own.function.is_empty()),
            "{format}"
        );
        assert!(!reading.value.events.is_empty() && !reading.value.functions.is_empty(), "{format}");
    }
}
