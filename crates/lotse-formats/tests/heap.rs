//! heaptrack, DHAT and Massif: files of others, files made now, and the tools' own words about them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

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
  for (int i = 0; i < 20; i++) { sink = malloc(1000); free((void *)sink); }
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

/// As heaptrack prints sizes: `996.97K` of thousands.
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

/// Allocations that are not the program's own: the loader's and the libraries'.
fn other_allocations(profile: &lotse_model::Profile) -> u64 {
    let samples = &profile.parts[0].samples;
    let rows = samples.stack.iter().enumerate().filter(|&(_, &stack)| {
        let mut frames = profile.stacks.frames(stack);
        !frames.any(|frame| profile.function_name(profile.frames.get(frame).function) == "main")
    });
    rows.map(|(row, _)| samples.costs.row(row)[0]).sum()
}
