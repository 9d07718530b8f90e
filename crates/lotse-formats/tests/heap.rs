//! heaptrack, DHAT and Massif: files of other people, files made while testing, and the output of the tools about them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a test makes files")]

#[path = "heap/check.rs"]
mod check;

use expect_test::expect;

use check::{check, fixture, scratch, tool, total_of};

/// A program with recursion, inlining, leaks and temporary memory.
const PROGRAM: &str = r#"
#include <stdlib.h>
#include <string.h>
volatile char *sink;
static inline __attribute__((always_inline)) char *inner(size_t size) {
  char *block = malloc(size);
  memset(block, 1, size);
  return block;
}
static inline __attribute__((always_inline)) char *middle(size_t size) { return inner(size); }
__attribute__((noinline)) int down(int depth) {
  char *block = malloc(depth + 1);
  sink = block;
  int below = depth ? down(depth - 1) : 0;
  free(block);
  return below + 1;
}
int main(void) {
  char *blocks[100];
  for (int i = 0; i < 100; i++) blocks[i] = middle(i + 1);
  for (int i = 0; i < 50; i++) free(blocks[i]);
  for (int i = 0; i < 20; i++) { sink = malloc(1000); sink[7] = 1; free((void *)sink); }
  return down(10) == 11 && blocks[60][3] == 1 ? 0 : 1;
}
"#;

fn program(name: &str) -> Option<std::path::PathBuf> {
    let place = scratch(name);
    std::fs::write(place.join("program.c"), PROGRAM).unwrap();
    tool(&place, "gcc", &["-g", "-O1", "program.c", "-o", "program"])?;
    Some(place)
}

#[test]
fn heaptrack_of_others() {
    let Some(bytes) = fixture("heaptrack/heaptrack__heaptrack.david.18594.gz") else { return };
    check(
        "heaptrack.david.18594.gz",
        &bytes,
        "heaptrack",
        &expect![[r#"
        functions 488 files 82 objects 12 stacks 1466 parts 1 data 274 unresolved 0
        command Some("./david") creator Some("heaptrack 1.0.0")
        allocations count 2896
        allocated_bytes bytes 132794486
        deallocations count 2859
        temporary count 729
        leaked bytes 30463
        peak bytes 996970
        part 1: own 0 calls 0 samples 274
    "#]],
    );
    let Some(bytes) = fixture("heaptrack/heaptrack__heaptrack.heaptrack_gui.99454.zst") else { return };
    let profile = check::read("heaptrack.heaptrack_gui.99454.zst", &bytes, "heaptrack");
    expect![[r#"
        functions 9242 files 153 objects 112 stacks 316715 parts 1 data 76465 unresolved 0
        command Some("heaptrack_gui heaptrack.trest_c.78689.zst") creator Some("heaptrack 1.2.80")
        allocations count 278534
        allocated_bytes bytes 117696682
        deallocations count 263117
        temporary count 35481
        leaked bytes 1047379
        peak bytes 12222213
        part 1: own 0 calls 0 samples 76465
    "#]]
    .assert_eq(&check::summary(&profile));
}

/// A size as heaptrack prints it: `996.97K`, in thousands.
fn printed(bytes: i128) -> String {
    let units = [(1_000_000_i128, "M"), (1000, "K"), (1, "B")];
    let (size, unit) = units.into_iter().find(|&(size, _)| bytes >= size).unwrap_or((1, "B"));
    if size == 1 { format!("{bytes}{unit}") } else { format!("{:.2}{unit}", bytes as f64 / size as f64) }
}

fn as_heaptrack_prints(path: &std::path::Path, profile: &lotse_model::Profile) {
    let plain = ["--disable-builtin-suppressions", "--disable-embedded-suppressions", "-f"];
    let arguments: Vec<&str> = plain.into_iter().chain([path.to_str().unwrap()]).collect();
    let Some(text) = tool(path.parent().unwrap(), "heaptrack_print", &arguments) else { return };
    for (title, event, bytes) in [
        ("calls to allocation functions: ", "allocations", false),
        ("temporary memory allocations: ", "temporary", false),
        ("peak heap memory consumption: ", "peak", true),
        ("total memory leaked: ", "leaked", true),
    ] {
        let line = text.lines().find_map(|line| line.strip_prefix(title)).unwrap();
        let theirs = line.split(' ').next().unwrap();
        let ours = total_of(profile, event);
        assert_eq!(if bytes { printed(ours) } else { ours.to_string() }, theirs, "{title}");
    }
}

#[test]
fn heaptrack_prints_what_is_read() {
    for name in ["heaptrack__heaptrack.david.18594.gz", "heaptrack__heaptrack.heaptrack_gui.99454.zst"] {
        let Some(bytes) = fixture(&format!("heaptrack/{name}")) else { return };
        let place = scratch(name);
        std::fs::write(place.join(name), &bytes).unwrap();
        as_heaptrack_prints(&place.join(name), &check::read(name, &bytes, "heaptrack"));
    }
}

#[test]
fn heaptrack_made_now() {
    let Some(place) = program("heaptrack") else { return };
    if tool(&place, "heaptrack", &["-o", "whole", "./program"]).is_none() {
        return;
    }
    let bytes = std::fs::read(place.join("whole.zst")).unwrap();
    let whole = check::read("whole.zst", &bytes, "heaptrack");
    as_heaptrack_prints(&place.join("whole.zst"), &whole);
    assert_eq!(total_of(&whole, "allocations"), 131 + i128::from(other_allocations(&whole)));
    let names: Vec<&str> = whole.functions.ids().map(|id| whole.function_name(id)).collect();
    for expected in ["inner", "middle", "down", "main"] {
        assert!(names.contains(&expected), "{names:?}");
    }

    tool(&place, "heaptrack", &["--raw", "-o", "raw", "./program"]).unwrap();
    let bytes = std::fs::read(place.join("raw.raw.zst")).unwrap();
    let raw = check::read("raw.raw.zst", &bytes, "heaptrack");
    for event in ["allocations", "allocated_bytes", "deallocations", "leaked", "peak"] {
        assert_eq!(total_of(&raw, event), total_of(&whole, event), "{event}");
    }
    assert!(raw.unresolved.iter().any(|it| raw.function_object(it.function).unwrap().ends_with("/program")));
}

/// The number of allocations by the loader and the libraries, not by the program.
fn other_allocations(profile: &lotse_model::Profile) -> u64 {
    let samples = &profile.parts[0].samples;
    let rows = samples.stack.iter().enumerate().filter(|&(_, &stack)| {
        let mut frames = profile.stacks.frames(stack);
        !frames.any(|frame| profile.function_name(profile.frames.get(frame).function) == "main")
    });
    rows.map(|(row, _)| samples.costs.row(row)[0]).sum()
}

#[test]
fn massif_of_others() {
    let Some(bytes) = fixture("massif/prime_counter.massif.out") else { return };
    check(
        "prime_counter.massif.out",
        &bytes,
        "massif",
        &expect![[r#"
        functions 9 files 6 objects 2 stacks 9 parts 4 data 1 unresolved 0
        command Some("./randomGenerator 10 10000000") creator Some("massif")
        mem_heap_B bytes 4096
        mem_heap_extra_B bytes 8
        mem_stacks_B bytes 0
        part snapshot 0 at 0 i: own 0 calls 0 samples 1 not selected
        part snapshot 1 at 155841 i: own 0 calls 0 samples 1 not selected
        part snapshot 2 at 8005913685 i: own 0 calls 0 samples 2
        part snapshot 3 at 8005913685 i: own 0 calls 0 samples 1 not selected
    "#]],
    );
}

#[test]
fn massif_made_now() {
    let Some(place) = program("massif") else { return };
    let options =
        ["--tool=massif", "--massif-out-file=out", "--threshold=0.0", "--detailed-freq=1", "./program"];
    if tool(&place, "valgrind", &options).is_none() {
        return;
    }
    let profile = check::read("massif.out.1", &std::fs::read(place.join("out")).unwrap(), "massif");
    let printed = tool(&place, "ms_print", &["out"]).unwrap();
    let rows = printed.lines().filter_map(|line| {
        let fields: Vec<u64> = line
            .split_whitespace()
            .map(|field| field.replace(',', "").parse())
            .collect::<Result<_, _>>()
            .ok()?;
        <[u64; 6]>::try_from(fields).ok()
    });
    let theirs: Vec<[u64; 4]> =
        rows.map(|[number, _, _, heap, extra, stacks]| [number, heap, extra, stacks]).collect();
    let ours: Vec<[u64; 4]> = profile
        .parts
        .iter()
        .map(|part| {
            let total = |event| part.samples.costs.total(event) as u64;
            [part.number.unwrap(), total(0), total(1), total(2)]
        })
        .collect();
    assert_eq!(ours, theirs);
    let peak = profile.parts.iter().find(|part| part.selected).unwrap();
    assert_eq!(peak.trigger.as_deref(), Some("peak"));
    assert!(!profile.data.is_empty());
    let inner = profile.functions.ids().find(|&id| profile.function_name(id) == "inner").unwrap();
    let frame = profile.frames.function.iter().position(|&id| id == inner).unwrap();
    assert!(profile.frames.inlined[frame]);
}

#[test]
fn dhat_of_others() {
    let Some(bytes) = fixture("dhat/yt-dhat-heap.json") else { return };
    check(
        "dhat-heap.json",
        &bytes,
        "dhat",
        &expect![[r#"
        functions 40 files 19 objects 1 stacks 47 parts 1 data 3 unresolved 0
        command Some("target/debug/yt-dhat-example") creator Some("DHAT, rust-heap mode")
        total_bytes bytes 1101
        total_blocks count 3
        at_t_gmax_bytes bytes 1101
        at_t_gmax_blocks count 3
        at_t_end_bytes bytes 1088
        at_t_end_blocks count 2
        lifetimes us 91
        part 1: own 0 calls 0 samples 3
    "#]],
    );
    let Some(bytes) = fixture("dhat/profiler__dhat.json.gz") else { return };
    check(
        "dhat.json.gz",
        &bytes,
        "dhat",
        &expect![[r#"
        functions 185 files 42 objects 1 stacks 2150 parts 1 data 112 unresolved 0
        command Some("target/debug/examples/work_log") creator Some("DHAT, rust-heap mode")
        total_bytes bytes 21642
        total_blocks count 133
        at_t_gmax_bytes bytes 9584
        at_t_gmax_blocks count 91
        at_t_end_bytes bytes 1112
        at_t_end_blocks count 3
        lifetimes us 146177
        part 1: own 0 calls 0 samples 112
    "#]],
    );
}

#[test]
fn dhat_made_now() {
    let Some(place) = program("dhat") else { return };
    for mode in ["heap", "copy", "ad-hoc"] {
        let option = format!("--mode={mode}");
        let arguments = ["--tool=dhat", "--dhat-out-file=out", "--log-file=log", &option, "./program"];
        if tool(&place, "valgrind", &arguments).is_none() {
            return;
        }
        let profile = check::read("dhat.out.1", &std::fs::read(place.join("out")).unwrap(), "dhat");
        let log = std::fs::read_to_string(place.join("log")).unwrap();
        let stated = |title: &str| {
            let line =
                log.lines().find_map(|line| line.split_once(title)).map(|(_, rest)| rest.trim_start())?;
            let words: Vec<&str> = line.split(' ').collect();
            let number = |word: &str| word.replace(',', "").parse::<i128>().unwrap();
            let second = words.iter().position(|word| *word == "in").map(|at| number(words[at + 1]));
            Some((number(words[0]), second))
        };
        let total = stated("Total:").unwrap();
        let ours = |event: &str| total_of(&profile, event);
        match mode {
            "ad-hoc" => assert_eq!((ours("total_units"), Some(ours("total_events"))), total),
            _ => assert_eq!((ours("total_bytes"), Some(ours("total_blocks"))), total),
        }
        if mode == "heap" {
            assert_eq!(
                (ours("at_t_gmax_bytes"), Some(ours("at_t_gmax_blocks"))),
                stated("At t-gmax:").unwrap()
            );
            assert_eq!((ours("at_t_end_bytes"), Some(ours("at_t_end_blocks"))), stated("At t-end:").unwrap());
            assert_eq!(ours("reads_bytes"), stated("Reads:").unwrap().0);
            assert_eq!(ours("writes_bytes"), stated("Writes:").unwrap().0);
            let written = profile.data.accesses.iter().flatten().find(|access| access.offset == 7);
            assert_eq!(written.map(|access| access.count), Some(20));
        }
    }
}
